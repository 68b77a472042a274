from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nanobot
from nanobot.agent.execution.approval import Allow, ApprovalRequest, Decision, Deny
from nanobot.agent.run import as_tool, gathered
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.errors import ConfigError, ToolSetupError
from nanobot.providers.base import LLMResponse
from nanobot.providers.scripted import ScriptedProvider, Step
from nanobot.workspace import Workspace
from tests.fakes import CountingTool, EchoTool
from tests.runs import results

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.events import Event


def rain(city: str) -> str:
    """How much it rained today.

    Args:
        city: Name of the city.
    """
    return f"{city}: 3 mm"


def test_a_prompt_a_function_and_a_model_are_enough() -> None:
    with ScriptedProvider([("rain", {"city": "Bergen"}), "3 mm"]) as model:
        result = nanobot.run("Did it rain?", tools=[rain], model=model)

    assert result.final_content == "3 mm"
    assert results(result) == ["Bergen: 3 mm"]
    assert [m["role"] for m in result.messages][:2] == ["system", "user"]


async def test_arun_is_its_async_twin() -> None:
    with ScriptedProvider(["hello"]) as model:
        result = await nanobot.arun("hi", model=model)

    assert result.final_content == "hello"


async def test_run_inside_a_running_loop_names_arun() -> None:
    with pytest.raises(RuntimeError, match=r"await nanobot\.arun"):
        nanobot.run("hi", model=ScriptedProvider([]))


async def test_an_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match="unknown options: modell"):
        await nanobot.arun("hi", modell="x")  # type: ignore[call-arg]  # on purpose


async def test_a_workspace_brings_the_fenced_built_in_tools(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n", encoding="utf-8")
    calls: Step = [("read_file", {"path": "a.txt"}), ("read_file", {"path": "/etc/passwd"})]

    with ScriptedProvider([calls, "done"]) as model:
        result = await nanobot.arun("read", model=model, workspace=tmp_path)

    inside, outside = results(result)
    assert "hello" in inside
    assert "outside the configured workspace" in outside
    assert str(tmp_path) in str(result.messages[0]["content"])


async def test_without_a_workspace_there_are_only_the_tools_given() -> None:
    with ScriptedProvider(["done"]) as model:
        await nanobot.arun("hi", model=model, tools=[EchoTool()])

    names = [tool["function"]["name"] for tool in model.requests[0].tools]
    assert names == ["echo"]


async def test_a_tool_given_replaces_a_built_in_one(tmp_path: Path) -> None:
    own = nanobot.tool(name="read_file")(rain)

    registry = gathered([own], Workspace(tmp_path))

    replaced = registry.get("read_file")
    assert replaced is not None
    assert list(replaced.parameters["properties"]) == ["city"]


@pytest.mark.parametrize("item", [EchoTool(), EchoTool], ids=["instance", "class"])
def test_tools_and_their_classes_serve_as_tools(item: Any) -> None:
    assert as_tool(item).name == "echo"


@pytest.mark.parametrize("item", [3, "echo", int], ids=["number", "text", "class"])
def test_what_is_no_tool_is_refused(item: object) -> None:
    with pytest.raises(TypeError, match="A tool is a Tool, its class or a function"):
        as_tool(item)


async def test_a_fault_in_a_function_shows_before_the_model_is_asked() -> None:
    def bare(city):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  # on purpose
        return city

    model = ScriptedProvider([])

    with pytest.raises(ToolSetupError):
        await nanobot.arun("hi", tools=[bare], model=model)
    assert model.requests == []


class _DenyCounting:
    async def decide(self, request: ApprovalRequest, /) -> Decision:
        return Deny("not today") if request.tool.name == "count" else Allow()


@pytest.mark.parametrize("place", ["option", "registry"])
async def test_the_approval_policy_holds(place: str) -> None:
    tool, policy = CountingTool(), _DenyCounting()
    registry = ToolRegistry(approval=policy if place == "registry" else None)
    registry.register(tool)

    with ScriptedProvider([("count", {"value": 1}), "done"]) as model:
        result = await nanobot.arun(
            "hi", tools=registry, model=model, approval=policy if place == "option" else None
        )

    assert tool.seen == []
    assert "not today" in results(result)[0]


async def test_history_goes_before_the_prompt_and_keeps_its_system_text() -> None:
    with ScriptedProvider(["one", "two"]) as model:
        first = await nanobot.arun("1?", model=model, system="Count.")
        second = await nanobot.arun("2?", model=model, history=first.messages)

    assert [m["content"] for m in second.messages] == ["Count.", "1?", "one", "2?", "two"]


async def test_a_system_text_replaces_that_of_the_history() -> None:
    history = [{"role": "system", "content": "old"}, {"role": "user", "content": "1?"}]

    with ScriptedProvider(["two"]) as model:
        result = await nanobot.arun("2?", model=model, history=history, system="new")

    assert [m["content"] for m in result.messages] == ["new", "1?", "2?", "two"]


async def test_options_reach_the_request_and_the_observers() -> None:
    events: list[Event] = []

    with ScriptedProvider([LLMResponse(content="hi")]) as model:
        await nanobot.arun("hi", model=model, temperature=0.5, observers=[events.append])

    assert model.requests[0].options == {"temperature": 0.5}
    assert events


async def test_max_turns_bounds_the_run() -> None:
    with ScriptedProvider([("echo", {"text": "a"})]) as model:
        result = await nanobot.arun("hi", tools=[EchoTool()], model=model, max_turns=1)

    assert result.stop_reason == "max_iterations"


async def test_a_name_that_is_no_model_is_a_config_error() -> None:
    with pytest.raises(ConfigError):
        await nanobot.arun("hi", model="nobody/nothing")
