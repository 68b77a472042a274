"""Who follows a call: `report_progress` inside a tool becomes events of its run."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nanobot.agent.tools.context import bind_progress, reset_progress
from nanobot.events import CallProgress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.events import EventStream
    from nanobot.providers.base import ToolCallRequest


@contextmanager
def following(events: EventStream, run_id: str, request: ToolCallRequest) -> Iterator[None]:
    """Inside it `report_progress` emits; what a call left behind reports later is dropped."""
    follower = _Follower(events, run_id, request)
    token = bind_progress(follower.hear)
    try:
        yield
    finally:
        follower.ended = True
        reset_progress(token)


class _Follower:
    """Hands reports on, from any thread, on the event loop."""

    def __init__(self, events: EventStream, run_id: str, request: ToolCallRequest) -> None:
        self._events = events
        self._run_id = run_id
        self._request = request
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self.ended = False

    def hear(self, text: str) -> None:
        if self.ended:
            return
        if threading.get_ident() == self._thread:
            self._emit(text)
        else:
            self._loop.call_soon_threadsafe(self._emit, text)

    def _emit(self, text: str) -> None:
        if self.ended:
            return
        self._events.emit(
            CallProgress(
                run_id=self._run_id,
                call_id=self._request.id,
                name=self._request.name,
                text=text,
            )
        )


__all__ = ["following"]
