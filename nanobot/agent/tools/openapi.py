"""A schema in the subset of OpenAPI 3.0 that Gemini's function declarations take.

It knows no references, no type lists and no `oneOf`/`allOf`; null is the word `nullable`. A
recursive schema is unrolled a little and then left open. What the subset can't say goes into the
description. Source: the `Schema` object of the Gemini API reference (2026).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import add_note, as_list, as_object, pointed_at

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue

_KEPT = frozenset(
    {
        *("title", "description", "nullable", "pattern", "minLength", "maxLength"),
        *("minimum", "maximum", "minItems", "maxItems", "minProperties", "maxProperties"),
    }
)
_WORDS = ("title", "description")
_SAID = ("default", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems")
_FORMATS = frozenset({"float", "double", "int32", "int64", "enum", "date-time"})
_UNROLLED = 2
_MOST_NODES = 2_000


def openapi_schema(schema: JsonObject) -> JsonObject:
    """The schema (from `portable_schema`) without references and in the subset's words."""
    return _Unroller(schema).converted(schema, ())


class _Unroller:
    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._nodes = 0

    def converted(self, node: JsonObject, inside: tuple[str, ...]) -> JsonObject:
        """One node; `inside` holds the references that led here."""
        self._nodes += 1
        reference = node.get("$ref")
        if isinstance(reference, str):
            return self._followed(node, reference, inside)
        if self._nodes > _MOST_NODES:
            return {"type": "object"}
        node = _merged(node)
        result = {key: value for key, value in node.items() if key in _KEPT}
        self._add_kind(node, result, inside)
        _add_values(node, result)
        if node.get("format") in _FORMATS:
            result["format"] = node["format"]
        for key in _SAID:
            if key in node:
                add_note(result, f"({key}: {json.dumps(node[key], ensure_ascii=False)})")
        return result

    def _followed(self, node: JsonObject, reference: str, inside: tuple[str, ...]) -> JsonObject:
        if inside.count(reference) >= _UNROLLED or self._nodes > _MOST_NODES:
            return {"type": "object", "description": "The same again."}
        target = as_object(pointed_at(self._root, reference))
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return self.converted({**target, **beside}, (*inside, reference))

    def _add_kind(self, node: JsonObject, result: JsonObject, inside: tuple[str, ...]) -> None:
        branches = [as_object(b) for b in as_list(node.get("anyOf")) or as_list(node.get("oneOf"))]
        kinds = _kinds(node)
        if not branches and len(set(kinds) - {"null"}) > 1:
            bare = {key: value for key, value in node.items() if key not in _WORDS}
            branches = [dict(bare, type=kind) for kind in kinds]
            result.clear()
            result.update({key: node[key] for key in _WORDS if key in node})
        real = [b for b in branches if b.get("type") != "null"]
        if "null" in kinds or len(real) < len(branches):
            result["nullable"] = True
        if len(real) == 1:
            result.update({**self.converted(real[0], inside), **result})
        elif real:
            result["anyOf"] = [self.converted(branch, inside) for branch in real]
        else:
            kind = next((name for name in kinds if name != "null"), "string")
            result["type"] = kind
            self._add_parts(kind, node, result, inside)

    def _add_parts(
        self, kind: str, node: JsonObject, result: JsonObject, inside: tuple[str, ...]
    ) -> None:
        if kind == "array":
            items = as_object(node.get("items")) or {"type": "string"}
            result["items"] = self.converted(items, inside)
        properties = as_object(node.get("properties"))
        if kind == "object" and properties:
            result["properties"] = {
                name: self.converted(as_object(sub), inside) for name, sub in properties.items()
            }
            names = [name for name in as_list(node.get("required")) if name in properties]
            if names:
                result["required"] = [*names]


def _merged(node: JsonObject) -> JsonObject:
    """`allOf` folded into the node: its parts together, later words winning."""
    parts = [as_object(part) for part in as_list(node.get("allOf"))]
    if not parts:
        return node
    result: JsonObject = {}
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for part in [*parts, {key: value for key, value in node.items() if key != "allOf"}]:
        result.update(part)
        properties.update(as_object(part.get("properties")))
        required.extend(as_list(part.get("required")))
    if properties:
        result["properties"] = properties
        result["required"] = required
    return _merged(result) if "allOf" in result and result != node else result


def _kinds(node: JsonObject) -> list[str]:
    kind = node.get("type")
    named = [kind] if isinstance(kind, str) else [k for k in as_list(kind) if isinstance(k, str)]
    if named:
        return named
    values = _values(node)
    if values:
        return sorted({_KIND_OF[type(value)] for value in values})
    implied = [kind for word, kind in _IMPLIED.items() if word in node]
    if implied or "anyOf" in node or "oneOf" in node:
        return implied
    return ["string", "number", "boolean"]


_IMPLIED = {"properties": "object", "items": "array"}


_KIND_OF: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}


def _values(node: JsonObject) -> list[JsonValue]:
    return [node["const"]] if "const" in node else as_list(node.get("enum"))


def _add_values(node: JsonObject, result: JsonObject) -> None:
    """The admitted values: as `enum` where all are text, else in words."""
    values = _values(node)
    if not values:
        return
    texts = [value for value in values if isinstance(value, str)]
    if result.get("type") == "string" and len(texts) == len([v for v in values if v is not None]):
        result["enum"] = [*texts]
    else:
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:50])
        add_note(result, f"One of: {shown}.")


__all__ = ["openapi_schema"]
