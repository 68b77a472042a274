from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.graphemes import cut_before

_WHOLE = {
    "accent": "e\u0301",
    "two accents": "o\u0302\u0323",
    "CRLF": "\r\n",
    "skin tone": "👍🏽",
    "family": "👩\u200d👩\u200d👧",
    "heart": "❤\ufe0f",
    "flag": "🇳🇴",
    "flag of Wales": "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
    "Hangul in parts": "\u1112\u1161\u11ab",
    "Hangul with a tail": "\ud558\u11ab",
    "Devanagari": "क\u0940",
}


@pytest.mark.parametrize("whole", _WHOLE.values(), ids=_WHOLE.keys())
def test_what_is_seen_as_one_is_not_cut(whole: str) -> None:
    text = f"ab{whole}cd"

    cuts = {cut_before(text, most) for most in range(1, len(text) + 1)}

    assert cuts == {1, 2, *range(2 + len(whole), len(text) + 1)}


def test_flags_are_counted_in_pairs() -> None:
    text = "🇳🇴🇸🇪🇩🇰"

    assert [cut_before(text, most) for most in range(2, 7)] == [2, 2, 4, 4, 6]


@given(text=st.text(min_size=1), most=st.integers(-2, 40))
def test_a_cut_always_gets_on_and_never_takes_more(text: str, most: int) -> None:
    assert 1 <= cut_before(text, most) <= max(1, most)


def test_an_endless_grapheme_is_cut_all_the_same() -> None:
    text = "e" + "\u0301" * 1_000

    assert cut_before(text, 500) == 500
