"""Real fakes for tests: small tools and hooks that do what their names say."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

from nanobot.agent.hook import AgentHook
from nanobot.agent.tools.base import Tool

if TYPE_CHECKING:
    from nanobot.agent.hook import AgentHookContext, AgentRunHookContext

__all__ = [
    "CountingTool",
    "EchoTool",
    "FailingTool",
    "RecordingHook",
    "SlowTool",
    "SyncTool",
    "schema",
]


def schema(**properties: Any) -> dict[str, Any]:
    """A closed object schema in which every property is required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class EchoTool(Tool):
    """Gives its text back. Read-only."""

    name = "echo"
    description = "Give the text back."
    parameters = schema(text={"type": "string"})
    read_only = True

    async def execute(self, text: str) -> str:
        return text


class CountingTool(Tool):
    """Notes each call in `seen`, and says how many there were. Changes things."""

    name = "count"
    description = "Count the calls."
    parameters = schema(value={"type": "integer"})

    def __init__(self) -> None:
        self.seen: list[int] = []

    async def execute(self, value: int) -> str:
        self.seen.append(value)
        return f"call {len(self.seen)}"


class FailingTool(Tool):
    """Raises what it was made with."""

    name = "fail"
    description = "Fail."
    parameters = schema()

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error or RuntimeError("boom")
        self.calls = 0

    async def execute(self) -> str:
        self.calls += 1
        raise self._error


class SlowTool(Tool):
    """Waits until `release` is set, or for ever. Read-only.

    `started` is set by each call; `ended` notes how each call ended: "done" or "cancelled".
    """

    name = "slow"
    description = "Wait until released."
    parameters = schema()
    read_only = True

    def __init__(self, *, timeout_s: float | None = None) -> None:
        self.timeout_s = timeout_s
        self.started = asyncio.Event()
        self.release = asyncio.Event()
        self.ended: list[str] = []
        self.running = 0
        self.most_running = 0

    async def execute(self) -> str:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.started.set()
        try:
            await asyncio.sleep(0)  # a neighbour that may run beside it starts now
            await self.release.wait()
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            self.running -= 1
        self.ended.append("done")
        return "released"


class SyncTool(Tool):
    """A plain function that blocks its thread; says whether that was the main thread."""

    name = "block"
    description = "Block for some seconds."
    parameters = schema(seconds={"type": "number"})
    read_only = True

    def execute(self, seconds: float) -> str:  # type: ignore[override]  # a plain one, on purpose
        time.sleep(seconds)
        main = threading.current_thread() is threading.main_thread()
        return "on the main thread" if main else "in a worker thread"


class RecordingHook(AgentHook):
    """Notes the name of each station in `stations`, and the run's contexts."""

    def __init__(self, *, streaming: bool = False, reraise: bool = False) -> None:
        super().__init__(reraise)
        self.stations: list[str] = []
        self.deltas: list[str] = []
        self.iterations: list[AgentHookContext] = []
        self.runs: list[AgentRunHookContext] = []
        self.ends: list[bool] = []
        self.reasoning: list[str | None] = []
        self._streaming = streaming

    def wants_streaming(self) -> bool:
        return self._streaming

    async def before_run(self, context: AgentRunHookContext) -> None:
        self.stations.append("before_run")

    async def after_run(self, context: AgentRunHookContext) -> None:
        self.stations.append("after_run")
        self.runs.append(context)

    async def on_error(self, context: AgentRunHookContext) -> None:
        self.stations.append("on_error")
        self.runs.append(context)

    async def on_finally(self, context: AgentRunHookContext) -> None:
        self.stations.append("on_finally")
        self.runs.append(context)

    async def before_iteration(self, context: AgentHookContext) -> None:
        self.stations.append("before_iteration")

    async def on_stream(self, context: AgentHookContext, delta: str) -> None:
        self.deltas.append(delta)

    async def on_stream_end(self, context: AgentHookContext, *, resuming: bool) -> None:
        self.ends.append(resuming)

    async def before_execute_tools(self, context: AgentHookContext) -> None:
        self.stations.append("before_execute_tools")

    async def emit_reasoning(self, reasoning_content: str | None) -> None:
        self.reasoning.append(reasoning_content)

    async def emit_reasoning_end(self) -> None:
        self.reasoning.append("END")

    async def after_iteration(self, context: AgentHookContext) -> None:
        self.stations.append("after_iteration")
        self.iterations.append(context)

    def finalize_content(self, context: AgentHookContext, content: str | None) -> str | None:
        self.stations.append("finalize_content")
        return content
