"""Any JSON against any schema, through the whole of `prepare_call`."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.errors import ToolSetupError

_NAMES = st.sampled_from(["a", "b", "arguments", "name"])
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["1", "-7", "2.5", "true", "no", "[1]", '{"a": 1}', "null", ""])
    | st.text(max_size=5)
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
_LEAVES = st.one_of(
    st.fixed_dictionaries({"type": _TYPES}),
    st.fixed_dictionaries({"type": st.lists(_TYPES, min_size=1, max_size=3, unique=True)}),
    st.fixed_dictionaries({"enum": st.lists(_SCALARS, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"type": st.just("integer"), "minimum": st.integers(-5, 5)}),
    st.fixed_dictionaries({"type": st.just("string"), "maxLength": st.integers(0, 3)}),
    st.just({}),
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(_NAMES, inner, max_size=3)},
        optional={
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
        },
    )


_SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        _objects(inner),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=6,
)


class _Any(Tool):
    name = "any"
    description = "Take anything."
    parameters: dict[str, Any] = {}  # noqa: RUF012  # each instance has its own

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters

    async def execute(self, **kwargs: Any) -> None:
        return None


def _registry(schema: dict[str, Any]) -> ToolRegistry | None:
    registry = ToolRegistry()
    try:
        registry.register(_Any(schema))
    except ToolSetupError:
        return None
    return registry


@given(_objects(_SCHEMAS), _JSON)
def test_what_passes_is_valid_and_what_is_valid_passes_equal(
    schema: dict[str, Any], value: Any
) -> None:
    registry = _registry(schema)
    assert registry is not None
    before = copy.deepcopy(value)

    tool, arguments, error = registry.prepare_call("any", value)

    validator = Draft202012Validator(schema)
    assert tool is not None
    assert value == before
    if isinstance(value, dict) and value.keys() != {"arguments"} and validator.is_valid(value):
        assert (arguments, error) == (value, None)
    if error is None:
        assert validator.is_valid(arguments)
        assert registry.prepare_call("any", arguments)[1:] == (arguments, None)


@given(_objects(_SCHEMAS), st.dictionaries(_NAMES, _JSON, max_size=3))
def test_json_text_is_read_as_the_object_it_says(
    schema: dict[str, Any], value: dict[str, Any]
) -> None:
    registry = _registry(schema)
    assert registry is not None

    text = registry.prepare_call("any", json.dumps(value))
    given_object = registry.prepare_call("any", value)

    assert text[2] == given_object[2]
    if text[2] is None:
        assert text[1] == given_object[1]


@given(st.dictionaries(st.sampled_from(["type", "properties", "$ref", "anyOf", "x"]), _JSON), _JSON)
def test_any_json_as_a_schema_is_usable_or_refused(schema: dict[str, Any], value: Any) -> None:
    registry = _registry(schema)

    if registry is not None:
        assert registry.prepare_call("any", value)[0] is not None
        assert json.dumps(registry.get_definitions())
