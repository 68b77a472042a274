"""The journal: for each write of a tool, what stood there before. `nanobot undo` reads it.

A write in progress is a folder `running/NUMBER` with its record, locked for as long as its process
lives, and the images of the old files. A finished one is a folder `NUMBER-SIZE-SECONDS`, so that
the bounds are kept by one look at the names: at most 1,000 writes, 1 GB and 14 days; the oldest
go first, the newest never. That look is taken now and then, and leaves room until the next one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.workspace.locks import locked_file
from nanobot.workspace.record import Record, parsed, ready_line, undone_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from nanobot.workspace.record import After

_MOST_WRITES = 1_000
_MOST_BYTES = 1_000_000_000
_LOOK_EVERY = 16  # writes
_LARGE = 8_000_000  # bytes, after which one looks at once
_LONGEST_S = 14 * 24 * 3600.0
_RUNNING = "running"
_RECORD = "record.jsonl"
_LOCK = "lock"
_LAST = "last"
_BLOCK = 512  # what st_blocks counts
_WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a journal keeps: writes, bytes of old files, seconds."""

    writes: int = _MOST_WRITES
    size: int = _MOST_BYTES
    seconds: float = _LONGEST_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A finished write: its number, its record, and the folder with the images."""

    number: int
    record: Record
    folder: Path

    def image(self, index: int) -> Path:
        """Where the old bytes of the change of this index are, if there was a file."""
        return _image(self.folder, index)


class Entry:
    """A write in progress: its record is open and locked. Made by `Journal`; closed by its owner.

    `size` is, once it is finished, what its images take on the disk, in bytes.
    """

    def __init__(self, number: int, folder: Path, record: Record, descriptor: int) -> None:
        self.number = number
        self.folder = folder
        self.record = record
        self.size = 0
        self._descriptor = descriptor

    def image(self, index: int) -> Path:
        """The old bytes of the change of this index; kept."""
        return _image(self.folder, index)

    def held(self, index: int) -> Path:
        """The old file itself, where `image` is a copy of it; gone when the write is finished."""
        return self.folder / f"{index}.held"

    def ready(self, after: Sequence[After]) -> None:
        """All temporary files are complete: from here on the write can be finished by anybody."""
        self._add(ready_line(after))

    def undoing(self) -> None:
        """The old files are being put back: from here on nobody may finish the write."""
        with suppress(OSError):  # a full disk must not keep us from it
            self._add(undone_line())

    def _add(self, line: str) -> None:
        _append(self._descriptor, line)

    def sync(self) -> None:
        """Bring the record to the disk: for writes of several files."""
        os.fsync(self._descriptor)
        for folder in (self.folder, self.folder.parent):
            _sync(folder)

    def finish(self) -> None:
        """The write is done: it becomes part of what can be undone."""
        for index in range(len(self.record.changes)):
            self.held(index).unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                self.size += self.image(index).stat().st_blocks * _BLOCK
        name = f"{self.number}-{self.size}-{int(self.record.at)}"
        self.folder.rename(self.folder.parent.parent / name)

    def drop(self) -> None:
        """The write left no trace: forget it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of the record; what is not finished by now, the next writer puts right."""
        os.close(self._descriptor)


class Journal:
    """The writes of one workspace.

    Args:
        find: the folder it lies in. Called when it is needed; with True, the folder is made.
        bounds: how much it keeps.
    """

    def __init__(self, find: Callable[[bool], Path], bounds: Bounds | None = None) -> None:
        self._find = find
        self._bounds = bounds or Bounds()

    @contextmanager
    def begin(self, record: Record) -> Iterator[Entry]:
        """A new entry with its intent written; the caller finishes or drops it.

        Raises:
            OSError: the journal can't be written, so that nothing may be.
        """
        folder = self._find(True)  # noqa: FBT003  # the one parameter
        with _alone(folder):
            number = _next_number(folder)
            place = folder / _RUNNING / str(number)
            descriptor = _new_record(place)
        entry = Entry(number, place, record, descriptor)
        try:
            _write_intent(entry, descriptor)
            yield entry
        finally:
            entry.close()
        if number % _LOOK_EVERY == 0 or entry.size > _LARGE:
            with _alone(folder):
                self._make_room(folder)

    def dead(self) -> Iterator[Entry]:
        """Entries whose process is gone, each locked while it is looked at. Empty ones vanish."""
        folder = self._find(False)  # noqa: FBT003  # the one parameter
        for place in sorted(_folders(folder / _RUNNING), key=lambda one: int(one.name)):
            with _alone(folder):
                descriptor = _taken(place)
            if descriptor is None:
                continue
            try:
                record = parsed(_text(descriptor))
                if record is None:
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    yield Entry(int(place.name), place, record, descriptor)
            finally:
                os.close(descriptor)

    def has_dead(self) -> bool:
        """Whether a process was killed in the middle of a write that nobody has put right yet."""
        return any(True for _ in self.dead())

    def written(self) -> Iterator[Written]:
        """The finished writes, newest first. A broken one is left out."""
        for name in reversed(_names(self._find(False))):  # noqa: FBT003  # the one parameter
            found = _read(name)
            if found:
                yield found

    def find(self, number: int) -> Written | None:
        """The finished write of this number, or None."""
        names = _names(self._find(False))  # noqa: FBT003  # the one parameter
        return next((_read(name) for name in names if name.number == number), None)

    def _make_room(self, folder: Path) -> None:
        """Drop what is over the bounds, or soon would be."""
        most = max(1, self._bounds.writes - _LOOK_EVERY)
        room = self._bounds.size - _LOOK_EVERY * _LARGE
        size, oldest = 0, time.time() - self._bounds.seconds
        for kept, name in enumerate(reversed(_names(folder)), 1):
            size += name.size
            if kept > 1 and (kept > most or size > room or name.seconds < oldest):
                shutil.rmtree(name.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    number: int
    size: int
    seconds: int
    folder: Path


def _names(folder: Path) -> list[_Name]:
    """What the names of the finished writes say, in order."""
    found = []
    for name in _listed(folder):
        parts = name.split("-")
        if len(parts) == 3 and all(part.isdecimal() for part in parts):  # noqa: PLR2004  # as above
            number, size, seconds = map(int, parts)
            found.append(_Name(number=number, size=size, seconds=seconds, folder=folder / name))
    return sorted(found, key=lambda one: one.number)


def _next_number(folder: Path) -> int:
    """The number after the last one, which no write had yet."""
    running = folder / _RUNNING
    running.mkdir(mode=0o700, exist_ok=True)
    file = folder / _LAST
    try:
        number = int(file.read_text(encoding="ascii")) + 1
        fresh = not (running / str(number)).exists()
    except (OSError, ValueError):
        fresh = False
    if not fresh:
        known = [name.number for name in _names(folder)]
        number = max([0, *known, *(int(place.name) for place in _folders(running))]) + 1
    file.write_text(str(number), encoding="ascii")
    return number


def _folders(running: Path) -> list[Path]:
    return [running / name for name in _listed(running) if name.isdecimal()]


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # names alone, quick
    except (FileNotFoundError, NotADirectoryError):
        return []


def _read(name: _Name) -> Written | None:
    try:
        text = (name.folder / _RECORD).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    record = parsed(text)
    if record is None or not record.after:
        return None
    return Written(number=name.number, record=record, folder=name.folder)


def _image(folder: Path, index: int) -> Path:
    return folder / f"{index}.before"


def _new_record(place: Path) -> int:
    """The record of a new entry, open and locked."""
    place.mkdir(mode=0o700)
    try:
        descriptor = os.open(
            place / _RECORD, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
    except OSError:
        place.rmdir()
        raise
    _is_free(descriptor)
    return descriptor


def _write_intent(entry: Entry, descriptor: int) -> None:
    try:
        _append(descriptor, entry.record.intent())
    except OSError:
        entry.drop()
        raise


def _append(descriptor: int, line: str) -> None:
    """Add a line whole, or fail: half a one does not count."""
    raw = line.encode()
    if os.write(descriptor, raw) < len(raw):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _taken(place: Path) -> int | None:
    """The record of an entry, open and locked; None when its process lives."""
    try:
        descriptor = os.open(place / _RECORD, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    except FileNotFoundError:  # killed while it began or was dropped; or finished as we looked
        shutil.rmtree(place, ignore_errors=True)
        return None
    if _is_free(descriptor) and _same(place, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_free(descriptor: int) -> bool:
    """Lock a record; False when another has it, or when nobody can tell."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _same(place: Path, descriptor: int) -> bool:
    """Whether the record is still where it was opened: not finished meanwhile."""
    with suppress(FileNotFoundError):
        return os.path.samestat((place / _RECORD).stat(), os.fstat(descriptor))
    return False


def _text(descriptor: int) -> str:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return file.read().decode(errors="replace")


def _sync(folder: Path) -> None:
    with suppress(OSError):  # some file systems can't
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _alone(folder: Path) -> AbstractContextManager[None]:
    """The journal for one alone: for as long as a number is taken or a record locked."""
    busy = "Another program has held the journal of writes for half a minute"
    return locked_file(folder / _LOCK, _WAIT_S, busy)


__all__ = ["Bounds", "Entry", "Journal", "Written"]
