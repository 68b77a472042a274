"""One call, from request to outcome: the only place where a tool is awaited."""

from __future__ import annotations

import asyncio
import inspect
import logging
from dataclasses import dataclass, field
from time import monotonic
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from nanobot.agent.execution.budget import ResultBudget
from nanobot.agent.execution.deadline import as_coroutine, within
from nanobot.agent.execution.edits import EditListener
from nanobot.agent.execution.following import following
from nanobot.agent.execution.guard import CallGuard
from nanobot.agent.execution.outcome import (
    Outcome,
    raised,
    refused,
    returned,
    shown_text,
)
from nanobot.agent.execution.permission import permitted
from nanobot.agent.execution.preparation import ToolSource, Unprepared, prepared, tool_of
from nanobot.agent.execution.structured import check_structured
from nanobot.errors import RepeatedLookup, ToolError
from nanobot.events import CallFinished, CallStarted
from nanobot.providers.base import ToolCallRequest
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from pathlib import Path

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.execution.outcome import Content
    from nanobot.agent.tools.registry import Prepared, ToolRegistry
    from nanobot.events import EventStream
    from nanobot.workspace import Workspace

_log = logging.getLogger(__name__)

DEFAULT_TIMEOUT_S = 120.0
"""Seconds a call may take where neither its tool nor its run says otherwise."""

_GRACE_S = 5.0


@dataclass(slots=True, kw_only=True)
class RunState:
    """What the calls of one run share. The run owns it; `for_run` makes one.

    The bare constructor makes a fresh state: no repeat counts, no budget, no listeners.
    """

    tools: ToolSource
    run_id: str = ""
    approval: Approval | None = None
    guard: CallGuard | None = None
    budget: ResultBudget | None = None
    events: EventStream | None = None
    edits: EditListener | None = None
    tool_timeout_s: float = DEFAULT_TIMEOUT_S
    grace_s: float = _GRACE_S
    """Seconds a tool that was told to stop may still take before it is left behind."""
    inside_execute: bool = False
    """Whether the call came through `tools.execute`, which then can't be what it falls back to."""
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
        tool_timeout_s: float = DEFAULT_TIMEOUT_S,
    ) -> RunState:
        """The state of a run of the agent loop.

        Repeats and violations are counted; results longer than `max_tool_result_chars` (None or
        below 1: no bound) are saved under the workspace; file edits are told to `events` and to
        `progress_callback`.
        """
        fence = _fence(workspace)
        most = max_tool_result_chars or 0
        return cls(
            tools=tools,
            run_id=run_id,
            approval=approval,
            guard=CallGuard(fence.root if fence is not None else None),
            budget=ResultBudget(most, fence, run_id) if most > 0 else None,
            events=events,
            edits=EditListener(events, progress_callback, fence, run_id),
            tool_timeout_s=tool_timeout_s,
        )


async def run_call(request: ToolCallRequest, run: RunState) -> Outcome:
    """One call through the whole path: its outcome, whatever the model or the tool did.

    Guard, prepare, approve, file-edit start, execute under the deadline, classify, file-edit end,
    budget, events.

    Raises:
        asyncio.CancelledError: this task was cancelled. One that leaks out of a tool while
            nobody cancelled is a failure of the tool (CASES.md G1).
        KeyboardInterrupt, SystemExit: always pass.
    """
    events = run.events
    if not events:
        outcome = await _attempt(request, run)
        if run.budget is not None and run.budget.exceeded_by(outcome):
            await run.budget.fit(outcome)
        return outcome
    started = CallStarted(
        run_id=run.run_id, call_id=request.id, name=request.name, arguments=request.arguments
    )
    events.emit(started)
    with following(events, run.run_id, request):
        outcome = await _attempt(request, run)
    if run.budget is not None and run.budget.exceeded_by(outcome):
        await run.budget.fit(outcome)
    events.emit(
        CallFinished(
            run_id=run.run_id,
            call_id=request.id,
            name=request.name,
            status=outcome.status,
            detail=outcome.detail,
            content=shown_text(outcome.content),
            seconds=monotonic() - started.at,
        )
    )
    return outcome


async def execute_once(registry: ToolRegistry, name: str, params: Any) -> Content:
    """What the model gets of one call with a fresh state: the door of `ToolRegistry.execute`."""
    run = RunState(tools=registry, approval=registry.approval, inside_execute=True)
    return (await run_call(ToolCallRequest("", name, params), run)).content


