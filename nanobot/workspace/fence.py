"""The fence: turns a path that a model wrote into a descriptor inside the roots it may use.

Every open goes relative to a root's descriptor (`beneath`), is looked at before it is opened for
reading (opening a device can act, opening a FIFO can wait), and only regular files and folders
pass. Links that stay inside are followed, also absolute ones. A folder moved out after it was
opened is outside the promise.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.visible import visible_line
from nanobot.workspace.beneath import (
    ESCAPES,
    open_anywhere,
    open_beneath,
    open_real,
    walk_beneath,
)
from nanobot.workspace.identity import Identity
from nanobot.workspace.kernelfiles import kernel_system
from nanobot.workspace.spelling import below, plain_path

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_SHOWN = 5
_RETRIES = 100
_KINDS = (
    (stat.S_ISFIFO, "a FIFO (named pipe)"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISLNK, "a link that leads nowhere the system lets us follow"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder that tools may use: its real path, and whether they may write there."""

    path: Path
    writable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a path begins: a root, and the rest below it, unresolved. No root: unfenced."""

    root: Root | None
    relative: str

    @property
    def spelled(self) -> str:
        """The absolute path, with links and `..` as they were written."""
        return os.path.join(self.root.path, self.relative) if self.root else self.relative  # noqa: PTH118


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An open descriptor, the real path it stood at, and the state it was in."""

    descriptor: int
    path: Path
    root: Root | None
    identity: Identity
    mode: int


