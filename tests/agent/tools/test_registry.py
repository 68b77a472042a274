"""The registry: names, definitions, calls made ready (CASES.md A2, A3)."""

from __future__ import annotations

import copy
import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.errors import InvalidArguments, ToolSetupError, UnknownTool

if TYPE_CHECKING:
    from pathlib import Path

_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


class _Fake(Tool):
    """A tool with any definition."""

    def __init__(
        self, name: Any, parameters: Any = None, description: Any = "Does it.", seconds: Any = None
    ) -> None:
        self._name = name
        self._parameters = _PATH if parameters is None else parameters
        self._description = description
        self.timeout_s = seconds
        self.reads = 0

    @property
    def name(self) -> str:
        return self._name  # type: ignore[no-any-return]  # any definition, wrong ones too

    @property
    def description(self) -> str:
        return self._description  # type: ignore[no-any-return]  # the same

    @property
    def parameters(self) -> dict[str, Any]:
        self.reads += 1
        return copy.deepcopy(self._parameters)

    async def execute(self, **kwargs: Any) -> str:
        return json.dumps(kwargs)


class _Reader(_Fake):
    async def execute(self, path: str) -> str:  # type: ignore[override]  # as tools are written
        return path


class _Plain(_Fake):
    def execute(self, **kwargs: Any) -> str:  # type: ignore[override]  # runs in a thread
        return "done"


def _registry(*names: str) -> ToolRegistry:
    registry = ToolRegistry()
    for name in names:
        registry.register(_Fake(name))
    return registry


def _defined(registry: ToolRegistry) -> list[str]:
    return [definition["function"]["name"] for definition in registry.get_definitions()]


def test_tools_are_kept_in_order_of_registration() -> None:
    registry = _registry("b", "math.factorial", "a")

    assert registry.tool_names == ["b", "math.factorial", "a"]
    assert len(registry) == 3
    assert "math.factorial" in registry
    assert registry.has("a")
    assert registry.get("c") is None


def test_a_tool_of_the_same_name_replaces_the_first() -> None:
    registry = _registry("a")
    second = _Fake("a", description="The second.")
    registry.get_definitions()

    registry.register(second, source="a test")

    assert registry.get("a") is second
    assert registry.source("a") == "a test"
    assert [d["function"]["description"] for d in registry.get_definitions()] == ["The second."]


@pytest.mark.parametrize("defined", [True, False], ids=["after definitions", "before"])
def test_a_tool_that_is_taken_out_is_gone(defined: bool) -> None:
    registry = _registry("a", "b")
    if defined:
        registry.get_definitions()

    registry.unregister("a")
    registry.unregister("never there")

    assert registry.tool_names == ["b"]
    assert _defined(registry) == ["b"]


def test_definitions_are_sorted_with_mcp_last() -> None:
    registry = _registry("mcp_z_a", "read", "mcp_a_b", "exec")
    first = _defined(registry)

    registry.register(_Fake("grep"))
    registry.register(_Fake("mcp_b"))

    assert first == ["exec", "read", "mcp_a_b", "mcp_z_a"]
    assert _defined(registry) == ["exec", "grep", "read", "mcp_a_b", "mcp_b", "mcp_z_a"]


def test_a_caller_cannot_damage_the_definitions() -> None:
    registry = _registry("a")
    definitions = registry.get_definitions()

    definitions.clear()
    with pytest.raises(TypeError, match="read-only"):
        registry.get_definitions()[0]["function"]["parameters"]["properties"].clear()

    assert registry.get_definitions() == [
        {
            "type": "function",
            "function": {"name": "a", "description": "Does it.", "parameters": _PATH},
        }
    ]


def test_the_definition_is_read_once() -> None:
    tool = _Fake("a")
    registry = ToolRegistry()
    registry.register(tool)
    reads = tool.reads

    registry.get_definitions()
    registry.prepare("a", {"path": "x"})

    assert tool.reads == reads