async def _attempt(request: ToolCallRequest, run: RunState) -> Outcome:
    """The call up to its outcome, before budget and events."""
    try:
        if run.guard is not None:
            run.guard.check(request.name, request.arguments)
        ready = prepared(
            run.tools, request.name, request.arguments, inside_execute=run.inside_execute
        )
        if run.approval is not None:
            ready = await permitted(
                ready,
                request,
                run.tools,
                run.approval,
                run_id=run.run_id,
                events=run.events,
                inside_execute=run.inside_execute,
            )
    except ToolError as error:
        outcome = refused(request.id, request.name, error)
        if isinstance(error, RepeatedLookup) and run.guard is not None:
            run.guard.judge(outcome, request.arguments)
        return outcome
    except Exception as error:  # noqa: BLE001  # logged, and shown to the model
        _log.exception("Preparing a call of %s failed", request.name)
        return raised(request.id, request.name, error)
    if run.edits:
        return await _watched(request, ready, run)
    return await _executed(request, ready, run)


async def _watched(
    request: ToolCallRequest, ready: Prepared | Unprepared, run: RunState
) -> Outcome:
    """The same with file-edit events around it, where the call changes files."""
    assert run.edits is not None  # noqa: S101  # the caller looked
    tool = tool_of(run.tools, request.name) if isinstance(ready, Unprepared) else ready.tool
    arguments = ready.arguments if isinstance(ready.arguments, dict) else {}
    watch = await run.edits.begin(request, tool, arguments)
    if watch is None:
        return await _executed(request, ready, run)
    try:
        outcome = await _executed(request, ready, run)
    except BaseException:
        await watch.fail("stopped")
        raise
    await watch.end(outcome)
    return outcome


async def _executed(
    request: ToolCallRequest, ready: Prepared | Unprepared, run: RunState
) -> Outcome:
    """The tool awaited, and what came of it classified: content or exception, once."""
    name = request.name
    try:
        work, seconds = _work(name, ready, run)
        value = await within(work, name=name, seconds=seconds, grace_s=run.grace_s)
        outcome = returned(request.id, name, value)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # foreign code: a panic of an extension is no Exception
        if _must_pass(error):
            raise
        outcome = raised(request.id, name, _told(error))
    if outcome.structured is not None and not isinstance(ready, Unprepared):
        check_structured(outcome, ready.tool)
    if run.guard is not None:
        _count(run.guard, outcome, ready, run.tools)
    return outcome


def _work(
    name: str, ready: Prepared | Unprepared, run: RunState
) -> tuple[Coroutine[Any, Any, Any], float]:
    """What is to be awaited, and for how many seconds at most."""
    if isinstance(ready, Unprepared):
        seconds = _seconds(tool_of(run.tools, name), run)
        return _foreign(run.tools, name, ready.arguments), seconds
    tool = ready.tool
    if not ready.is_async:
        return _threaded(tool.execute, ready.arguments), _seconds(tool, run)
    work = tool.execute(**ready.arguments)
    if type(work) is not CoroutineType:
        work = as_coroutine(work)
    return work, _seconds(tool, run)


async def _foreign(source: ToolSource, name: str, arguments: object) -> object:
    value: object = source.execute(name, arguments)
    return await value if inspect.isawaitable(value) else value


async def _threaded(execute: Callable[..., object], arguments: Mapping[str, object]) -> object:
    value = await in_thread(execute, **arguments)
    return await value if inspect.isawaitable(value) else value


def _seconds(tool: object, run: RunState) -> float:
    """The deadline of a tool; a foreign tool's may be anything, then it is the run's."""
    seconds = getattr(tool, "timeout_s", None)
    if seconds is None:
        return run.tool_timeout_s
    if isinstance(seconds, int | float) and seconds > 0:
        return seconds
    return run.tool_timeout_s


def _must_pass(error: BaseException) -> bool:
    """Whether it is an interrupt, or a cancellation of this very task."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup((KeyboardInterrupt, SystemExit)) is not None
    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _told(error: BaseException) -> BaseException:
    """A cancellation that nobody asked for, in words."""
    if isinstance(error, asyncio.CancelledError):
        return ToolError("its work was cancelled from within")
    return error


def _count(
    guard: CallGuard, outcome: Outcome, ready: Prepared | Unprepared, source: ToolSource
) -> None:
    """Let the guard see a failure that may be a violation, a success that may change things."""
    if outcome.status == "error":
        guard.judge(outcome, ready.arguments)
        return
    tool = tool_of(source, outcome.name) if isinstance(ready, Unprepared) else ready.tool
    if not getattr(tool, "read_only", False):
        guard.changed(outcome.name)


def _fence(workspace: Workspace | Path | str | None) -> Workspace | None:
    """The workspace as one that opens files."""
    from nanobot.workspace import Workspace as Fence  # noqa: PLC0415  # not for a lone call

    if workspace is None or workspace == "":
        return None
    return workspace if isinstance(workspace, Fence) else Fence(workspace)


__all__ = ["DEFAULT_TIMEOUT_S", "RunState", "ToolSource", "execute_once", "run_call"]
