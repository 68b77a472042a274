r"""The hunks of a patch made in a text. Pure.

The context and removed lines of a hunk must stand in the file once, or once below its anchor;
blanks at line ends may differ. Hunks go from top to bottom. Context keeps the file's own bytes;
added lines get the line end found at that place; a missing final newline stays missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from nanobot.visible import visible_line
from nanobot.workspace.nearness import nearest
from nanobot.workspace.patchtext import PatchRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.workspace.patchtext import Hunk

_BLANKS = " \t"
_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class _Row:
    """A line as it stands, and its end; "" for that of a last line without one."""

    text: str
    end: str


def apply_hunks(text: str, hunks: Sequence[Hunk], path: str) -> str:
    """The text with every hunk made; `path` is for the messages.

    Raises:
        PatchRefused: a hunk fits nowhere or in several places, or not below its anchor, or above
            the hunk before it.
    """
    rows = _rows(text)
    lines = _Lines([row.text for row in rows])
    made: list[_Row] = []
    at = 0
    for hunk in hunks:
        place = _place(lines, hunk, path)
        if place < at:
            raise PatchRefused(
                f"{_named(path, hunk)} fits on line {place + 1}, above or inside the hunk before it",
                hint="Order the hunks of a file from top to bottom, without overlap.",
            )
        made += rows[at:place]
        made += _woven(rows, place, hunk)
        at = place + len(hunk.old)
    made += rows[at:]
    return "".join(row.text + row.end for row in _ended(made, rows))


def _rows(text: str) -> list[_Row]:
    rows: list[_Row] = []
    *lines, last = text.split("\n")
    for line in lines:
        double = line.endswith("\r")
        rows.append(_Row(line[:-1] if double else line, "\r\n" if double else "\n"))
    return [*rows, _Row(last, "")] if last else rows


class _Lines:
    """The lines of a file, and where each text stands; looked up for every hunk."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._numbers: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._numbers.setdefault(text, []).append(number)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def stripped(self) -> _Lines:
        """The same without blanks at line ends."""
        return _Lines([text.rstrip(_BLANKS) for text in self.texts])

    def numbers(self, text: str) -> list[int]:
        """The indices of the lines that are this text, ascending."""
        return self._numbers.get(text, [])

    def windows(self, old: list[str]) -> list[int]:
        """The indices at which these lines stand, one after the other."""
        telling = min(range(len(old)), key=lambda number: len(self.numbers(old[number])))
        firsts = [at - telling for at in self.numbers(old[telling])]
        return [
            first for first in firsts if first >= 0 and self.texts[first : first + len(old)] == old
        ]


def _place(lines: _Lines, hunk: Hunk, path: str) -> int:
    """The index of the first row of the hunk's place; for additions alone, of the row below it."""
    above = _below_anchors(lines, hunk, path)
    old = hunk.old
    if not old:
        if hunk.at_end or not (hunk.anchors or len(lines)):
            return len(lines)
        if hunk.anchors:
            return above
        raise PatchRefused(
            f"{_named(path, hunk)} only adds lines and does not say where",
            hint="Give the line above them as context, or name it after '@@', "
            "or end the hunk with '*** End of File'.",
        )
    found = _standing(lines, old)
    if hunk.at_end:
        found = [place for place in found if place + len(old) == len(lines)]
    if len(found) == 1 and found[0] >= above:
        return found[0]
    below = [place for place in found if place >= above]
    if hunk.anchors and len(below) == 1:
        return below[0]
    raise _misfit(lines, hunk, path, below if hunk.anchors else found)


def _misfit(lines: _Lines, hunk: Hunk, path: str, found: Sequence[int]) -> PatchRefused:
    where = f" below '{visible_line(hunk.anchors[-1][:80])}'" if hunk.anchors else ""
    if found:
        return PatchRefused(
            f"{_named(path, hunk)} fits in {len(found)} places{where}: lines {_listed(found)}",
            hint="Add context lines, or name a line above the right place after '@@'.",
        )
    near = nearest("\n".join(lines.texts), "\n".join(hunk.old), "the hunk")
    return PatchRefused(
        f"{_named(path, hunk)} does not fit{where}: its context and removed lines do not stand in "
        f"the file\n{near}".rstrip()
    )


def _standing(lines: _Lines, old: list[str]) -> list[int]:
    """Where the lines stand: exactly, else with other blanks at line ends."""
    return lines.windows(old) or lines.stripped.windows([line.rstrip(_BLANKS) for line in old])


def _below_anchors(lines: _Lines, hunk: Hunk, path: str) -> int:
    """The first row below the anchors, each looked for below the one before."""
    at = 0
    for anchor in hunk.anchors:
        found = [n for n in lines.numbers(anchor) if n >= at] or [
            n for n in range(at, len(lines)) if lines.texts[n].strip() == anchor.strip()
        ]
        if not found:
            raise PatchRefused(
                f"{_named(path, hunk)}: its anchor '{visible_line(anchor[:80])}' does not stand in "
                "the file",
                hint="Copy a whole line of the file after '@@', or leave the anchor out.",
            )
        if len(found) > 1 and len(_standing(lines, hunk.old) if hunk.old else found) > 1:
            raise PatchRefused(
                f"{_named(path, hunk)}: its anchor '{visible_line(anchor[:80])}' stands on lines "
                f"{_listed(found)}",
                hint="Name a line that stands once, or give several '@@' lines, outer one first.",
            )
        at = found[0] + 1
    return at


def _woven(rows: Sequence[_Row], place: int, hunk: Hunk) -> Iterator[_Row]:
    """Context from the file, added lines with the line end of their neighbour."""
    at = place
    for line in hunk.lines:
        if line.sign == "+":
            yield _Row(line.text, _end_near(rows, at))
            continue
        if line.sign == " ":
            yield rows[at]
        at += 1


def _end_near(rows: Sequence[_Row], at: int) -> str:
    for near in (at - 1, at, at + 1):
        if 0 <= near < len(rows) and rows[near].end:
            return rows[near].end
    return "\n"


def _ended(made: Sequence[_Row], before: Sequence[_Row]) -> list[_Row]:
    """Every row with an end, but for the last of a file whose last row had none."""
    open_end = bool(before) and not before[-1].end
    whole = [row if row.end else _Row(row.text, _end_near(before, len(before))) for row in made]
    if open_end and whole:
        whole[-1] = _Row(whole[-1].text, "")
    return whole


def _named(path: str, hunk: Hunk) -> str:
    return f"{visible_line(path)}, hunk {hunk.number}"


def _listed(places: Sequence[int]) -> str:
    shown = ", ".join(str(place + 1) for place in places[:_MOST_LINES])
    more = len(places) - _MOST_LINES
    return f"{shown} and {more} more" if more > 0 else shown


__all__ = ["apply_hunks"]