@pytest.mark.parametrize("given", [{"path": "x"}, '{"path": "x"}', {"arguments": {"path": "x"}}])
def test_a_call_is_made_ready(given: Any) -> None:
    registry = _registry("read")

    prepared = registry.prepare("read", given)

    assert prepared.tool is registry.get("read")
    assert prepared.arguments == {"path": "x"}
    assert prepared.is_async


def test_a_plain_execute_is_known_to_block() -> None:
    registry = ToolRegistry()
    registry.register(_Plain("a"))

    assert not registry.prepare("a", {"path": "x"}).is_async


@pytest.mark.parametrize("given", [None, "", "  "])
def test_nothing_means_no_arguments(given: Any) -> None:
    registry = ToolRegistry()
    registry.register(_Fake("now", {"type": "object", "properties": {}}))

    assert registry.prepare_call("now", given) == (registry.get("now"), {}, None)


@pytest.mark.parametrize("name", ["readFile", "Read_File", "read-file"])
def test_unknown_name_suggests_the_nearest(name: str) -> None:
    registry = _registry("read_file", "exec")

    assert registry.prepare_call(name, {"path": "a"}) == (
        None,
        {"path": "a"},
        (
            f"Error: Tool '{name}' not found. Did you mean 'read_file'?"
            " Tool names must match exactly. Available: read_file, exec"
        ),
    )
    with pytest.raises(UnknownTool) as caught:
        registry.prepare(name, {})
    assert (caught.value.name, caught.value.near) == (name, "read_file")


def test_unknown_name_with_nothing_near_lists_what_there_is() -> None:
    assert _registry("a", "b").prepare_call("x", {})[2] == (
        "Error: Tool 'x' not found. Available: a, b"
    )


def test_of_many_tools_ten_are_listed() -> None:
    error = _registry(*(f"tool_{n}" for n in range(25))).prepare_call("zzz", {})[2]

    assert error is not None
    assert error.endswith("tool_8, tool_9 (and 15 more)")


@pytest.mark.parametrize("name", [None, 3, ["a"], {}], ids=str)
def test_a_name_that_is_no_text_is_unknown(name: Any) -> None:
    tool, _, error = _registry("a").prepare_call(name, {})

    assert tool is None
    assert error is not None
    assert error.startswith(f"Error: Tool '{name}' not found.")


def test_a_name_of_a_megabyte_is_cut_in_the_message() -> None:
    error = _registry("a").prepare_call("x" * 1_000_000, {})[2]

    assert error is not None
    assert len(error) < 400


def test_arguments_that_are_no_object_are_refused() -> None:
    registry = _registry("read")

    given: Any = ["a.txt"]
    tool, params, error = registry.prepare_call("read", given)

    assert tool is registry.get("read")
    assert params is given
    assert error is not None
    assert error.startswith("Error: Tool 'read' parameters must be a JSON object, got list.")


def test_invalid_arguments_name_each_fault() -> None:
    registry = _registry("read")

    assert registry.prepare_call("read", {})[2] == (
        "Error: Invalid parameters for tool 'read': missing required path"
    )
    with pytest.raises(InvalidArguments) as caught:
        registry.prepare("read", {"path": [1]})
    assert caught.value.faults == ("path should be string",)


def test_what_execute_cannot_take_is_an_unexpected_parameter() -> None:
    registry = ToolRegistry()
    registry.register(_Reader("read"))

    error = registry.prepare_call("read", {"path": "x", "extra": 1})[2]

    assert error == "Error: Invalid parameters for tool 'read': unexpected parameter extra"


def test_what_execute_requires_is_missed_before_the_call() -> None:
    """CASES.md A7: the schema calls it optional, the code does not."""
    registry = ToolRegistry()
    registry.register(_Reader("read", {"type": "object", "properties": {"path": {}}}))

    error = registry.prepare_call("read", {})[2]

    assert error == "Error: Invalid parameters for tool 'read': missing required path"


class _Checking(_Fake):
    """A tool with rules of its own, as tools written for nanobot may have."""

    def cast_params(self, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "path": params.get("path", "").strip()}

    def validate_params(self, params: dict[str, Any]) -> list[str]:
        return ["path must not be secret"] if params["path"] == "secret" else []


