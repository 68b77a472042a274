"""Hunks made in a text."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.patching import apply_hunks
from nanobot.workspace.patchtext import Hunk, HunkLine, PatchRefused


def _hunk(text: str, *anchors: str, number: int = 1, at_end: bool = False) -> Hunk:
    lines = tuple(HunkLine(row[0], row[1:]) for row in text.split("\n"))  # type: ignore[arg-type]  # a sign
    return Hunk(number=number, anchors=anchors, lines=lines, at_end=at_end)


_MADE = {
    "changed": ("a\nb\nc\n", [_hunk(" a\n-b\n+B")], "a\nB\nc\n"),
    "deleted": ("a\nb\nc\n", [_hunk("-b")], "a\nc\n"),
    "all deleted": ("a\n", [_hunk("-a")], ""),
    "no newline stays missing": ("a\nb", [_hunk("-b\n+B")], "a\nB"),
    "added after a last line without newline": ("a\nb", [_hunk(" b\n+c")], "a\nb\nc"),
    "CRLF": ("a\r\nb\r\n", [_hunk(" a\n+x")], "a\r\nx\r\nb\r\n"),
    "mixed": ("a\r\nb\nc\n", [_hunk("-c\n+C")], "a\r\nb\nC\n"),
    "other blanks at a line end": ("a  \nb\n", [_hunk(" a\n-b\n+B")], "a  \nB\n"),
    "an anchor tells": ("x\na\ny\na\n", [_hunk("-a\n+b", "y")], "x\na\ny\nb\n"),
    "only added below an anchor": ("x\ny\n", [_hunk("+z", "x")], "x\nz\ny\n"),
    "the end": ("a\nb\na\n", [_hunk("-a\n+c", at_end=True)], "a\nb\nc\n"),
    "into nothing": ("", [_hunk("+a")], "a\n"),
    "form feed is no line end": ("a\x0cb\nc\n", [_hunk("-c\n+d")], "a\x0cb\nd\n"),
}


@pytest.mark.parametrize(("before", "hunks", "after"), _MADE.values(), ids=_MADE.keys())
def test_a_hunk_is_made_where_its_lines_stand(before: str, hunks: list[Hunk], after: str) -> None:
    assert apply_hunks(before, hunks, "f") == after


_REFUSED = {
    "nowhere": ("a\n", [_hunk("-b\n+c")], "f, hunk 1 does not fit"),
    "twice": ("a\na\n", [_hunk("-a\n+b")], "f, hunk 1 fits in 2 places: lines 1, 2"),
    "no anchor": ("a\n", [_hunk("-a\n+b", "zz")], "its anchor 'zz' does not stand"),
    "out of order": (
        "a\nb\n",
        [_hunk("-b"), _hunk("-a", number=2)],
        "hunk 2 fits on line 1, above",
    ),
    "nowhere said": ("a\n", [_hunk("+b")], "only adds lines and does not say where"),
    "ambiguous anchor": ("x\na\nx\na\n", [_hunk("-a", "x")], "stands on lines 1, 3"),
}


@pytest.mark.parametrize(("before", "hunks", "said"), _REFUSED.values(), ids=_REFUSED.keys())
def test_a_hunk_that_fits_not_once_is_refused(before: str, hunks: list[Hunk], said: str) -> None:
    with pytest.raises(PatchRefused, match=said):
        apply_hunks(before, hunks, "f")


_LINES = st.lists(st.text(alphabet="ab \té", max_size=3), max_size=8)


@given(before=_LINES, after=_LINES, ending=st.sampled_from(["\n", "\r\n"]))
def test_a_patch_made_from_two_texts_leads_from_one_to_the_other(
    before: list[str], after: list[str], ending: str
) -> None:
    before = [f"{number}{line}" for number, line in enumerate(before)]  # each stands once
    rows: list[HunkLine] = []
    for tag, first, last, new_first, new_last in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            rows += [HunkLine(" ", line) for line in before[first:last]]
        else:
            rows += [HunkLine("-", line) for line in before[first:last]]
            rows += [HunkLine("+", line) for line in after[new_first:new_last]]
    hunk = Hunk(number=1, anchors=(), lines=tuple(rows))

    made = apply_hunks("".join(line + ending for line in before), [hunk], "f")

    used = ending if before else "\n"
    assert made == "".join(line + used for line in after)
