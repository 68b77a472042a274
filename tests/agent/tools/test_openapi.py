"""Schemas in the words of Gemini's OpenAPI subset (CASES.md A6, G8)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.openapi import openapi_schema
from nanobot.agent.tools.portable import portable_schema

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_PARTS: dict[str, tuple[JsonObject, JsonObject]] = {
    "nullable by list": (
        {"type": ["string", "null"], "description": "A."},
        {"type": "string", "nullable": True, "description": "A."},
    ),
    "nullable by anyOf": (
        {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "description": "A."},
        {"type": "string", "maxLength": 3, "nullable": True, "description": "A."},
    ),
    "real union": (
        {"type": ["integer", "string"], "description": "A."},
        {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "A."},
    ),
    "oneOf": (
        {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    ),
    "allOf": (
        {"allOf": [{"type": "string"}, {"minLength": 2}], "description": "A."},
        {"type": "string", "minLength": 2, "description": "A."},
    ),
    "text values": ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    "constant": ({"const": "a"}, {"type": "string", "enum": ["a"]}),
    "number values": (
        {"type": "integer", "enum": [1, 2]},
        {"type": "integer", "description": "One of: 1, 2."},
    ),
    "kept format": (
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "date-time"},
    ),
    "dropped format": ({"type": "string", "format": "uri"}, {"type": "string"}),
    "said": (
        {"type": "integer", "default": 3, "description": "N."},
        {"type": "integer", "description": "N. (default: 3)"},
    ),
    "list of anything": ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
    "anything": ({}, {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}),
    "implied object": (
        {"properties": {"b": {"type": "string"}}, "required": ["b"]},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
    ),
}


@pytest.mark.parametrize(("schema", "expected"), _PARTS.values(), ids=_PARTS.keys())
def test_a_parameter_in_the_subsets_words(schema: JsonObject, expected: JsonObject) -> None:
    root = openapi_schema(portable_schema({"type": "object", "properties": {"a": schema}}))

    assert root == {"type": "object", "properties": {"a": expected}}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}},
        {
            "properties": {"a": {"$ref": "#/$defs/N"}},
            "$defs": {
                "N": {"properties": {"l": {"$ref": "#/$defs/N"}, "r": {"$ref": "#/$defs/N"}}}
            },
        },
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
    ],
    ids=["root", "two branches", "endless"],
)
def test_a_recursive_schema_is_unrolled_a_little_and_then_open(schema: JsonObject) -> None:
    text = json.dumps(openapi_schema(portable_schema(schema)))

    assert "$ref" not in text
    assert "The same again." in text
    assert len(text) < 5_000
