from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nanobot.workspace.editing import Edit, EditRefused, apply_edit
from nanobot.workspace.encoding import Encoding, NotText, decoded, encoded
from nanobot.workspace.flattext import FlatText, flatten

_MARKS = [
    (b"", "utf-8"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
]
_PIECES = ["\n", "\r\n", "\t", "  ", "a", "b", "ab", "é", "日", "🦊", "\u2028", "’", "\u00a0"]
_tidy = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=25).map("".join)
_texts = st.lists(st.sampled_from([*_PIECES, "\r"]), min_size=1, max_size=25).map("".join)
_new = _texts.map(flatten).filter(lambda text: flatten(text) == text)
_encodings = st.sampled_from(_MARKS).map(lambda row: Encoding(mark=row[0], codec=row[1]))


@st.composite
def _ranges(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, range]:
    """A text, and a range of its flat form that is not empty."""
    text = draw(texts)
    start = draw(st.integers(0, len(flatten(text)) - 1))
    return text, range(start, draw(st.integers(start + 1, len(flatten(text)))))


def _occurrence(flat: str, old: str, start: int) -> int:
    """Which of the places it is, counted without overlap; 0 when it is none of them."""
    count, at = 0, flat.find(old)
    while 0 <= at < start:
        count, at = count + 1, flat.find(old, at + len(old))
    return count + 1 if at == start else 0


@given(encoding=_encodings, chosen=_ranges(_texts), new=_new)
def test_an_edit_of_a_known_range_leaves_all_other_bytes(
    encoding: Encoding, chosen: tuple[str, range], new: str
) -> None:
    text, place = chosen
    before, found = decoded(encoded(text, encoding))
    file = FlatText(before)
    start, end = place.start, place.stop
    old = file.flat[start:end]
    occurrence = _occurrence(file.flat, old, start)
    assume(occurrence and old != new and flatten(old) == old)

    edited = apply_edit(before, Edit(old_text=old, new_text=new, occurrence=occurrence))

    after = encoded(edited.text, found)
    head = encoded(before[: file.offset(start)], found)
    tail = before[file.offset(end) :].encode(found.codec)
    assert after.startswith(head)
    assert after.endswith(tail)
    middle = after[len(head) : len(after) - len(tail)].decode(found.codec)
    assert flatten(middle) == new
    if file.flat.count(old) == 1:
        assert apply_edit(before, Edit(old_text=old, new_text=new)).text == edited.text


@given(data=st.binary(max_size=40) | st.builds(encoded, _texts, _encodings))
def test_bytes_are_no_text_or_come_back_as_they_were(data: bytes) -> None:
    try:
        text, encoding = decoded(data)
    except NotText:
        return

    assert encoded(text, encoding) == data


@given(chosen=_ranges(_tidy), new=_tidy.map(flatten))
def test_replacing_everywhere_is_replacing_each_place_from_the_last(
    chosen: tuple[str, range], new: str
) -> None:
    text, place = chosen
    flat = flatten(text)
    old = flat[place.start : place.stop]
    assume(old != new)
    one_by_one, count = text, flat.count(old)
    for occurrence in range(count, 0, -1):
        step = Edit(old_text=old, new_text=new, occurrence=occurrence)
        one_by_one = apply_edit(one_by_one, step).text

    edited = apply_edit(text, Edit(old_text=old, new_text=new, replace_all=True))

    assert (edited.count, edited.way, edited.text) == (count, "exact", one_by_one)


def test_only_the_first_twenty_lines_are_named() -> None:
    text = "x = 1\r\nplain\r\n" * 30

    edited = apply_edit(text, Edit(old_text="x", new_text="y", replace_all=True))

    assert edited.text == text.replace("x", "y")
    assert (edited.count, list(edited.lines)) == (30, list(range(1, 41, 2)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"expected_replacements": 2},
            "3 replacements would be made, not the 2 expected: lines 1, 2, 3",
        ),
        ({"line_hint": 4}, "No place of old_text lies on line 4: it stands on lines 1, 2, 3"),
        ({"occurrence": 2}, "replace_all and occurrence contradict each other"),
    ],
    ids=["count", "line", "occurrence"],
)
def test_replacing_everywhere_obeys_the_other_options(options: dict[str, int], said: str) -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edit("x\nx\nx\n", Edit(old_text="x", new_text="y", replace_all=True, **options))

    assert refused.value.message == said


def test_more_places_than_can_be_told_apart_are_refused_by_their_number() -> None:
    edit = Edit(old_text="b", new_text="c", occurrence=7)

    with pytest.raises(EditRefused, match="stands in 300,000 places; at most 200,000"):
        apply_edit("ab\n" * 300_000, edit)
