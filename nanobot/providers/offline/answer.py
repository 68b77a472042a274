"""What the offline provider says: the calls it understood, the results, what it left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.providers.offline.call import command_line
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.providers.offline.commands import Fault, Topic
    from nanobot.providers.offline.plan import LeftOut, Plan
    from nanobot.providers.offline.steps import Result, Step
    from nanobot.providers.offline.toolbox import CommandShape, Toolbox

CONNECT = (
    "To connect a model: `export OPENAI_API_KEY=…` (or `ANTHROPIC_API_KEY`), or with a model "
    'server of your own `nanobot run --model ollama/NAME "…"`.'
)
_EXAMPLE = 'For example: `list the files and read README.md, then search for "TODO" in src`'
_FENCE = re.compile(r"`{3,}")
_MOST_SHOWN = 5
_LONGEST_QUOTE = 120


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WRITES = _words("write create make save touch generate implement add")
_EDITS = _words(
    "edit change modify update replace fix refactor rewrite insert append set rename bump format "
    "correct comment uncomment swap turn convert"
)


@dataclass(frozen=True, slots=True)
class Done:
    """A step with what came back from its calls."""

    step: Step
    results: Sequence[Result]


def understood_text(plan: Plan, toolbox: Toolbox) -> str | None:
    """The text beside the first calls: each plain request as its exact command."""
    if plan.exact and not plan.left_out:
        return None
    lines = [f"    {visible_line(command_line(step.first, toolbox))}" for step in plan.steps]
    return "\n".join(["Understood as:", "", *lines])


def final_text(plan: Plan, done: Sequence[Done], toolbox: Toolbox) -> str:
    """The answer: topics, faults, each result, what failed, what was left out."""
    blocks = [_topic_text(topic, toolbox) for topic in plan.topics]
    blocks += [_result_text(each, toolbox, alone=len(done) == 1) for each in done]
    blocks += [_failures(done, toolbox)] if any(_failed(each) for each in done) else []
    blocks += [_fault_text(fault) for fault in plan.faults[:_MOST_SHOWN]]
    blocks += ["Nothing was run, so that no half of it is done."] if plan.stopped else []
    if plan.left_out:
        blocks.append("\n".join(_left_out_lines(plan, toolbox)).strip())
        blocks += [] if done else [_offer(toolbox)]
        blocks.append(CONNECT)
    return "\n\n".join(blocks) or help_text(toolbox)


def help_text(toolbox: Toolbox) -> str:
    """What can be typed where there is no model."""
    return (
        "There is no model here. What works are exact commands, and plain requests to list, read, "
        f"find, search and count. {_EXAMPLE}\n\n{_commands(toolbox)}\n\n{CONNECT}"
    )


def _commands(toolbox: Toolbox) -> str:
    rows = [f"- `{shape.brief}`: {shape.summary}" for shape in toolbox.shapes.values()]
    own = [
        "- `/call NAME {json}`: any tool, its arguments as JSON",
        "- `/help NAME`: how a command is written; `/tools`: all tools",
    ]
    return "\n".join(["Commands (several on lines of their own, or joined by `;`):", *rows, *own])


def _fault_text(fault: Fault) -> str:
    usage = f". Usage: `{fault.usage}`" if fault.usage else ""
    return f"`{_short(fault.command)}`: {_short(fault.reason)}{usage}"


def _offer(toolbox: Toolbox) -> str:
    names = " · ".join(f"`{shape.brief}`" for shape in toolbox.shapes.values())
    return (
        "There is no model here, so only exact commands work, and plain requests to list, read, "
        f"find, search and count. {_EXAMPLE}\n\nCommands: {names} · `/help`"
    )


def _topic_text(topic: Topic, toolbox: Toolbox) -> str:
    if not topic.name:
        return help_text(toolbox) if topic.kind == "help" else _tools_text(toolbox)
    shape = toolbox.find(topic.name)
    if shape is None:
        return f"There is no command `/{_short(topic.name)}`. `/help` lists them."
    return _manual(shape)


def _tools_text(toolbox: Toolbox) -> str:
    rows = [
        f"- `{shape.tool}`{'' if toolbox.reads(shape.tool) else ' (asks first)'}: {shape.summary}"
        for shape in toolbox.shapes.values()
    ]
    return "\n".join([f"{len(rows)} tools:", *rows]) if rows else "There are no tools here."


def _manual(shape: CommandShape) -> str:
    rows = [
        f"- `{name}`{' (required)' if name in shape.required else ''}: "
        f"{schema.get('description') or 'no description'}"
        for name, schema in shape.properties.items()
    ]
    also = "" if shape.command == shape.tool else f" (also `/{shape.tool}`)"
    return "\n".join([f"`{shape.usage}`{also}", "", shape.summary, "", *rows]).rstrip()


def _result_text(done: Done, toolbox: Toolbox, *, alone: bool) -> str:
    last = done.results[-1] if done.results else None
    command = _short(command_line(done.step.first, toolbox))
    headline = done.step.headline(done.results)
    lines = [] if alone and last is not None and not last.failed else [f"`{command}`"]
    lines += [f"**{headline}**"] if headline else []
    lines.append(fenced(last.text) if last is not None else "(no result)")
    return "\n\n".join(lines)


def fenced(text: str) -> str:
    """The text as a block that Markdown shows as it is, whatever fences it holds."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}" if text else "(nothing)"


def _failed(done: Done) -> bool:
    return not done.results or done.results[-1].failed


def _failures(done: Sequence[Done], toolbox: Toolbox) -> str:
    failed = [each for each in done if _failed(each)]
    names = ", ".join(f"`{_short(command_line(each.step.first, toolbox))}`" for each in failed)
    return f"**Failed: {len(failed)} of {len(done)}**: {names}"


def _left_out_lines(plan: Plan, toolbox: Toolbox) -> list[str]:
    if not plan.left_out:
        return []
    lines = [f"- {_reason(part, toolbox)}" for part in plan.left_out[:_MOST_SHOWN]]
    more = len(plan.left_out) - _MOST_SHOWN
    lines += [f"- and {more} more"] if more > 0 else []
    return ["", "Left out:", "", *lines]


def _reason(part: LeftOut, toolbox: Toolbox) -> str:
    shown = f"“{_short(part.shown)}”"
    match part.why:
        case "change":
            return f"{shown} asks for a change, which needs a model or {_change_command(part.word, toolbox)}"
        case "command":
            return f"{shown}: a command that changes something runs only where the prompt begins with one"
        case "held back":
            return f"{shown} holds a condition or an exception, which needs a model"
        case "no tool":
            return f"{shown} needs the tool `{part.word}`, which is not here or not read-only"
        case "too many":
            return f"{shown}: more requests than are read at once"
        case "unclear":
            return f"{shown} is not understood without a model"


def _change_command(word: str, toolbox: Toolbox) -> str:
    tool = "write_file" if word in _WRITES else "edit_file" if word in _EDITS else "exec"
    fitting = toolbox.shapes.get(tool)
    if fitting is not None:
        return f"the exact command `{fitting.brief}`"
    changing = [
        f"`{shape.brief}`" for shape in toolbox.shapes.values() if not toolbox.reads(shape.tool)
    ]
    return f"an exact command: {' · '.join(changing[:4])}" if changing else "a tool for it"


def _short(text: str) -> str:
    line = visible_line(text[: _LONGEST_QUOTE + 1]).replace("`", "'")
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"


__all__ = ["CONNECT", "Done", "fenced", "final_text", "help_text", "understood_text"]
