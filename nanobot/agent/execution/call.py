"""One call, from request to outcome: the only place where a tool is awaited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from nanobot.agent.execution.guard import CallGuard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.execution.outcome import Content, Outcome
    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.events import EventStream
    from nanobot.providers.base import ToolCallRequest
    from nanobot.workspace import Workspace


class ToolSource(Protocol):
    """What a run calls tools through: a `ToolRegistry`, or any object with these two."""

    def get_definitions(self) -> list[dict[str, Any]]:
        """The definitions for the model."""

    async def execute(self, name: str, params: Any) -> Any:
        """Run one call."""


@dataclass(slots=True, kw_only=True)
class RunState:
    """What the calls of one run share. The run owns it; `for_run` makes one.

    The bare constructor makes a fresh state without repeat counts, budget or listeners.
    """

    tools: ToolSource
    run_id: str = ""
    approval: Approval | None = None
    guard: CallGuard | None = None
    events: EventStream | None = None
    progress_callback: Callable[..., object] | None = None
    workspace: Workspace | Path | str | None = None
    max_tool_result_chars: int | None = None
    tool_timeout_s: float = 120.0
    grace_s: float = 5.0
    """Seconds a tool that was told to stop may still take before it is left behind."""
    completed: dict[int, Outcome] = field(default_factory=dict)
    """Outcomes of the current batch by position, filled as calls end; survives a cancellation."""

    @classmethod
    def for_run(
        cls,
        tools: ToolSource,
        *,
        run_id: str,
        approval: Approval | None = None,
        events: EventStream | None = None,
        progress_callback: Callable[..., object] | None = None,
        workspace: Workspace | Path | str | None = None,
        max_tool_result_chars: int | None = None,
        tool_timeout_s: float = 120.0,
    ) -> RunState:
        """The state of a run of the agent loop: repeats and violations are counted."""
        return cls(
            tools=tools,
            run_id=run_id,
            approval=approval,
            guard=CallGuard(),
            events=events,
            progress_callback=progress_callback,
            workspace=workspace,
            max_tool_result_chars=max_tool_result_chars,
            tool_timeout_s=tool_timeout_s,
        )


async def run_call(request: ToolCallRequest, run: RunState) -> Outcome:
    """One call through the whole path. Raises only cancellation and interrupts."""
    raise NotImplementedError


async def execute_once(registry: ToolRegistry, name: str, params: Any) -> Content:
    """One call with a fresh state: the door of `ToolRegistry.execute`."""
    raise NotImplementedError


__all__ = ["RunState", "ToolSource", "execute_once", "run_call"]
