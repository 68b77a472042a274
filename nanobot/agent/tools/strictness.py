"""A second reading of a schema, in which an integer is never written as a float.

JSON Schema takes `3.0` for an integer; Python's `range` does not. Validating against this reading
tells both in one pass: what it accepts is valid and needs no cast.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import jsonschema_rs

from nanobot.agent.tools.document import every_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanobot.jsonvalue import JsonObject

_INTEGER = "urn:nanobot:integer"
_RESOURCES = jsonschema_rs.Registry(
    [(_INTEGER, {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"})]
)
_NEGATING = frozenset({"not", "if", "oneOf", "contains", "$dynamicRef", "$recursiveRef"})
_COUNTING = frozenset({"unevaluatedProperties", "unevaluatedItems"})


def strict_integers(
    document: JsonObject | bool, *, formats: bool
) -> Callable[[object], bool] | None:
    """The verdict of the strict reading, or None where it could accept what the schema refuses."""
    if isinstance(document, bool):
        return None
    strict = copy.deepcopy(document)
    for node in list(every_schema(strict)):
        if (_NEGATING | _COUNTING).intersection(node):
            return None
        _make_strict(node)
    try:
        return jsonschema_rs.validator_for(
            strict, validate_formats=formats, registry=_RESOURCES, offline=True
        ).is_valid
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return None


def _make_strict(node: JsonObject) -> None:
    named = node.get("type")
    types = named if isinstance(named, list) else [named]
    if "integer" not in types or "number" in types:
        return
    demand: JsonObject = {"$ref": _INTEGER}
    others = [kind for kind in types if kind != "integer"]
    if others:
        demand = {"anyOf": [demand, {"type": others}]}
    known = node.get("allOf")
    node["allOf"] = [*(known if isinstance(known, list) else []), demand]


__all__ = ["strict_integers"]
