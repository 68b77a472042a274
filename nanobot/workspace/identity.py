"""Which file, in which state: what tells that a file changed since it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Device, inode, size in bytes, and the times of content and inode in nanoseconds."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Self:
        """The identity in the answer of a stat call."""
        return cls(
            dev=found.st_dev,
            ino=found.st_ino,
            size=found.st_size,
            mtime_ns=found.st_mtime_ns,
            ctime_ns=found.st_ctime_ns,
        )

    def alike(self, other: Identity | None) -> bool:
        """Whether `other` is this file with these bytes, as far as inode, size and mtime tell.

        A link, a mode or a mount made since do not count.
        """
        return other is not None and (self.ino, self.size, self.mtime_ns) == (
            other.ino,
            other.size,
            other.mtime_ns,
        )


__all__ = ["Identity"]
