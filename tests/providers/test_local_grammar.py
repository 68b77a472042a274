"""A tool's schema, bounded, in the words that a grammar takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.providers.local.grammar import LONGEST_STRING, grammar_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.jsonvalue import JsonObject, JsonValue

_SAID = {
    *("type", "properties", "required", "additionalProperties", "items", "anyOf", "const", "enum"),
    *("maxLength", "minLength", "maxItems", "minItems", "minimum", "maximum"),
}


def _of(**properties: JsonValue) -> JsonObject:
    return {"type": "object", "properties": properties}


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict):
        return
    yield schema
    for child in (
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", []),
        *(schema.get(key) for key in ("items", "additionalProperties")),
    ):
        yield from _nodes(child)


_TEXT = {"type": "string", "maxLength": LONGEST_STRING}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        pytest.param({"type": "string"}, _TEXT, id="string"),
        pytest.param({"type": "string", "maxLength": 5}, {**_TEXT, "maxLength": 5}, id="shorter"),
        pytest.param({"type": "string", "maxLength": 1e9}, _TEXT, id="too long"),
        pytest.param({"type": "string", "minLength": 1}, {**_TEXT, "minLength": 1}, id="filled"),
        pytest.param({"type": "string", "pattern": "(?=a)b"}, _TEXT, id="pattern dropped"),
        pytest.param({"type": "string", "format": "date"}, _TEXT, id="format dropped"),
        pytest.param(
            {"type": "integer", "exclusiveMinimum": 0, "maximum": 9.5, "multipleOf": 2},
            {"type": "integer", "minimum": 1, "maximum": 9},
            id="integer bounds",
        ),
        pytest.param({"type": "number", "minimum": 0}, {"type": "number"}, id="number"),
        pytest.param(
            {"type": ["string", "null"]}, {"anyOf": [_TEXT, {"type": "null"}]}, id="type list"
        ),
        pytest.param({"enum": ["a", 1, None]}, {"enum": ["a", 1, None]}, id="enum"),
        pytest.param(
            {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
            {"type": "array", "items": {"type": "boolean"}, "maxItems": 64},
            id="array",
        ),
        pytest.param(
            {"oneOf": [{"type": "null"}, {"type": "integer"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            id="one of",
        ),
        pytest.param(
            {"allOf": [{"type": "integer"}, {"minimum": 3}]},
            {"type": "integer", "minimum": 3},
            id="all of",
        ),
    ],
)
def test_a_parameter_is_said_in_a_few_words(schema: JsonObject, said: JsonObject) -> None:
    properties = grammar_schema(_of(x=schema))["properties"]

    assert properties == {"x": said}


def test_references_are_followed_and_recursion_ends() -> None:
    node = _of(name={"type": "string", "maxLength": 3}, child={"$ref": "#/$defs/node"})
    schema: JsonObject = {**_of(root={"$ref": "#/$defs/node"}), "$defs": {"node": node}}

    nodes = list(_nodes(grammar_schema(schema)))

    assert not [node for node in nodes if "$ref" in node]
    assert {"type": "string", "maxLength": 3} in nodes


def test_only_declared_parameters_may_be_given() -> None:
    said = grammar_schema({**_of(x={"type": "integer"}), "required": ["x", "y"]})

    assert said["required"] == ["x", "y"]
    assert said["additionalProperties"] is False
    jsonschema.validate({"x": 1, "y": "anything"}, said)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({}, id="empty"),
        pytest.param({"type": "object"}, id="open"),
        pytest.param({"anyOf": [_of(x={}), _of(y={})]}, id="combinator at the root"),
        pytest.param(_of(x={"$ref": "https://example.com/x.json"}), id="remote reference"),
        pytest.param(_of(x={"$ref": "#/nowhere"}), id="dangling reference"),
        pytest.param(_of(x={"not": {}}), id="not"),
        pytest.param(_of(x=True, y=False), id="boolean schemas"),
        pytest.param({"type": "object", "properties": ["x"], "required": "x"}, id="wrong shapes"),
        pytest.param(_of(x={"type": "array", "prefixItems": [{}]}), id="tuple"),
        pytest.param({"type": "string"}, id="no object"),
    ],
)
def test_an_odd_schema_becomes_a_bounded_object(schema: JsonObject) -> None:
    said = grammar_schema(schema)

    assert said["type"] == "object"
    assert {key for node in _nodes(said) for key in node} <= _SAID
    strings = [node for node in _nodes(said) if node.get("type") == "string"]
    assert all(node["maxLength"] <= LONGEST_STRING for node in strings)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["object", "#", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*_SAID, "$ref", "allOf", "oneOf", "$defs"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*_SAID, "$ref", "allOf"]), _JSON, max_size=5))
def test_nothing_makes_it_raise_or_say_an_unknown_word(schema: dict[str, Any]) -> None:
    said = grammar_schema(schema)

    assert said["type"] == "object"
    assert {key for node in _nodes(said) for key in node} <= _SAID
