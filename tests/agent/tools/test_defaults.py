"""Defaults that their own schema refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.defaults import refused_defaults

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_CASES: dict[str, tuple[JsonObject, list[tuple[str, str]]]] = {
    "fine": ({"n": {"type": "integer", "default": 1}}, []),
    "out of bounds": ({"n": {"minimum": 1, "default": 0}}, [("n", "n must be >= 1")]),
    "another type": (
        {"b": {"type": "boolean", "default": "false"}},
        [("b", "b should be boolean")],
    ),
    "in an object": (
        {"o": {"properties": {"s": {"type": "string", "default": 1}}}},
        [("o.s", "o.s should be string")],
    ),
    "in a list": (
        {"l": {"items": {"properties": {"s": {"type": "string", "default": 1}}}}},
        [("l[].s", "l[].s should be string")],
    ),
    "through a definition": (
        {"p": {"$ref": "#/$defs/P", "default": 3}},
        [("p", "p should be string")],
    ),
    "no reference from here": ({"p": {"$ref": "#/properties/q", "default": 3}, "q": {}}, []),
    "named default": ({"default": {"type": "string"}}, []),
}


@pytest.mark.parametrize(("properties", "expected"), _CASES.values(), ids=_CASES.keys())
def test_each_refused_default_is_named_with_its_place(
    properties: JsonObject, expected: list[tuple[str, str]]
) -> None:
    schema: JsonObject = {"properties": properties, "$defs": {"P": {"type": "string"}}}

    assert refused_defaults(schema) == [
        (path, f"its default is refused by its own schema: {fault}") for path, fault in expected
    ]
