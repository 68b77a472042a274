"""The styles of a Word document, as far as they say what a paragraph is and what is hidden."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from nanobot.documents.plaintext import level_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TYPES = ("paragraph", "character")
_BODY_LEVEL = 9
_DEEPEST_HEADING = 6
_OFF = ("0", "false", "off")
_LONGEST_CHAIN = 12
_TABLE_STYLE, _END_OF_STYLE = b'<w:style w:type="table"', b"</w:style>"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """What styles say, by their ids.

    `leads` is what stands before a paragraph: `## ` for a heading, `- ` for an item of a list.
    """

    leads: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


def without_table_styles(data: bytes) -> bytes:
    """The XML of a part of styles without those of tables, where they are written as usual.

    They say nothing that is shown, and are nine tenths of the part in many documents.
    """
    pieces: list[bytes] = []
    at = 0
    while (first := data.find(_TABLE_STYLE, at)) >= 0:
        end = data.find(_END_OF_STYLE, first)
        if end < 0:
            break
        pieces.append(data[at:first])
        at = end + len(_END_OF_STYLE)
    return b"".join([*pieces, data[at:]])


def styles_of(parts: Iterable[_Element]) -> Styles:
    """The styles of the parts that define them. One that follows another takes what that says."""
    found = [_Style(node) for part in parts for node in part.iterchildren(f"{W}style")]
    by_id = {style.id: style for style in found if style.kind in _TYPES}
    leads = {name: _first(style.lead for style in _chain(name, by_id)) for name in by_id}
    hidden = {name for name in by_id if _first(style.hides for style in _chain(name, by_id))}
    return Styles(leads={k: v for k, v in leads.items() if v}, hidden=frozenset(hidden))


def value_of(node: _Element, name: str = "val") -> str:
    """An attribute of an element of WordprocessingML, "" where it is missing."""
    return node.get(f"{W}{name}") or ""


def is_on(node: _Element) -> bool:
    """Whether a property such as `w:vanish` is switched on."""
    return value_of(node) not in _OFF


def heading_lead(level: int) -> str:
    """What stands before a heading of a level, counted from 1."""
    return f"{'#' * min(level, _DEEPEST_HEADING)} "


def list_lead(level: int) -> str:
    """What stands before an item of a list, at a level counted from 0."""
    return f"{'  ' * level}- "


def outline_lead(node: _Element) -> str:
    """The same for a level of the outline (`w:outlineLvl`), whose tenth is body text."""
    level = level_of(value_of(node))
    return heading_lead(level + 1) if level < _BODY_LEVEL else ""


def numbering_lead(node: _Element) -> str:
    """What stands before a paragraph with these `w:numPr`; number 0 takes it off the list."""
    values = {one.tag: value_of(one) for one in node}
    if values.get(f"{W}numId") == "0":
        return ""
    return list_lead(level_of(values.get(f"{W}ilvl")))


class _Style:
    """One style: what it says itself (None: nothing), and which one it follows."""

    def __init__(self, node: _Element) -> None:
        self.id = value_of(node, "styleId")
        self.kind = value_of(node, "type")
        self.base = ""
        self.lead: str | None = None
        self.hides: bool | None = None
        for child in node:
            match child.tag.removeprefix(W):
                case "name":
                    self.lead = _lead_of_name(value_of(child))
                case "basedOn":
                    self.base = value_of(child)
                case "pPr" if self.lead is None:
                    self.lead = _lead_of_properties(child)
                case "rPr":
                    vanish = next(child.iterchildren(f"{W}vanish"), None)
                    self.hides = None if vanish is None else is_on(vanish)
                case _:
                    pass


def _lead_of_name(name: str) -> str | None:
    """The lead of a built-in style, whose name is English in every language of Word."""
    word, _, number = name.lower().partition(" ")
    if word == "heading" and level_of(number):
        return heading_lead(level_of(number))
    return "# " if name.lower() == "title" else None


def _lead_of_properties(properties: _Element) -> str | None:
    lead: str | None = None
    for node in properties:
        if node.tag == f"{W}outlineLvl":
            return outline_lead(node)
        if node.tag == f"{W}numPr":
            lead = numbering_lead(node)
    return lead


def _chain(name: str, by_id: Mapping[str, _Style]) -> Iterator[_Style]:
    """A style, the one it follows, and so on, as far as Word goes."""
    for _ in range(_LONGEST_CHAIN):
        style = by_id.get(name)
        if style is None:
            return
        yield style
        name = style.base


def _first(values: Iterable[_T | None]) -> _T | None:
    return next((value for value in values if value is not None), None)


__all__ = [
    "Styles",
    "W",
    "heading_lead",
    "is_on",
    "list_lead",
    "numbering_lead",
    "outline_lead",
    "styles_of",
    "value_of",
    "without_table_styles",
]
