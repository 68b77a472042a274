"""Whether a schema lies in the subset that OpenAI's `strict` mode takes.

Strict is only worth having where the schema fits as it is: making optional parameters nullable so
that it fits would change what a call means. Source: OpenAI's guide to structured outputs,
"Supported schemas" (2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.jsonvalue import JsonObject, JsonValue

_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const"),
        *("anyOf", "$ref", "$defs", "description", "title", "pattern", "format", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
    }
)
_TYPES = frozenset({"string", "number", "boolean", "integer", "object", "array", "null"})
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_MOST_PROPERTIES = 5_000
_DEEPEST = 10
_MOST_ENUM_VALUES = 1_000
_MOST_CHARS = 120_000


def fits_strict(schema: JsonObject) -> bool:
    """Whether `strict: true` may stand beside this schema (from `portable_schema`) unchanged."""
    if schema.get("type") != "object" or "anyOf" in schema or "$ref" in schema:
        return False
    nodes = list(_schemas(schema, 1))
    if any(depth > _DEEPEST or not _node_fits(node) for node, depth in nodes):
        return False
    names = [name for node, _ in nodes for name in as_object(node.get("properties"))]
    values = [value for node, _ in nodes for value in as_list(node.get("enum"))]
    chars = sum(map(len, names)) + sum(len(v) for v in values if isinstance(v, str))
    return (
        len(names) <= _MOST_PROPERTIES and len(values) <= _MOST_ENUM_VALUES and chars <= _MOST_CHARS
    )


def _schemas(schema: JsonValue, depth: int) -> Iterator[tuple[JsonObject, int]]:
    node = as_object(schema)
    yield node, depth
    if depth > _DEEPEST:
        return
    for key in ("properties", "$defs"):
        for sub in as_object(node.get(key)).values():
            yield from _schemas(sub, depth + 1 if key == "properties" else 1)
    if "items" in node:
        yield from _schemas(node["items"], depth + 1)
    for sub in as_list(node.get("anyOf")):
        yield from _schemas(sub, depth)


def _node_fits(node: JsonObject) -> bool:
    if not _KEYWORDS.issuperset(node):
        return False
    if "$ref" in node:
        return len(node) == 1
    if "anyOf" in node:
        return "type" not in node and bool(as_list(node["anyOf"]))
    kind = node.get("type")
    kinds = [kind] if isinstance(kind, str) else as_list(kind)
    if not kinds:
        return "const" in node or "enum" in node
    return (
        all(isinstance(name, str) and name in _TYPES for name in kinds)
        and ("array" not in kinds or isinstance(node.get("items"), dict))
        and ("format" not in node or node["format"] in _FORMATS)
        and ("object" not in kinds or _object_fits(node))
    )


def _object_fits(node: JsonObject) -> bool:
    names = set(as_object(node.get("properties")))
    required = {name for name in as_list(node.get("required")) if isinstance(name, str)}
    return node.get("additionalProperties") is False and names == required


__all__ = ["fits_strict"]
