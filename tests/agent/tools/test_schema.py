"""The schema classes: CONTRACT §2."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.tools import (
    ArraySchema,
    BooleanSchema,
    IntegerSchema,
    NumberSchema,
    ObjectSchema,
    Schema,
    StringSchema,
    tool_parameters_schema,
)

_EMITTED: list[tuple[Schema, dict[str, Any]]] = [
    (StringSchema(), {"type": "string"}),
    (
        StringSchema("A name", min_length=1, max_length=5, enum=["a", "b"]),
        {
            "type": "string",
            "description": "A name",
            "enum": ["a", "b"],
            "minLength": 1,
            "maxLength": 5,
        },
    ),
    (StringSchema(nullable=True), {"type": ["string", "null"]}),
    (StringSchema(enum=["a"], nullable=True), {"type": ["string", "null"], "enum": ["a", None]}),
    (
        StringSchema(pattern="^a", format="date", default="a"),
        {"type": "string", "pattern": "^a", "format": "date", "default": "a"},
    ),
    (IntegerSchema(5), {"type": "integer"}),
    (
        IntegerSchema(1, description="How many", minimum=0, maximum=9),
        {"type": "integer", "description": "How many", "minimum": 0, "maximum": 9},
    ),
    (IntegerSchema(multiple_of=2), {"type": "integer", "multipleOf": 2}),
    (NumberSchema(exclusive_minimum=0), {"type": "number", "exclusiveMinimum": 0}),
    (NumberSchema(0.5, nullable=True), {"type": ["number", "null"]}),
    (BooleanSchema(default=False), {"type": "boolean", "default": False}),
    (BooleanSchema(description="Yes?"), {"type": "boolean", "description": "Yes?"}),
    (ArraySchema(), {"type": "array", "items": {"type": "string"}}),
    (
        ArraySchema(IntegerSchema(), min_items=1, max_items=3, unique_items=True),
        {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 1,
            "maxItems": 3,
            "uniqueItems": True,
        },
    ),
    (
        ObjectSchema({"a": StringSchema()}, b=IntegerSchema(), required=["a"]),
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
            "required": ["a"],
        },
    ),
    (ObjectSchema(), {"type": "object", "properties": {}}),
    (
        ObjectSchema(additional_properties=StringSchema()),
        {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
    ),
    (
        StringSchema(any_of=[{"minLength": 1}, StringSchema()]),
        {"type": "string", "anyOf": [{"minLength": 1}, {"type": "string"}]},
    ),
]


@pytest.mark.parametrize(("schema", "expected"), _EMITTED, ids=lambda value: str(value)[:40])
def test_only_what_was_said_is_emitted(schema: Schema, expected: dict[str, Any]) -> None:
    assert schema.to_json_schema() == expected


def test_parameters_are_an_object_of_their_schemas() -> None:
    schema = tool_parameters_schema(
        path=StringSchema("A file"), limit={"type": "integer"}, required=["path"]
    )

    assert schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A file"},
            "limit": {"type": "integer"},
        },
        "required": ["path"],
    }


def test_a_parameter_may_be_called_description() -> None:
    schema = tool_parameters_schema(description=StringSchema("What it is"))

    assert schema["properties"] == {"description": {"type": "string", "description": "What it is"}}
    assert "description" not in schema


def test_a_change_of_what_was_emitted_changes_nothing_later() -> None:
    schema = ObjectSchema({"a": StringSchema()}, required=["a"])

    schema.to_json_schema()["properties"].clear()
    schema.to_json_schema()["required"].append("b")

    assert schema.to_json_schema()["properties"] == {"a": {"type": "string"}}
    assert schema.to_json_schema()["required"] == ["a"]


def test_what_is_neither_a_schema_nor_a_dict_is_refused() -> None:
    with pytest.raises(TypeError, match="got int"):
        Schema.fragment(3)


def test_a_schema_validates_values_with_their_place() -> None:
    schema = ArraySchema(ObjectSchema({"path": StringSchema()}, required=["path"]))

    assert schema.validate_value([{"path": "a"}], "edits") == []
    assert schema.validate_value([{}], "edits") == ["missing required edits[0].path"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [("string", "string"), (["string", "null"], "string"), (["null"], None), (None, None)],
    ids=str,
)
def test_the_one_type_beside_null_is_found(given: object, expected: str | None) -> None:
    assert Schema.resolve_json_schema_type(given) == expected


def test_paths_are_joined_with_dots() -> None:
    assert Schema.subpath("a", "b") == "a.b"
    assert Schema.subpath("", "b") == "b"
