"""The calls of one answer: which may go at once, and their outcomes in call order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nanobot.agent.execution.call import run_call
from nanobot.agent.execution.outcome import Outcome, not_run
from nanobot.agent.execution.preparation import tool_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.agent.execution.call import RunState
    from nanobot.providers.base import ToolCallRequest

_EARLIER_FAILED = "an earlier call failed, and the run ends with it"


def partition(safe: Sequence[bool]) -> list[range]:
    """Positions in groups, in order: neighbours that are safe together, every other alone."""
    groups: list[range] = []
    for place, is_safe in enumerate(safe):
        if is_safe and groups and safe[groups[-1].start]:
            groups[-1] = range(groups[-1].start, place + 1)
        else:
            groups.append(range(place, place + 1))
    return groups


async def run_batch(
    requests: Sequence[ToolCallRequest],
    run: RunState,
    *,
    concurrent: bool,
    fail_on_tool_error: bool,
    limit: int = 16,
) -> list[Outcome]:
    """One outcome per request, in the order of the requests.

    With `concurrent`, neighbouring calls of `concurrency_safe` tools go at once, at most `limit`
    of them; every other call goes alone, in its place (CASES.md H4). With `fail_on_tool_error` no
    call begins after one that failed (a violation is soft and none); those left out get an outcome
    that says so. Outcomes are also put into `run.completed`, by position, as calls end.

    Raises:
        asyncio.CancelledError: the run was cancelled; every call has ended, or was left behind.
    """
    run.completed.clear()
    batch = _Batch(requests, run, fail_on_tool_error=fail_on_tool_error)
    safe = [concurrent and _is_safe(request, run) for request in requests]
    for group in partition(safe):
        await batch.run_group(group, max(1, limit))
    return [
        run.completed.get(place) or not_run(request.id, request.name, _EARLIER_FAILED)
        for place, request in enumerate(requests)
    ]


class _Batch:
    """The calls of one answer on their way."""

    def __init__(
        self, requests: Sequence[ToolCallRequest], run: RunState, *, fail_on_tool_error: bool
    ) -> None:
        self._requests = requests
        self._run = run
        self._fail_on_tool_error = fail_on_tool_error
        self._failed = False

    async def run_group(self, group: range, limit: int) -> None:
        """Run the calls at these positions: one in this task, more in tasks of their own."""
        places = iter(group)
        if len(group) == 1 or limit == 1:
            await self._work(places)
            return
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(limit, len(group))):
                    tasks.create_task(self._stand_in(places))
        except BaseExceptionGroup as group_error:  # `except*` would wrap what it raises
            if group_error.subgroup(_Cancelled) is None:
                raise
            raise asyncio.CancelledError from None

    async def _stand_in(self, places: Iterator[int]) -> None:
        """A cancelled child alone would not end its group."""
        try:
            await self._work(places)
        except asyncio.CancelledError:
            raise _Cancelled from None

    async def _work(self, places: Iterator[int]) -> None:
        """Take the next call, as long as there is one and none has failed."""
        for place in places:
            if self._failed:
                return
            outcome = await run_call(self._requests[place], self._run)
            self._run.completed[place] = outcome
            if self._fail_on_tool_error and outcome.status == "error" and not outcome.soft:
                self._failed = True


class _Cancelled(Exception):  # no error: it carries a cancellation out of a group
    """A call's own task was cancelled."""


def _is_safe(request: ToolCallRequest, run: RunState) -> bool:
    try:
        return bool(getattr(tool_of(run.tools, request.name), "concurrency_safe", False))
    except Exception:  # noqa: BLE001  # a foreign property; then the call goes alone
        return False


__all__ = ["partition", "run_batch"]
