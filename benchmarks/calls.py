"""What a call costs: JSON text in, a no-op async tool under its deadline, its result out.

Run: `python benchmarks/calls.py [ROUNDS]` with the dependency group `benchmarks`. Every round times
each program once, in turn, in one process, so that a slow moment of the machine hits all alike. The
table shows the median time of one call, the median ratio of the rounds, and the bar it is held to.
"""

# ruff: noqa: ARG001  # no-op tools
from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agents import function_tool
from agents.tool_context import ToolContext
from fastmcp.tools import Tool as PeerTool
from langchain_core.tools import StructuredTool
from pydantic_ai import Agent, FunctionToolset, RunContext, RunUsage
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.usage import UsageLimits
from typing_extensions import TypedDict

from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider

Once: TypeAlias = Callable[[], Awaitable[object]]

_CALLS_A_TURN = 1000
_OURS = "nanobot"
_FLOOR = "json.loads + await"


class Item(TypedDict):
    """One of the 100 objects."""

    name: str
    count: int
    price: float


async def one(value: int) -> str:
    """One parameter."""
    return "ok"


async def eight(  # as many as are measured
    text: str,
    count: int,
    ratio: float,
    flag: bool,
    names: list[str],
    mode: Literal["fast", "slow"],
    place: Item,
    note: str | None = None,
) -> str:
    """Eight mixed parameters."""
    return "ok"


async def hundred(items: list[Item]) -> str:
    """A hundred objects."""
    return "ok"


_ITEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
    },
    "required": ["name", "count", "price"],
}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "one": {"value": {"type": "integer"}},
    "eight": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "mode": {"enum": ["fast", "slow"]},
        "place": _ITEM_SCHEMA,
        "note": {"type": ["string", "null"]},
    },
    "hundred": {"items": {"type": "array", "items": _ITEM_SCHEMA}},
}
_FUNCTIONS: dict[str, Callable[..., Awaitable[str]]] = {
    "one": one,
    "eight": eight,
    "hundred": hundred,
}


def _item(number: int) -> dict[str, object]:
    return {"name": f"item {number}", "count": number, "price": number + 0.5}


_TEXTS = {
    "one": json.dumps({"value": 1}),
    "eight": json.dumps(
        {
            "text": "some words",
            "count": 3,
            "ratio": 0.5,
            "flag": True,
            "names": ["a", "b", "c"],
            "mode": "fast",
            "place": _item(1),
            "note": None,
        }
    ),
    "hundred": json.dumps({"items": [_item(number) for number in range(100)]}),
}
_BARS = {
    "one": {_FLOOR: 7.0, "pydantic-ai": 0.6, "fastmcp": 1.0},
    "eight": {_FLOOR: 5.0, "pydantic-ai": 0.7, "fastmcp": 1.0},
    "hundred": {_FLOOR: 2.2, "pydantic-ai": 1.6, "fastmcp": 1.1},
    "turn": {"pydantic-ai": 0.4},
}


