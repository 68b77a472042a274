"""A docstring in Google, NumPy or Sphinx style: what the function does, what each parameter is."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

import docstring_parser

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Docstring:
    """The description without its sections, and the text of each documented parameter."""

    description: str
    parameters: Mapping[str, str]


def read_docstring(text: str) -> Docstring:
    """Read any of the three styles. Text that is none of them is all description."""
    clean = inspect.cleandoc(text)
    try:
        parsed = docstring_parser.parse(clean)
    except docstring_parser.ParseError:
        return Docstring(description=clean, parameters={})
    parts = [parsed.short_description or "", parsed.long_description or ""]
    gap = "\n\n" if parsed.blank_after_short_description else "\n"
    described = {
        param.arg_name.lstrip("*"): " ".join((param.description or "").split())
        for param in parsed.params
        if param.description
    }
    return Docstring(description=gap.join(filter(None, parts)), parameters=described)


__all__ = ["Docstring", "read_docstring"]
