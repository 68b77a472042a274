"""The person at the terminal, asked before a call runs."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, TypeAlias

from rich.text import Text

from nanobot.agent.execution.approval import Allow, AllowForRun, Deny
from nanobot.cli.wording import counted, value_text
from nanobot.visible import visible, visible_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nanobot.agent.execution.approval import Answer, ApprovalRequest, Ask
    from nanobot.cli.screen import Screen

AskLine: TypeAlias = "Callable[[], Awaitable[str | None]]"
"""Waits for one line; None when the person is gone."""

_SHOWN_CHARS = 400
_SHOWN_DIFF_LINES = 60
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_NO_PERSON = "the person is gone"
_REFUSED = "the person said no"


class TerminalPerson:
    """Shows a call and asks: yes, no, always (this tool, for the rest of the run), view.

    Args:
        screen: where the question is shown.
        ask_line: where the answer comes from.
    """

    def __init__(self, screen: Screen, ask_line: AskLine) -> None:
        self._screen = screen
        self._ask_line = ask_line

    async def __call__(self, request: ApprovalRequest, ask: Ask) -> Answer:
        """The person's word over one call. Anything but a clear yes asks again; no line is a no."""
        diff = await _preview(request)
        with self._screen.paused():
            return await self._asked(request, ask, diff)

    async def _asked(self, request: ApprovalRequest, ask: Ask, diff: str) -> Answer:
        name = visible_line(request.tool.name)
        show_question(self._screen, request, ask)
        more = show_arguments(self._screen, request, diff, whole=False)
        while True:
            view = " · v: view all" if more else ""
            question = f"  Run it? y: yes · n: no · a: always {name} in this run{view} > "
            self._screen.console.print(Text(question, style="yellow"), end="")
            try:
                line = await self._ask_line()
            except asyncio.CancelledError:
                self._screen.line()
                raise
            if line is None:
                self._screen.line()
                return Deny(_NO_PERSON)
            answer = _understood(line)
            if answer is not None:
                return answer
            if line.strip().casefold() in {"v", "view"}:
                show_arguments(self._screen, request, diff, whole=True)
            elif line.strip():
                self._screen.line((f"  '{visible_line(line.strip())}' is no answer", "dim"))


def show_question(screen: Screen, request: ApprovalRequest, ask: Ask) -> None:
    """Which tool, and why a person is asked."""
    name = "" if request.tool.name in ask.reason else f"{request.tool.name}: "
    screen.line(("? ", "bold yellow"), (name + ask.reason, "bold"))


def show_arguments(screen: Screen, request: ApprovalRequest, diff: str, *, whole: bool) -> bool:
    """Show each argument, then the diff; whether a part was left out (never when `whole`)."""
    left_out = False
    for key, value in request.arguments.items():
        shown = _value(value, whole=whole)
        cut = not whole and len(shown) > _SHOWN_CHARS
        left_out = left_out or cut
        if cut:
            length = counted(len(value if isinstance(value, str) else shown), "character")
            shown = f"{shown[:_SHOWN_CHARS]}… ({length} in all; v shows them)"
        screen.line((f"  {visible_line(key)}: ", "dim"), shown)
    return _show_diff(screen, diff, whole=whole) or left_out


def _understood(line: str) -> Answer | None:
    """The answer in a line; None where it is none of the words. `n WHY` tells the model why."""
    word, _, reason = line.strip().partition(" ")
    match word.casefold():
        case "y" | "yes":
            return Allow()
        case "a" | "always":
            return AllowForRun()
        case "n" | "no":
            return Deny(f"{_REFUSED}: {reason}" if reason else _REFUSED)
        case _:
            return None


def _value(value: object, *, whole: bool) -> str:
    if whole and isinstance(value, str) and "\n" in value:
        return "\n    " + visible(value).replace("\n", "\n    ")
    if whole and isinstance(value, (list, dict)):
        return visible(json.dumps(value, ensure_ascii=False, indent=2))
    return value_text(value)


def _show_diff(screen: Screen, diff: str, *, whole: bool) -> bool:
    lines = diff.splitlines()
    shown = lines if whole else lines[:_SHOWN_DIFF_LINES]
    for line in shown:
        screen.line(("  " + visible_line(line), _DIFF_STYLES.get(line[:1], "")))
    if len(lines) > len(shown):
        screen.line((f"  … {counted(len(lines) - len(shown), 'line')} more; v shows them", "dim"))
    return len(lines) > len(shown)


async def _preview(request: ApprovalRequest) -> str:
    try:
        return await request.tool.preview(request.arguments)
    except Exception as error:  # noqa: BLE001  # foreign tool code; the question still shows all
        return f"(no preview: {type(error).__name__}: {error})"


__all__ = ["AskLine", "TerminalPerson", "show_arguments", "show_question"]
