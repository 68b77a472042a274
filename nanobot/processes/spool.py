"""What a command prints, in a file: complete up to a limit, beginning and end beyond."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 64 * 1024 * 1024
"""How many bytes of one command are kept."""


class Spool:
    """The file at `path`, made when something comes. Never larger than `limit` and a line.

    Beyond the limit the first half stays, and the last half is kept in a ring beside it until
    `close`, which puts it behind a line that says how much is missing.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        self.path = path
        self._half = limit // 2
        self._file: int | None = None
        self._ring: int | None = None
        self.size = 0
        """How many bytes came in all."""

    def write(self, data: bytes) -> None:
        """Keep bytes."""
        if self._file is None:
            self._file = _made(self.path)
        room = max(0, 2 * self._half - self.size) if self._ring is None else 0
        if len(data) <= room:
            _write_all(self._file, data)
        else:
            self._keep_end(data, room)
        self.size += len(data)

    def _keep_end(self, data: bytes, room: int) -> None:
        if self._ring is None:
            if self._file is None:
                return
            _write_all(self._file, data[:room])
            self._ring = _made(self.path.with_name(f"{self.path.name}.end"))
            end = os.pread(self._file, self._half, self._half)
            os.pwrite(self._ring, end, 0)
            os.ftruncate(self._file, self._half)
            data, self._place = data[room:], len(end) % self._half
        data = data[-self._half :]
        first = data[: self._half - self._place]
        os.pwrite(self._ring, first, self._place)
        os.pwrite(self._ring, data[len(first) :], 0)
        self._place = (self._place + len(data)) % self._half

    def close(self) -> None:
        """Bring beginning and end together; the file stays."""
        if self._file is None:
            return
        if self._ring is not None:
            missing = self.size - 2 * self._half
            os.lseek(self._file, 0, os.SEEK_END)
            _write_all(self._file, f"\n[… {missing:,} bytes left out …]\n".encode())
            for start, count in ((self._place, self._half - self._place), (0, self._place)):
                os.lseek(self._ring, start, os.SEEK_SET)
                _copy(self._ring, self._file, count)
            os.close(self._ring)
            self.path.with_name(f"{self.path.name}.end").unlink(missing_ok=True)
        os.close(self._file)
        self._file = self._ring = None


def _made(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _copy(source: int, target: int, count: int) -> None:
    while count > 0 and (piece := os.read(source, min(count, 1 << 20))):
        _write_all(target, piece)
        count -= len(piece)


__all__ = ["LIMIT", "Spool"]
