"""A file about to be written: its folder open and locked, its old bytes at hand, replaced whole.

The new bytes go to a temporary file in the same folder, reach the disk, and take the old name in
one step: whoever looks sees old or new, never a mixture. Mode, owner and extended attributes stay;
a link stays a link. A hard link keeps the old bytes under its other name.

Writers of one folder wait for each other, within the process and between processes, by a lock on
the folder itself (flock(2)): nothing is left behind, and no lock dies with a replaced inode.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCK_WAIT_S = 30.0
_LONGEST_PAUSE_S = 0.02
_PIECE = 1 << 20


class Target:
    """The name `path.name` in the open folder `folder`; made by `Workspace.target`."""

    def __init__(self, folder: int, path: Path) -> None:
        self._folder = folder
        self.path = path
        self._name = path.name

    @property
    def identity(self) -> Identity | None:
        """The file's identity now; None when there is no file."""
        found = self._stat()
        return Identity.of(found) if found else None

    def read(self, most: int) -> bytes:
        """The file's bytes; empty when there is no file.

        Raises:
            ToolError: it has more than `most` bytes.
        """
        found = self._stat()
        if found is None:
            return b""
        if found.st_size > most:
            raise ToolError(
                f"'{visible_line(self._name)}' has {found.st_size:,} bytes; "
                f"at most {most:,} can be edited at once"
            )
        descriptor = os.open(
            self._name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._folder
        )
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def replace(self, data: bytes) -> Identity:
        """Give the name these bytes, whole or not at all; the identity afterwards."""
        old = self._stat()
        if old is not None and not os.access(self._name, os.W_OK, dir_fd=self._folder):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.path))
        temporary = f".nanobot-{secrets.token_hex(8)}.tmp"
        descriptor = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o666 if old is None else 0o600,
            dir_fd=self._folder,
        )
        try:
            try:
                self._fill(descriptor, data, old)
                made = Identity.of(os.fstat(descriptor))
            finally:
                os.close(descriptor)
            os.replace(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=self._folder)
            raise
        with suppress(OSError):  # some file systems can't
            os.fsync(self._folder)
        return self.identity or made

    def _fill(self, descriptor: int, data: bytes, old: os.stat_result | None) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view[:_PIECE]) :]
        if old is not None:
            self._take_over(descriptor, old)
        os.fsync(descriptor)

    def _take_over(self, descriptor: int, old: os.stat_result) -> None:
        """Owner, attributes and mode of the file that is replaced, as far as we may."""
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
            for owner in (old.st_uid, -1):
                with suppress(PermissionError):
                    os.fchown(descriptor, owner, old.st_gid)
                    break
        _copy_attributes(self._folder, self._name, descriptor)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))

    def _stat(self) -> os.stat_result | None:
        try:
            found = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self.path))
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(
                f"'{visible_line(str(self.path))}' is not a regular file",
                hint="Only files can be used.",
            )
        return found


@contextmanager
def locked(folder: int) -> Iterator[None]:
    """Hold the lock of an open folder, waiting for other writers.

    Raises:
        ToolError: another writer held it for half a minute.
    """
    pause, until = 0.0005, time.monotonic() + _LOCK_WAIT_S
    while not _try_lock(folder):
        if time.monotonic() > until:
            raise ToolError(
                "Another program has been writing in this folder for half a minute",
                hint="Try again later.",
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_UN)


def _try_lock(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _copy_attributes(folder: int, name: str, descriptor: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            for attribute in os.listxattr(source):
                with suppress(OSError):
                    os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
        finally:
            os.close(source)


__all__ = ["Target", "locked"]
