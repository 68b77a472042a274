"""Hunks made in a text."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nanobot.workspace.patching import apply_hunks
from nanobot.workspace.patchtext import Hunk, HunkLine, PatchRefused, UpdateFile, parse_patch


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
    "CRLF after a last line without newline": ("a\r\nb", [_hunk(" b\n+c\n+d")], "a\r\nb\r\nc\r\nd"),
    "CRLF at an end without newline": ("a\r\nb", [_hunk("+c", at_end=True)], "a\r\nb\r\nc"),
    "mixed": ("a\r\nb\nc\n", [_hunk("-c\n+C")], "a\r\nb\nC\n"),
    "other blanks at a line end": ("a  \nb\n", [_hunk(" a\n-b\n+B")], "a  \nB\n"),
    "an anchor tells": ("x\na\ny\na\n", [_hunk("-a\n+b", "y")], "x\na\ny\nb\n"),
    "an anchor that stands twice, lines that stand once": (
        "x\na\nx\n",
        [_hunk("-a", "x")],
        "x\nx\n",
    ),
    "an anchor with other indentation": ("  x\na\na\n", [_hunk("+b", "x")], "  x\nb\na\na\n"),
    "only added below an anchor": ("x\ny\n", [_hunk("+z", "x")], "x\nz\ny\n"),
    "the end": ("a\nb\na\n", [_hunk("-a\n+c", at_end=True)], "a\nb\nc\n"),
    "into nothing": ("", [_hunk("+a")], "a\n"),
    "form feed is no line end": ("a\x0cb\nc\n", [_hunk("-c\n+d")], "a\x0cb\nd\n"),
}


@pytest.mark.parametrize(("before", "hunks", "after"), _MADE.values(), ids=_MADE.keys())
def test_a_hunk_is_made_where_its_lines_stand(before: str, hunks: list[Hunk], after: str) -> None:
    assert apply_hunks(before, hunks, "f").text == after


@pytest.mark.parametrize(
    ("before", "exact"), [("a  \nb\n", False), ("a\nb\n", True)], ids=["other blanks", "equal"]
)
def test_it_is_told_whether_every_line_fitted_exactly(before: str, exact: bool) -> None:
    assert apply_hunks(before, [_hunk(" a\n-b\n+B")], "f").exact is exact


def test_lines_that_fit_exactly_go_before_those_with_other_blanks() -> None:
    assert apply_hunks("a \na\n", [_hunk("-a\n+b")], "f").text == "a \nb\n"


_REFUSED = {
    "nowhere": ("a\n", [_hunk("-b\n+c")], "f, hunk 1 does not fit"),
    "twice": ("a\na\n", [_hunk("-a\n+b")], "f, hunk 1 fits in 2 places: lines 1, 2"),
    "very often": (
        "a\n" * 99,
        [_hunk("-a")],
        "fits in more than 20 places: lines 1, 2, .*20 and more",
    ),
    "twice with other blanks": ("a \na\t\n", [_hunk("-a")], "fits in 2 places: lines 1, 2"),
    "above its anchor": (
        "a\nx\n",
        [_hunk("-a", "x")],
        "does not fit below 'x': .*do not stand there",
    ),
    "twice below its anchor": ("x\na\na\n", [_hunk("-a", "x")], "2 places below 'x': lines 2, 3"),
    "not at the end": ("a\nb\n", [_hunk("-a", at_end=True)], "does not fit at the end of the file"),
    "into the hunk before": (
        "a\nb\nc\n",
        [_hunk(" a\n-b"), _hunk("-b\n c", number=2)],
        "hunk 2 fits on line 2, above or inside",
    ),
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
    with pytest.raises(PatchRefused, match=f"(?s){said}"):
        apply_hunks(before, hunks, "f")


_TEXT = st.text(alphabet=st.sampled_from("ab \t*@+-é\x0c\u2028😀"), max_size=3)
_UNLIKE = st.lists(_TEXT, max_size=12).map(
    lambda texts: [f"{number}{text}" for number, text in enumerate(texts)]
)
_ALIKE = st.lists(st.sampled_from(["", "a", "b ", "\tc"]), max_size=12)


@st.composite
def _edited(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """The lines with some removed, changed, or others put before and behind them."""
    made: list[str] = []
    for line in lines:
        made += draw(st.sampled_from([[line]] * 3 + [[], [f"{line}!"], ["new", line], [line, ""]]))
    return made + draw(st.lists(_TEXT, max_size=2))


def _patch(before: list[str], after: list[str], context: int) -> str:
    """The change in text form, each hunk with so many lines of context."""
    rows = ["*** Begin Patch", "*** Update File: f"]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        rows.append("@@")
        for tag, first, last, new_first, new_last in group:
            signs = " " if tag == "equal" else "-"
            rows += [signs + line for line in before[first:last]]
            if tag != "equal":
                rows += ["+" + line for line in after[new_first:new_last]]
    return "\n".join([*rows, "*** End Patch"])


def _made(before: list[str], after: list[str], context: int, end: str, last: str) -> str:
    (update,) = parse_patch(_patch(before, after, context))
    assert isinstance(update, UpdateFile)
    return apply_hunks(_joined(before, end, last), update.hunks, "f").text


def _joined(lines: list[str], end: str, last: str) -> str:
    return end.join(lines) + (last if lines else "")


@given(data=st.data(), before=_UNLIKE, context=st.integers(1, 4), newline=st.booleans())
def test_a_patch_made_from_two_texts_leads_from_one_to_the_other_whatever_ends_lines(
    data: st.DataObject, before: list[str], context: int, newline: bool
) -> None:
    after = data.draw(_edited(before))
    assume(before and after != before)

    for end in ("\n", "\r\n"):
        last = end if newline else ""
        found = end if end in _joined(before, end, last) else "\n"
        assert _made(before, after, context, end, last) == _joined(after, found, last)


@given(data=st.data(), before=_ALIKE, context=st.integers(1, 4))
def test_a_patch_of_lines_that_repeat_is_made_right_or_refused(
    data: st.DataObject, before: list[str], context: int
) -> None:
    after = data.draw(_edited(before))
    assume(before and after != before)

    try:
        made = _made(before, after, context, "\n", "\n")
    except PatchRefused:
        return
    assert made == _joined(after, "\n", "\n")
