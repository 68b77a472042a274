"""A part of a Word document made plain: all that is shown becomes text, all that is not is gone.

Afterwards the text of a paragraph is that of the `w:t` in it, in their order. Only what is out of
the ordinary is looked at one by one, so that ordinary text costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from lxml import etree

from nanobot.documents.docxstyles import (
    Styles,
    W,
    is_on,
    numbering_lead,
    outline_lead,
    value_of,
)
from nanobot.documents.drawing import RELATION_ID, picture_name
from nanobot.documents.officemath import MATH, formula_text
from nanobot.documents.plaintext import number_of, one_line
from nanobot.documents.symbols import symbol

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

    from nanobot.documents.drawing import Drawings

TEXT, PARAGRAPH, RUN = f"{W}t", f"{W}p", f"{W}r"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_OFFICE = "{urn:schemas-microsoft-com:office:office}"
_VML = "{urn:schemas-microsoft-com:vml}"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_DESCRIBED = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_FIELD_STATES = (f"{W}result", f"{W}checked", f"{W}default")
_DELETED_ROW, _RUN_PROPERTIES, _PROPERTIES = f"{W}trPr", f"{W}rPr", f"{W}pPr"

_Step: TypeAlias = "Callable[[PlainPart, _Element], None]"


@dataclass(slots=True, kw_only=True)
class About:
    """What is out of the ordinary about a paragraph.

    `lead` stands before its text; `joined`: its end was deleted, so that the next one goes on;
    `boxes` are the contents of text boxes, `drawn` the lines of charts and diagrams.
    """

    lead: str = ""
    joined: bool = False
    boxes: list[_Element] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """A header or footer that a section uses: `header` or `footer`, the id of the relation."""

    kind: str
    relation: str


class PlainPart:
    """A part made plain; its tree is changed.

    `about` tells of paragraphs that are out of the ordinary, `margins` are the headers and footers
    in use, `hidden` counts the pieces of hidden text that were left out.

    Raises:
        DocumentFault: a chart or diagram in it is damaged.
    """

    def __init__(self, root: _Element, styles: Styles, drawings: Drawings) -> None:
        self.root = root
        self.about: dict[_Element, About] = {}
        self.margins: list[Margin] = []
        self.hidden = 0
        self._styles = styles
        self._drawings = drawings
        if styles.hidden:
            self._leave_out_hidden_styles()
        for node in list(root.iter(*_SPECIAL)):
            _SPECIAL[node.tag](self, node)

    def show(self, node: _Element, text: str) -> None:
        """Put text in the place of an element."""
        for child in list(node):
            node.remove(child)
        node.tag, node.text = TEXT, text

    def leave_out(self, node: _Element) -> None:
        """Take an element out of the document."""
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)

    def hide(self, run: _Element) -> None:
        """Take hidden text out, and count it."""
        if run.getparent() is not None and any(text.text for text in run.iter(TEXT)):
            self.hidden += 1
            self.leave_out(run)

    def about_of(self, paragraph: _Element) -> About:
        """What is out of the ordinary about a paragraph, to be changed."""
        return self.about.setdefault(paragraph, About())

    def lead_of_style(self, node: _Element) -> None:
        """Give the paragraph of a `w:pStyle` what its style puts before it."""
        lead = self._styles.leads.get(value_of(node))
        if lead:
            self.lead(node, lead)

    def lead(self, property_: _Element, lead: str) -> None:
        """Give the paragraph that has this property a lead; a heading in a list stays one."""
        paragraph = _owner(property_, _PROPERTIES, PARAGRAPH)
        if paragraph is not None:
            about = self.about_of(paragraph)
            if not about.lead.startswith("#"):
                about.lead = lead

    def draw(self, drawing: _Element) -> None:
        """Show the names of pictures, and the charts and diagrams of a drawing."""
        paragraph = next(drawing.iterancestors(PARAGRAPH), None)
        if paragraph is None:
            return
        lines = list(self._drawings.lines(drawing))
        if lines:
            self.about_of(paragraph).drawn += lines
        elif next(drawing.iter(_PICTURE), None) is not None:
            described = next(drawing.iter(_DESCRIBED), None)
            drawing.tag, drawing.text = TEXT, picture_name(described)

    def _leave_out_hidden_styles(self) -> None:
        """Take out the runs that a style hides, unless they say for themselves what they are."""
        hidden = self._styles.hidden
        found = self.root.iter(f"{W}rStyle", f"{W}pStyle")
        styled = [node for node in found if value_of(node) in hidden]
        runs = dict.fromkeys(_owner(node, _RUN_PROPERTIES, RUN) for node in styled)
        for paragraph in dict.fromkeys(_owner(node, _PROPERTIES, PARAGRAPH) for node in styled):
            if paragraph is not None:
                runs |= dict.fromkeys(paragraph.iterchildren(RUN))
        for run in runs:
            if run is not None and next(run.iter(f"{W}vanish"), None) is None:
                self.hide(run)


def _owner(node: _Element, properties: str, owner: str) -> _Element | None:
    """The paragraph or run that has a property; None for one of something else, or a former one."""
    held = node.getparent()
    found = None if held is None or held.tag != properties else held.getparent()
    return found if found is not None and found.tag == owner else None


def _delete(part: PlainPart, node: _Element) -> None:
    """A tracked deletion: of runs, of a row, or of the end of a paragraph."""
    held = node.getparent()
    if held is None:
        return
    if held.tag == _DELETED_ROW:
        row = held.getparent()
        if row is not None:
            part.leave_out(row)
    elif held.tag == _RUN_PROPERTIES:
        paragraph = _owner(held, _PROPERTIES, PARAGRAPH)
        if paragraph is not None:
            part.about_of(paragraph).joined = True
    else:
        part.leave_out(node)


def _delete_cell(part: PlainPart, node: _Element) -> None:
    held = node.getparent()
    cell = None if held is None else held.getparent()
    if cell is not None and cell.tag == f"{W}tc":
        part.leave_out(cell)


def _vanish(part: PlainPart, node: _Element) -> None:
    run = _owner(node, _RUN_PROPERTIES, RUN)
    if run is not None and is_on(node):
        part.hide(run)


def _take_box(part: PlainPart, node: _Element) -> None:
    paragraph = next(node.iterancestors(PARAGRAPH), None)
    if paragraph is not None:
        part.about_of(paragraph).boxes.append(node)
        part.leave_out(node)


def _choose(part: PlainPart, node: _Element) -> None:
    """Keep one of the forms that the same thing is stored in."""
    choice = next(node.iterchildren(f"{_MC}Choice"), None)
    for child in list(node):
        if choice is not None and child is not choice:
            part.leave_out(child)


def _tab(part: PlainPart, node: _Element) -> None:
    held = node.getparent()
    if held is not None and held.tag == RUN:  # else it is a tab stop
        part.show(node, "\t")


def _form_field(part: PlainPart, node: _Element) -> None:
    """A check box or a list of the old kind of form; what was typed into one is text anyway."""
    for field_ in node.iterchildren(f"{W}checkBox", f"{W}ddList"):
        states = {child.tag: child for child in field_}
        state = next((states[name] for name in _FIELD_STATES if name in states), None)
        if field_.tag == f"{W}checkBox":
            part.show(node, "[x]" if state is not None and is_on(state) else "[ ]")
            return
        entries = [value_of(one) for one in field_.iterchildren(f"{W}listEntry")]
        chosen = 0 if state is None else number_of(value_of(state), most=len(entries))
        part.show(node, "".join(entries[chosen : chosen + 1]))
        return


def _old_picture(part: PlainPart, node: _Element) -> None:
    shape = node.getparent()
    if shape is not None and next(node.iterancestors(f"{W}object"), None) is None:
        said = one_line(shape.get("alt", ""))
        part.show(node, f"[picture: {said}]" if said else "[picture]")


def _embedded(part: PlainPart, node: _Element) -> None:
    part.show(node, f"[embedded object: {one_line(node.get('ProgID', '')) or 'unknown'}]")


def _foreign_part(part: PlainPart, node: _Element) -> None:
    """Another document that is to be put in here."""
    part.show(etree.SubElement(node, TEXT), "[an embedded document, not shown]")
    node.tag = PARAGRAPH


def _margin(part: PlainPart, node: _Element) -> None:
    kind = node.tag.removeprefix(W).removesuffix("Reference")
    part.margins.append(Margin(kind=kind, relation=node.get(f"{RELATION_ID}id", "")))


def _symbol(part: PlainPart, node: _Element) -> None:
    part.show(node, symbol(value_of(node, "char"), value_of(node, "font")))


def _shown_as(text: str) -> _Step:
    return lambda part, node: part.show(node, text)


def _mark(form: str) -> _Step:
    """The mark of a footnote and the like, by its id."""
    return lambda part, node: part.show(node, form.format(one_line(value_of(node, "id"))))


_SPECIAL: dict[str, _Step] = {
    f"{MATH}oMath": lambda part, node: part.show(node, formula_text(node)),
    f"{_MC}AlternateContent": _choose,
    f"{_OFFICE}OLEObject": _embedded,
    f"{_VML}imagedata": _old_picture,
    f"{W}altChunk": _foreign_part,
    f"{W}br": _shown_as("\n"),
    f"{W}cellDel": _delete_cell,
    f"{W}commentReference": _mark("[comment {}]"),
    f"{W}cr": _shown_as("\n"),
    f"{W}del": _delete,
    f"{W}drawing": PlainPart.draw,
    f"{W}endnoteReference": _mark("[^e{}]"),
    f"{W}ffData": _form_field,
    f"{W}footerReference": _margin,
    f"{W}footnoteReference": _mark("[^{}]"),
    f"{W}headerReference": _margin,
    f"{W}moveFrom": _delete,
    f"{W}noBreakHyphen": _shown_as("\u2011"),
    f"{W}numPr": lambda part, node: part.lead(node, numbering_lead(node)),
    f"{W}outlineLvl": lambda part, node: part.lead(node, outline_lead(node)),
    f"{W}pStyle": PlainPart.lead_of_style,
    f"{W}ptab": _shown_as("\t"),
    f"{W}rt": PlainPart.leave_out,
    f"{W}sym": _symbol,
    f"{W}tab": _tab,
    f"{W}txbxContent": _take_box,
    f"{W}vanish": _vanish,
}

__all__ = ["PARAGRAPH", "TEXT", "About", "Margin", "PlainPart"]
