"""A tool's schema in the few words that a grammar can hold the model to. Pure.

llama.cpp makes a grammar of a JSON Schema, but not of every keyword: what it does not know it drops
or refuses the request for. So only what it surely takes is said, every string, list and reference
has a bound, and whatever is odd admits more than the tool does: the call path validates the
arguments against the tool's own schema anyway.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import as_list, as_object, pointed_at, portable_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue

LONGEST_STRING = 8_000
"""Characters of a string that the model may write."""

_MOST_ITEMS = 64
_MOST_VALUES = 256
_MOST_BRANCHES = 16
_MOST_NODES = 1_000
_DEEPEST = 8
_LARGEST = 2**53
_LOOSE_DEPTH = 2
_KINDS = ("string", "integer", "number", "boolean", "null", "array", "object")


def grammar_schema(parameters: Mapping[str, JsonValue]) -> JsonObject:
    """The schema of the arguments; any small object where it can't be said. Never raises."""
    try:
        root = portable_schema(parameters)
        said = _Bounded(root).converted(root, 0)
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError):
        return _loose_object(_LOOSE_DEPTH)
    return said if said.get("type") == "object" else _loose_object(_LOOSE_DEPTH)


def bounded_string(schema: Mapping[str, JsonValue]) -> JsonObject:
    """A string with the schema's lengths, where they are within ours."""
    longest = min(_size(schema, "maxLength", LONGEST_STRING), LONGEST_STRING)
    least = min(_size(schema, "minLength", 0), longest)
    said: JsonObject = {"type": "string", "maxLength": longest}
    return {**said, "minLength": least} if least else said


class _Bounded:
    """Converts the nodes of one schema, and counts them."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._nodes = 0

    def converted(self, node: JsonValue, depth: int) -> JsonObject:
        self._nodes += 1
        if not isinstance(node, dict) or depth > _DEEPEST or self._nodes > _MOST_NODES:
            return _loose_value(0)
        node = self._merged(node)
        if "const" in node:
            return {"const": node["const"]}
        values = as_list(node.get("enum"))
        if values:
            return {"enum": values[:_MOST_VALUES]}
        branches = as_list(node.get("anyOf")) or as_list(node.get("oneOf"))
        if branches:
            return self._any_of(node, branches, depth)
        kinds = _kinds(node)
        if not kinds:
            return _loose_value(_LOOSE_DEPTH)
        told = [self._of_kind(kind, node, depth) for kind in kinds]
        return told[0] if len(told) == 1 else {"anyOf": [*told]}

    def _merged(self, node: JsonObject) -> JsonObject:
        """The node with its reference followed and the members of `allOf` laid over each other."""
        for _ in range(_DEEPEST):
            reference = node.get("$ref")
            parts = as_list(node.get("allOf"))
            if isinstance(reference, str):
                parts = [*parts, pointed_at(self._root, reference)]
            if not parts:
                return node
            node = {key: value for key, value in node.items() if key not in {"$ref", "allOf"}}
            for part in map(as_object, parts):
                node = _laid_over(part, node)
        return {}

    def _any_of(self, node: JsonObject, branches: list[JsonValue], depth: int) -> JsonObject:
        rest = {key: value for key, value in node.items() if key not in {"anyOf", "oneOf"}}
        parts = [_laid_over(as_object(branch), rest) for branch in branches[:_MOST_BRANCHES]]
        if all("type" in part and part["type"] == "object" for part in parts) and not depth:
            return _loose_object(_LOOSE_DEPTH)
        return {"anyOf": [self.converted(part, depth + 1) for part in parts]}

    def _of_kind(self, kind: str, node: JsonObject, depth: int) -> JsonObject:
        if kind == "string":
            return bounded_string(node)
        if kind == "integer":
            return {"type": "integer", **_limits(node)}
        if kind == "array":
            return self._array(node, depth)
        if kind == "object":
            return self._object(node, depth)
        return {"type": kind}

    def _array(self, node: JsonObject, depth: int) -> JsonObject:
        most = min(_size(node, "maxItems", _MOST_ITEMS), _MOST_ITEMS)
        items = node.get("items")
        plain = isinstance(items, dict) and "prefixItems" not in node
        said: JsonObject = {
            "type": "array",
            "items": self.converted(items, depth + 1) if plain else _loose_value(0),
            "maxItems": most,
        }
        least = min(_size(node, "minItems", 0), most)
        return {**said, "minItems": least} if least else said

    def _object(self, node: JsonObject, depth: int) -> JsonObject:
        properties = as_object(node.get("properties"))
        required = [name for name in as_list(node.get("required")) if isinstance(name, str)]
        if not properties and not required and node.get("additionalProperties") is not False:
            others = node.get("additionalProperties")
            if isinstance(others, dict):
                return {"type": "object", "additionalProperties": self.converted(others, depth + 1)}
            return _loose_object(_LOOSE_DEPTH)
        said = {name: self.converted(value, depth + 1) for name, value in properties.items()}
        for name in required:
            said.setdefault(name, _loose_value(0))
        return {
            "type": "object",
            "properties": {**said},
            "required": [*required],
            "additionalProperties": False,
        }


def _laid_over(below: JsonObject, above: JsonObject) -> JsonObject:
    """Two schemas that both hold, as one: properties and required names of both."""
    joined = {**below, **above}
    for key in ("properties", "$defs"):
        if key in below and key in above:
            joined[key] = {**as_object(below[key]), **as_object(above[key])}
    names = [*as_list(below.get("required")), *as_list(above.get("required"))]
    if names:
        joined["required"] = [*dict.fromkeys(name for name in names if isinstance(name, str))]
    return joined


def _kinds(node: JsonObject) -> list[str]:
    named = node.get("type")
    kinds = [named] if isinstance(named, str) else as_list(named)
    known = [kind for kind in _KINDS if kind in kinds]
    if known or named is not None:
        return known
    return ["object"] if "properties" in node else ["array"] if "items" in node else []


def _limits(node: JsonObject) -> JsonObject:
    """Whole-number bounds; an exclusive one is moved by one."""
    said: JsonObject = {}
    low, above = _number(node, "minimum"), _number(node, "exclusiveMinimum")
    high, below = _number(node, "maximum"), _number(node, "exclusiveMaximum")
    lows = [math.ceil(low)] if low is not None else []
    lows += [math.floor(above) + 1] if above is not None else []
    highs = [math.floor(high)] if high is not None else []
    highs += [math.ceil(below) - 1] if below is not None else []
    if lows:
        said["minimum"] = max(lows)
    if highs and not (lows and max(lows) > min(highs)):
        said["maximum"] = min(highs)
    return said


def _number(node: JsonObject, key: str) -> float | None:
    value = node.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _LARGEST else None


def _size(node: Mapping[str, JsonValue], key: str, otherwise: int) -> int:
    value = node.get(key)
    return int(value) if isinstance(value, int | float) and 0 <= value <= _LARGEST else otherwise


def _loose_value(depth: int) -> JsonObject:
    kinds: list[JsonValue] = [{"type": kind} for kind in ("number", "boolean", "null")]
    kinds.insert(0, bounded_string({}))
    if depth > 0:
        kinds.append({"type": "array", "items": _loose_value(0), "maxItems": _MOST_ITEMS})
        kinds.append(_loose_object(depth - 1))
    return {"anyOf": kinds}


def _loose_object(depth: int) -> JsonObject:
    return {"type": "object", "additionalProperties": _loose_value(depth)}


__all__ = ["LONGEST_STRING", "bounded_string", "grammar_schema"]
