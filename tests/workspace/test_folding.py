"""Unicode blanks, quotes and dashes as ASCII."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.folding import fold, types_as


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\u201ca\u201d", '"a"'),
        ("it\u2019s", "it's"),
        ("a\u2013b\u2014c", "a-b-c"),
        ("a\u00a0b\u3000c", "a b c"),
        ("\u00e9\u2026", "\u00e9\u2026"),
    ],
)
def test_a_character_becomes_what_people_type(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert types_as(folded, text)


@pytest.mark.parametrize(
    ("typed", "stands"), [("\u201c", '"'), ("-", "x"), ("--", "\u2014"), ("", " ")]
)
def test_only_ascii_stands_for_it_one_for_one(typed: str, stands: str) -> None:
    assert not types_as(typed, stands)


@given(st.text())
def test_folding_keeps_the_length_and_is_done_once(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)
    assert types_as(fold(text), text)
