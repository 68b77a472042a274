"""Awaiting a tool under its deadline, at no cost to one that never waits.

A coroutine is stepped once by hand. One that ends there needs no timer. One that waits gets a
timer, and the rest of it runs in the same task, exactly as `await` would run it: futures,
cancellation, context variables, task groups and timeouts inside the tool all work.

At the deadline the tool is cancelled. It may clean up for `grace_s` seconds; what it returns in
that time still counts. A tool that goes on longer is left behind: its coroutine is closed, and a
task that it waits for runs on unwatched. The same holds after a cancellation from outside, which
always ends in `CancelledError`, whatever the tool makes of it.
"""

from __future__ import annotations

import asyncio
import math
import types
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from nanobot.errors import ToolTimeout

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Generator

_T = TypeVar("_T")


async def within(work: Coroutine[Any, Any, _T], *, name: str, seconds: float, grace_s: float) -> _T:
    """The result of `work`, the coroutine of the tool `name`, within `seconds` (`inf`: no limit).

    Raises:
        ToolTimeout: the deadline passed. A `TimeoutError` of the tool's own is none.
        asyncio.CancelledError: this task was cancelled (`task.cancelling()` tells), or the tool
            raised it by itself.
    """
    try:
        first = work.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # what the coroutine returns
    watch = _Watch(seconds, grace_s)
    try:
        result = await _rest(work, first, watch)
    except (asyncio.CancelledError, Exception) as error:
        watch.close()
        if watch.cancelled_from_outside():
            raise asyncio.CancelledError from error
        if watch.expired:
            raise ToolTimeout(name, seconds) from error
        raise
    except BaseException:
        watch.close()
        raise
    watch.close()
    if watch.cancelled_from_outside():
        raise asyncio.CancelledError
    return result


async def as_coroutine(awaitable: Awaitable[_T]) -> _T:
    """Any awaitable as a coroutine."""
    return await awaitable


class _Watch:
    """The timers of one waiting call, and the cancellations they asked for."""

    __slots__ = (
        "_asked",
        "_before",
        "_deadline",
        "_grace",
        "_grace_s",
        "_loop",
        "_task",
        "abandoned",
        "expired",
    )

    def __init__(self, seconds: float, grace_s: float) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a tool can only be awaited inside a task")
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._before = task.cancelling()
        self._asked = 0
        self.expired = False
        self.abandoned = False
        self._grace_s = grace_s
        self._grace: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        if seconds != math.inf:
            self._deadline = self._loop.call_later(seconds, self._expire)

    def told(self) -> None:
        """The tool has been told to stop, by whomever: its grace begins, once."""
        if self._grace is None:
            self._grace = self._loop.call_later(self._grace_s, self._end_grace)

    def close(self) -> None:
        """No more timers; the task's cancel count holds only what others asked for."""
        for timer in (self._deadline, self._grace):
            if timer is not None:
                timer.cancel()
        for _ in range(self._asked):
            self._task.uncancel()
        self._asked = 0

    def cancelled_from_outside(self) -> bool:
        """Whether somebody else asked for a cancellation that the tool has not taken back."""
        return self._task.cancelling() - self._asked > self._before

    def _expire(self) -> None:
        self.expired = True
        self.told()
        self._cancel()

    def _end_grace(self) -> None:
        self._grace = None
        if self.expired or self.cancelled_from_outside():
            self.abandoned = True
            self._cancel()

    def _cancel(self) -> None:
        self._asked += 1
        self._task.cancel()


class _Leavable(asyncio.Future[None]):
    """Stands for a task or a gathering that the tool waits for, and that may ignore its cancel.

    A plain future ends at once when it is cancelled. These end when they like, so that nothing
    could wake the call; this one passes a cancellation on until the call is abandoned.
    """

    def __init__(self, waited: asyncio.Future[Any], watch: _Watch) -> None:
        super().__init__(loop=waited.get_loop())
        self._waited = waited
        self._watch = watch
        waited._asyncio_future_blocking = False  # noqa: SLF001
        self._asyncio_future_blocking = True  # both: the protocol between a future and its task
        waited.add_done_callback(self._settle)

    def cancel(self, msg: Any | None = None) -> bool:
        """Pass the cancellation on; end at once when the call is abandoned."""
        if self._watch.abandoned:
            return super().cancel(msg)
        self._watch.told()
        return self._waited.cancel(msg)

    def _settle(self, waited: asyncio.Future[Any]) -> None:
        if self.done():
            return
        if waited.cancelled():
            super().cancel()
        else:
            self.set_result(None)


@types.coroutine
def _rest(
    work: Coroutine[Any, Any, _T], waited: object, watch: _Watch
) -> Generator[object, None, _T]:
    """Go on with a coroutine that already waits for `waited`, until its end or until it is left."""
    while True:
        thrown: BaseException | None = None
        try:
            yield _leavable(waited, watch)
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:  # noqa: BLE001  # it goes on into the tool
            thrown = error
        if isinstance(thrown, asyncio.CancelledError):
            if watch.abandoned:
                _leave(work)
                raise thrown
            watch.told()
        try:
            waited = work.send(None) if thrown is None else work.throw(thrown)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the coroutine returns


def _leavable(waited: object, watch: _Watch) -> object:
    """What the task is to wait for in place of `waited`: itself, where that can be left."""
    if isinstance(waited, asyncio.Future) and type(waited) is not asyncio.Future:
        return _Leavable(waited, watch)
    return waited


def _leave(work: Coroutine[Any, Any, object]) -> None:
    """Close a coroutine that would not end; one that will not even be closed is dropped."""
    with suppress(Exception):
        work.close()


__all__ = ["as_coroutine", "within"]
