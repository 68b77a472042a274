r"""A file's text with every line end as `\n`, and the way back to its own characters.

Lines end at `\n` or `\r\n` and nowhere else: a lone `\r`, a form feed, U+2028 are characters of
their line.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

_STEP = 1 << 20


class FlatText:
    """`text` as it stands, `flat` with single line ends; offsets go from flat to text."""

    __slots__ = ("_counted", "_crlf", "flat", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = flatten(text)
        self._crlf = _double_ends(text)
        self._counted = (0, 1)

    def raw(self, start: int, end: int) -> str:
        """The file's own characters of a flat range; line ends in it are whole."""
        return self.text[self.offset(start) : self.offset(end)]

    def offset(self, flat_offset: int) -> int:
        r"""Where a flat offset lies in the text; the end of a line lies before its `\r`."""
        return flat_offset + bisect_left(self._crlf, flat_offset)

    def ending(self, flat_offset: int) -> str:
        r"""The line end that stands at the flat offset of a `\n`."""
        found = bisect_left(self._crlf, flat_offset)
        double = found < len(self._crlf) and self._crlf[found] == flat_offset
        return "\r\n" if double else "\n"

    def line(self, flat_offset: int) -> int:
        """The number of the line on which a flat offset lies. Asked in ascending order, it is quick."""
        at, line = self._counted
        if flat_offset < at:
            at, line = 0, 1
        for start in range(at, flat_offset, _STEP):  # in steps: other threads get on in between
            line += self.flat.count("\n", start, min(start + _STEP, flat_offset))
        self._counted = flat_offset, line
        return line

    def near_ending(self, start: int, end: int) -> str:
        """The line end to use at a place: of the line it lies on, else of the one before."""
        for at in (self.flat.find("\n", start, end), self.flat.find("\n", end)):
            if at >= 0:
                return self.ending(at)
        before = self.flat.rfind("\n", 0, start)
        return self.ending(before) if before >= 0 else "\n"


def flatten(text: str) -> str:
    r"""The text with every `\r\n` as `\n`."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def line_starts(flat: str) -> list[int]:
    """The offset at which each line begins; an empty last line counts."""
    sizes = accumulate(map(len, flat.split("\n")), initial=0)
    starts = [size + number for number, size in enumerate(sizes)]
    del starts[-1]
    return starts


def _double_ends(text: str) -> list[int]:
    r"""The flat offsets of the line ends that are `\r\n` in the text, ascending."""
    if "\r" not in text:
        return []
    ends = [size + number for number, size in enumerate(accumulate(map(len, text.split("\r\n"))))]
    del ends[-1]
    return ends


__all__ = ["FlatText", "flatten", "line_starts"]
