"""The lines of one file that match, with context, in the form of ripgrep."""

from __future__ import annotations

import io
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from nanobot.workspace.encoding import encoding_of
from nanobot.workspace.pygrep.matching import places

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from nanobot.workspace.pygrep.wish import Wish

_SNIFFED = 1 << 16
_OMITTED = b" [... omitted end of long line]"


class Binary(Exception):  # names the condition (STYLE.md 10)
    """The file is no text: a NUL stands at this offset."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    offset: int
    text: str


def lines_of(file: BinaryIO) -> Iterator[_Line]:
    """The lines with their ends, recoded where a mark says so.

    Raises:
        Binary: a NUL comes up.
    """
    head = file.read(_SNIFFED)
    encoding = encoding_of(head)
    file.seek(len(encoding.mark))
    if encoding.codec != "utf-8":
        text = file.read().decode(encoding.codec, errors="replace")
        raw: Iterable[bytes] = io.BytesIO(text.encode())
    else:
        raw = file
    if b"\0" in head and encoding.codec == "utf-8":
        raise Binary(head.index(b"\0"))
    offset = 0
    for number, line in enumerate(raw, 1):
        if b"\0" in line:
            raise Binary(offset + line.index(b"\0"))
        yield _Line(number, offset, line.decode(errors="surrogateescape"))
        offset += len(line)


def matches(
    file: BinaryIO, pattern: re.Pattern[str], wish: Wish
) -> Iterator[tuple[int, _Line, int]]:
    """Each line with how often it matches (0 for context candidates) and its first column."""
    if wish.multiline:
        yield from _over_lines(list(lines_of(file)), pattern)
        return
    for line in lines_of(file):
        text = line.text.removesuffix("\n")
        found = list(places(pattern, text))
        column = len(text[: found[0].start].encode(errors="surrogateescape")) + 1 if found else 0
        yield len(found), line, column


def _over_lines(lines: list[_Line], pattern: re.Pattern[str]) -> Iterator[tuple[int, _Line, int]]:
    whole = "".join(line.text for line in lines)
    found = list(places(pattern, whole))
    at, begins = 0, 0
    for line in lines:
        ends = begins + len(line.text)
        while at < len(found) and found[at].end <= begins and found[at].start < begins:
            at += 1
        count, column, look = 0, 0, at
        while look < len(found) and found[look].start < ends:
            place = found[look]
            if place.end > begins or place.start >= begins:
                starts_here = place.start >= begins
                count += starts_here
                start = max(place.start, begins) - begins
                column = column or len(line.text[:start].encode(errors="surrogateescape")) + 1
            look += 1
        yield max(count, 1 if column else 0), line, column
        begins = ends


class Printer:
    """Writes matching lines with context; groups that don't touch are parted by `--`."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._begun = False

    def rows(self, path: bytes, found: Iterable[tuple[int, _Line, int]]) -> Iterator[bytes]:
        """The rows of one file."""
        before: deque[_Line] = deque(maxlen=self._wish.before)
        after, last = 0, 0
        for count, line, column in found:
            if count:
                group = [*before, line]
                if self._parted(group[0].number, last):
                    yield b"--\n"
                self._begun = True
                yield from (self._row(path, one, 0) for one in before)
                yield self._row(path, line, column)
                before.clear()
                after, last = self._wish.after, line.number
            elif after:
                yield self._row(path, line, 0)
                after, last = after - 1, line.number
            else:
                before.append(line)

    def _parted(self, first: int, last: int) -> bool:
        has_context = bool(self._wish.before or self._wish.after)
        return has_context and self._begun and (not last or first > last + 1)

    def _row(self, path: bytes, line: _Line, column: int) -> bytes:
        text = line.text.removesuffix("\n").encode(errors="surrogateescape")
        if self._wish.widest and len(text) > self._wish.widest:
            text = text[: self._wish.widest] + _OMITTED
        place = (
            f"{line.number}:{column}:{line.offset}:" if column else f"{line.number}-{line.offset}-"
        )
        return path + b"\0" + place.encode() + text + b"\n"


__all__ = ["Binary", "Printer", "lines_of", "matches"]
