"""A file in the making: bytes or a copy written to a descriptor, with another file's attributes."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 20
_COPIED_AT_ONCE = 1 << 30
_NO_COPY_CALL = frozenset(
    {errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EBADF}
)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def new_file(name: str, folder: int | None = None, *, private: bool) -> int:
    """A descriptor to write a file that must not exist; for its owner alone, or as the umask says."""
    return os.open(name, _NEW_FILE, 0o600 if private else 0o666, dir_fd=folder)


def open_to_read(name: str, folder: int | None = None) -> int:
    """A descriptor to read a file; no link is followed, no FIFO waited for."""
    return os.open(name, _LOOK, dir_fd=folder)


def fill(descriptor: int, data: bytes) -> None:
    """Write all of the bytes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_PIECE]) :]


def copy(source: int, descriptor: int) -> None:
    """Copy the whole file behind `source`; in the kernel, sharing blocks, where that works."""
    os.lseek(source, 0, os.SEEK_SET)
    if not _copied_by_kernel(source, descriptor):
        for piece in _pieces(source):
            fill(descriptor, piece)


def copy_of(source: int, descriptor: int) -> None:
    """Make the new file a copy of another in all but its inode, and close its descriptor."""
    try:
        copy(source, descriptor)
        old = os.fstat(source)
        take_over(descriptor, old, source)
        os.utime(descriptor, ns=(old.st_atime_ns, old.st_mtime_ns))
    finally:
        os.close(descriptor)


def _copied_by_kernel(source: int, descriptor: int) -> bool:
    if not hasattr(os, "copy_file_range"):
        return False
    copied = 0
    while True:
        try:
            count = os.copy_file_range(source, descriptor, _COPIED_AT_ONCE)
        except OSError as error:
            if error.errno in _NO_COPY_CALL and not copied:
                return False
            raise
        if not count:
            return copied > 0  # some file systems answer 0 for what they can't
        copied += count


def take_over(descriptor: int, old: os.stat_result, source: int | None) -> None:
    """Owner, extended attributes and mode of an old file, as far as we may.

    Args:
        descriptor: the file in the making.
        old: the old file's state.
        source: the old file open, for its attributes; None when it may not be read.
    """
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
        for owner in (old.st_uid, -1):
            with suppress(PermissionError):
                os.fchown(descriptor, owner, old.st_gid)
                break
    if source is not None and hasattr(os, "listxattr"):
        with suppress(OSError):
            for attribute in os.listxattr(source):
                with suppress(OSError):
                    os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _pieces(source: int) -> Iterator[bytes]:
    while piece := os.read(source, _PIECE):
        yield piece


__all__ = ["copy", "copy_of", "fill", "new_file", "open_to_read", "take_over"]
