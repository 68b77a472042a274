"""Tools made of one function, and calls of them, for tests of the call path."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from nanobot.agent.execution.call import RunState, run_call
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.base import ToolCallRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanobot.agent.execution.outcome import Outcome

__all__ = ["FunctionTool", "call", "registry_of", "request", "state_of"]

_OPEN = {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}


class FunctionTool(Tool):
    """A tool that calls a function, async or plain, with any value for each of its parameters."""

    description = "Call a function."

    def __init__(
        self,
        execute: Callable[..., Any],
        name: str = "tool",
        *,
        read_only: bool = False,
        **rest: Any,
    ) -> None:
        self._name = name
        self._read_only = read_only
        self.execute = execute  # type: ignore[method-assign]  # async or plain, as given
        for key, value in rest.items():
            setattr(self, key, value)

    @property
    def name(self) -> str:
        return self._name

    @property
    def read_only(self) -> bool:
        return self._read_only

    @property
    def parameters(self) -> dict[str, Any]:
        named = [
            p for p in inspect.signature(self.execute).parameters.values() if p.kind not in _OPEN
        ]
        return {
            "type": "object",
            "properties": {p.name: {} for p in named},
            "required": [p.name for p in named if p.default is p.empty],
        }

    async def execute(self, **kwargs: Any) -> Any:
        raise NotImplementedError


def registry_of(*tools: Tool) -> ToolRegistry:
    """A registry of these tools."""
    registry = ToolRegistry()
    for tool in tools:
        registry.register(tool)
    return registry


def request(name: str = "tool", arguments: Any = None, call_id: str = "c1") -> ToolCallRequest:
    """A call that a model asks for."""
    return ToolCallRequest(call_id, name, arguments)


def state_of(*tools: Tool, **options: Any) -> RunState:
    """The state of a run over these tools; options as `RunState.for_run` takes them."""
    return RunState.for_run(registry_of(*tools), run_id="r1", **options)


async def call(execute: Callable[..., Any], **arguments: Any) -> Outcome:
    """The outcome of one call of a function, in a run of its own."""
    return await run_call(request(arguments=arguments), state_of(FunctionTool(execute)))
