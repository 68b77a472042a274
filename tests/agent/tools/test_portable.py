"""Schemas that any endpoint takes (CASES.md A7, G8)."""

from __future__ import annotations

import copy
import json
import logging
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from nanobot.agent.tools.portable import named_properties, pointed_at, portable_schema

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue

_REFUSED_AT_ROOT = {"anyOf", "oneOf", "allOf", "enum", "not", "$ref"}
_CHOICE: JsonObject = {
    "anyOf": [
        {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
        {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
    ]
}
_BOTH: JsonObject = {
    "allOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"$ref": "#/$defs/More"},
    ],
    "$defs": {"More": {"properties": {"b": {"type": "integer"}}, "required": ["b"]}},
}
_SPACED: JsonObject = {
    "properties": {
        "space name/value": {"type": "string"},
        "alias": {"$ref": "#/properties/space%20name~1value"},
    }
}
_RECURSIVE: JsonObject = {
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        }
    },
    "$ref": "#/$defs/Node",
}
_SELF: JsonObject = {
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
}
_ENDLESS: JsonObject = {
    "$ref": "#/$defs/a",
    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
}
_ODD = {
    "choice": _CHOICE,
    "both": _BOTH,
    "pointer": _SPACED,
    "recursive": _RECURSIVE,
    "self": _SELF,
    "endless": _ENDLESS,
    "untyped": {"properties": {}},
    "negated": {"type": "object", "not": {"required": ["a"]}},
    "listed": {"enum": [{"a": 1}, {"a": 2}]},
}


@pytest.mark.parametrize("schema", _ODD.values(), ids=_ODD.keys())
def test_the_root_becomes_a_plain_object(schema: JsonObject) -> None:
    before = copy.deepcopy(schema)

    result = portable_schema(schema)

    assert result["type"] == "object"
    assert isinstance(result["properties"], dict)
    assert not _REFUSED_AT_ROOT.intersection(result)
    assert schema == before
    Draft202012Validator.check_schema(result)


def test_what_the_root_may_not_say_stands_in_the_description() -> None:
    result = portable_schema({"type": "object", "description": "Pick.", **_CHOICE})

    assert str(result["description"]).startswith("Pick. The arguments must also fit")
    assert '"required":["a","b"]' in str(result["description"])


def test_alternatives_become_one_list_of_properties() -> None:
    result = portable_schema(_CHOICE)

    assert result["properties"] == {
        "a": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "b": {"type": "integer"},
    }
    assert result["required"] == ["a"]


def test_parts_that_all_hold_are_required_together() -> None:
    result = portable_schema(_BOTH)

    assert result["properties"] == {"a": {"type": "string"}, "b": {"type": "integer"}}
    assert result["required"] == ["a", "b"]


def test_a_reference_to_any_pointer_leads_into_the_definitions() -> None:
    result = portable_schema(_SPACED)

    validator = Draft202012Validator(result)
    assert validator.is_valid({"alias": "x"})
    assert not validator.is_valid({"alias": 1})
    assert set(_references(result)) == {"#/$defs/space_name_1value"}


@pytest.mark.parametrize("schema", [_RECURSIVE, _SELF], ids=["node", "root"])
def test_a_recursive_schema_keeps_its_meaning(schema: JsonObject) -> None:
    validator = Draft202012Validator(portable_schema(schema))

    assert validator.is_valid({"children": [{"children": []}]})
    assert not validator.is_valid({"children": [{"children": [3]}]})


@pytest.mark.parametrize("reference", ["https://example.test/x.json", "#/missing", "other.json#/a"])
def test_a_reference_that_leads_nowhere_is_left_open_with_a_warning(
    reference: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        result = portable_schema({"properties": {"x": {"$ref": reference, "description": "X."}}})

    assert result["properties"] == {"x": {"description": "X."}}
    assert reference in caplog.text


def test_references_by_anchor_and_by_the_schemas_own_address_resolve() -> None:
    result = portable_schema(
        {
            "$id": "https://example.test/root.json",
            "properties": {
                "a": {"$ref": "#word"},
                "b": {"$ref": "https://example.test/root.json#/definitions/W"},
            },
            "definitions": {"W": {"$anchor": "word", "type": "string"}},
        }
    )

    assert {part["type"] for part in _definitions(result).values()} == {"string"}
    assert "$id" not in result


def test_data_and_property_names_that_look_like_keywords_stay() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "$ref": {"type": "string", "default": "$ref"},
            "$defs": {"enum": [{"$ref": "#/nowhere"}]},
        },
    }

    assert portable_schema(schema) == schema


def test_nullable_is_said_in_the_words_of_json_schema() -> None:
    result = portable_schema(
        {"properties": {"a": {"type": "string", "enum": ["x"], "nullable": True}}}
    )

    assert result["properties"] == {"a": {"type": ["string", "null"], "enum": ["x", None]}}


def test_a_real_union_keeps_its_meaning() -> None:
    union: JsonObject = {"type": "object", "properties": {"a": {"type": ["integer", "string"]}}}

    assert portable_schema(union) == union


def test_a_cycle_of_python_objects_ends() -> None:
    node: JsonObject = {"type": "object"}
    node["properties"] = {"a": node, "b": node}

    assert len(json.dumps(portable_schema(node))) < 5_000_000


def test_names_that_anthropic_refuses_move_into_the_description() -> None:
    result = named_properties(
        portable_schema(
            {
                "type": "object",
                "properties": {"fine": {"type": "string"}, "not fine": {"type": "integer"}},
                "required": ["not fine"],
                "additionalProperties": False,
            }
        )
    )

    assert result["properties"] == {"fine": {"type": "string"}}
    assert '"not fine":{"type":"integer"}' in str(result["description"])
    assert "required" not in result
    assert "additionalProperties" not in result


def test_a_pointer_follows_lists_and_escapes() -> None:
    root: JsonObject = {"a/b": [{"c~d": 1}]}

    assert pointed_at(root, "#/a~1b/0/c~0d") == 1


@pytest.mark.parametrize("pointer", ["x", "#/a/7", "#/a/b", "#gone", "#/zz"])
def test_a_pointer_that_leads_nowhere_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        pointed_at({"a": [1]}, pointer)


def _references(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        own = [item for key, item in value.items() if key == "$ref" and isinstance(item, str)]
        return own + [found for item in value.values() for found in _references(item)]
    return [f for item in value for f in _references(item)] if isinstance(value, list) else []


def _definitions(schema: JsonObject) -> dict[str, JsonObject]:
    parts = schema["$defs"]
    assert isinstance(parts, dict)
    return {name: part for name, part in parts.items() if isinstance(part, dict)}