class NoOp(Tool):
    """A tool of ours with the schema and the function of one size."""

    description = "Do nothing."

    def __init__(self, size: str) -> None:
        self._size = size
        self.execute = _FUNCTIONS[size]  # type: ignore[method-assign]  # the function that all call

    @property
    def name(self) -> str:
        """The name of its size."""
        return self._size

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of its size, closed, everything required but the note."""
        properties = _SCHEMAS[self._size]
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name != "note"],
            "additionalProperties": False,
        }

    async def execute(self, **arguments: Any) -> str:
        """Replaced by the function."""
        raise NotImplementedError


def _registry() -> ToolRegistry:
    registry = ToolRegistry()
    for size in _FUNCTIONS:
        registry.register(NoOp(size))
    return registry


def floor(size: str) -> Once:
    function, text = _FUNCTIONS[size], _TEXTS[size]

    async def once() -> object:
        return await function(**json.loads(text))

    return once


def ours(size: str) -> Once:
    registry, text = _registry(), _TEXTS[size]

    async def once() -> object:
        return await registry.execute(size, text)

    return once


def pydantic_ai(size: str) -> Once:
    toolset: Any = FunctionToolset([_FUNCTIONS[size]])
    context: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    part = ToolCallPart(tool_name=size, args=_TEXTS[size], tool_call_id="c1")
    managers: list[Any] = []

    async def once() -> object:
        if not managers:
            managers.append(await ToolManager(toolset).for_run_step(context))
        return await managers[0].handle_call(part)

    return once


def fastmcp(size: str) -> Once:
    tool, text = PeerTool.from_function(_FUNCTIONS[size]), _TEXTS[size]

    async def once() -> object:
        return await tool.run(json.loads(text))

    return once


def openai_agents(size: str) -> Once:
    tool = function_tool(_FUNCTIONS[size], strict_mode=False)
    context: Any = ToolContext(None, tool_name=size, tool_call_id="c1", tool_arguments=_TEXTS[size])

    async def once() -> object:
        return await tool.on_invoke_tool(context, _TEXTS[size])

    return once


def langchain(size: str) -> Once:
    tool = StructuredTool.from_function(coroutine=_FUNCTIONS[size])
    text = _TEXTS[size]

    async def once() -> object:
        return await tool.ainvoke(json.loads(text))

    return once


def our_turn() -> Once:
    registry = _registry()
    calls = [ToolCallRequest(f"c{n}", "one", {"value": n}) for n in range(_CALLS_A_TURN)]

    async def once() -> object:
        steps = [LLMResponse(tool_calls=calls, finish_reason="tool_calls"), "done"]
        spec = AgentRunSpec(
            initial_messages=[{"role": "user", "content": "go"}],
            tools=registry,
            model=None,
            max_iterations=3,
            max_tool_result_chars=10_000,
        )
        return (await AgentRunner(ScriptedProvider(steps)).run(spec)).final_content

    return once


def pydantic_ai_turn() -> Once:
    parts = [ToolCallPart("one", {"value": n}, tool_call_id=f"c{n}") for n in range(_CALLS_A_TURN)]

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        return ModelResponse(parts=parts if len(messages) == 1 else [TextPart("done")])

    agent: Any = Agent(FunctionModel(answer), tools=[one])

    async def once() -> object:
        limits = UsageLimits(request_limit=5)
        return (await agent.run("go", usage_limits=limits)).output

    return once


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One program in one table: its median time, and ours in proportion to it."""

    name: str
    micros: float
    ratio: float


async def measure(programs: dict[str, Once], rounds: int, calls: int) -> list[Row]:
    times: dict[str, list[float]] = {name: [] for name in programs}
    for once in programs.values():
        await once()
    for _ in range(rounds):
        for name, once in programs.items():
            gc.collect()
            start = time.perf_counter()
            for _ in range(calls):
                await once()
            times[name].append((time.perf_counter() - start) / calls * 1e6)
    own = times[_OURS]
    return [
        Row(
            name=name,
            micros=statistics.median(taken),
            ratio=statistics.median(a / b for a, b in zip(own, taken, strict=True)),
        )
        for name, taken in times.items()
    ]


def show(title: str, rows: list[Row], bars: dict[str, float]) -> bool:
    """Print one table; whether every bar is met."""
    print(f"\n{title}\n{'':22}{'µs a call':>12}{'ours ÷ it':>12}{'bar':>8}")
    met = True
    for row in rows:
        bar = bars.get(row.name)
        verdict = "" if bar is None else ("met" if row.ratio <= bar else "MISSED")
        met = met and verdict != "MISSED"
        shown = "" if bar is None else f"{bar:g}"
        print(f"{row.name:22}{row.micros:12.2f}{row.ratio:12.2f}{shown:>8} {verdict}")
    return met


async def main() -> bool:
    """Measure and print every table; whether every bar is met."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    makers = {
        _FLOOR: floor,
        _OURS: ours,
        "pydantic-ai": pydantic_ai,
        "fastmcp": fastmcp,
        "openai-agents": openai_agents,
        "langchain-core": langchain,
    }
    met = True
    for size, calls in {"one": 500, "eight": 300, "hundred": 60}.items():
        programs = {name: make(size) for name, make in makers.items()}
        rows = await measure(programs, rounds, calls)
        met = show(f"One call: {_FUNCTIONS[size].__doc__}", rows, _BARS[size]) and met
    turns = {_OURS: our_turn(), "pydantic-ai": pydantic_ai_turn()}
    rows = await measure(turns, max(3, rounds // 5), 1)
    return show(f"A turn of {_CALLS_A_TURN} calls", rows, _BARS["turn"]) and met


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
