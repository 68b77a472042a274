"""How a path is written: forms of other systems, what is no path."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace.spelling import below, plain_path


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("C:\\x", "C:\\x"),
        ("c:/x", "c:/x"),
        ("\\\\server\\share", "\\\\server\\share"),
        ("\\x", "\\x"),
        ("..\\x", "..\\x"),
        ("a/..\\x", "a/..\\x"),
        ("file:///outside/x", "/outside/x"),
        ("FILE://host/outside/../%6f", "/o"),
        ("file:x", "file:x"),
    ],
)
def test_a_form_of_another_system_is_outside(path: str, target: str) -> None:
    with pytest.raises(OutsideWorkspace, match="a form of another system") as caught:
        plain_path(path)

    assert caught.value.target == target


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "The path is empty"),
        (" \t", "The path is empty"),
        ("a\0b", r"The path 'a\x00b' holds a NUL character"),
        ("a\ud800", r"The path 'a\ud800' is no valid text"),
    ],
    ids=ascii,
)
def test_what_is_no_path_says_why(path: str, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        plain_path(path)

    assert (caught.value.message, bool(caught.value.hint)) == (said, True)


@pytest.mark.parametrize(
    "path", ["a", "a:b", "a\\b", "C:x", "../x", "/x/..", "~x/y", "a/~", "é", "http://h/x"]
)
def test_other_paths_stay_as_they_are(path: str) -> None:
    assert plain_path(path) == path


def test_a_home_is_written_out_and_the_rest_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    assert plain_path("~") == "/home/me"
    assert plain_path("~/a/../b") == "/home/me/a/../b"


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("/ws", "."),
        ("/ws/", "."),
        ("//ws//a/./b", "a/b"),
        ("/ws/../x", "../x"),
        ("/ws-evil/x", None),
        ("/w", None),
        ("/", None),
        ("/WS/x", None),
        ("/x/../ws/a", None),
    ],
)
def test_below_compares_whole_names(path: str, rest: str | None) -> None:
    assert below(path, Path("/ws")) == rest


@given(st.text())
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = plain_path(text)
    except ToolError as error:
        assert "\n" not in error.message  # noqa: PT017  # both ends are right
    else:
        assert path == text or text.startswith("~")
