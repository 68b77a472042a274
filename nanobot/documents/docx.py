"""Word documents (DOCX) as lines of text, in the order of the document.

Headings, lists, tables (each merged cell once, tables in tables), text boxes, headers, footers,
footnotes, comments. Deleted and hidden text is left out, inserted text kept.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.package import Package
from nanobot.documents.plaintext import lines_of, one_line, table_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lxml.etree import _Element

    from nanobot.documents.package import Relation

_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_PLAIN = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_RELATION_IDS = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_DEEPEST_TABLE = 60
_DEEPEST_HEADING = 6
_THROUGH = frozenset(
    ("r", "hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml",
     "dir", "bdo", "ruby", "rubyBase")
)  # fmt: skip
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": "\t"}
_DRAWN = frozenset(("drawing", "pict", "object", "AlternateContent"))
_STYLED = (f"{_PLAIN}pPr", f"{_STRICT}pPr")
_LISTED = (f"{_PLAIN}numPr", f"{_STRICT}numPr")
_MARKED = tuple(
    f"{space}{name}"
    for space in (_PLAIN, _STRICT)
    for name in (
        *_CHARACTERS, *(_DRAWN - {"AlternateContent"}), "vanish", "moveFrom",
        "ruby", "sym", "footnoteReference", "endnoteReference", "commentReference",
        "txbxContent", "pStyle", "numPr",
    )
)  # fmt: skip
"""What makes a paragraph more than its text."""
_NOTES = (("footnotes", "footnote", "^"), ("endnotes", "endnote", "^e"))


def read_docx(file: BinaryIO) -> Iterator[str]:
    """The lines of a Word document.

    Raises:
        DocumentFault: it can't be read.
    """
    package = Package(file)
    main = _main_part(package)
    root = package.tree(main)
    body = next((node for node in root if _name(node) == "body"), None)
    if body is None:
        raise BrokenDocument("The document has no body")
    relations = package.relations(main)
    reader = _Reader(lambda: _leads(package, relations))
    reader.look_over(root)
    yield from _margins(package, relations, reader, root, "header")
    yield from reader.blocks(body)
    yield from _margins(package, relations, reader, root, "footer")
    yield from _notes(package, relations, reader)
    if reader.hidden:
        yield f"[{reader.hidden} piece{'s' * (reader.hidden > 1)} of hidden text left out]"


def _main_part(package: Package) -> str:
    for relation in package.relations("").values():
        if relation.kind == "officeDocument" and package.has(relation.part):
            return relation.part
    return "word/document.xml"


class _Reader:
    """Blocks and runs of one document.

    `leads` gives what stands before a paragraph, by its style; `hidden` counts hidden runs.
    """

    def __init__(self, leads: Callable[[], Mapping[str, str]]) -> None:
        self._find_leads = leads
        self._tables = 0
        self._marked: set[_Element] | None = None
        self._plain = self._text = ""
        self.hidden = 0

    def blocks(self, parent: _Element) -> Iterator[str]:
        """The lines of paragraphs and tables, one after the other."""
        for node in parent:
            if self._marked is not None and node.tag == self._plain and node not in self._marked:
                text = "".join([one.text or "" for one in node.iter(self._text)])
                if text.isprintable():  # most paragraphs are as plain as this
                    yield text
                    continue
            match _name(node):
                case "p":
                    yield from self._paragraph(node)
                case "tbl":
                    yield from self._table(node)
                case "sdt" | "sdtContent" | "ins" | "moveTo" | "customXml":
                    yield from self.blocks(node)
                case _:
                    pass

    def look_over(self, root: _Element) -> None:
        """Find the paragraphs that are more than their text, so that the others go quickly."""
        space = _STRICT if str(root.tag).startswith(_STRICT) else _PLAIN
        self._plain, self._text = f"{space}p", f"{space}t"
        found = (next(node.iterancestors(self._plain), None) for node in root.iter(*_MARKED))
        self._marked = {node for node in found if node is not None}

    def _paragraph(self, node: _Element) -> Iterator[str]:
        pieces: list[str] = []
        boxes: list[_Element] = []
        self._inline(node, pieces, boxes)
        lines = lines_of("".join(pieces))
        lead = self._lead(node)
        if any(lines):
            lines[0] = lead + lines[0]
        yield from lines
        for box in boxes:
            yield from (f"[text box] {line}" for line in self.blocks(box) if line)

    def _inline(self, node: _Element, pieces: list[str], boxes: list[_Element]) -> None:
        for child in node:
            name = _name(child)
            if name == "t":
                pieces.append(child.text or "")
            elif name in _THROUGH:
                if name == "r" and _is_hidden(child):
                    self.hidden += 1
                    continue
                self._inline(child, pieces, boxes)
            elif name in _CHARACTERS:
                pieces.append(_CHARACTERS[name])
            elif name in _DRAWN:
                boxes += _boxes(child)
            elif name in ("footnoteReference", "endnoteReference"):
                pieces.append(f"[{'^' if name[0] == 'f' else '^e'}{_value(child, 'id')}]")
            elif name == "commentReference":
                pieces.append(f"[comment {_value(child, 'id')}]")
            elif name == "sym":
                pieces.append(_symbol(child))

    @cached_property
    def _leads(self) -> Mapping[str, str]:
        return self._find_leads()

    def _lead(self, paragraph: _Element) -> str:
        """What stands before the text: `## ` for a heading, `- ` for an item of a list."""
        properties = paragraph[0] if len(paragraph) else None
        if properties is None or properties.tag not in _STYLED:
            return ""
        lead = ""
        for node in properties:
            match _name(node):
                case "pStyle":
                    lead = self._leads.get(_value(node, "val"), "")
                case "numPr":
                    depth = next((_value(one, "val") for one in node if _name(one) == "ilvl"), "0")
                    lead = f"{'  ' * (int(depth) if depth.isdigit() else 0)}- "
                case _:
                    pass
        return lead

    def _table(self, table: _Element) -> Iterator[str]:
        self._tables += 1
        try:
            if self._tables > _DEEPEST_TABLE:
                yield "[a table nested too deep to be shown]"
                return
            for row in _under(table, "tr"):
                cells = [self._cell(cell) for cell in _under(row, "tc")]
                if any(cells):
                    yield table_row(cells)
        finally:
            self._tables -= 1

    def _cell(self, cell: _Element) -> str:
        """The text of a cell; empty for one that goes on from the row above."""
        for node in cell:
            if _name(node) == "tcPr":
                merged = [one for one in node if _name(one) == "vMerge"]
                if merged and _value(merged[0], "val") != "restart":
                    return ""
        return "\n".join(line for line in self.blocks(cell) if line)


def _under(parent: _Element, wanted: str) -> Iterator[_Element]:
    """Rows of a table or cells of a row, also those in content controls; deleted rows left out."""
    for node in parent:
        name = _name(node)
        if name == wanted:
            if wanted != "tr" or not _is_deleted_row(node):
                yield node
        elif name in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _under(node, wanted)


def _is_deleted_row(row: _Element) -> bool:
    return any(_name(one) == "del" for node in row if _name(node) == "trPr" for one in node)


def _is_hidden(run: _Element) -> bool:
    if not len(run) or _name(run[0]) != "rPr":
        return False
    return any(
        _name(one) == "vanish" and _value(one, "val") not in ("0", "false", "off") for one in run[0]
    )


def _boxes(drawn: _Element) -> list[_Element]:
    """The text boxes in a drawing; what is only there for older programs is left out."""
    found: list[_Element] = []
    for child in drawn:
        if child.tag == _FALLBACK:
            continue
        if _name(child) == "txbxContent":
            found.append(child)
        else:
            found += _boxes(child)
    return found


def _symbol(node: _Element) -> str:
    try:
        return chr(int(_value(node, "char"), 16) & 0xFFFF)
    except ValueError:
        return ""


def _leads(package: Package, relations: Mapping[str, Relation]) -> dict[str, str]:
    """`## ` for the styles of headings, `- ` for those of lists, by the style's id."""
    leads: dict[str, str] = {}
    for part in _parts(package, relations, "styles"):
        for style in package.tree(part):
            if _name(style) != "style":
                continue
            name = next((_value(one, "val") for one in style if _name(one) == "name"), "").lower()
            word, _, number = name.partition(" ")
            if word == "heading" and number.isdigit():
                leads[_value(style, "styleId")] = f"{'#' * min(int(number), _DEEPEST_HEADING)} "
            elif name == "title":
                leads[_value(style, "styleId")] = "# "
            elif next(style.iter(*_LISTED), None) is not None:
                leads[_value(style, "styleId")] = "- "
    return leads


