"""`Turns`: threads that compute go one after the other, so that the event loop need not wait."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_WAIT_S = 1.0


class Turns:
    """One thread at a time.

    Python runs one thread at a time anyway; many that want to run keep the loop's own thread
    waiting for each of them. A thread that hangs in its turn, on a disk that does not answer, holds
    up those that wait now for at most `longest_wait_s`, and the later ones not at all.
    """

    def __init__(self, longest_wait_s: float = _LONGEST_WAIT_S) -> None:
        self._lock = Lock()
        self._longest_wait_s = longest_wait_s

    @contextmanager
    def one(self) -> Iterator[None]:
        """A turn; without one after `longest_wait_s`."""
        lock = self._lock
        held = lock.acquire(timeout=self._longest_wait_s)
        if not held:
            self._lock = Lock()
        try:
            yield
        finally:
            if held:
                lock.release()


__all__ = ["Turns"]
