"""Word documents (DOCX) as lines of text, in the order of the document.

Headings, lists, tables (each merged cell once, tables in tables), text boxes, charts, formulas,
headers, footers, footnotes, comments. Deleted and hidden text is left out, inserted text kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.docxblocks import Blocks
from nanobot.documents.docxplain import PlainPart
from nanobot.documents.docxstyles import Styles, W, styles_of, value_of, without_table_styles
from nanobot.documents.drawing import Drawings
from nanobot.documents.faults import BrokenDocument
from nanobot.documents.package import Package
from nanobot.documents.plaintext import one_line, without_runs_of_blanks
from nanobot.documents.xmltree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

_MAIN = "word/document.xml"
_BODY = f"{W}body"
_NOTES = (("footnotes", "footnote", "^"), ("endnotes", "endnote", "^e"))
_STYLED = (f"{W}pStyle", f"{W}rStyle")


def read_docx(file: BinaryIO) -> Iterator[str]:
    """The lines of a Word document.

    Raises:
        DocumentFault: it can't be read.
    """
    return without_runs_of_blanks(_Document(Package(file)).lines())


class _Document:
    """One document: its parts, and what they share."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = package.main_part(_MAIN)
        self._root = package.tree(self._main)
        self._relations = package.relations(self._main)
        styled = next(self._root.iter(*_STYLED), None) is not None
        self._styles = styles_of(self._style_parts()) if styled else Styles()
        self._hidden = 0

    def lines(self) -> Iterator[str]:
        body = next(self._root.iterchildren(_BODY), None)
        if body is None:
            raise BrokenDocument("The document has no body")
        part = self._plain(self._root, self._main)
        yield from self._margins(part, "header")
        yield from Blocks(part).lines(body)
        yield from self._margins(part, "footer")
        yield from self._notes()
        yield from self._comments()
        if self._hidden:
            yield f"[{self._hidden:,} piece{'s' * (self._hidden > 1)} of hidden text left out]"

    def _style_parts(self) -> Iterator[_Element]:
        for name in self._package.names(self._relations, "styles"):
            yield tree_of(without_table_styles(self._package.part(name)), name)

    def _plain(self, root: _Element, name: str) -> PlainPart:
        part = PlainPart(root, self._styles, Drawings(self._package, name))
        self._hidden += part.hidden
        return part

    def _margins(self, part: PlainPart, kind: str) -> Iterator[str]:
        """Headers or footers that the sections use, each text once."""
        names = [
            self._relations[margin.relation].part
            for margin in part.margins
            if margin.kind == kind and margin.relation in self._relations
        ]
        shown = {""}
        for name in filter(self._package.has, dict.fromkeys(names)):
            root = self._package.tree(name)
            text = self._on_one_line(root, Blocks(self._plain(root, name)))
            if text not in shown:
                shown.add(text)
                yield f"[{kind}] {text}"

    def _notes(self) -> Iterator[str]:
        """Footnotes and endnotes under their marks; their separators have a type."""
        for kind, name, mark in _NOTES:
            for root in self._trees(kind):
                blocks = Blocks(self._plain(root, self._main))
                for note in root.iterchildren(f"{W}{name}"):
                    if value_of(note, "type") in ("", "normal"):
                        text = self._on_one_line(note, blocks)
                        yield f"[{mark}{one_line(value_of(note, 'id'))}]: {text}"

    def _comments(self) -> Iterator[str]:
        for root in self._trees("comments"):
            blocks = Blocks(self._plain(root, self._main))
            for comment in root.iterchildren(f"{W}comment"):
                number, author = value_of(comment, "id"), value_of(comment, "author")
                text = self._on_one_line(comment, blocks)
                yield one_line(f"[comment {number}] {author}: {text}")

    def _trees(self, kind: str) -> Iterator[_Element]:
        return self._package.trees(self._relations, kind)

    @staticmethod
    def _on_one_line(parent: _Element, blocks: Blocks) -> str:
        return one_line(" ".join(blocks.lines(parent)))


__all__ = ["read_docx"]
