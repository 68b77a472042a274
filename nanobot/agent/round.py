"""One round of calls: all that one answer asks for, run, and each given its result."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from nanobot.agent.calls import call_event
from nanobot.agent.execution.schedule import run_batch
from nanobot.agent.history import INTERRUPTED, result_message
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.checkpoint import Checkpoints
    from nanobot.agent.execution.call import RunState
    from nanobot.agent.execution.outcome import Outcome
    from nanobot.agent.history import Message
    from nanobot.agent.hook import AgentHook, AgentHookContext
    from nanobot.agent.spec import AgentRunSpec
    from nanobot.agent.tally import Tally
    from nanobot.providers.base import ToolCallRequest

_log = logging.getLogger(__name__)
_LAST_CHECKPOINT_S = 10.0


class CallRound:
    """Runs the rounds of one run and keeps its conversation whole, however a round ends."""

    def __init__(
        self,
        spec: AgentRunSpec,
        state: RunState,
        hook: AgentHook,
        tally: Tally,
        checkpoints: Checkpoints,
    ) -> None:
        self._spec = spec
        self._state = state
        self._hook = hook
        self._tally = tally
        self._checkpoints = checkpoints

    async def run(
        self, calls: list[ToolCallRequest], asking: Message, context: AgentHookContext
    ) -> None:
        """Append the asking message and a result for each call, in their order.

        With `fail_on_tool_error`, a failure stops the run; the context says so.

        Raises:
            BaseException: what a hook or a checkpoint raises, and cancellation. Each call has a
                result before, and the last checkpoint holds it.
        """
        context.tool_calls = calls
        self._tally.messages.append(asking)
        try:
            outcomes = await self._run_calls(calls, asking, context)
        except BaseException:
            await self._close(calls, asking, context)
            raise
        results = self._record(outcomes, context)
        await self._checkpoints.save("tools_completed", context, asking, results=results)
        if self._spec.fail_on_tool_error:
            self._stop_at_failure(outcomes, context)

    async def _run_calls(
        self, calls: list[ToolCallRequest], asking: Message, context: AgentHookContext
    ) -> list[Outcome]:
        self._state.completed.clear()
        await self._checkpoints.save(
            "awaiting_tools", context, asking, pending=asking["tool_calls"]
        )
        await self._hook.before_execute_tools(context)
        return await run_batch(
            calls,
            self._state,
            concurrent=self._spec.concurrent_tools,
            fail_on_tool_error=self._spec.fail_on_tool_error,
            limit=self._spec.max_concurrent_calls,
        )

    def _record(self, outcomes: list[Outcome], context: AgentHookContext) -> list[Message]:
        """Append the results; note each call that was made or refused, not those left out."""
        results: list[Message] = [
            result_message(outcome.call_id, outcome.name, outcome.content) for outcome in outcomes
        ]
        self._tally.messages += results
        context.tool_results = [outcome.content for outcome in outcomes]
        made = _made(outcomes) if self._spec.fail_on_tool_error else outcomes
        context.tool_events = [call_event(o.name, o.status, o.detail) for o in made]
        self._tally.tool_events += context.tool_events
        self._tally.tools_used += [outcome.name for outcome in made]
        return results

    async def _close(
        self, calls: list[ToolCallRequest], asking: Message, context: AgentHookContext
    ) -> None:
        """Give each call of a round that was broken off its result, and tell the checkpoint."""
        done = self._state.completed
        results: list[Message] = [
            result_message(call.id, call.name, done[n].content if n in done else INTERRUPTED)
            for n, call in enumerate(calls)
        ]
        self._tally.messages += results
        made = [done[n] for n in sorted(done)]
        self._tally.tool_events += [call_event(o.name, o.status, o.detail) for o in made]
        self._tally.tools_used += [outcome.name for outcome in made]
        try:
            async with asyncio.timeout(_LAST_CHECKPOINT_S):
                await self._checkpoints.save("tools_completed", context, asking, results=results)
        except Exception:  # noqa: BLE001  # the host's code; it is logged
            _log.exception("The checkpoint of a run that was broken off failed")

    def _stop_at_failure(self, outcomes: Sequence[Outcome], context: AgentHookContext) -> None:
        failed = next(filter(_is_failure, outcomes), None)
        if failed is not None:
            error = _failure_text(failed)
            self._tally.stop("tool_error", error, error, context)
            self._tally.messages.append({"role": "assistant", "content": error})


def _is_failure(outcome: Outcome) -> bool:
    return outcome.status == "error" and not outcome.soft


def _made(outcomes: list[Outcome]) -> list[Outcome]:
    """Without the calls that a failure before them kept from running."""
    first = next((n for n, outcome in enumerate(outcomes) if _is_failure(outcome)), len(outcomes))
    return [outcome for n, outcome in enumerate(outcomes) if n <= first or outcome.ran]


def _failure_text(outcome: Outcome) -> str:
    error = outcome.error
    if error is None:
        return f"Error: {outcome.detail}"
    text = str(error)
    if isinstance(error, ToolError):
        text = text.removeprefix("Error: ")
    return f"Error: {type(error).__name__}: {text}"


__all__ = ["CallRound"]
