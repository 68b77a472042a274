"""One definition in each provider's shape (CASES.md A6, A7, G6, G8)."""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.readonly import read_only
from nanobot.agent.tools.shapes import (
    NameMap,
    anthropic_tools,
    definition_names,
    gemini_tools,
    mcp_tools,
    openai_chat_tools,
    openai_responses_tools,
)

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue

_CLOSED: JsonObject = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}
_OPEN: JsonObject = {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}
_SHAPES = {
    "chat": openai_chat_tools,
    "responses": openai_responses_tools,
    "anthropic": anthropic_tools,
    "gemini": gemini_tools,
}


def _definition(name: str, parameters: JsonValue) -> JsonObject:
    function: JsonObject = {"name": name, "description": "Does it.", "parameters": parameters}
    return {"type": "function", "function": function}


def _map(*definitions: JsonObject) -> NameMap:
    return NameMap.of(definition_names(definitions))


def test_chat_completions_is_strict_where_the_schema_fits() -> None:
    definitions = [_definition("read", _CLOSED), _definition("count", _OPEN)]

    closed, loose = openai_chat_tools(definitions, _map(*definitions))

    assert closed == {
        "type": "function",
        "function": {
            "name": "read",
            "description": "Does it.",
            "parameters": _CLOSED,
            "strict": True,
        },
    }
    assert loose == _definition("count", _OPEN)


def test_chat_completions_without_strict_leaves_the_key_out() -> None:
    definition = _definition("read", _CLOSED)

    assert openai_chat_tools([definition], _map(definition), strict=False) == [definition]


def test_responses_always_says_whether_it_is_strict() -> None:
    definitions = [_definition("read", _CLOSED), _definition("count", _OPEN)]

    shaped = openai_responses_tools(definitions, _map(*definitions))

    assert [(tool["name"], tool["strict"]) for tool in shaped] == [("read", True), ("count", False)]
    assert shaped[0]["parameters"] == _CLOSED


def test_anthropic_gets_an_input_schema() -> None:
    definition = _definition("read", _CLOSED)

    assert anthropic_tools([definition], _map(definition)) == [
        {"name": "read", "description": "Does it.", "input_schema": _CLOSED}
    ]


def test_gemini_gets_declarations_in_its_subset() -> None:
    definitions = [_definition("count", _OPEN), _definition("now", {"type": "object"})]

    assert gemini_tools(definitions, _map(*definitions)) == [
        {
            "function_declarations": [
                {
                    "name": "count",
                    "description": "Does it.",
                    "parameters": {
                        "type": "object",
                        "properties": {"n": {"type": "integer", "nullable": True}},
                    },
                },
                {"name": "now", "description": "Does it."},
            ]
        }
    ]


def test_gemini_gets_nothing_without_tools() -> None:
    assert gemini_tools([], NameMap.of([])) == []


@pytest.mark.parametrize("shape", _SHAPES.values(), ids=_SHAPES.keys())
def test_a_read_only_definition_is_shaped_and_never_changed(shape: Any) -> None:
    definition = read_only(_definition("a.b", {"anyOf": [_CLOSED, {"$ref": "#/nowhere"}]}))
    before = copy.deepcopy(definition)

    shape([definition], _map(definition))

    assert definition == before


@pytest.mark.parametrize("shape", _SHAPES.values(), ids=_SHAPES.keys())
def test_a_definition_that_is_none_is_left_out_with_a_warning(
    shape: Any, caplog: pytest.LogCaptureFixture
) -> None:
    definitions: list[JsonObject] = [{"type": "function"}, _definition("read", _CLOSED)]

    with caplog.at_level(logging.WARNING):
        shaped = shape(definitions, _map(*definitions))

    assert len(shaped) == 1
    assert "without a name" in caplog.text


@pytest.mark.parametrize("shape", [openai_chat_tools, openai_responses_tools, anthropic_tools])
def test_odd_schemas_never_spoil_the_list(shape: Any) -> None:
    odd: list[JsonValue] = [{"anyOf": [{}]}, {"$ref": "#"}, {"type": "object", "not": {}}, {}, None]
    definitions = [_definition(f"t{n}", schema) for n, schema in enumerate(odd)]

    shaped = shape(definitions, _map(*definitions))

    roots = [
        t.get("input_schema") or t.get("parameters") or t["function"]["parameters"] for t in shaped
    ]
    assert len(roots) == len(odd)
    assert all(root["type"] == "object" for root in roots)
    assert not any({"anyOf", "oneOf", "allOf", "enum", "not"} & root.keys() for root in roots)


class _Described(Tool):
    name = "a.lookup"
    description = "Looks up."
    parameters = _OPEN
    title = "Look-up"
    open_world = True
    output_schema = {"type": "object", "properties": {"n": {"type": "integer"}}}  # noqa: RUF012  # as tools do

    @property
    def read_only(self) -> bool:
        return True

    async def execute(self, n: int | None = None) -> str:
        return str(n)


class _Faulty(_Described):
    @property
    def read_only(self) -> bool:
        raise RuntimeError("no answer")


def test_mcp_gets_title_output_and_hints() -> None:
    assert mcp_tools([_Described()]) == [
        {
            "name": "a.lookup",
            "title": "Look-up",
            "description": "Looks up.",
            "inputSchema": _OPEN,
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "annotations": {"readOnlyHint": True, "openWorldHint": True, "title": "Look-up"},
        }
    ]


def test_mcp_leaves_a_tool_that_raises_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        shaped = mcp_tools([_Faulty(), _Described()], NameMap.of(["a.lookup"]))

    assert [str(tool["name"])[:9] for tool in shaped] == ["a_lookup_"]
    assert "left out" in caplog.text
