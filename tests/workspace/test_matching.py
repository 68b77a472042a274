from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nanobot.workspace.matching import Span, find

_rows = st.lists(
    st.sampled_from(["a", "  a", "\ta", "a  ", "b", "  b ", "", "  ", "ab"]), max_size=8
)


@pytest.mark.parametrize(
    ("flat", "old", "way", "spans"),
    [
        ("aaaa", "aa", "exact", [(0, 2), (2, 4)]),
        ("a\nb \nc\n", "a\nb\nc\n", "trailing blanks", [(0, 7)]),
        ("a\nb\t", "a  \nb", "trailing blanks", [(0, 4)]),
        ("x\n  a\n    b\n", "a\n  b\n", "indentation", [(2, 12)]),
        ("  a\n b\n", "a\nb\n", "indentation", []),
        ("say “hi” – now", 'say "hi" - now', "Unicode characters", [(0, 14)]),
        ("b a \na \nb", "a\nb", "trailing blanks", [(5, 9)]),
    ],
    ids=["no overlap", "blanks", "blanks typed", "shifted", "unlike", "quotes", "later place"],
)
def test_a_place_fits_in_one_way(
    flat: str, old: str, way: str, spans: list[tuple[int, int]]
) -> None:
    matches = find(flat, old)

    assert [(span.start, span.end) for span in matches.spans] == spans
    assert not spans or matches.way == way


@given(rows=_rows, old_rows=_rows.filter(any), ended=st.booleans())
def test_lines_fit_apart_from_blanks_at_their_ends_wherever_they_stand(
    rows: list[str], old_rows: list[str], ended: bool
) -> None:
    assume(ended or old_rows[-1])  # else its last row is but the end of the one before
    flat, old = "\n".join(rows), "\n".join(old_rows) + "\n" * ended
    wanted = [row.rstrip() for row in old_rows]
    lines = flat.split("\n")
    last = len(lines) - len(old_rows) + (not ended)
    places = [
        at
        for at in range(max(0, last))
        if [row.rstrip() for row in lines[at : at + len(wanted)]] == wanted
    ]

    matches = find(flat, old)

    if matches.way == "trailing blanks" and matches.spans:
        starts = [flat.count("\n", 0, span.start) for span in matches.spans]
        assert starts == _apart(places, len(wanted))
    elif old not in flat and any(row.strip() for row in old_rows):
        assert places == []


def _apart(places: list[int], size: int) -> list[int]:
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + size:
            kept.append(place)
    return kept


def test_a_tolerant_place_spans_as_many_lines_as_the_old_text() -> None:
    flat = "def f():\n\treturn 1\n\n\ndef g():\n\treturn 2\n"

    assert find(flat, "def f():\n    return 1\n\ndef g():").spans == ()
    assert find(flat, "return 2   ").spans == ()
    assert find(flat, "    return 2").spans == (Span(30, 39),)


def test_many_places_that_nearly_fit_are_looked_through_quickly() -> None:
    flat, old = "    foo(bar)\n" * 6_000 + "  x\n", "foo(bar)\n" * 1_500 + "y\n"

    assert find(flat, old).spans == ()
    assert len(find("foo(bar) \n" * 6_000, "foo(bar)\n" * 1_500).spans) == 4
