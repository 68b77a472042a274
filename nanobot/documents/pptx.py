"""PowerPoint presentations (PPTX) as lines of text, slide by slide, in the order of the show.

Titles, text, groups in groups, tables, charts, diagrams, names of pictures, notes, comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.drawing import MAIN, RELATION_ID, Drawings, picture_name
from nanobot.documents.officemath import formula_text
from nanobot.documents.package import Package
from nanobot.documents.plaintext import (
    level_of,
    lines_of,
    one_line,
    table_row,
    without_runs_of_blanks,
)
from nanobot.documents.xmltree import local_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element

    from nanobot.documents.package import Relation

_MAIN_PART = "ppt/presentation.xml"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = frozenset(("title", "ctrTitle"))
_LEFT_OUT = frozenset(("sldNum", "dt", "ftr", "hdr"))
_OFF = ("0", "false")
_ON = ("1", "true")


def read_pptx(file: BinaryIO) -> Iterator[str]:
    """The lines of a presentation.

    Raises:
        DocumentFault: it can't be read.
    """
    package = Package(file)
    main = package.main_part(_MAIN_PART)
    relations = package.relations(main)
    slides = list(package.tree(main).iter(f"{_P}sldId"))
    if not slides:
        yield "[no slides]"
    for number, slide in enumerate(slides, 1):
        found = relations.get(slide.get(f"{RELATION_ID}id", ""))
        head = f"--- Slide {number} of {len(slides)}"
        if found is None or not package.has(found.part):
            yield f"{head}: missing in the file ---"
        else:
            yield from _Slide(package, found.part).lines(head)


class _Slide:
    """One slide: its shapes, and what belongs to it."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._root = package.tree(part)
        self._relations: Mapping[str, Relation] = package.relations(part)
        self._drawings = Drawings(package, part)

    def lines(self, head: str) -> Iterator[str]:
        yield f"{head}{' (hidden)' if self._root.get('show') in _OFF else ''} ---"
        for tree in self._root.iter(f"{_P}spTree"):
            yield from without_runs_of_blanks(self._shapes(tree))
        for notes in self._trees("notesSlide"):
            for shape in notes.iter(f"{_P}sp"):
                if _placeholder(shape) == "body":
                    yield from (f"[notes] {line}" for line in _shape(shape) if line)
        for comments in self._trees("comments"):
            for comment in comments:
                text = " ".join(node.text or "" for node in comment.iter(f"{_P}text", f"{MAIN}t"))
                if text:
                    yield f"[comment] {one_line(text)}"

    def _trees(self, kind: str) -> Iterator[_Element]:
        return self._package.trees(self._relations, kind)

    def _shapes(self, parent: _Element) -> Iterator[str]:
        for node in parent:
            if _is_hidden(node):
                yield "[a hidden shape left out]"
                continue
            match local_name(node):
                case "sp" | "cxnSp":
                    yield from _shape(node)
                case "graphicFrame":
                    yield from self._graphic(node)
                case "pic":
                    yield picture_name(next(node.iter(f"{_P}cNvPr"), None))
                case "grpSp":
                    yield from self._shapes(node)
                case "AlternateContent":
                    for form in list(node)[:1]:  # the same thing in several forms
                        yield from self._shapes(form)
                case _:
                    pass

    def _graphic(self, frame: _Element) -> Iterator[str]:
        table = next(frame.iter(f"{MAIN}tbl"), None)
        yield from _table(table) if table is not None else self._drawings.lines(frame)


def _is_hidden(shape: _Element) -> bool:
    """Whether a shape is switched off in the list of what is on the slide."""
    about = next(iter(shape), None)
    named = None if about is None else next(about.iterchildren(f"{_P}cNvPr"), None)
    return named is not None and named.get("hidden") in _ON


def _shape(shape: _Element) -> Iterator[str]:
    kind = _placeholder(shape)
    if kind in _LEFT_OUT:
        return
    for body in shape.iterchildren(f"{_P}txBody"):
        lines = _paragraphs(body)
        if kind in _TITLES:
            title = one_line(" ".join(lines))
            lines = [f"# {title}"] if title else []
        yield from lines


def _placeholder(shape: _Element) -> str:
    return next((node.get("type", "body") for node in shape.iter(f"{_P}ph")), "")


def _paragraphs(body: _Element) -> list[str]:
    """The lines of a text, indented by their levels."""
    lines: list[str] = []
    for paragraph in body.iterchildren(f"{MAIN}p"):
        text = "".join(_pieces(paragraph))
        properties = next(paragraph.iterchildren(f"{MAIN}pPr"), None)
        indent = "" if properties is None else "  " * level_of(properties.get("lvl"))
        lines += [f"{indent}{line}" if line else "" for line in lines_of(text)]
    return lines


def _pieces(parent: _Element) -> Iterator[str]:
    for node in parent:
        name = local_name(node)
        if name == "br":
            yield "\n"
        elif name == "oMath":
            yield formula_text(node)
        elif name in ("r", "fld"):
            yield from (text.text or "" for text in node.iterchildren(f"{MAIN}t"))
        elif name in ("m", "oMathPara", "Choice"):
            yield from _pieces(node)
        elif name == "AlternateContent":
            for form in list(node)[:1]:
                yield from _pieces(form)


def _table(table: _Element) -> Iterator[str]:
    """The rows of a table; what a merged cell covers is empty."""
    for row in table.iterchildren(f"{MAIN}tr"):
        yield table_row(_cell(cell) for cell in row.iterchildren(f"{MAIN}tc"))


def _cell(cell: _Element) -> str:
    if cell.get("hMerge") in _ON or cell.get("vMerge") in _ON:
        return ""
    return "\n".join(
        line for body in cell.iterchildren(f"{MAIN}txBody") for line in _paragraphs(body)
    )


__all__ = ["read_pptx"]
