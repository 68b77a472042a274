"""A prompt as a plan: what will run, what is asked about, what is left out and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.providers.offline.call import Call
from nanobot.providers.offline.commands import Fault, Topic, begins_command, parse_command
from nanobot.providers.offline.phrases import understand
from nanobot.providers.offline.sentences import Clause, Masked, clauses, mask
from nanobot.providers.offline.steps import Exact, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.providers.offline.toolbox import Toolbox

_MOST_REQUESTS = 20
_HELP = re.compile(
    r"(?:help|commands?|usage|what can (?:you|i) do(?: here)?|what do you do|how does this work"
    r"|how do i use (?:this|you|it)|(?:list|show)(?: me)?(?: all)?(?: the| your)? commands"
    r"|what (?:commands|requests) (?:are there|do you (?:know|have|understand)))",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"(?:list|show)(?: me)?(?: all)?(?: the| your)? tools"
    r"|(?:what|which) tools (?:are there|do you have|can you use|are available)",
    re.IGNORECASE,
)

Why: TypeAlias = Literal["change", "command", "held back", "no tool", "too many", "unclear"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that does not run. `word` is the word of change, or the tool that is missing."""

    shown: str
    why: Why
    word: str = ""


Part: TypeAlias = Step | Topic | Fault | LeftOut


@dataclass(frozen=True, slots=True)
class Plan:
    """What a prompt comes to.

    `exact` says that it began with a command. `stopped` that nothing of it runs, because a part of
    it can't be used.
    """

    steps: tuple[Step, ...] = ()
    topics: tuple[Topic, ...] = ()
    faults: tuple[Fault, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    exact: bool = False
    stopped: bool = False


def make_plan(prompt: str, toolbox: Toolbox) -> Plan:
    """The plan of a prompt.

    A tool that changes something is in it only by an exact command, and only where the prompt
    begins with one: a command inside other text (a file given as the prompt, say) only reads.
    With a faulty command nothing runs; beside a command that changes something, nothing runs
    either while any other part is not understood.
    """
    exact = _is_exact(prompt, toolbox)
    parts = _distinct(_parts(prompt, toolbox, exact=exact))
    steps = tuple(part for part in parts if not isinstance(part, Topic | Fault | LeftOut))
    faults = tuple(part for part in parts if isinstance(part, Fault))
    left_out = tuple(part for part in parts if isinstance(part, LeftOut))
    changes = any(not toolbox.reads(step.first.tool) for step in steps)
    stopped = bool(steps) and bool(faults or (changes and left_out))
    return Plan(
        steps=() if stopped else steps,
        topics=tuple(part for part in parts if isinstance(part, Topic)),
        faults=faults,
        left_out=left_out,
        exact=exact,
        stopped=stopped,
    )


def _is_exact(prompt: str, toolbox: Toolbox) -> bool:
    at = len(prompt) - len(prompt.lstrip())
    return begins_command(prompt, at, toolbox)


def _distinct(parts: Iterator[Part]) -> list[Part]:
    """Without plain requests that are there already; exact commands stay."""
    kept: list[Part] = []
    for part in parts:
        plain = isinstance(part, Step) and not isinstance(part, Exact)
        if not plain or part not in kept:
            kept.append(part)
    return kept


def _parts(prompt: str, toolbox: Toolbox, *, exact: bool) -> Iterator[Part]:
    at, requests = 0, 0
    while at < len(prompt):
        if prompt[at].isspace() or prompt[at] == ";":
            at += 1
        elif begins_command(prompt, at, toolbox):
            parsed = parse_command(prompt, at, toolbox)
            at = parsed.end
            yield _command_part(parsed.command, toolbox, exact=exact)
        elif requests >= _MOST_REQUESTS:
            yield LeftOut(prompt[at:].strip(), "too many")
            return
        else:
            end = _plain_end(prompt, at)
            found = list(_plain_parts(prompt[at:end], toolbox, _MOST_REQUESTS - requests))
            requests += max(1, len(found))
            yield from found
            at = end


def _command_part(command: Call | Topic | Fault, toolbox: Toolbox, *, exact: bool) -> Part:
    if not isinstance(command, Call):
        return command
    if exact or toolbox.reads(command.tool):
        return Exact(command)
    return LeftOut(f"/{command.tool}", "command", command.tool)


def _plain_end(prompt: str, at: int) -> int:
    """Where plain text ends: at a line end, or at a `;` outside quotes."""
    end = prompt.find("\n", at)
    line = prompt[at : len(prompt) if end < 0 else end]
    masked = mask(line)
    if masked is None or ";" not in masked.text:
        return at + len(line)
    first = masked.text.index(";")
    hidden = sum(len(quoted) + 1 for quoted in masked.quoted[: _masks(masked.text[:first])])
    return at + first + hidden


def _masks(text: str) -> int:
    return sum(0xE000 <= ord(char) <= 0xF8FE for char in text)  # noqa: PLR2004  # the masks


def _plain_parts(text: str, toolbox: Toolbox, most: int) -> Iterator[Part]:
    masked = mask(text)
    if masked is None:
        yield LeftOut(text.strip(), "unclear")
        return
    room = most
    for clause in clauses(masked):
        found = _clause_parts(clause, masked, toolbox)
        if len(found) > room:
            yield LeftOut(clause.shown, "too many")
            return
        room -= len(found)
        yield from found


def _clause_parts(clause: Clause, masked: Masked, toolbox: Toolbox) -> Sequence[Part]:
    if clause.withheld:
        return [LeftOut(clause.shown, "held back")]
    if clause.change_word:
        return [LeftOut(clause.shown, "change", clause.change_word)]
    if _HELP.fullmatch(clause.text):
        return [Topic("help")]
    if _TOOLS.fullmatch(clause.text):
        return [Topic("tools")]
    steps = understand(clause.text, masked)
    if not steps:
        return [LeftOut(clause.shown, "unclear")]
    calls = [step.first for step in steps]
    unfit = next((call for call in calls if not toolbox.takes(call.tool, call.arguments)), None)
    return [LeftOut(clause.shown, "no tool", unfit.tool)] if unfit else list(steps)


__all__ = ["LeftOut", "Plan", "Why", "make_plan"]
