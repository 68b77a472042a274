"""Casts along a schema: CONTRACT §3."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.tools.casting import cast_scalar
from nanobot.agent.tools.validation import compile_schema

_RECURSIVE: dict[str, Any] = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
        }
    },
    "$ref": "#/$defs/node",
}


@pytest.mark.parametrize(
    ("schema", "given_value", "expected"),
    [
        (_RECURSIVE, {"children": [{"size": "2"}]}, {"children": [{"size": 2}]}),
        (
            {"prefixItems": [{"type": "integer"}], "items": {"type": "number"}},
            ["1", "2.5"],
            [1, 2.5],
        ),
        (
            {"patternProperties": {"^n": {"type": "integer"}}},
            {"n1": "1", "m": "1"},
            {"n1": 1, "m": "1"},
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "3", "3"),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "true", True),
        ({"type": ["boolean", "integer"]}, "1", 1),
        (
            {"if": {"required": ["a"]}, "then": {"properties": {"b": {"type": "integer"}}}},
            {"a": 1, "b": "2"},
            {"a": 1, "b": 2},
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "integer"}},
            },
            {"a": "1"},
            {"a": 1},
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_cast_follows_the_branch_that_fits(
    schema: dict[str, Any], given_value: Any, expected: object
) -> None:
    compiled = compile_schema(schema)

    found = compiled.fit(given_value)

    assert (found.value, found.faults) == (expected, [])
    assert compiled.fit(found.value).value == expected


def test_a_cast_never_changes_what_it_was_given() -> None:
    value = {"a": ["1"]}
    schema = {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}

    compile_schema(schema).fit(value)

    assert value == {"a": ["1"]}


@given(st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans())
def test_casting_a_scalar_twice_changes_nothing(value: Any) -> None:
    for kind in ("integer", "number", "boolean", "string", "array", "object"):
        once = cast_scalar(value, (kind,))

        assert cast_scalar(once, (kind,)) == once
