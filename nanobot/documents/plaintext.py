"""Text out of documents made fit to be shown: lines without characters that act."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ENDS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_QUOTED = 120
_DEEPEST_LEVEL = 20
_MOST_DIGITS = 9


def lines_of(text: str) -> list[str]:
    r"""The lines of a text, control characters but the tab left out.

    Controls of direction and invisible tags, which hide what a text says (CASES.md, hostile 14),
    become escapes such as `\u202e`; halves of characters become U+FFFD.
    """
    if text.isprintable():
        return [text]
    lines = _ENDS.split(text)
    return [(line if line.isprintable() else _cleaned(line)).rstrip() for line in lines]


def one_line(text: str) -> str:
    """The same on one line, single blanks between words."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join(_cleaned(_ENDS.sub(" ", text)).split())


def quoted(text: str) -> str:
    """A name or a foreign message fit for an error: on one line, at most 120 characters."""
    line = one_line(text[: 2 * _QUOTED])
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"


def number_of(text: str | None, *, most: int) -> int:
    """A whole number out of a document, from 0 to `most`; 0 where it is none."""
    if not text or not text.isascii() or not text.isdigit():
        return 0
    return min(int(text[:_MOST_DIGITS]), most)


def level_of(text: str | None) -> int:
    """A level of indentation out of a document, from 0 to 20; 0 where it is none."""
    return number_of(text, most=_DEEPEST_LEVEL)


def table_row(cells: Iterable[str]) -> str:
    """A row of a Markdown table; what would break it is escaped."""
    shown = (" / ".join(filter(None, map(str.strip, lines_of(cell)))) for cell in cells)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in shown) + " |"


def without_runs_of_blanks(lines: Iterable[str]) -> Iterator[str]:
    """The lines with at most one empty one in a row, none at the start or the end."""
    empty, begun = False, False
    for line in lines:
        if not line:
            empty = begun
            continue
        if empty:
            yield ""
        empty, begun = False, True
        yield line


def _cleaned(line: str) -> str:
    line = _SURROGATES.sub("\ufffd", _CONTROLS.sub("", line))
    return _HIDING.sub(lambda found: ascii(found[0])[1:-1], line)


__all__ = [
    "level_of",
    "lines_of",
    "number_of",
    "one_line",
    "quoted",
    "table_row",
    "without_runs_of_blanks",
]
