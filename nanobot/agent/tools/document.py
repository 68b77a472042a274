"""A schema as a document of its own: checked to be sound JSON, copied, `nullable` spelled out.

What comes out is plain `dict`, `list`, `str`, `int`, `float`, `bool` and None, at most 120 levels
deep, so that whatever reads it next can neither hang nor overflow. The original is never changed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.jsonvalue import JsonObject, JsonValue

_DEEPEST = 120
_MOST_VALUES = 1_000_000
_MOST_TEXT = 16_000_000
_NAMED_SCHEMAS = (
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
)
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_ONE_SCHEMA = (
    *("items", "additionalItems", "additionalProperties", "propertyNames", "contains", "not"),
    *("if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_NULL: JsonObject = {"type": "null"}


def own_document(schema: object) -> JsonObject | bool:
    """A checked copy of a schema, in which `nullable: true` (OpenAPI's word) admits null.

    Raises:
        ToolSetupError: it is no JSON object or boolean, holds what JSON can't say, refers to
            itself as a Python object, or is out of bounds: 120 levels, a million values, 16 MB of
            text. The place is a JSON pointer.
    """
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict):
        kind = type(schema).__name__
        raise ToolSetupError(f"a schema is a JSON object or a boolean, got {kind}")
    copier = _Copier()
    copy = copier.copied(schema, ())
    if copier.has_nullable:
        _spell_out_nullable(copy)
    return copy


class _Copier:
    """Copies JSON within its bounds. `path` is the keys down to a value."""

    def __init__(self) -> None:
        self._values = 0
        self._text = 0
        self.has_nullable = False

    def copied(self, node: dict[object, object], path: tuple[str, ...]) -> JsonObject:
        self._count(path)
        copy: JsonObject = {}
        for key, value in node.items():
            if not isinstance(key, str):
                raise _fault(f"a key must be text, got {type(key).__name__}", path)
            copy[self._string(key, path)] = self._value(value, (*path, key))
        if copy.get("nullable") is True:
            self.has_nullable = True
        return copy

    def _value(self, value: object, path: tuple[str, ...]) -> JsonValue:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._string(value, path)
        if isinstance(value, dict):
            return self.copied(value, path)
        if isinstance(value, list | tuple):
            self._count(path)
            return [self._value(item, (*path, str(at))) for at, item in enumerate(value)]
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float) and math.isfinite(value):
            return float(value)
        shown = repr(value) if isinstance(value, float) else type(value).__name__
        raise _fault(f"JSON can't say {shown}", path)

    def _string(self, text: str, path: tuple[str, ...]) -> str:
        self._text += len(text)
        if self._text > _MOST_TEXT:
            raise _fault(f"the schema holds more than {_MOST_TEXT} characters", path)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise _fault("text with a lone surrogate", path) from None
        return str.__str__(text)

    def _count(self, path: tuple[str, ...]) -> None:
        self._values += 1
        if len(path) > _DEEPEST:
            raise _fault(f"the schema is nested deeper than {_DEEPEST} levels", path)
        if self._values > _MOST_VALUES:
            raise _fault(f"the schema holds more than {_MOST_VALUES} values", path)


def subschemas(node: JsonObject) -> Iterator[JsonObject]:
    """The schemas directly inside a schema, by the keywords that hold some. Booleans left out."""
    for keyword in _NAMED_SCHEMAS:
        named = node.get(keyword)
        if isinstance(named, dict):
            yield from (sub for sub in named.values() if isinstance(sub, dict))
    for keyword in _SCHEMA_LISTS:
        listed = node.get(keyword)
        if isinstance(listed, list):
            yield from (sub for sub in listed if isinstance(sub, dict))
    for keyword in _ONE_SCHEMA:
        single = node.get(keyword)
        if isinstance(single, dict):
            yield single


def every_schema(document: JsonObject) -> Iterator[JsonObject]:
    """The document and each schema inside it, outer ones first."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        waiting.extend(subschemas(node))
        yield node


def _spell_out_nullable(document: JsonObject) -> None:
    for node in list(every_schema(document)):
        if node.get("nullable") is True:
            _admit_null(node)


def _admit_null(node: JsonObject) -> None:
    """Make a schema take null beside what it takes. Its own subschemas keep their place."""
    types = node.get("type")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, list) and "null" not in types:
        node["type"] = [*types, "null"]
    options = node.get("enum")
    if isinstance(options, list) and None not in options:
        node["enum"] = [*options, None]
    if "const" in node and node["const"] is not None:
        node["enum"] = [node.pop("const"), None]
    for keyword in ("anyOf", "oneOf"):
        branches = node.get(keyword)
        if isinstance(branches, list):
            node[keyword] = _with_null(branches)
    demands: JsonObject = {key: node.pop(key) for key in ("$ref", "allOf", "not") if key in node}
    if demands:
        node["allOf"] = [{"anyOf": [demands, dict(_NULL)]}]


def _with_null(branches: list[JsonValue]) -> list[JsonValue]:
    takes_null = any(
        isinstance(branch, dict)
        and (branch.get("type") == "null" or branch.get("nullable") is True)
        for branch in branches
    )
    return branches if takes_null else [*branches, dict(_NULL)]


def _fault(text: str, path: tuple[str, ...]) -> ToolSetupError:
    shown = path[:8]
    pointer = "/".join(key[:40].replace("~", "~0").replace("/", "~1") for key in shown)
    more = "/…" if len(path) > len(shown) else ""
    return ToolSetupError(text, place=f"#/{pointer}{more}" if path else "#")


__all__ = ["every_schema", "own_document", "subschemas"]
