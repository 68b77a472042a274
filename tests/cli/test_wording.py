"""Calls, amounts and times in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.cli.wording import arguments_line, duration, result_size, tally, tokens_text


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"path": "a.txt", "limit": 5}, 'path="a.txt" limit=5'),
        ({"text": "a\nb\x1b"}, r'text="a\nb\u001b"'),
        ({"a": "x" * 100}, f'a="{"x" * 58}…'),
        ('{"path": ', '{"path": '),
        ({"a": "\u202e"}, r'a="\u202e"'),
        (None, ""),
        ({}, ""),
    ],
    ids=str,
)
def test_arguments_are_one_safe_line(arguments: object, line: str) -> None:
    assert arguments_line(arguments) == line


@given(st.dictionaries(st.text(), st.text() | st.integers()), st.integers(10, 200))
def test_arguments_never_take_more_than_their_width(
    arguments: dict[str, object], width: int
) -> None:
    assert len(arguments_line(arguments, width)) <= width


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0031, "3 ms"), (1.24, "1.2 s"), (125.0, "2 min 05 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_result_is_its_line_or_its_lines() -> None:
    assert result_size("done\n") == "done"
    assert result_size("a\nb\nc") == "3 lines"


def test_names_are_counted_in_order() -> None:
    assert tally(["b", "a", "b"]) == "b ×2, a"


def test_tokens_are_shown_where_they_were_counted() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 24}
    assert tokens_text(usage) == "1,024 tokens (1,000 in, 24 out)"
    assert tokens_text({}) == ""
