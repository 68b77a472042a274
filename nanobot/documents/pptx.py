"""PowerPoint presentations (PPTX) as lines of text, slide by slide, in the order of the show.

Titles, text, groups in groups, tables, diagrams, alternative texts of pictures, notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.package import Package
from nanobot.documents.plaintext import lines_of, one_line, table_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from nanobot.documents.package import Relation

_MAIN = "ppt/presentation.xml"
_RELATION_IDS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_DIAGRAM_IDS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}dm",
)
_TITLES = frozenset(("title", "ctrTitle"))
_LEFT_OUT = frozenset(("sldNum", "dt", "ftr", "hdr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def read_pptx(file: BinaryIO) -> Iterator[str]:
    """The lines of a presentation.

    Raises:
        DocumentFault: it can't be read.
    """
    package = Package(file)
    slides = list(_slides(package))
    for number, part in enumerate(slides, 1):
        root = package.tree(part)
        hidden = " (hidden)" if root.get("show") in ("0", "false") else ""
        yield f"--- Slide {number} of {len(slides)}{hidden} ---"
        relations = package.relations(part)
        yield from _Slide(package, relations).shapes(root)
        yield from _notes(package, relations)
    if not slides:
        yield "[no slides]"


def _slides(package: Package) -> Iterator[str]:
    """The parts of the slides, in the order of the show."""
    main = next(
        (one.part for one in package.relations("").values() if one.kind == "officeDocument"), _MAIN
    )
    relations = package.relations(main)
    for node in package.tree(main).iter():
        if _name(node) == "sldId":
            found = _related(relations, node, _RELATION_IDS)
            if found is None or not package.has(found.part):
                raise BrokenDocument("The presentation lacks one of its slides")
            yield found.part


class _Slide:
    """The shapes of one slide."""

    def __init__(self, package: Package, relations: Mapping[str, Relation]) -> None:
        self._package = package
        self._relations = relations

    def shapes(self, parent: _Element) -> Iterator[str]:
        for node in parent:
            match _name(node):
                case "sp" | "cxnSp":
                    yield from _shape(node)
                case "graphicFrame":
                    yield from self._graphic(node)
                case "pic":
                    yield from _picture(node)
                case "cSld" | "spTree" | "grpSp" | "AlternateContent" | "Choice":
                    yield from self.shapes(node)
                case _:
                    pass

    def _graphic(self, frame: _Element) -> Iterator[str]:
        for node in frame.iter():
            name = _name(node)
            if name == "tbl":
                yield from _table(node)
                return
            if name == "relIds":
                found = _related(self._relations, node, _DIAGRAM_IDS)
                if found is not None and self._package.has(found.part):
                    yield from _paragraphs(self._package.tree(found.part), "- ")
            if name == "chart":
                yield "[chart]"


def _shape(shape: _Element) -> Iterator[str]:
    kind = _placeholder(shape)
    if kind in _LEFT_OUT:
        return
    for node in shape:
        if _name(node) == "txBody":
            lines = list(_paragraphs(node))
            if kind in _TITLES:
                yield f"# {one_line(' '.join(lines))}"
            else:
                yield from lines


def _placeholder(shape: _Element) -> str:
    return next((node.get("type", "body") for node in shape.iter() if _name(node) == "ph"), "")


def _picture(picture: _Element) -> Iterator[str]:
    for node in picture.iter():
        if _name(node) == "cNvPr" and node.get("descr"):
            yield f"[picture: {one_line(node.get('descr', ''))}]"
            return


def _paragraphs(parent: _Element, lead: str = "") -> Iterator[str]:
    for node in parent.iter():
        if _name(node) == "p":
            text = "".join(_pieces(node))
            level = next((one.get("lvl", "0") for one in node if _name(one) == "pPr"), "0")
            indent = "  " * (int(level) if level.isdigit() else 0)
            yield from (f"{indent}{lead}{line}" for line in lines_of(text) if line)


def _pieces(paragraph: _Element) -> Iterator[str]:
    for node in paragraph:
        name = _name(node)
        if name == "br":
            yield "\n"
        elif name in ("r", "fld"):
            yield from (one.text or "" for one in node if _name(one) == "t")


def _table(table: _Element) -> Iterator[str]:
    for row in table:
        if _name(row) == "tr":
            cells = [cell for cell in row if _name(cell) == "tc"]
            yield table_row(
                "" if cell.get("hMerge") or cell.get("vMerge") else "\n".join(_paragraphs(cell))
                for cell in cells
                if not cell.get("hMerge")
            )


def _notes(package: Package, relations: Mapping[str, Relation]) -> Iterator[str]:
    for relation in relations.values():
        if relation.kind == "notesSlide" and package.has(relation.part):
            for shape in package.tree(relation.part).iter():
                if _name(shape) == "sp" and _placeholder(shape) == "body":
                    yield from (f"[notes] {line}" for line in _shape(shape))


def _related(
    relations: Mapping[str, Relation], node: _Element, names: Sequence[str]
) -> Relation | None:
    """Where an element points by the first of these attributes that it has."""
    return next((relations[i] for n in names if (i := node.get(n, "")) in relations), None)


def _name(node: _Element) -> str:
    tag = str(node.tag)
    return "" if tag == _FALLBACK else tag.rpartition("}")[2]


__all__ = ["read_pptx"]
