"""Runs over a scripted model, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.agent.runner import AgentRunner, AgentRunResult, AgentRunSpec
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.scripted import ScriptedProvider, Step

if TYPE_CHECKING:
    from nanobot.agent.tools.base import Tool

__all__ = ["play", "results", "spec"]


def spec(*tools: Tool, **options: Any) -> AgentRunSpec:
    """A spec with these tools; `options` are its fields."""
    registry = ToolRegistry()
    for tool in tools:
        registry.register(tool)
    defaults: dict[str, Any] = {
        "initial_messages": [{"role": "user", "content": "go"}],
        "tools": registry,
        "model": "m",
        "max_iterations": 6,
        "max_tool_result_chars": 10_000,
    }
    return AgentRunSpec(**{**defaults, **options})


async def play(steps: list[Step], *tools: Tool, **options: Any) -> AgentRunResult:
    """Run the script to its end, with these tools."""
    with ScriptedProvider(steps) as model:
        return await AgentRunner(model).run(spec(*tools, **options))


def results(result: AgentRunResult) -> list[Any]:
    """The contents of the tool messages."""
    return [message["content"] for message in result.messages if message["role"] == "tool"]
