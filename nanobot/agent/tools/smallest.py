"""The smallest of many keys, kept without keeping the rest. Pure."""

from __future__ import annotations

import sys
from itertools import accumulate, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SLACK = 1_000


class Smallest:
    """Takes keys in any order, many at a time; never holds more than twice as much, and a block.

    Args:
        most: how many of the smallest are kept.
        most_bytes: how many bytes they may have together, the last one aside; None: any.
    """

    def __init__(self, most: int, most_bytes: int | None = None) -> None:
        self._most = most
        self._most_bytes = sys.maxsize if most_bytes is None else most_bytes
        self._bytes = 0
        self._kept: list[bytes] = []
        self._last: bytes | None = None
        self.total = 0
        """How many keys were taken in all."""

    def add(self, keys: Sequence[bytes]) -> None:
        """Take in some keys."""
        self.total += len(keys)
        last = self._last
        smaller = keys if last is None else [key for key in keys if key < last]
        self._kept.extend(smaller)
        self._bytes += sum(map(len, smaller))
        if len(self._kept) > 2 * self._most + _SLACK or self._bytes > 2 * self._most_bytes:
            self._cut()

    def sorted(self) -> list[bytes]:
        """The smallest so far, in order; the list stays ours."""
        self._cut()
        return self._kept

    def _cut(self) -> None:
        self._kept.sort()
        before = accumulate(map(len, self._kept), initial=0)
        most = sum(1 for size in islice(before, self._most) if size <= self._most_bytes)
        if most < len(self._kept):
            del self._kept[most:]
            self._last = self._kept[-1] if most else b""
        self._bytes = sum(map(len, self._kept))


__all__ = ["Smallest"]
