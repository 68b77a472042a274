"""An event loop that ends in time: a stuck thread or a deaf task can't hold the program back."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from nanobot.cli.failure import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType

_T = TypeVar("_T")
_GRACE_S = 8.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _DaemonThreads(ThreadPoolExecutor):
    """The loop's own executor (name look-ups, for one): its threads are never joined."""

    def submit(self, fn: Callable[..., _T], /, *args: object, **kwargs: object) -> Future[_T]:
        future: Future[_T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001  # it travels to the caller
                future.set_exception(error)

        threading.Thread(target=work, name="nanobot:executor", daemon=True).start()
        return future


def run_to_end(main: Callable[[], Coroutine[object, object, _T]]) -> _T:
    """Run `main()` on a new loop.

    The first Ctrl-C (or SIGTERM, SIGHUP) cancels it; a second one, or 8 seconds without an end,
    ends the program at once.

    Raises:
        Stopped: a signal cancelled it.
    """
    got: list[int] = []
    last_word = _LastWord()

    async def watched() -> _T:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(_DaemonThreads(max_workers=1))

        def stop(number: int, _frame: FrameType | None) -> None:
            if got:
                os._exit(128 + number)
            got.append(number)
            last_word.start(128 + number)
            if task is not None:
                loop.call_soon_threadsafe(task.cancel)

        for number in _SIGNALS:
            signal.signal(number, stop)
        return await main()

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        with asyncio.Runner() as runner:
            return runner.run(watched())
    except asyncio.CancelledError:
        raise Stopped(got[0] if got else signal.SIGINT) from None
    finally:
        last_word.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


class _LastWord:
    """Ends the program when what was cancelled does not end."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None

    def start(self, status: int) -> None:
        self._timer = threading.Timer(_GRACE_S, os._exit, [status])
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


__all__ = ["run_to_end"]
