"""A run as a person follows it: an observer that writes its events to a screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, assert_never

from rich.spinner import Spinner
from rich.text import Text

from nanobot import events
from nanobot.cli.markdown import MarkdownBlocks, SafeMarkdown
from nanobot.cli.wording import (
    arguments_line,
    clip,
    counted,
    duration,
    result_size,
    tally,
    tokens_text,
)
from nanobot.visible import visible, visible_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType

    from nanobot.cli.screen import Screen

_KEPT_ROWS = 6
_KIND = re.compile(r"(workspace_violation(_escalated)?|ssrf_violation): ")
_LEAST_ARGUMENTS = 20


@dataclass(slots=True)
class _Running:
    name: str
    arguments: str
    since: float
    progress: str = ""
    edits: list[str] = field(default_factory=list)
    asked_at: float | None = None
    answer_took: float = 0.0


class RunView:
    """Shows each event. One view serves one run.

    Args:
        screen: where to.
        answer_only: show the final answer and nothing else.
    """

    def __init__(self, screen: Screen, *, answer_only: bool = False) -> None:
        self._screen = screen
        self._answer_only = answer_only
        self._blocks = MarkdownBlocks()
        self._running: dict[str, _Running] = {}
        self._waiting = ""
        self._turn_text = ""
        self._since = monotonic()
        self._done: list[str] = []
        self._failed = 0
        self._under_call = False
        self._changed: list[str] = []
        self._usage: Mapping[str, int] = {}

    def __call__(self, event: events.Event) -> None:
        """Show one event."""
        self._take(event)
        if self._screen.alive and not self._answer_only:
            self._screen.show(*self._region())

    def _take(self, event: events.Event) -> None:
        match event:
            case events.CallStarted() | events.CallProgress() | events.CallFinished():
                self._take_call(event)
            case events.ApprovalAsked() | events.ApprovalDecided():
                self._take_question(event)
            case events.FileEdited(phase="end"):
                self._edited(event)
            case events.TextDelta():
                self._text(event.text)
            case events.ModelRequested():
                self._waiting, self._turn_text = event.model, ""
            case events.ModelAnswered():
                self._answered(event)
            case events.ModelRetried():
                again = f" Trying again in {duration(event.wait_s)}." if event.wait_s else ""
                self._say(("… ", "yellow"), event.reason + again)
            case events.RunStarted() | events.RunFinished():
                self._run_edge(event)
            case (
                events.TurnStarted()
                | events.TurnFinished()
                | events.ReasoningDelta()
                | events.FileEdited()
            ):
                pass
            case _:
                assert_never(event)

    def _take_call(
        self, event: events.CallStarted | events.CallProgress | events.CallFinished
    ) -> None:
        if isinstance(event, events.CallStarted):
            self._waiting = ""
            shown = arguments_line(event.arguments, self._screen.width)
            self._running[event.call_id] = _Running(event.name, shown, event.at)
        elif isinstance(event, events.CallProgress):
            if event.call_id in self._running:
                lines = event.text.strip().splitlines()
                self._running[event.call_id].progress = lines[-1] if lines else ""
        else:
            self._finished(event)

    def _take_question(self, event: events.ApprovalAsked | events.ApprovalDecided) -> None:
        call = self._running.get(event.call_id)
        if call is None:
            return
        if isinstance(event, events.ApprovalAsked):
            call.asked_at = event.at
        elif call.asked_at is not None:
            call.answer_took, call.asked_at = event.at - call.asked_at, None

    def _finished(self, event: events.CallFinished) -> None:
        call = self._running.pop(event.call_id, None) or _Running(event.name, "", event.at)
        self._done.append(event.name)
        good = event.status == "ok"
        self._failed += not good
        took = duration(event.seconds - call.answer_took)
        outcome = "  ".join([*call.edits, "" if call.edits else result_size(event.content)]).strip()
        room = self._screen.width - len(event.name) - len(took) - 8
        room -= len(outcome) if good else 0
        arguments = clip(call.arguments, max(_LEAST_ARGUMENTS, room))
        self._say(
            ("✓ ", "green") if good else ("✗ ", "red"),
            (visible_line(event.name), "bold"),
            f" {arguments}" if arguments else "",
            (f"  {took}", "dim"),
            (f"  {visible_line(outcome)}", "dim") if good else "",
        )
        if not good:
            self._say(("  " + visible_line(_KIND.sub("", event.detail)), "red"))
        self._under_call = True

    def _edited(self, event: events.FileEdited) -> None:
        if event.path not in self._changed:
            self._changed.append(event.path)
        if event.call_id in self._running:
            edit = f"{event.path} +{event.added} −{event.deleted}"
            self._running[event.call_id].edits.append(edit)

    def _text(self, text: str) -> None:
        self._waiting = ""
        self._turn_text += text
        if not self._answer_only:
            for block in self._blocks.feed(text):
                self._block(block)

    def _answered(self, event: events.ModelAnswered) -> None:
        self._waiting = ""
        if event.content and not self._turn_text and event.finish_reason != "error":
            self._text(event.content)
        self._block(self._blocks.finish())

    def _block(self, block: str) -> None:
        if not block.strip() or self._answer_only:
            return
        self._screen.show()
        if self._under_call:
            self._screen.line()
        self._under_call = False
        if self._screen.rich:
            self._screen.print(SafeMarkdown(block))
        else:
            self._screen.plain(block.replace("\r\n", "\n").strip("\n"))
        self._screen.line()

    def _run_edge(self, event: events.RunStarted | events.RunFinished) -> None:
        self._waiting = ""
        if isinstance(event, events.RunStarted):
            self._since = event.at
        else:
            self._usage = event.usage

    def _say(self, *parts: str | tuple[str, str]) -> None:
        if not self._answer_only:
            self._screen.line(*parts)

    def _region(self) -> list[RenderableType]:
        rows: list[RenderableType] = [
            Spinner("dots", Text(self._running_line(call), no_wrap=True, overflow="ellipsis"))
            for call in self._running.values()
        ]
        tail = self._blocks.pending.strip("\n")
        if tail:
            kept = max(1, self._screen.height - len(rows) - _KEPT_ROWS)
            lines = [clip(visible(line), self._screen.width) for line in tail.split("\n")]
            rows.append(Text("\n".join(lines[-kept:])))
        if self._waiting and not rows:
            rows.append(Spinner("dots", Text(f"waiting for {visible_line(self._waiting)}")))
        return rows

    def _running_line(self, call: _Running) -> str:
        progress = f"  {call.progress}" if call.progress else ""
        return visible_line(f"{call.name} {call.arguments}{progress}")

    def final(self, content: str | None, error: str | None) -> None:
        """The end of the run: the final answer, where it has not been streamed yet."""
        self._screen.show()
        told = self._turn_text.strip()
        text = (content or error or "").strip()
        if self._answer_only:
            self._screen.plain(text) if not self._screen.rich else self._screen.print(
                SafeMarkdown(text)
            )
        elif text and text != told:
            self._block(text)

    def summary(self) -> None:
        """The last line: calls, tokens, time."""
        self._screen.show()
        parts = [counted(len(self._done), "call")]
        if self._failed:
            parts[0] += f" ({self._failed} failed)"
        parts += [tokens_text(self._usage) or "no tokens", duration(monotonic() - self._since)]
        if self._changed:
            parts.insert(1, f"changed {', '.join(self._changed)}")
        self._say((" · ".join(parts), "dim"))

    def stopped(self) -> None:
        """What was done until the person stopped the run."""
        self._screen.show()
        self._block(self._blocks.finish())
        unfinished = [call.name for call in self._running.values()]
        self._running.clear()
        done = tally(self._done) or "no call"
        changed = ", ".join(self._changed) or "no file"
        text = f"Stopped. Done: {done}. Changed: {changed}."
        if unfinished:
            text += f" Not finished: {tally(unfinished)}."
        self._say((text, "yellow"))


__all__ = ["RunView"]
