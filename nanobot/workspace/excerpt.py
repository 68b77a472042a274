"""A range of a text file's lines, as rows for a model, within a budget of characters."""

from __future__ import annotations

import os
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from nanobot.workspace.graphemes import cut_before
from nanobot.workspace.linestream import Line, LineStream
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTED_SIZE = 4 * 1024 * 1024
"""Up to this size in bytes the number of lines is always exact."""

_NOTES_ROOM = 2_000
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
_PLAIN = bytes((9, 10, *range(0x20, 0x7F)))
_MOST_UNSEEN = 10


@dataclass(slots=True, kw_only=True)
class Excerpt:
    """Rows `N| text` of the lines `first` to `last`; `total` where the end was reached."""

    first: int
    last: int
    rows: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    total: int | None = None
    size: int = 0

    @property
    def text(self) -> str:
        """The rows, the notes and the footer, as the model gets them."""
        parts = ["\n".join(self.rows)] if self.rows else []
        return "\n\n".join([*parts, *self.notes, self._footer()])

    def _footer(self) -> str:
        if self.total is None:
            return (
                f"(Showing lines {self.first}-{self.last} of more than {self.last}, "
                f"{shown_size(self.size)}. Use offset={self.last + 1} to continue.)"
            )
        if self.last >= self.total:
            return f"(End of file — {self.total} lines total)"
        return (
            f"(Showing lines {self.first}-{self.last} of {self.total}. "
            f"Use offset={self.last + 1} to continue.)"
        )


def excerpt(descriptor: int, *, offset: int, limit: int, budget: int) -> Excerpt | int:
    """Lines `offset` to `offset + limit - 1` of an open text file, or as many as fit.

    Memory stays constant, and after the range only files up to `COUNTED_SIZE` are read on.

    Returns:
        The excerpt; or the number of lines, when `offset` lies beyond the last one.
    """
    size = os.fstat(descriptor).st_size
    stream = LineStream(descriptor, most=4 * budget, farthest=COUNTED_SIZE)
    skipped = stream.skip(offset - 1)
    if skipped < offset - 1:
        return skipped
    found = Excerpt(first=offset, last=offset - 1, size=size)
    unfit = _fill(found, stream, limit, budget - _NOTES_ROOM)
    if not found.rows and offset > 1:
        return skipped
    if not unfit and stream.exhausted:
        found.total = found.last
    elif size <= COUNTED_SIZE:
        found.total = found.last + unfit + stream.count()
    _mark_unseen(found)
    return found


def excerpt_of_lines(lines: Sequence[str], *, first: int, total: int, budget: int) -> Excerpt:
    """The same for lines that are there already: `first` is the number of the first of them."""
    found = Excerpt(first=first, last=first - 1, total=total)
    room = budget - _NOTES_ROOM
    found.rows = _fitting([f"{at}| {line}" for at, line in enumerate(lines, first)], room)
    if lines and not found.rows:
        head = lines[0].encode(errors="replace")
        line = Line(head=head, length=len(lines[0]), whole=True, ended=True)
        found.rows = [_cut(found, first, line, f"{first}| {lines[0]}", room)]
    found.last += len(found.rows)
    _mark_unseen(found)
    return found


def _fill(found: Excerpt, stream: LineStream, limit: int, room: int) -> int:
    """Take lines up to the limit and the room; how many were read that did not fit."""
    broken: list[int] = []
    unfit = 0
    while not unfit and len(found.rows) < limit:
        number = found.last + 1
        lines = stream.lines(limit - len(found.rows), room - len(f"{number}| "))
        if lines:
            fitting = _fitting([f"{at}| {line}" for at, line in enumerate(lines, number)], room)
            unfit = len(lines) - len(fitting)
        else:
            line = stream.next()
            if line is None:
                break
            fitting = _row(found, line, room, broken)
            unfit = 1 - len(fitting)
            limit = limit if line.measured else 0
        found.rows += fitting
        found.last += len(fitting)
        room -= sum(map(len, fitting)) + len(fitting)
    _note_broken(found, broken)
    return unfit


