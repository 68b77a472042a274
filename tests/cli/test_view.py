"""A run as a person follows it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from nanobot import events
from nanobot.cli.screen import Screen
from nanobot.cli.view import RunView

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\u200b[red]markup[/red]"


def _shown(happened: Iterable[events.Event], *, terminal: bool = False, quiet: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=terminal, width=100, color_system=None, markup=False, emoji=False
    )
    view = RunView(Screen(console, live=False), answer_only=quiet)
    for event in happened:
        view(event)
    view.final("The end.", None)
    view.summary()
    return out.getvalue()


def _call(content: str = "ok", detail: str = "ok", *, failed: bool = False) -> list[events.Event]:
    return [
        events.CallStarted(run_id="r", call_id="1", name="read_file", arguments={"path": "a.txt"}),
        events.CallFinished(
            run_id="r",
            call_id="1",
            name="read_file",
            status="error" if failed else "ok",
            detail=detail,
            content=content,
            seconds=0.012,
        ),
    ]


def test_a_call_is_a_line_with_arguments_duration_and_outcome() -> None:
    first = _shown(_call("1| a\n2| b")).splitlines()[0]

    assert first == '✓ read_file path="a.txt"  12 ms  2 lines'


def test_a_failed_call_says_why() -> None:
    lines = _shown(_call("Error: gone", "gone away", failed=True)).splitlines()

    assert lines[0] == '✗ read_file path="a.txt"  12 ms'
    assert lines[1] == "  gone away"
    assert "1 call (1 failed)" in lines[-1]


def test_an_edit_shows_its_lines_and_is_in_the_summary() -> None:
    edit = events.FileEdited(
        run_id="r", call_id="1", name="edit_file", path="b.py", phase="end", added=2, deleted=1
    )
    started, finished = _call()

    shown = _shown([started, edit, finished])

    assert "b.py +2 −1" in shown
    assert "changed b.py" in shown.splitlines()[-1]


def test_streamed_text_is_shown_once() -> None:
    pieces = [events.TextDelta(run_id="r", turn=0, text=text) for text in ("The ", "end.")]
    answered = events.ModelAnswered(
        run_id="r", turn=0, content="The end.", finish_reason="stop", calls=0, usage={}
    )

    assert _shown([*pieces, answered]).count("The end.") == 1


def test_quiet_shows_the_answer_alone() -> None:
    assert _shown(_call(), quiet=True) == "The end.\n"


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "file"])
def test_hostile_text_drives_nothing(terminal: bool) -> None:
    pieces = [events.TextDelta(run_id="r", turn=0, text=char) for char in _HOSTILE]
    started = events.CallStarted(
        run_id="r", call_id="1", name=_HOSTILE, arguments={_HOSTILE: _HOSTILE}
    )
    progress = events.CallProgress(run_id="r", call_id="1", name=_HOSTILE, text=_HOSTILE)
    retried = events.ModelRetried(run_id="r", turn=0, reason=_HOSTILE, wait_s=1)
    _, finished = _call(_HOSTILE, _HOSTILE, failed=True)

    shown = _shown([started, progress, finished, retried, *pieces], terminal=terminal)

    assert not set("\x1b\x07\x9b\u202e\u200b") & set(shown)
    assert "[red]markup[/red]" in shown


def test_a_stop_says_what_was_done() -> None:
    out = io.StringIO()
    view = RunView(Screen(Console(file=out, width=100), live=False))
    started, finished = _call()
    other = events.CallStarted(run_id="r", call_id="2", name="exec", arguments={})
    for event in (started, finished, other):
        view(event)

    view.stopped()

    assert "Stopped. Done: read_file. Changed: no file. Not finished: exec." in out.getvalue()


def test_a_retry_says_why_and_when() -> None:
    retried = events.ModelRetried(run_id="r", turn=0, reason="Overloaded.", wait_s=1.5)

    assert _shown([retried]).startswith("… Overloaded. Trying again in 1.5 s.\n")


def test_a_boundary_is_told_without_its_class_name() -> None:
    shown = _shown(_call("Error: x", "workspace_violation: Path '/a' is outside", failed=True))

    assert "  Path '/a' is outside\n" in shown


def test_the_time_a_person_takes_to_answer_is_not_the_calls() -> None:
    started, finished = _call()
    asked = events.ApprovalAsked(run_id="r", call_id="1", name="read_file", reason="", at=1.0)
    decided = events.ApprovalDecided(
        run_id="r", call_id="1", name="read_file", decision="allow", at=6.0
    )
    assert isinstance(finished, events.CallFinished)
    slow = replace(finished, seconds=5.012)

    first = _shown([started, asked, decided, slow]).splitlines()[0]

    assert "12 ms" in first
