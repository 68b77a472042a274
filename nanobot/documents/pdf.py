"""PDF files by pages, with PDFium."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

from nanobot.documents.faults import BrokenDocument, DocumentLocked
from nanobot.documents.plaintext import lines_of
from nanobot.errors import ToolError
from nanobot.workspace.graphemes import cut_before

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PAGES = 20
"""How many pages come at once."""
_HYPHEN = "\ufffe"
"""What PDFium gives for a hyphen at the end of a line that a word goes on from."""
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Pages `first` to `last`, counted from 1."""

    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """At most so many lines and characters, from line `first` of a page on, counted from 0."""

    first: int
    lines: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfExcerpt:
    """Lines of pages, the last of which is `last`.

    Line `rest` of it, counted from 0, is the first that is not among them; 0 where all are.
    """

    lines: Sequence[str]
    last: int
    rest: int = 0


class PdfFile:
    """An open PDF.

    Raises:
        BrokenDocument: PDFium can't open it.
        DocumentLocked: it needs a password.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._file = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD or "password" in str(error):
                raise DocumentLocked(
                    "The PDF needs a password", hint="Ask the person for one without."
                ) from error
            raise BrokenDocument("The PDF is damaged and can't be opened") from error

    def __len__(self) -> int:
        return len(self._file)

    def close(self) -> None:
        """Give back its memory."""
        self._file.close()

    def excerpt(self, pages: Pages, room: Room) -> PdfExcerpt:
        """The pages, as many of them as there is room for; only a first page is cut.

        Raises:
            ToolError: there is no such first line, or it is not one page that it is in.
        """
        if room.first and pages.first != pages.last:
            raise ToolError(
                f"offset {room.first + 1} is for one page of a PDF, not for several",
                hint=f"Name the page: pages='{pages.first}', offset={room.first + 1}.",
            )
        shown: list[str] = []
        left = room.characters
        for number in range(pages.first, pages.last + 1):
            lines = self._lines(number)
            if room.first and room.first >= len(lines):
                raise ToolError(
                    f"offset {room.first + 1} lies beyond the end: page {number} has "
                    f"{len(lines)} line{'s' * (len(lines) != 1)}",
                )
            lines = lines[room.first :]
            head = f"--- Page {number} of {len(self)} ---"
            size = sum(map(len, lines)) + len(lines)
            if size > left or len(shown) + len(lines) > room.lines:
                if shown:
                    return PdfExcerpt(lines=shown, last=number - 1)
                taken = _taken(lines, room)
                rest = room.first + len(taken) if len(taken) < len(lines) else 0
                return PdfExcerpt(lines=[head, *taken], last=number, rest=rest)
            left -= size + len(head) + 1
            shown += [head, *lines]
        return PdfExcerpt(lines=shown, last=pages.last)

    def _lines(self, number: int) -> list[str]:
        try:
            text = self._file[number - 1].get_textpage().get_text_range()
        except pypdfium2.PdfiumError:
            return ["[this page is damaged]"]
        if text.strip():
            return lines_of(text.replace(_HYPHEN, "-"))
        return ["[no text on this page; it may be a scanned picture]"]


def _taken(lines: Sequence[str], room: Room) -> list[str]:
    """The first lines that there is room for; one at least, cut where it is too long."""
    ends = accumulate(len(line) + 1 for line in lines[: room.lines])
    count = sum(end <= room.characters for end in ends)
    return list(lines[:count]) or [lines[0][: cut_before(lines[0], room.characters)]]


def parse_pages(text: str | None, total: int) -> Pages:
    """The pages that `"3"` or `"2-5"` means, cut to those there are and to 20; None: from the first.

    Raises:
        ToolError: it means none.
    """
    found = _RANGE.fullmatch(text or f"1-{MOST_PAGES}")
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else 0
    if not 1 <= first <= last:
        raise ToolError(
            f"pages={text!r} is no range of pages",
            hint="Give one page or a range, counted from 1: '3' or '2-5'.",
        )
    if first > max(1, total):
        raise ToolError(
            f"pages={text!r} lies beyond the end: the PDF has {total} page{'s' * (total != 1)}"
        )
    return Pages(first=first, last=min(last, total, first + MOST_PAGES - 1))


__all__ = ["MOST_PAGES", "Pages", "PdfExcerpt", "PdfFile", "Room", "parse_pages"]
