"""`nanobot run`: one prompt, answered with the tools."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from nanobot.agent.instructions import system_text
from nanobot.agent.runner import AgentRunner
from nanobot.agent.spec import AgentRunSpec
from nanobot.cli.eventloop import run_to_end
from nanobot.cli.failure import Failed, tell
from nanobot.cli.jsonlines import JsonLines
from nanobot.cli.keyboard import Keyboard
from nanobot.cli.person import TerminalPerson
from nanobot.cli.picture import Picture
from nanobot.cli.reader import Reader
from nanobot.cli.screen import Screen, stdout_console, terminal_console
from nanobot.cli.session import open_session
from nanobot.cli.view import RunView
from nanobot.errors import ConfigError
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.spec import AgentRunResult
    from nanobot.cli.session import Session, SessionOptions
    from nanobot.events import Observer
    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.choice import ModelChoice

_NOBODY = "nobody outside this program sees file contents"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutput:
    """How a run is shown."""

    json_lines: bool = False
    quiet: bool = False
    picture: Path | None = None


def run_prompt(prompt: str | None, options: SessionOptions, output: RunOutput) -> None:
    """Answer one prompt; from standard input where it is None or `-`.

    Raises:
        ConfigError: a flag or setting that can't be used.
        Failed: the run did not complete.
        Stopped: by a signal.
    """
    if output.json_lines and output.quiet:
        raise ConfigError("--json and --quiet exclude each other.")
    from_stdin = prompt is None or prompt == "-"
    text = _stdin_text() if from_stdin else (prompt or "")
    if not text.strip():
        raise ConfigError("There is no prompt.", hint='Try: nanobot run "list the files"')
    session = open_session(options)
    keyboard = Keyboard.find(stdin_is_taken=from_stdin)
    run_to_end(partial(_run, text, session, output, keyboard))


async def _run(text: str, session: Session, output: RunOutput, keyboard: Keyboard | None) -> None:
    choice = await in_thread(session.choose_model)
    shown = _Shown(output, keyboard)
    shown.introduce(choice, text)
    reader = Reader()
    try:
        messages = opening_messages(session, text)
        approval = session.approval(shown.person)
        spec = run_spec(session, choice, messages, approval, map(reader.reads, shown.observers))
        result = await AgentRunner(choice.provider).run(spec)
        shown.conclude(result)
    except asyncio.CancelledError:
        if reader.gone:
            raise BrokenPipeError from None
        shown.stop()
        raise
    finally:
        shown.close()
        await choice.provider.aclose()
    if result.stop_reason != "completed":
        raise Failed


class _Shown:
    """Who follows the run: one view or JSON lines, and the picture where one is wanted."""

    def __init__(self, output: RunOutput, keyboard: Keyboard | None) -> None:
        self._output = output
        self._screen = Screen(stdout_console())
        self._picture = Picture(output.picture) if output.picture else None
        self._views: list[RunView] = []
        self.observers: list[Observer] = []
        if output.json_lines:
            self.observers.append(JsonLines(sys.stdout))
        else:
            self._views.append(RunView(self._screen, answer_only=output.quiet))
        if self._picture:
            self._views.append(RunView(self._picture.screen))
        self.observers += self._views
        asked_on = self._screen if self._screen.rich else Screen(terminal_console(), live=False)
        self.person = TerminalPerson(asked_on, keyboard.line) if keyboard else None

    def introduce(self, choice: ModelChoice, prompt: str) -> None:
        if self._output.json_lines:
            tell(model_line(choice))
        elif not self._output.quiet:
            self._screen.prose(model_line(choice), "dim")
        if self._picture:
            self._picture.screen.line(("$ ", "green"), f'nanobot run "{prompt}"')
            self._picture.screen.prose(model_line(choice), "dim")

    def conclude(self, result: AgentRunResult) -> None:
        failed = result.stop_reason not in {"completed", "max_iterations"}
        for view in self._views:
            view.final(None if failed else result.final_content, None)
            view.summary()
        if self._picture:
            self._picture.save()
        if result.stop_reason != "completed":
            tell(result.error or f"the run ended early: {result.stop_reason}")

    def close(self) -> None:
        self._screen.close()

    def stop(self) -> None:
        for view in self._views:
            view.stopped()


def run_spec(
    session: Session,
    choice: ModelChoice,
    messages: list[JsonObject],
    approval: Approval,
    observers: Iterable[Observer],
) -> AgentRunSpec:
    """A run from the command line."""
    settings = session.settings
    return AgentRunSpec(
        initial_messages=messages,
        tools=session.registry,
        model=choice.model,
        max_iterations=session.max_turns,
        max_tool_result_chars=settings.max_tool_result_chars,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        reasoning_effort=settings.reasoning_effort,
        concurrent_tools=True,
        workspace=session.workspace,
        approval=approval,
        observers=tuple(observers),
        tool_timeout_s=settings.tool_timeout_s,
        max_concurrent_calls=settings.max_concurrent_calls,
    )


def opening_messages(session: Session, prompt: str) -> list[JsonObject]:
    """The system text and the prompt."""
    today = datetime.now().astimezone().date()
    system = system_text(
        today=today, workspace=str(session.workspace.root), has_tools=len(session.registry) > 0
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": prompt}]


def model_line(choice: ModelChoice) -> str:
    """The model, why it was chosen, and who will see file contents."""
    seen = f"{choice.host} will see file contents" if choice.host else _NOBODY
    return f"model {choice.name} ({choice.reason}) · {seen}"


def _stdin_text() -> str:
    if sys.stdin.isatty():
        raise ConfigError("There is no prompt.", hint='Try: nanobot run "list the files"')
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"Standard input is not UTF-8: {error.reason}.") from None


__all__ = ["RunOutput", "model_line", "opening_messages", "run_prompt", "run_spec"]
