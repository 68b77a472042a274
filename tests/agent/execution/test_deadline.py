"""`within`: a tool awaited under its deadline, stepped by hand."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.execution.deadline import as_coroutine, within
from nanobot.errors import ToolTimeout
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Coroutine, Generator

_SHORT_S = 0.02
_word: ContextVar[str] = ContextVar("word", default="unset")


async def _run(work: Coroutine[Any, Any, Any], seconds: float = 60, grace_s: float = 60) -> Any:
    return await within(work, name="tool", seconds=seconds, grace_s=grace_s)


def _pending_timers() -> list[Any]:
    scheduled = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]  # no public way
    return [timer for timer in scheduled if not timer.cancelled()]


async def test_a_tool_that_never_waits_needs_no_timer() -> None:
    async def tool() -> int:
        assert not _pending_timers()
        return 3

    assert await _run(tool(), seconds=1) == 3


async def test_a_tool_that_raises_at_once_raises_its_own_error() -> None:
    async def tool() -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        await _run(tool())


async def test_a_tool_that_waits_returns_and_leaves_no_timer() -> None:
    async def tool() -> str:
        for _ in range(3):
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        return "done"

    assert await _run(tool()) == "done"
    assert not _pending_timers()


async def test_an_error_of_what_the_tool_waits_for_reaches_the_tool() -> None:
    async def breaks() -> None:
        await asyncio.sleep(0)
        raise OSError("broken")

    async def tool() -> str:
        try:
            await asyncio.create_task(breaks())
        except OSError as error:
            return f"caught {error}"
        return "missed"

    assert await _run(tool()) == "caught broken"


async def test_a_hanging_tool_ends_at_its_deadline() -> None:
    with pytest.raises(ToolTimeout) as caught:
        await _run(asyncio.Event().wait(), seconds=_SHORT_S)

    assert (caught.value.name, caught.value.seconds) == ("tool", _SHORT_S)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_timeout_error_of_the_tool_is_not_the_deadline() -> None:
    async def tool() -> None:
        await asyncio.sleep(0)
        raise TimeoutError("the server did not answer")

    with pytest.raises(TimeoutError, match="the server"):
        await _run(tool())


async def test_a_timeout_inside_the_tool_works_as_ever() -> None:
    async def tool() -> str:
        for _ in range(2):
            try:
                async with asyncio.timeout(0.001):
                    await asyncio.Event().wait()
            except TimeoutError:
                continue
        await asyncio.sleep(0.01)
        return "went on"

    assert await _run(tool(), grace_s=0.005) == "went on"


async def test_the_deadline_passes_through_a_timeout_inside_the_tool() -> None:
    async def tool() -> None:
        async with asyncio.timeout(60):
            await asyncio.Event().wait()

    with pytest.raises(ToolTimeout):
        await _run(tool(), seconds=_SHORT_S)


async def test_a_task_group_inside_the_tool_is_ended_by_the_deadline() -> None:
    ended: list[str] = []

    async def child(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    async def tool() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(child("a"))
            group.create_task(child("b"))

    with pytest.raises(ToolTimeout):
        await _run(tool(), seconds=_SHORT_S)
    assert sorted(ended) == ["a", "b"]


async def test_a_failing_task_group_inside_the_tool_raises_its_group() -> None:
    async def child() -> None:
        await asyncio.sleep(0)
        raise ValueError("child")

    async def tool() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(child())
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as caught:
        await _run(tool())
    assert caught.group_contains(ValueError)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def _cancelled_during(tool: Coroutine[Any, Any, Any], **bounds: float) -> asyncio.Task[Any]:
    """A task that runs the tool and is cancelled while the tool waits."""
    task = asyncio.create_task(_run(tool, **bounds))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return task


async def test_a_cancellation_from_outside_is_not_the_deadline() -> None:
    seen: list[str] = []

    async def tool() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    task = await _cancelled_during(tool(), seconds=30)

    assert task.cancelled()
    assert seen == ["cancelled"]
    assert not _pending_timers()


async def test_a_cancellation_that_the_tool_swallows_still_ends_in_cancellation() -> None:
    async def tool() -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return "never mind"

    task = await _cancelled_during(tool())

    assert task.cancelled()


async def test_a_cancellation_that_becomes_an_error_of_the_tool_still_cancels() -> None:
    async def tool() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("in the clean-up")

    task = await _cancelled_during(tool())

    assert task.cancelled()


async def test_a_cancelled_error_of_the_tools_own_leaves_the_task_uncancelled() -> None:
    async def tool() -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await _run(tool())
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_what_a_tool_returns_in_its_grace_counts() -> None:
    async def tool() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "half of it"
        return "all"

    assert await _run(tool(), seconds=_SHORT_S) == "half of it"


async def test_an_error_in_the_grace_is_the_deadlines() -> None:
    async def tool() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("in the clean-up")

    with pytest.raises(ToolTimeout) as caught:
        await _run(tool(), seconds=_SHORT_S)
    assert isinstance(caught.value.__cause__, ValueError)


class _Stubborn:
    """Goes on after every cancellation, until it is told to stop."""

    def __init__(self) -> None:
        self._stopped = False
        self._tasks: list[asyncio.Task[None]] = []

    async def ignore(self) -> None:
        while not self._stopped:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    def in_task(self) -> asyncio.Task[None]:
        self._tasks.append(asyncio.create_task(self.ignore()))
        return self._tasks[-1]

    async def wait_for_task(self) -> None:
        await self.in_task()

    async def gather(self) -> None:
        await asyncio.gather(self.in_task(), self.in_task())

    async def group(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._tasks.append(group.create_task(self.ignore()))

    async def stop(self) -> None:
        self._stopped = True
        if not self._tasks:
            return
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)


@pytest.fixture
async def stubborn() -> AsyncIterator[_Stubborn]:
    made = _Stubborn()
    yield made
    await made.stop()


_WAYS = ["ignore", "wait_for_task", "gather", "group"]


@pytest.mark.parametrize("way", _WAYS)
async def test_a_tool_that_ignores_its_deadline_is_left_behind(
    way: str, stubborn: _Stubborn
) -> None:
    async with asyncio.timeout(5):
        with pytest.raises(ToolTimeout):
            await _run(getattr(stubborn, way)(), seconds=_SHORT_S, grace_s=_SHORT_S)


@pytest.mark.parametrize("way", _WAYS)
async def test_a_tool_that_ignores_a_cancellation_is_left_behind(
    way: str, stubborn: _Stubborn
) -> None:
    async with asyncio.timeout(5):
        task = await _cancelled_during(getattr(stubborn, way)(), grace_s=_SHORT_S)

    assert task.cancelled()


async def test_no_deadline_means_no_timer() -> None:
    release = asyncio.Event()

    async def tool() -> str:
        await release.wait()
        return "released"

    task = asyncio.create_task(_run(tool(), seconds=math.inf))
    await asyncio.sleep(0)
    assert not _pending_timers()
    release.set()
    assert await task == "released"


async def test_context_variables_flow_in_and_out_as_with_await() -> None:
    async def tool() -> str:
        before = _word.get()
        await asyncio.sleep(0)
        _word.set("inner")
        await asyncio.sleep(0.001)
        return before

    _word.set("outer")
    assert await _run(tool()) == "outer"
    assert _word.get() == "inner"


async def test_the_tool_runs_in_the_callers_task() -> None:
    async def tool() -> bool:
        first = asyncio.current_task()
        await asyncio.sleep(0)
        return first is asyncio.current_task()

    assert await _run(tool())


class _Countdown:
    """An awaitable of its own kind."""

    def __await__(self) -> Generator[Any, None, str]:
        yield from asyncio.sleep(0).__await__()
        return "lift-off"


@pytest.mark.parametrize("kind", ["future", "own", "task"])
async def test_any_awaitable_can_be_awaited(kind: str) -> None:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str] = loop.create_future()
    loop.call_soon(future.set_result, "lift-off")
    made: dict[str, Awaitable[str]] = {
        "future": future,
        "own": _Countdown(),
        "task": asyncio.create_task(_await(future)),
    }

    assert await _run(as_coroutine(made[kind])) == "lift-off"


async def _await(future: asyncio.Future[str]) -> str:
    return await future


async def test_a_stuck_thread_is_left_behind() -> None:
    release = threading.Event()

    with pytest.raises(ToolTimeout):
        await _run(in_thread(release.wait), seconds=_SHORT_S)
    release.set()


async def test_closing_the_call_closes_the_tool() -> None:
    ended: list[str] = []

    async def tool() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("closed")

    work = _run(tool())
    work.send(None)
    work.close()
    gc.collect()

    assert ended == ["closed"]
