"""Formulas of Office documents (OMML, ECMA-376 part 1, 22.1) on one line: `(a+b)/2`, `x^2`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.documents.xmltree import local_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_TEXT = f"{MATH}t"
_VALUE = f"{MATH}val"
_DEEPEST = 30
_NOT_SHOWN = frozenset(("del", "moveFrom"))


def formula_text(formula: _Element) -> str:
    """The text of an `m:oMath` element; beyond 30 levels its letters alone."""
    return _Part(formula, 0).text()


class _Part:
    """A part of a formula, `depth` levels deep."""

    def __init__(self, node: _Element, depth: int) -> None:
        self._node = node
        self._depth = depth

    def text(self) -> str:
        return "".join([_text(child, self._depth) for child in self._node])

    def of(self, name: str, between: str = "") -> str:
        """The text of the children of a name."""
        found = self._node.iterchildren(f"{MATH}{name}")
        return between.join([_text(child, self._depth + 1) for child in found])

    def sign(self, name: str, usual: str) -> str:
        """A sign that the properties name, which stand before all else."""
        properties = next(iter(self._node), None)
        named = None if properties is None else next(properties.iterchildren(f"{MATH}{name}"), None)
        return usual if named is None else named.get(_VALUE, "")


def _text(node: _Element, depth: int) -> str:
    if node.tag == _TEXT:
        return node.text or ""
    name = local_name(node)
    if name in _NOT_SHOWN:
        return ""
    if depth > _DEEPEST:
        return "".join([text.text or "" for text in node.iter(_TEXT)])
    part = _Part(node, depth + 1)
    shown = _SHAPES.get(name)
    return part.text() if shown is None else shown(part)


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _scripts(part: _Part) -> str:
    below, above = part.of("sub") or part.of("lim"), part.of("sup")
    return (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")


def _root(part: _Part) -> str:
    degree = part.of("deg")
    return f"√{f'[{degree}]' if degree else ''}({part.of('e')})"


def _delimited(part: _Part) -> str:
    inside = part.of("e", part.sign("sepChr", "|"))
    return f"{part.sign('begChr', '(')}{inside}{part.sign('endChr', ')')}"


_SHAPES: dict[str, Callable[[_Part], str]] = {
    "d": _delimited,
    "eqArr": lambda part: part.of("e", "; "),
    "f": lambda part: f"{_grouped(part.of('num'))}/{_grouped(part.of('den'))}",
    "func": lambda part: f"{part.of('fName')} {part.of('e')}",
    "limLow": lambda part: f"{part.of('e')}{_scripts(part)}",
    "m": lambda part: f"[{part.of('mr', '; ')}]",
    "mr": lambda part: part.of("e", ", "),
    "nary": lambda part: f"{part.sign('chr', '∫')}{_scripts(part)} {part.of('e')}",
    "rad": _root,
    "sSub": lambda part: f"{part.of('e')}{_scripts(part)}",
    "sSubSup": lambda part: f"{part.of('e')}{_scripts(part)}",
    "sSup": lambda part: f"{part.of('e')}{_scripts(part)}",
}

__all__ = ["MATH", "formula_text"]
