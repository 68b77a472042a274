"""The program in a real terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.program import NANOBOT
from tests.cli.terminal import Terminal, clean_environment

if TYPE_CHECKING:
    from collections.abc import Callable

_HOSTILE = str(Path(__file__).with_name("hostile_tools.py"))


@pytest.fixture
def start(project: Path) -> Callable[..., Terminal]:
    """Starts the program in the project."""
    env = clean_environment(project.parent / "home")

    def started(*words: str) -> Terminal:
        return Terminal([NANOBOT, *words], cwd=project, env=env)

    return started


def test_hostile_text_never_reaches_the_terminal(start: Callable[..., Terminal]) -> None:
    words = ("run", "--model", "offline", "--tools", _HOSTILE, "/call hostile {}")
    with start(*words) as terminal:
        screen = terminal.wait_for("exit=")
        raw = terminal.raw()

    assert "exit=0" in screen
    assert r"\x1b]0;owned" in screen
    assert b"\x1b]" not in raw
    assert b"\x1b[2J" not in raw.partition(b"model offline")[2]
    assert not [mark for mark in ("\u202e", "\u200b", "\x9b") if mark.encode() in raw]


@pytest.mark.parametrize(
    ("answer", "written"), [("y", True), ("n", False), ("a", True)], ids=["yes", "no", "always"]
)
def test_a_change_asks_with_its_diff(
    start: Callable[..., Terminal], project: Path, answer: str, written: bool
) -> None:
    with start("run", "--model", "offline", "/write new.txt hello") as terminal:
        screen = terminal.wait_for(r"Run it\?")
        assert "+hello" in screen
        assert not (project / "new.txt").exists()
        terminal.type(answer)
        terminal.wait_for("exit=0")

    assert (project / "new.txt").exists() == written


def test_ctrl_c_at_a_question_stops_the_run(start: Callable[..., Terminal], project: Path) -> None:
    with start("run", "--model", "offline", "/write new.txt hello") as terminal:
        terminal.wait_for(r"Run it\?")
        terminal.key("C-c")
        screen = terminal.wait_for("exit=130")

    assert "Stopped. Done: no call." in screen
    assert "Not finished: write_file." in screen
    assert "Traceback" not in screen
    assert not (project / "new.txt").exists()


def test_ctrl_c_stops_a_running_call(start: Callable[..., Terminal]) -> None:
    words = ("run", "--model", "offline", "--tools", _HOSTILE, "/call slow {}")
    with start(*words) as terminal:
        terminal.wait_for(r"[⠀-⣿] slow")
        terminal.key("C-c")
        screen = terminal.wait_for("exit=130")

    assert "Stopped. Done: no call. Changed: no file. Not finished: slow." in screen


def test_a_question_shows_the_length_of_what_it_cuts_and_v_shows_all(
    start: Callable[..., Terminal],
) -> None:
    what = "begin" + "x" * 1000 + "the-end"
    with start("tools", "call", "paint", f"what={what}", "--tools", _HOSTILE) as terminal:
        before = terminal.wait_for("v: view all")
        terminal.type("v")
        after = terminal.wait_for("the-end")
        terminal.type("y")
        terminal.wait_for("painted 1012")

    assert "(1,012 characters in all; v shows them)" in before
    assert "the-end" not in before.partition("? paint")[2]
    assert "begin" in after


def test_the_demo_asks_and_mends(start: Callable[..., Terminal]) -> None:
    with start("demo") as terminal:
        terminal.wait_for(r"Run it\?")
        terminal.type("y")
        screen = terminal.wait_for("exit=0")

    assert "+VAT = 0.20" in screen
    assert "now gives 12.00" in screen


def test_the_demo_respects_a_no(start: Callable[..., Terminal]) -> None:
    with start("demo") as terminal:
        terminal.wait_for(r"Run it\?")
        terminal.type("n")
        screen = terminal.wait_for("exit=0")

    assert "the file is as it was" in screen


def test_a_chat_answers_stops_and_leaves(start: Callable[..., Terminal]) -> None:
    with start("chat", "--model", "offline", "--tools", _HOSTILE) as terminal:
        terminal.wait_for("›")
        terminal.type("/read README.md")
        terminal.wait_for(r"Some text with TODO\.")
        terminal.wait_for("1 call")
        terminal.type("/call slow {}")
        terminal.wait_for(r"[⠀-⣿] slow")
        terminal.key("C-c")
        terminal.wait_for(r"Stopped\.")
        terminal.type("/exit")
        terminal.wait_for("exit=0")


def test_a_chat_completes_paths(start: Callable[..., Terminal]) -> None:
    with start("chat", "--model", "offline") as terminal:
        terminal.wait_for("›")
        terminal.type("/read READ", enter=False)
        terminal.key("Tab")
        terminal.wait_for("/read README.md")
        terminal.key("Enter")
        terminal.wait_for(r"Some text with TODO\.")
        terminal.key("C-d")
        terminal.wait_for("exit=0")
