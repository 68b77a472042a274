"""Text out of documents made fit to be shown."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.documents.plaintext import (
    level_of,
    lines_of,
    number_of,
    one_line,
    quoted,
    table_row,
    without_runs_of_blanks,
)

_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


@given(st.text(st.characters()))
def test_no_line_holds_what_acts(text: str) -> None:
    for line in [*lines_of(text), one_line(text), quoted(text), table_row([text])]:
        assert not _ENDS & set(line)
        assert all(char == "\t" or unicodedata.category(char) != "Cc" for char in line)
        line.encode()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\r\nc\u2028d", ["a", "b", "c", "d"]),
        ("a\tb\x1b[31m\x07", ["a\tb[31m"]),
        ("a\u202eb", ["a\\u202eb"]),
        ("x\U000e0041", ["x\\U000e0041"]),
        ("\ud83d", ["\ufffd"]),
        ("", [""]),
    ],
    ids=[
        "ends of lines",
        "controls",
        "turned round",
        "invisible tags",
        "half a character",
        "empty",
    ],
)
def test_lines_are_clean(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


@given(st.lists(st.sampled_from(["", "x"])))
def test_blanks_come_one_at_a_time_and_only_inside(lines: list[str]) -> None:
    shown = list(without_runs_of_blanks(lines))

    assert [line for line in shown if line] == [line for line in lines if line]
    assert not shown or (shown[0] and shown[-1])
    assert ("", "") not in set(pairwise(shown))


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("99", 63), ("9" * 5000, 63), ("²", 0), ("-1", 0), ("", 0), (None, 0), ("٣", 0)],
)
def test_numbers_of_documents_are_held_to_bounds(text: str | None, number: int) -> None:
    assert number_of(text, most=63) == number
    assert level_of(text) == min(number, 20)


def test_a_row_keeps_its_shape_whatever_its_cells_hold() -> None:
    assert table_row(["a|b", "c\nd", ""]) == "| a\\|b | c / d |  |"
