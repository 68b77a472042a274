"""Checkpoints: what a host must keep to bring a run back after a crash."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.history import Message
    from nanobot.agent.hook import AgentHookContext
    from nanobot.agent.spec import Callback
    from nanobot.jsonvalue import JsonValue

Phase: TypeAlias = Literal["awaiting_tools", "tools_completed", "final_response"]


class Checkpoints:
    """Hands each phase of a run to the host's callback, a plain or an async function."""

    def __init__(self, callback: Callback | None, model: str) -> None:
        self._callback = callback
        self._model = model

    async def save(
        self,
        phase: Phase,
        context: AgentHookContext,
        message: Message,
        *,
        results: Sequence[Message] = (),
        pending: JsonValue = None,
    ) -> None:
        """Tell the host. What the callback raises ends the run: nothing was saved."""
        if self._callback is None:
            return
        answer = self._callback(
            {
                "phase": phase,
                "iteration": context.iteration,
                "model": self._model,
                "assistant_message": message,
                "completed_tool_results": list(results),
                "pending_tool_calls": list(pending) if isinstance(pending, list) else [],
            }
        )
        if inspect.isawaitable(answer):
            await answer


__all__ = ["Checkpoints", "Phase"]
