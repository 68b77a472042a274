"""`Tool` and `tool_parameters`: CONTRACT §1."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.tools import IntegerSchema, Tool, ToolResult, tool_parameters
from nanobot.agent.tools.schema import tool_parameters_schema


@tool_parameters(tool_parameters_schema(count=IntegerSchema(minimum=1), required=["count"]))
class CountTool(Tool):
    """Counts."""

    name = "count"
    description = "Count."

    async def execute(self, count: int) -> str:
        return str(count)


def test_a_tool_changes_things_alone_in_the_core_unless_it_says_otherwise() -> None:
    tool = CountTool()

    assert (tool.read_only, tool.exclusive, tool.concurrency_safe) == (False, False, False)
    assert (tool._plugin_discoverable, tool._scopes, tool.config_key) == (True, {"core"}, "")
    assert tool.timeout_s is None


@pytest.mark.parametrize(
    ("read_only", "exclusive", "safe"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_only_a_read_only_tool_that_is_not_exclusive_runs_beside_others(
    read_only: bool, exclusive: bool, safe: bool
) -> None:
    kind: Any = type("Kind", (CountTool,), {"read_only": read_only, "exclusive": exclusive})

    assert kind().concurrency_safe is safe


def test_each_access_gives_a_fresh_copy_of_the_parameters() -> None:
    tool = CountTool()

    tool.parameters["properties"].clear()

    assert "count" in tool.parameters["properties"]


def test_the_schema_is_copied_when_the_class_is_made() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    kind: Any = tool_parameters(schema)(type("Kind", (CountTool,), {}))

    schema["properties"] = {}

    assert kind().parameters["properties"] == {"a": {"type": "string"}}


def test_a_tool_without_parameters_is_abstract() -> None:
    kind: Any = type("Kind", (Tool,), {"name": "x", "description": "y"})

    with pytest.raises(TypeError, match="abstract"):
        kind()


def test_the_definition_has_the_form_of_chat_completions() -> None:
    assert CountTool().to_schema() == {
        "type": "function",
        "function": {
            "name": "count",
            "description": "Count.",
            "parameters": CountTool().parameters,
        },
    }


def test_arguments_are_cast_without_loss_and_validated() -> None:
    tool = CountTool()

    assert tool.cast_params({"count": "3"}) == {"count": 3}
    assert tool.cast_params({"count": "x"}) == {"count": "x"}
    assert tool.validate_params({"count": 3}) == []
    assert tool.validate_params({"count": 0}) == ["count must be >= 1"]
    assert tool.validate_params({}) == ["missing required count"]


def test_an_error_is_text_with_a_verdict() -> None:
    result = Tool.error("no such row")

    assert result == "no such row"
    assert result.is_error
    assert not ToolResult("Errors found: 0").is_error


def test_a_part_of_a_result_is_plain_text() -> None:
    result = ToolResult.error("failed badly")

    assert type(result[:6]) is str
    assert type(result + "!") is str