class Fence:
    """Several roots, tried from the longest. `restrict=False` lets every absolute path through.

    Args:
        base: the folder that relative paths start from; None refuses them.
        roots: where tools may go.
        restrict: whether they may go nowhere else.
        kernel: False opens component by component also where the kernel could do it in one step.
    """

    def __init__(
        self, base: Path | None, roots: list[Root], *, restrict: bool, kernel: bool = True
    ) -> None:
        self._open = open_beneath if kernel else walk_beneath
        self._base = base
        self._roots = sorted(roots, key=lambda root: -len(root.path.parts))
        self._restrict = restrict

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, the longest first."""
        return tuple(self._roots)

    def readable_roots(self) -> list[str] | None:
        """Their real paths; None where everything may be read."""
        return [str(root.path) for root in self._roots] if self._restrict else None

    def place(self, path: str) -> Place:
        """Where `path` begins.

        Raises:
            OutsideWorkspace: its spelling alone leaves every root.
            ToolError: it is empty, holds a NUL, or is relative without a base.
        """
        text = plain_path(path)
        if not text.startswith("/"):
            if self._base is None:
                raise ToolError(
                    f"'{visible_line(path)}' is a relative path, and there is no workspace",
                    hint="Give an absolute path.",
                )
            text = os.path.join(self._base, text)  # noqa: PTH118  # `..` must stay as written
        if not self._restrict:
            return Place(root=None, relative=text)
        for root in self._roots:
            rest = below(text, root.path)
            if rest is not None:
                return Place(root=root, relative=rest)
        return self._settled(text)

    def settled(self, place: Place) -> Place:
        """The same place with every link resolved.

        Raises:
            OutsideWorkspace: it is in no root.
        """
        return self._settled(place.spelled)

    def _settled(self, spelled: str) -> Place:
        real = _resolved(spelled)
        if not self._restrict:
            return Place(root=None, relative=str(real))
        for root in self._roots:
            if real.is_relative_to(root.path):
                return Place(root=root, relative=str(real.relative_to(root.path)))
        raise self._outside(str(real))

    def _outside(self, target: str) -> OutsideWorkspace:
        shown = visible_line(target)
        return OutsideWorkspace(
            target, f"Path '{shown}' is outside the configured workspace", hint=self._hint()
        )

    def _hint(self) -> str:
        """Where else a path may lead; "" when there is but one root."""
        inside = [root for root in self._roots if self._base is None or root.path != self._base]
        shown = ", ".join(
            f"'{visible_line(str(root.path))}'{'' if root.writable else ' (to read only)'}"
            for root in inside[:_MOST_SHOWN]
        )
        return f"Use a path inside the workspace, or in {shown}." if shown else ""

    def gone(self) -> Path | None:
        """The folder that relative paths start from, if it is not there (any more)."""
        return None if self._base is None or self._base.is_dir() else self._base

    def root_of(self, real: Path) -> Root | None:
        """The root that a real path lies in, or None."""
        return next((root for root in self._roots if real.is_relative_to(root.path)), None)

    @contextmanager
    def look(self, path: str, flags: int = 0) -> Iterator[Opened]:
        """A descriptor to look at or to go on from; not yet one to read from.

        Raises:
            OutsideWorkspace: the path leaves the roots, by `..` or by a link.
            OSError: it does not exist, or may not be opened.
        """
        place = self.place(path)
        descriptor = self._descend(place, flags)
        try:
            found = os.fstat(descriptor)
            real = _real_path(descriptor, place)
            yield Opened(
                descriptor=descriptor,
                path=real,
                root=self.root_of(real),
                identity=Identity.of(found),
                mode=found.st_mode,
            )
        finally:
            os.close(descriptor)

    def _descend(self, place: Place, flags: int) -> int:
        if place.root is None:
            return open_anywhere(place.relative, flags)
        try:
            return self._under(place.root, place.relative, flags)
        except OSError as error:
            if error.errno not in ESCAPES:
                raise
        settled = self.settled(place)
        if settled.root is None:
            return open_anywhere(settled.relative, flags)
        try:
            return self._under(settled.root, settled.relative, flags, links=False)
        except OSError as error:
            if error.errno == errno.EXDEV:  # swapped while we looked
                raise self._outside(settled.spelled) from error
            raise

    def _under(self, root: Root, relative: str, flags: int, *, links: bool = True) -> int:
        root_fd = open_real(root.path, self._open)
        try:
            return self._open(root_fd, relative, flags, links=links)
        finally:
            os.close(root_fd)

    @contextmanager
    def open_file(self, path: str) -> Iterator[Opened]:
        """A regular file, open for reading.

        Raises:
            OutsideWorkspace: see `look`.
            ToolError: it is a folder, a device, a FIFO, a socket, or a file of the kernel.
            OSError: it does not exist, or may not be read.
        """
        with self.look(path) as seen:
            refuse_special(seen, path)
            descriptor = _reopened(seen.descriptor, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
            try:
                yield Opened(
                    descriptor=descriptor,
                    path=seen.path,
                    root=seen.root,
                    identity=Identity.of(os.fstat(descriptor)),
                    mode=seen.mode,
                )
            finally:
                os.close(descriptor)

    @contextmanager
    def open_folder(self, path: str) -> Iterator[Opened]:
        """A folder, open for listing and for opening things relative to it.

        Raises:
            OutsideWorkspace: see `look`.
            NotADirectoryError: it is something else.
            ToolError: it is a folder of the kernel.
        """
        with self.look(path, os.O_DIRECTORY) as seen:
            _refuse_made_up(seen, path)
            descriptor = _reopened(seen.descriptor, os.O_RDONLY | os.O_DIRECTORY)
            try:
                yield Opened(
                    descriptor=descriptor,
                    path=seen.path,
                    root=seen.root,
                    identity=seen.identity,
                    mode=seen.mode,
                )
            finally:
                os.close(descriptor)


def refuse_special(seen: Opened, path: str) -> None:
    """Let only regular files of real disks pass.

    Raises:
        IsADirectoryError: it is a folder.
        ToolError: it is a device, a FIFO, a socket, or a file that the kernel makes up.
    """
    shown = visible_line(path)
    if stat.S_ISDIR(seen.mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(seen.mode):
        kind = next((name for test, name in _KINDS if test(seen.mode)), "a special file")
        raise ToolError(f"'{shown}' is {kind}, not a regular file", hint="Only files can be used.")
    _refuse_made_up(seen, path)


def _refuse_made_up(seen: Opened, path: str) -> None:
    system = kernel_system(seen.descriptor)
    if system:
        raise ToolError(
            f"'{visible_line(path)}' is made up by the kernel ({system}), not on a disk",
            hint="Only files and folders on a disk can be used.",
        )


def _reopened(descriptor: int, flags: int) -> int:
    """The very file of an `O_PATH` descriptor, opened for use."""
    if not hasattr(os, "O_PATH"):
        return os.dup(descriptor)
    return os.open(f"/proc/self/fd/{descriptor}", flags | os.O_CLOEXEC)


def _real_path(descriptor: int, place: Place) -> Path:
    with suppress(OSError):
        found = Path(f"/proc/self/fd/{descriptor}").readlink()
        if found.is_absolute():
            return found
    return _resolved(place.spelled)


def _resolved(spelled: str) -> Path:
    """The path with every link followed; again when one was swapped under the eyes of the call."""
    for _ in range(_RETRIES):
        try:
            return Path(os.path.realpath(spelled))
        except OSError:  # not for what is not there
            continue
        except RecursionError as error:  # hundreds of links, each to the next
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), spelled) from error
    raise ToolError(
        f"The links on the way to '{visible_line(spelled)}' are being changed all the time",
        hint="Try again later.",
    )


__all__ = ["Fence", "Opened", "Place", "Root", "refuse_special"]
