"""Text made safe to show."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.visible import visible, visible_line

_ACTING = {
    "escape": ("\x1b[2J", "\\x1b[2J"),
    "OSC link": ("\x1b]8;;http://x\x07", "\\x1b]8;;http://x\\x07"),
    "C1 CSI": ("\x9b2J", "\\x9b2J"),
    "carriage return": ("ok\rbad", "ok\\x0dbad"),
    "backspace": ("a\bb", "a\\x08b"),
    "delete": ("\x7f", "\\x7f"),
    "right-to-left override": ("a\u202eb", "a\\u202eb"),
    "isolate": ("\u2066", "\\u2066"),
    "zero-width space": ("\u200b", "\\u200b"),
    "byte order mark": ("\ufeff", "\\ufeff"),
    "soft hyphen": ("\u00ad", "\\xad"),
    "Hangul filler": ("\u3164", "\\u3164"),
    "tag letter": ("\U000e0041", "\\U000e0041"),
    "variation selector 17": ("a\U000e0100", "a\\U000e0100"),
    "variation selector 1": ("a\ufe00", "a\\ufe00"),
    "emoji selector after a letter": ("a\ufe0f", "a\\ufe0f"),
    "joiner between letters": ("a\u200db", "a\\u200db"),
    "joiner at the end": ("न\u200d", "न\\u200d"),
    "two joiners": ("न\u200d\u200dक", "न\\u200d\\u200dक"),
    "line separator": ("\u2028", "\\u2028"),
    "lone surrogate": ("\ud83d", "\\ud83d"),
    "private use": ("\ue000", "\\ue000"),
}
_KEPT = {
    "ASCII": "plain [bold]text[/bold]\t1\n",
    "letters": "naïve Ελλάδα 日本語 عربى",
    "family emoji": "👨\u200d👩\u200d👧",
    "heart": "❤\ufe0f",
    "rainbow flag": "🏳\ufe0f\u200d🌈",
    "keycap": "1\ufe0f\u20e3",
    "Devanagari joiner": "क्\u200dष",
    "Persian non-joiner": "می\u200cخواهم",
}


@pytest.mark.parametrize(("text", "shown"), _ACTING.values(), ids=_ACTING)
def test_what_acts_or_hides_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", _KEPT.values(), ids=_KEPT)
def test_what_is_seen_stays(text: str) -> None:
    assert visible(text) == text


def test_a_line_has_no_line_end() -> None:
    assert visible_line("a\nb\tc\x1b") == "a\\nb\\tc\\x1b"


@given(st.text())
def test_nothing_that_acts_comes_through(text: str) -> None:
    shown = visible(text)

    controls = [char for char in shown if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}]
    assert set(controls) <= {"\n", "\t"}
    assert visible(shown) == shown


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_a_sequence_split_over_pieces_acts_no_more_than_a_whole_one(text: str, cut: int) -> None:
    shown = visible(text[:cut]) + visible(text[cut:])

    assert "\x1b" not in shown
    assert not any("\x80" <= char <= "\x9f" for char in shown)
