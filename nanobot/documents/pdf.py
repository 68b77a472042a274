"""PDF files by pages, with PDFium."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

from nanobot.documents.faults import BrokenDocument, DocumentLocked
from nanobot.documents.plaintext import lines_of
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PAGES = 20
"""How many pages come at once."""
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Pages `first` to `last`, counted from 1."""

    first: int
    last: int


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

    def lines(self, number: int) -> Iterator[str]:
        """A head line and the text of a page, counted from 1."""
        yield f"--- Page {number} of {len(self)} ---"
        try:
            page = self._file[number - 1]
            text = page.get_textpage().get_text_range()
        except pypdfium2.PdfiumError:
            yield "[this page is damaged]"
            return
        if text.strip():
            yield from lines_of(text)
        else:
            yield "[no text on this page; it may be a scanned picture]"


def parse_pages(text: str, total: int) -> Pages:
    """The pages that `"3"` or `"2-5"` means, cut to those there are.

    Raises:
        ToolError: it means none, or more than 20 of those there are.
    """
    found = _RANGE.fullmatch(text)
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else 0
    if not 1 <= first <= last:
        raise ToolError(
            f"pages={text!r} is no range of pages",
            hint="Give one page or a range, counted from 1: '3' or '2-5'.",
        )
    if first > total:
        raise ToolError(
            f"pages={text!r} lies beyond the end: the PDF has {total} page{'s' * (total != 1)}"
        )
    last = min(last, total)
    if last - first >= MOST_PAGES:
        raise ToolError(
            f"pages={text!r} are {last - first + 1} pages; at most {MOST_PAGES} come at once",
            hint=f"Begin with pages='{first}-{first + MOST_PAGES - 1}'.",
        )
    return Pages(first=first, last=last)


__all__ = ["MOST_PAGES", "Pages", "PdfFile", "parse_pages"]
