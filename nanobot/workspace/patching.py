r"""The hunks of a patch made in a text. Pure.

The context and removed lines of a hunk must stand in the file once, or once below its anchor;
blanks at line ends may differ. Hunks go from top to bottom. Context keeps the file's own bytes;
added lines get the line end found at that place; a missing final newline stays missing.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from nanobot.visible import visible_line
from nanobot.workspace.nearness import nearest
from nanobot.workspace.patchtext import PatchRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.workspace.patchtext import Hunk

_BLANKS = " \t"
_MOST_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Patched:
    """A text with every hunk made. `exact`: none fitted only with other blanks at line ends."""

    text: str
    exact: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A line as it stands, and its end; "" for that of a last line without one."""

    text: str
    end: str


def apply_hunks(text: str, hunks: Sequence[Hunk], path: str) -> Patched:
    """The text with every hunk made; `path` is for the messages.

    Raises:
        PatchRefused: a hunk fits nowhere or in several places, or not below its anchor, or above
            the hunk before it.
    """
    rows = _rows(text)
    lines = _Lines([row.text for row in rows])
    made: list[_Row] = []
    at, exact = 0, True
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
        exact = exact and lines.texts[place:at] == hunk.old
    made += rows[at:]
    whole = _ended(made, rows)
    return Patched(text="".join(row.text + row.end for row in whole), exact=exact)


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

    @cached_property
    def bare(self) -> _Lines:
        """The same without blanks around."""
        return _Lines([text.strip() for text in self.texts])

    def numbers(self, text: str) -> list[int]:
        """The indices of the lines that are this text, ascending."""
        return self._numbers.get(text, [])

    def below(self, text: str, at: int) -> list[int]:
        """Those from `at` on, at most as many as a message lists and one more."""
        numbers = self.numbers(text)
        first = bisect_left(numbers, at)
        return numbers[first : first + _MOST_LINES + 1]

    def windows(self, old: list[str], above: int) -> Iterator[int]:
        """The indices from `above` on at which these lines stand, one after the other."""
        telling = min(range(len(old)), key=lambda number: len(self.numbers(old[number])))
        for at in self.numbers(old[telling]):
            first = at - telling
            if first >= above and self.texts[first : first + len(old)] == old:
                yield first


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
    if hunk.at_end:
        above = max(above, len(lines) - len(old))
    found = _standing(lines, old, above)
    if len(found) == 1:
        return found[0]
    raise _misfit(lines, hunk, path, found)


def _misfit(lines: _Lines, hunk: Hunk, path: str, found: Sequence[int]) -> PatchRefused:
    where = f" below '{visible_line(hunk.anchors[-1][:80])}'" if hunk.anchors else ""
    if found:
        count = f"{len(found)}" if len(found) <= _MOST_LINES else f"more than {_MOST_LINES}"
        return PatchRefused(
            f"{_named(path, hunk)} fits in {count} places{where}: lines {_listed(found)}",
            hint="Add context lines, or name a line above the right place after '@@'.",
        )
    where = f"{where} at the end of the file" if hunk.at_end else where
    near = nearest("\n".join(lines.texts), "\n".join(hunk.old), "the hunk")
    return PatchRefused(
        f"{_named(path, hunk)} does not fit{where}: its context and removed lines do not stand "
        f"{'there' if where else 'in the file'}\n{near}".rstrip()
    )


def _standing(lines: _Lines, old: list[str], above: int = 0) -> list[int]:
    """Where the lines stand: exactly, else with other blanks at line ends. Not all of many."""
    exact = list(islice(lines.windows(old, above), _MOST_LINES + 1))
    if exact:
        return exact
    bare = [line.rstrip(_BLANKS) for line in old]
    return list(islice(lines.stripped.windows(bare, above), _MOST_LINES + 1))


def _below_anchors(lines: _Lines, hunk: Hunk, path: str) -> int:
    """The first row below the anchors, each looked for below the one before."""
    at = 0
    for anchor in hunk.anchors:
        found = lines.below(anchor, at) or lines.bare.below(anchor.strip(), at)
        if not found:
            raise PatchRefused(
                f"{_named(path, hunk)}: its anchor '{visible_line(anchor[:80])}' does not stand in "
                "the file",
                hint="Copy a whole line of the file after '@@', or leave the anchor out.",
            )
        if len(found) > 1 and len(_standing(lines, hunk.old) if hunk.old else found) > 1:
            raise PatchRefused(
                f"{_named(path, hunk)}: its anchor '{visible_line(anchor[:80])}' stands on lines "
                f"{_listed(found[:_MOST_LINES])}{' and more' * (len(found) > _MOST_LINES)}",
                hint="Name a line that stands once, or add context lines.",
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
    """The line end found at a place: of the line above, or the next above or below that has one."""
    for near in (at - 1, at - 2, at):
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
    return f"{shown} and more" if len(places) > _MOST_LINES else shown


__all__ = ["Patched", "apply_hunks"]
