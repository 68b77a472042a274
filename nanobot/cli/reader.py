"""Whoever reads our output may leave before the end, as `head` does: the run stops then."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.events import Event, Observer


class Reader:
    """Hands events to observers that write; the first broken pipe cancels the current task."""

    def __init__(self) -> None:
        self.gone = False
        self._task = asyncio.current_task()

    def reads(self, observer: Observer) -> Observer:
        """The observer, silent once nobody reads."""

        def write(event: Event) -> None:
            if self.gone:
                return
            try:
                observer(event)
            except BrokenPipeError:
                self.gone = True
                if self._task is not None:
                    self._task.cancel()

        return write


__all__ = ["Reader"]