def _margins(
    package: Package, relations: Mapping[str, Relation], reader: _Reader, root: _Element, kind: str
) -> Iterator[str]:
    """Headers or footers that the sections use, each text once."""
    used = {
        relations[node.get(name, "")].part
        for node in root.iter(f"{_PLAIN}{kind}Reference", f"{_STRICT}{kind}Reference")
        for name in _RELATION_IDS
        if node.get(name, "") in relations
    }
    shown: set[str] = set()
    for part in sorted(used):
        if package.has(part):
            text = one_line(" ".join(reader.blocks(package.tree(part))))
            if text and text not in shown:
                shown.add(text)
                yield f"[{kind}] {text}"


def _notes(package: Package, relations: Mapping[str, Relation], reader: _Reader) -> Iterator[str]:
    for kind, name, mark in _NOTES:
        for part in _parts(package, relations, kind):
            for note in package.tree(part):
                if _name(note) == name and _value(note, "type") not in (
                    "separator",
                    "continuationSeparator",
                ):
                    text = one_line(" ".join(reader.blocks(note)))
                    yield f"[{mark}{_value(note, 'id')}]: {text}"
    for part in _parts(package, relations, "comments"):
        for note in package.tree(part):
            text = one_line(" ".join(reader.blocks(note)))
            yield f"[comment {_value(note, 'id')}] {_value(note, 'author')}: {text}"


def _parts(package: Package, relations: Mapping[str, Relation], kind: str) -> list[str]:
    return [one.part for one in relations.values() if one.kind == kind and package.has(one.part)]


@cache
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _name(node: _Element) -> str:
    """The name of an element, without its namespace."""
    return _local(str(node.tag))


def _value(node: _Element, name: str) -> str:
    return node.get(f"{_PLAIN}{name}") or node.get(f"{_STRICT}{name}") or ""


__all__ = ["read_docx"]
