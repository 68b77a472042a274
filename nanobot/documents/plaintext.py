"""Text out of documents made fit to be shown: lines without characters that act."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ENDS = re.compile(r"\r\n|[\n\r\v\f\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def lines_of(text: str) -> list[str]:
    """The lines of a text, control characters but the tab left out."""
    if text.isprintable():
        return [text]
    return [_CONTROLS.sub("", line).rstrip() for line in _ENDS.split(text)]


def one_line(text: str) -> str:
    """The same on one line, blanks between words."""
    return " ".join(_CONTROLS.sub(" ", text).split())


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


__all__ = ["lines_of", "one_line", "table_row", "without_runs_of_blanks"]