def _fitting(rows: list[str], room: int) -> list[str]:
    """The rows that fit from the first on, with their line ends but for the last."""
    if sum(map(len, rows)) + len(rows) <= room + 1:
        return rows
    ends = list(accumulate(len(row) + 1 for row in rows))
    return rows[: bisect_right(ends, room + 1)]


def _row(found: Excerpt, line: Line, room: int, broken: list[int]) -> list[str]:
    """The row of one line, cut where it alone is too long; none where it does not fit."""
    number = found.last + 1
    row = f"{number}| {_text(line)}"
    if len(row) > room and found.rows:
        return []
    if not _is_text(line):
        broken.append(number)
    if not line.whole or len(row) > room:
        row = _cut(found, number, line, row, room)
    return [row]


def _text(line: Line) -> str:
    head = line.head
    if not line.whole:
        head = head[: _last_character(head)]
    return head.decode(errors="backslashreplace")


def _is_text(line: Line) -> bool:
    try:
        line.head[: None if line.whole else _last_character(line.head)].decode()
    except UnicodeDecodeError:
        return False
    return True


def _last_character(head: bytes) -> int:
    """Where the last character begins: it may be cut."""
    at = len(head) - 1
    while at > max(0, len(head) - 4) and 0x80 <= head[at] < 0xC0:  # noqa: PLR2004  # UTF-8
        at -= 1
    return at


def _note_broken(found: Excerpt, lines: Sequence[int]) -> None:
    if lines:
        shown = _listed([str(number) for number in lines])
        found.notes.append(
            f"(Bytes that are no UTF-8 text, or a character cut short, are shown as \\xNN on line "
            f"{shown}.)"
        )


def _cut(found: Excerpt, number: int, line: Line, row: str, room: int) -> str:
    """The row cut between graphemes, and a note that says how to see the rest."""
    row = row[: cut_before(row, room)]
    shown = len(row) - len(f"{number}| ")
    length = f"{line.length:,}" if line.measured else f"more than {line.length:,}"
    found.notes.append(
        f"(Line {number} is {length} characters long; the first {shown:,} are shown. Use grep with "
        f"a pattern to find text in the rest of it, or offset={number + 1} for the next line.)"
    )
    return row


def _mark_unseen(found: Excerpt) -> None:
    """Name characters that can't be seen or turn the direction of text (CASES.md, hostile 14)."""
    if _all_seen("\n".join(found.rows)):
        return
    marks: list[str] = []
    for number, row in enumerate(found.rows, found.first):
        for char in sorted(set(_UNSEEN.findall(row))):
            name = unicodedata.name(char, "control character")
            marks.append(f"U+{ord(char):04X} {name} on line {number}")
    if marks:
        found.notes.append(f"(Characters that can't be seen: {_listed(marks)}.)")


def _all_seen(text: str) -> bool:
    """Whether a text needs no closer look. Deleting what is plain tells it quickest for ASCII."""
    if text.isascii():
        return not text.encode("ascii").translate(None, _PLAIN)
    return _UNSEEN.search(text) is None


def unseen_note(text: str) -> str:
    """The note that names characters that can't be seen in a text without numbers; "" if none."""
    if _all_seen(text):
        return ""
    found = sorted(set(_UNSEEN.findall(text)))
    marks = [f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}" for char in found]
    return f"(Characters that can't be seen: {_listed(marks)}.)" if marks else ""


def _listed(marks: Sequence[str]) -> str:
    more = len(marks) - _MOST_UNSEEN
    shown = "; ".join(marks[:_MOST_UNSEEN])
    return f"{shown}; and {more} more" if more > 0 else shown


__all__ = ["COUNTED_SIZE", "Excerpt", "excerpt", "excerpt_of_lines", "unseen_note"]
