"""A thread with an event loop of its own, where commands are started, read and ended.

Commands outlive the loop that asked for them: a chat may run one loop a turn. And their pipes are
read on, whatever the asking loop is busy with.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

_T = TypeVar("_T")
_JOIN_S = 10.0
_LOOK_S = 0.005


class Host:
    """Runs coroutines in its own loop, from whatever loop they are awaited.

    The thread starts with the first one. `close` cancels what still runs, and joins the thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    async def run(self, work: Callable[[], Coroutine[object, object, _T]]) -> _T:
        """Await what `work` makes, in the host's loop.

        A cancelled caller cancels it there, and waits until it has cleaned up.

        Raises:
            RuntimeError: the host is closed.
        """
        loop, over = self._running(), threading.Event()
        started: Future[_T] = asyncio.run_coroutine_threadsafe(_told(work, over), loop)
        try:
            return await asyncio.wrap_future(started)  # cancelling it cancels the work
        except asyncio.CancelledError:
            while not over.is_set() and not loop.is_closed():
                with suppress(asyncio.CancelledError):  # once more: the tree must be gone first
                    await asyncio.sleep(_LOOK_S)
            raise

    def call(self, work: Callable[[], object]) -> None:
        """Call something in the host's loop, soon; nothing is waited for."""
        with self._lock:
            if self._loop is not None and not self._closed:
                self._loop.call_soon_threadsafe(work)

    def close(self) -> None:
        """Cancel what runs; the thread is gone afterwards."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError("the host of commands is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._serve, args=(self._loop,), name="nanobot:processes", daemon=True
                )
                self._thread.start()
            return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            _cancel_all(loop)
        finally:
            loop.close()


async def _told(work: Callable[[], Coroutine[object, object, _T]], over: threading.Event) -> _T:
    try:
        return await work()
    finally:
        over.set()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


__all__ = ["Host"]