def test_a_tools_own_casting_and_validation_are_asked() -> None:
    registry = ToolRegistry()
    registry.register(_Checking("read"))

    assert registry.prepare("read", '{"path": " a "}').arguments == {"path": "a"}
    assert registry.prepare_call("read", {"path": " secret "})[2] == (
        "Error: Invalid parameters for tool 'read': path must not be secret"
    )


_CYCLE: dict[str, Any] = {"type": "object"}
_CYCLE["properties"] = {"a": _CYCLE}
_DEEP: dict[str, Any] = {"type": "string"}
for _ in range(1_200):
    _DEEP = {"type": "object", "properties": {"a": _DEEP}}
_UNUSABLE = {
    "no name": (_Fake(""), "_Fake.name"),
    "blank name": (_Fake("  "), "_Fake.name"),
    "name that is no text": (_Fake(3), "_Fake.name"),
    "no description": (_Fake("a", description=" "), "a.description"),
    "description that is no text": (_Fake("a", description=None), "a.description"),
    "schema that is no object": (_Fake("a", [1]), "a.parameters"),
    "schema that is none": (_Fake("a", {"type": "object", "properties": 3}), "a.parameters"),
    "unknown type": (
        _Fake("a", {"type": "object", "properties": {"b": {"type": "text"}}}),
        "a.parameters",
    ),
    "root of another type": (_Fake("a", {"type": "string"}), "a.parameters"),
    "remote reference": (
        _Fake("a", {"type": "object", "properties": {"b": {"$ref": "https://example.test/x"}}}),
        "a.parameters",
    ),
    "deadline of nothing": (_Fake("a", seconds=0), "a.timeout_s"),
    "deadline that is no number": (_Fake("a", seconds="2"), "a.timeout_s"),
    "deadline that is not a number": (_Fake("a", seconds=math.nan), "a.timeout_s"),
    "parameter that execute lacks": (
        _Reader("a", {"type": "object", "properties": {"path": {}, "limit": {}}}),
        "a, parameter 'limit'",
    ),
    "parameter that the schema lacks": (
        _Reader("a", {"type": "object", "properties": {}}),
        "a, parameter 'path'",
    ),
    "cycle": (_Fake("a", _CYCLE), ""),
    "1,200 levels": (_Fake("a", _DEEP), ""),
}


@pytest.mark.parametrize(("tool", "place"), _UNUSABLE.values(), ids=_UNUSABLE.keys())
def test_a_definition_that_cannot_be_used_is_refused_with_its_place(tool: Tool, place: str) -> None:
    registry = ToolRegistry()

    with pytest.raises(ToolSetupError) as caught:
        registry.register(tool)

    assert caught.value.place.startswith(place)
    assert len(registry) == 0


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(ToolSetupError, match="instance of Tool, not _Fake"):
        ToolRegistry().register(_Fake)  # type: ignore[arg-type]  # on purpose


class _Raising(_Fake):
    @property
    def description(self) -> str:
        raise OSError("the disk is gone")


def test_a_definition_that_raises_is_refused_with_its_cause() -> None:
    with pytest.raises(ToolSetupError, match="OSError: the disk is gone") as caught:
        ToolRegistry().register(_Raising("a"))

    assert isinstance(caught.value.__cause__, OSError)


def test_real_calls_pass_and_real_faults_name_their_place(test_data: Path) -> None:
    """The calls of the Berkeley leaderboard: valid ones come through equal."""
    lines = (test_data / "bfcl" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        function = row["function"]
        registry = ToolRegistry()
        registry.register(_Fake(function["name"], function["parameters"], function["description"]))
        _, params, error = registry.prepare_call(function["name"], json.dumps(row["arguments"]))
        assert (params, error) == (row["arguments"], None), row["id"]
        for wrong in row["invalid"]:
            _, _, error = registry.prepare_call(function["name"], wrong["arguments"])
            assert error is not None, row["id"]
            assert wrong["path"] in error, (row["id"], error)
