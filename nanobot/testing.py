"""For people who test their tools: one call through the whole path, a model that is scripted.

    from nanobot.testing import call_tool, script

    def test_a_city_is_needed() -> None:
        outcome = call_tool(rain, {})

        assert outcome.status == "error"
        assert "missing required city" in outcome.content

    def test_the_model_gets_the_rain() -> None:
        with script([("rain", {"city": "Bergen"})], "It rained 3 mm.") as model:
            result = nanobot.run("Did it rain?", tools=[rain], model=model)

        assert result.messages[-2]["content"] == "Bergen: 3 mm"

In async tests use `acall_tool` and `nanobot.arun`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypedDict, Unpack
from uuid import uuid4

from nanobot.agent.execution.call import RunState, run_call
from nanobot.agent.run import as_tool
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.events import EventStream
from nanobot.providers.base import ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider, UnexpectedRequest, UnusedSteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.execution.outcome import Outcome
    from nanobot.agent.run import AnyTool
    from nanobot.events import Observer
    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.scripted import Step
    from nanobot.workspace import Workspace


class CallOptions(TypedDict, total=False):
    """What a call may be given beside its tool and its arguments.

    `workspace` is where long results are saved and what a tool's class is created for; `approval`
    a policy over the call; `observers` get its events; `timeout_s` is the deadline for a tool that
    sets none (120); `max_result_chars` bounds the result (no bound).
    """

    workspace: Workspace | None
    approval: Approval | None
    observers: Sequence[Observer]
    timeout_s: float
    max_result_chars: int | None


def call_tool(
    tool: AnyTool, arguments: JsonObject | str | None = None, **options: Unpack[CallOptions]
) -> Outcome:
    """One call as a model would make it: parsed, cast, validated, approved, run, classified.

    Args:
        tool: a tool, its class, or a typed function.
        arguments: an object, its JSON text as a model would send it, or None for no arguments.
        options: see `CallOptions`.

    Returns:
        The outcome: `content` (what the model would get), `status` (`ok` or `error`), `detail`,
        `error` (the exception of a failure), `structured`, `metadata`.

    Raises:
        RuntimeError: called inside a running event loop; there, `await acall_tool(...)`.
        ToolSetupError: a fault in the tool's definition.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(acall_tool(tool, arguments, **options))
    raise RuntimeError("call_tool() can't run inside a running event loop; use acall_tool()")


async def acall_tool(
    tool: AnyTool, arguments: JsonObject | str | None = None, **options: Unpack[CallOptions]
) -> Outcome:
    """`call_tool` for async tests: the same arguments, the same outcome."""
    workspace = options.get("workspace")
    root = str(workspace.root) if workspace is not None else ""
    made = as_tool(tool, ToolContext(workspace=root, fence=workspace))
    registry = ToolRegistry()
    registry.register(made)
    state = RunState.for_run(
        registry,
        run_id=f"test-{uuid4().hex[:8]}",
        approval=options.get("approval"),
        events=EventStream(*options.get("observers", ())),
        workspace=workspace,
        max_tool_result_chars=options.get("max_result_chars"),
        tool_timeout_s=options.get("timeout_s", 120.0),
    )
    return await run_call(ToolCallRequest("call_1", made.name, arguments), state)


def script(*steps: Step, model: str = "scripted") -> ScriptedProvider:
    """A model that answers with these steps, one for each request, and then with an error.

    A step is a final text, a call `(name, arguments)` or a list of them, an `LLMResponse`, an
    exception, or a function of `(messages, tools)` that gives one of these. As a context manager
    it raises `UnusedSteps` where steps are left.
    """
    return ScriptedProvider(steps, model=model)


__all__ = [
    "CallOptions",
    "ScriptedProvider",
    "UnexpectedRequest",
    "UnusedSteps",
    "acall_tool",
    "call_tool",
    "script",
]
