"""Blocking work off the event loop, in daemon threads that can't hold the program back.

`asyncio.to_thread` uses a pool that is joined when the loop closes and again when the interpreter
ends, so that one stuck call keeps the program alive for ever. Here each call has a daemon thread of
its own: a caller that stops waiting leaves it behind, and the program may end. It is started by
`_thread`: `threading.Thread.start` keeps the loop waiting until the new thread has had its turn.
"""

from __future__ import annotations

import _thread
import asyncio
import contextlib
from contextvars import copy_context
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_thread(func: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run `func` in a thread and wait for its result; context variables arrive in it.

    Cancelling the wait returns at once; the thread goes on by itself and its result is dropped.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()
    context = copy_context()

    def settle(result: _T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # None only beside an error

    def work() -> None:
        result: _T | None = None
        error: BaseException | None = None
        try:
            result = context.run(func, *args, **kwargs)
        except StopIteration as stop:  # a future refuses this one
            error = RuntimeError(f"StopIteration: {stop.value}")
        except BaseException as raised:  # noqa: BLE001  # it travels to the caller
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    _thread.start_new_thread(work, ())
    return await done


__all__ = ["in_thread"]
