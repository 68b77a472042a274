"""The fence: turns a path that a model wrote into a descriptor inside the roots it may use.

Every open goes relative to a root's descriptor (`beneath`), is looked at before it is opened for
reading (opening a device can act, opening a FIFO can wait), and only regular files and folders
pass. Links that stay inside are followed, also absolute ones. A folder moved out after it was
opened is outside the promise.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.visible import visible_line
from nanobot.workspace.beneath import (
    ESCAPES,
    file_system,
    open_anywhere,
    open_beneath,
    walk_beneath,
)
from nanobot.workspace.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOREIGN = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\|file:)|(?:^|[\\/])\.\.\\|\\\.\.(?:[\\/]|$)")
_KERNEL_FILES = {
    0x9FA0: "procfs",
    0x62656572: "sysfs",
    0x64626720: "debugfs",
    0x74726163: "tracefs",
    0x73636673: "securityfs",
    0x0027E0EB: "cgroup",
    0x63677270: "cgroup2",
    0x62656570: "configfs",
    0xCAFE4A11: "bpf",
    0x1CD1: "devpts",
    0x6165676C: "pstore",
    0xDE5E81E4: "efivarfs",
    0xF97CFF8C: "selinuxfs",
}
_MOST_SHOWN = 5
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
        text = _checked(path)
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
            below = _below(text, root.path)
            if below is not None:
                return Place(root=root, relative=below)
        return self._settled(text)

    def settled(self, place: Place) -> Place:
        """The same place with every link resolved.

        Raises:
            OutsideWorkspace: it is in no root.
        """
        return self._settled(place.spelled)

    def _settled(self, spelled: str) -> Place:
        real = Path(os.path.realpath(spelled))
        if not self._restrict:
            return Place(root=None, relative=str(real))
        for root in self._roots:
            if real.is_relative_to(root.path):
                return Place(root=root, relative=str(real.relative_to(root.path)))
        raise OutsideWorkspace(str(real), hint=self._hint())

    def _hint(self) -> str:
        """Where else a path may lead; "" when there is but one root."""
        inside = [root for root in self._roots if self._base is None or root.path != self._base]
        shown = ", ".join(
            f"'{visible_line(str(root.path))}'{'' if root.writable else ' (to read only)'}"
            for root in inside[:_MOST_SHOWN]
        )
        return f"Use a path inside the workspace, or in {shown}." if shown else ""

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
                raise OutsideWorkspace(settled.spelled, hint=self._hint()) from error
            raise

    def _under(self, root: Root, relative: str, flags: int, *, links: bool = True) -> int:
        root_fd = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
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
        """
        with self.look(path, os.O_DIRECTORY) as seen:
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
    system = _KERNEL_FILES.get(file_system(seen.descriptor))
    if system:
        raise ToolError(
            f"'{shown}' is made up by the kernel ({system}), not a regular file",
            hint="Only files on a disk can be used.",
        )


def _checked(path: str) -> str:
    if not path or path.isspace():
        raise ToolError("The path is empty", hint="Give a path, such as 'README.md' or '.'.")
    shown = visible_line(path[:200])
    if "\0" in path:
        raise ToolError(f"The path '{shown}' holds a NUL character")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise ToolError(f"The path '{shown}' is no valid text") from error
    if _FOREIGN.search(path):
        raise OutsideWorkspace(
            path,
            f"Path '{shown}' is outside the configured workspace (a form of another system)",
            hint="Write paths relative to the workspace, with '/' between names.",
        )
    if path == "~" or path.startswith("~/"):
        return os.path.expanduser(path)  # noqa: PTH111  # keeps `..` as written
    return path


def _below(text: str, root: Path) -> str | None:
    """The rest of an absolute path under `root` by its spelling, whole components only."""
    wanted = [part for part in str(root).split("/") if part]
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if parts[: len(wanted)] != wanted:
        return None
    return "/".join(parts[len(wanted) :]) or "."


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
    return Path(os.path.realpath(place.spelled))


__all__ = ["Fence", "Opened", "Place", "Root", "refuse_special"]
