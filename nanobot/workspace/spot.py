"""`Spot`: the name of a file in an open folder, part of whose way may still have to be made."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Spot:
    """Where a file stands or will stand.

    Args:
        path: its real path.
        folder: an open descriptor, which stays the caller's, of the nearest folder there is.
        missing: the folders between that one and the file, the outermost first.
    """

    def __init__(self, path: Path, folder: int, missing: Sequence[str] = ()) -> None:
        self.path = path
        self.name = path.name
        self._missing = list(missing)
        self._chain = [folder]
        self._made: list[tuple[int, str]] = []

    @property
    def folder(self) -> int:
        """The open folder of the file. Before `make_folders` there may be none: see `missing`."""
        return self._chain[-1]

    @property
    def missing(self) -> list[Path]:
        """The folders that `make_folders` would make, the outermost first."""
        above = list(self.path.parents)[: len(self._missing)]
        return above[::-1]

    def state(self) -> os.stat_result | None:
        """What stands there now; None for nothing.

        Raises:
            IsADirectoryError: a folder.
            ToolError: no regular file.
        """
        if self._missing:
            return None
        try:
            found = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
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

    def identity(self) -> Identity | None:
        """The identity of the file that stands there now; None for none."""
        found = self.state()
        return Identity.of(found) if found else None

    def make_folders(self) -> None:
        """Make what is missing of the way, each step below an open descriptor."""
        while self._missing:
            name, parent = self._missing[0], self.folder
            with suppress(FileExistsError):  # another was faster, or a file: the open says which
                os.mkdir(name, dir_fd=parent)
                self._made.append((parent, name))
            self._chain.append(os.open(name, _FOLDER, dir_fd=parent))
            del self._missing[0]

    def remove_folders(self) -> None:
        """Remove those that `make_folders` made and that are empty, the innermost first."""
        while self._made:
            parent, name = self._made.pop()
            with suppress(OSError):
                os.rmdir(name, dir_fd=parent)

    def sync(self) -> None:
        """Bring the names in its folder, and the folders that were made, to the disk."""
        for folder in (self.folder, *(parent for parent, _ in self._made)):
            with suppress(OSError):  # some file systems can't
                os.fsync(folder)

    def close(self) -> None:
        """Close the folders that were opened on the way."""
        for folder in self._chain[1:]:
            os.close(folder)
        del self._chain[1:]


__all__ = ["Spot"]
