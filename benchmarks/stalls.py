"""How long an event loop does not come round while something else goes on."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_TICK_S = 0.001


async def longest_stall(work: Callable[[], Awaitable[object]]) -> float:
    """The longest time in seconds by which a tick of a millisecond came late during the work."""
    longest, done = 0.0, False

    async def watch() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not done:
            await asyncio.sleep(_TICK_S)
            now = time.perf_counter()
            longest, last = max(longest, now - last - _TICK_S), now

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    try:
        await work()
    finally:
        done = True
        await watching
    return longest


__all__ = ["longest_stall"]
