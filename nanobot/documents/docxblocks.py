"""Paragraphs and tables of a Word document as lines, in the order of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.documents.docxplain import PARAGRAPH, TEXT
from nanobot.documents.docxstyles import W, value_of
from nanobot.documents.plaintext import lines_of, number_of, table_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element

    from nanobot.documents.docxplain import About, PlainPart

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TABLE, _ROW, _CELL = f"{W}tbl", f"{W}tr", f"{W}tc"
_AROUND = frozenset(
    (
        *(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")),
        *(f"{_MC}{name}" for name in ("AlternateContent", "Choice", "Fallback")),
    )
)
_DEEPEST_TABLE = 60
_MOST_COLUMNS = 63
_FIRST_OF_MERGED = "restart"


class Blocks:
    """The lines of a part that was made plain."""

    def __init__(self, part: PlainPart) -> None:
        self._about: Mapping[_Element, About] = part.about

    def lines(self, parent: _Element, depth: int = 0) -> Iterator[str]:
        """The lines of the paragraphs and tables in an element; `depth` tables lie around it."""
        before = ""
        for node in parent:
            tag = node.tag
            if tag == PARAGRAPH:
                text = "".join([found.text or "" for found in node.iter(TEXT)])
                about = self._about.get(node)
                if about is None and not before and text.isprintable():
                    yield text
                    continue
                if about is None or not about.joined:
                    yield from self._text(before + text, about)
                    before = ""
                else:
                    before += text
                if about is not None:
                    yield from self._beside(about, depth)
            elif tag == _TABLE:
                yield from self._table(node, depth)
            elif tag in _AROUND:
                yield from self.lines(node, depth)
        if before:
            yield from lines_of(before)

    def _text(self, text: str, about: About | None) -> list[str]:
        """The lines of a paragraph, what it is before them; none where there are only boxes."""
        lines = lines_of(text)
        if about is None:
            return lines
        if any(lines):
            lines[0] = about.lead + lines[0]
            return lines
        return [] if about.boxes or about.drawn else lines

    def _beside(self, about: About, depth: int) -> Iterator[str]:
        for box in about.boxes:
            yield from (f"[text box] {line}" for line in self.lines(box, depth) if line)
        yield from about.drawn

    def _table(self, table: _Element, depth: int) -> Iterator[str]:
        if depth >= _DEEPEST_TABLE:
            yield f"[a table nested in {_DEEPEST_TABLE} others, not shown]"
            return
        for row in _under(table, _ROW):
            cells = [text for cell in _under(row, _CELL) for text in self._cell(cell, depth)]
            if any(cells):
                yield _row_in_cell(cells) if depth else table_row(cells)

    def _cell(self, cell: _Element, depth: int) -> list[str]:
        """The text of a cell, and an empty text for each further column that it covers."""
        columns, goes_on = 1, False
        for node in cell.iterchildren(f"{W}tcPr"):
            for one in node:
                if one.tag == f"{W}gridSpan":
                    columns = max(1, number_of(value_of(one), most=_MOST_COLUMNS))
                elif one.tag in (f"{W}vMerge", f"{W}hMerge"):
                    goes_on = value_of(one) != _FIRST_OF_MERGED
        text = "" if goes_on else "\n".join([one for one in self.lines(cell, depth + 1) if one])
        return [text] + [""] * (columns - 1)


def _row_in_cell(cells: list[str]) -> str:
    """A row of a table that lies in a cell: `(a ; b)`."""
    shown = [" / ".join(cell.split("\n")) for cell in cells if cell]
    return shown[0] if len(shown) == 1 else f"({' ; '.join(shown)})"


def _under(parent: _Element, wanted: str) -> Iterator[_Element]:
    """Rows of a table or cells of a row, also those in content controls."""
    for node in parent:
        if node.tag == wanted:
            yield node
        elif node.tag in _AROUND:
            yield from _under(node, wanted)


__all__ = ["Blocks"]
