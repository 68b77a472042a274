"""A text with single line ends, and the way back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.flattext import FlatText, flatten, line_starts

_TEXT = st.text(st.sampled_from("ab\r\n\u2028")).map(lambda text: text.replace("a", "a\r\n"))


def test_only_line_feeds_end_lines() -> None:
    assert flatten("a\r\nb\rc\u2028d\n") == "a\nb\rc\u2028d\n"
    assert line_starts("a\nb\rc\n") == [0, 2, 6]


def test_mixed_line_ends_are_found_again() -> None:
    text = FlatText("a\r\nb\nc\r\n")

    assert [text.ending(at) for at in (1, 3, 5)] == ["\r\n", "\n", "\r\n"]
    assert text.raw(2, 6) == "b\nc\r\n"
    assert [text.line(at) for at in (0, 2, 4, 0)] == [1, 2, 3, 1]
    assert text.near_ending(2, 3) == "\n"


@given(_TEXT, st.data())
def test_two_parts_give_the_whole_text(raw: str, data: st.DataObject) -> None:
    text = FlatText(raw)
    cut = data.draw(st.integers(0, len(text.flat)))

    assert text.raw(0, cut) + text.raw(cut, len(text.flat)) == raw
    assert flatten(text.raw(0, cut)) == text.flat[:cut]
    assert text.line(cut) == text.flat.count("\n", 0, cut) + 1
    assert [text.flat[:start].count("\n") for start in line_starts(text.flat)] == list(
        range(text.flat.count("\n") + 1)
    )
