"""Formulas of Office documents (OMML, ECMA-376 part 1, 22.1) on one line: `(a+b)/2`, `x^2`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.documents.xmltree import local_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lxml.etree import _Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_TEXT = f"{MATH}t"
_DEEPEST = 30
_SIMPLE = 1
_NOT_SHOWN = frozenset(("del", "moveFrom"))


def formula_text(formula: _Element) -> str:
    """The text of an `m:oMath` element; beyond 30 levels its letters alone."""
    return _children(formula, 0)


def _text(node: _Element, depth: int) -> str:
    if node.tag == _TEXT:
        return node.text or ""
    name = local_name(node)
    if name in _NOT_SHOWN:
        return ""
    if depth > _DEEPEST:
        return "".join([text.text or "" for text in node.iter(_TEXT)])
    shown = _SHAPES.get(name)
    if shown is None:
        return _children(node, depth + 1)
    parts = {local_name(child): _children(child, depth + 1) for child in node}
    return shown(parts)


def _children(node: _Element, depth: int) -> str:
    return "".join([_text(child, depth) for child in node])


def _grouped(text: str) -> str:
    return text if len(text) <= _SIMPLE or text.isalnum() else f"({text})"


def _fraction(parts: Mapping[str, str]) -> str:
    return f"{_grouped(parts.get('num', ''))}/{_grouped(parts.get('den', ''))}"


def _scripted(parts: Mapping[str, str]) -> str:
    below, above = parts.get("sub", ""), parts.get("sup", "")
    return (
        parts.get("e", "")
        + (f"_{_grouped(below)}" if below else "")
        + (f"^{_grouped(above)}" if above else "")
    )


def _root(parts: Mapping[str, str]) -> str:
    degree = parts.get("deg", "")
    return f"{f'root_{_grouped(degree)}' if degree else '√'}({parts.get('e', '')})"


_SHAPES: dict[str, Callable[[Mapping[str, str]], str]] = {
    "f": _fraction,
    "rad": _root,
    "sSub": _scripted,
    "sSubSup": _scripted,
    "sSup": _scripted,
}

__all__ = ["MATH", "formula_text"]
