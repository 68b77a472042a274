"""`Workspace`: the files that tools may use, behind one fence."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.visible import visible_line
from nanobot.workspace.control import control_reason
from nanobot.workspace.fence import Fence, Opened, Root
from nanobot.workspace.journal import Journal
from nanobot.workspace.locks import locked
from nanobot.workspace.ownplaces import OwnPlaces
from nanobot.workspace.recovery import recover
from nanobot.workspace.sensitive import sensitive_reason
from nanobot.workspace.spot import Spot
from nanobot.workspace.statefolder import journal_folder, state_folder
from nanobot.workspace.target import Target
from nanobot.workspace.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SAID = {
    errno.ENOENT: "'{path}' does not exist",
    errno.EISDIR: "'{path}' is a folder, not a file",
    errno.ENOTDIR: "'{path}' is not a folder, or goes through a file",
    errno.EACCES: "'{path}' may not be used: {reason}",
    errno.EPERM: "'{path}' may not be used: {reason}",
    errno.EROFS: "'{path}' may not be changed: {reason}",
    errno.ELOOP: "'{path}' goes through links that never end or may not be used",
    errno.ENAMETOOLONG: "The path is too long: '{path}'",
}


class Workspace:
    """One folder to read and write, more by the owner's word; nothing else, unless `restrict` is off.

    Args:
        root: the workspace. Relative paths start here.
        read_only_roots: folders that may be read too. Of nested roots the innermost counts; of
            the same folder given twice, the workspace itself, then what may only be read.
        writable_roots: folders that may be read and written too.
        restrict: False lets tools use every absolute path (the owner's choice).
        base: where relative paths start, if not at `root`.
        protected: files that no tool may write, such as the settings in use.

    A path in a message or an argument is text as a model wrote it: relative to the workspace or
    absolute, with links and `..`. Every method raises `OutsideWorkspace` for one that leaves, and
    `ToolError`, in words for a model, for one that can't be used.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        read_only_roots: Sequence[Path | str] = (),
        writable_roots: Sequence[Path | str] = (),
        restrict: bool = True,
        base: Path | str | None = None,
        protected: Sequence[Path | str] = (),
    ) -> None:
        self.root = _real(root)
        self.restrict = restrict
        self._protected = tuple(protected)
        self._relative = True
        roots = [Root(path=self.root, writable=True)]
        roots += [Root(path=_real(path), writable=False) for path in read_only_roots]
        roots += [Root(path=_real(path), writable=True) for path in writable_roots]
        self._fence = Fence(_real(base or root), roots, restrict=restrict)

    @classmethod
    def anywhere(cls) -> Self:
        """No fence: absolute paths only. For tools built by hand without a workspace."""
        workspace = cls("/", restrict=False)
        workspace._relative = False
        workspace._fence = Fence(None, [], restrict=False)
        return workspace

    @classmethod
    def for_tool(
        cls,
        workspace: Workspace | Path | str | None = None,
        allowed_dir: Path | str | None = None,
        extra_allowed_dirs: Sequence[Path | str] | None = None,
    ) -> Workspace:
        """The fence of a tool built by hand (CONTRACT §10).

        `workspace` alone fences to it. `allowed_dir` fences to that folder instead, relative paths
        still starting in the workspace. `extra_allowed_dirs` are read-only. Nothing: `anywhere`.
        """
        if isinstance(workspace, Workspace):
            return workspace
        root = allowed_dir or workspace
        extra = tuple(extra_allowed_dirs or ())
        if root:
            return cls(root, read_only_roots=extra, base=workspace or None)
        if extra:
            return cls._reading(extra)
        return cls.anywhere()

    @classmethod
    def _reading(cls, folders: Sequence[Path | str]) -> Workspace:
        workspace = cls(folders[0])
        roots = [Root(path=_real(path), writable=False) for path in folders]
        workspace._fence = Fence(workspace.root, roots, restrict=True)  # its own class
        return workspace

    def resolve(self, path: Path | str, *, for_write: bool = False) -> Path:
        """The real path that `path` means now, whether or not it exists.

        For showing, comparing and handing to other programs; to read or write, use the methods
        that open, which leave no time between check and use.
        """
        with self._told(path):
            place = self._fence.place(str(path))
            real = Path(self._fence.settled(place).spelled)
            if for_write:
                self._check_writable(real, Path(os.path.normpath(place.spelled)))
            return real

    def display(self, path: Path | str) -> str:
        """The path as people write it here: relative to the workspace where it lies inside."""
        absolute = Path(os.path.normpath(self.root / path))
        if self._relative and absolute.is_relative_to(self.root):
            return absolute.relative_to(self.root).as_posix()
        real = Path(os.path.realpath(absolute))
        if self._relative and real.is_relative_to(self.root):
            return real.relative_to(self.root).as_posix()
        return str(absolute)

    def secret(self, path: Path | str) -> str:
        """What secrets the file usually holds, by its name or its real name; "" for none."""
        by_name = sensitive_reason(Path(path).parts)
        if by_name:
            return by_name
        try:
            return sensitive_reason(self._inside(self.resolve(path)))
        except ToolError:
            return ""

    @contextmanager
    def open_file(self, path: Path | str) -> Iterator[Opened]:
        """A regular file, open for reading: its descriptor, real path and identity."""
        with self._told(path), self._fence.open_file(str(path)) as opened:
            yield opened

    @contextmanager
    def open_folder(self, path: Path | str) -> Iterator[Opened]:
        """A folder, open: a descriptor for listing and for opening relative to it."""
        with self._told(path), self._fence.open_folder(str(path)) as opened:
            yield opened

    def readable_roots(self) -> list[str] | None:
        """The real paths of all that may be read, for other programs' fences; None: everything."""
        return self._fence.readable_roots()

    def is_folder(self, path: Path | str) -> bool:
        """Whether `path` is a folder. Raises `ToolError` when there is nothing."""
        with self._told(path), self._fence.look(str(path)) as seen:
            return stat.S_ISDIR(seen.mode)

    def is_there(self, path: Path | str) -> bool:
        """Whether `path` leads to something inside; links are followed as far as they stay inside."""
        try:
            with self._fence.look(str(path)):
                return True
        except (OSError, ToolError):
            return False

    def read_bytes(self, path: Path | str) -> bytes:
        """The whole file. For files of a known size; tools stream."""
        with self.open_file(path) as opened, open(opened.descriptor, "rb", closefd=False) as file:
            return file.read()

    def read_text(self, path: Path | str) -> str:
        """The whole file as UTF-8 text, line ends as they are."""
        return self.read_bytes(path).decode("utf-8-sig")

    def write_bytes(self, path: Path | str, data: bytes) -> None:
        """Write the whole file, atomically; missing folders are made."""
        with self.target(path) as target:
            target.replace(data)

    @contextmanager
    def target(self, path: Path | str, *, operation: str = "write") -> Iterator[Target]:
        """A file to be written, locked: see `Target`. Neither it nor its folders need exist.

        Args:
            path: the file.
            operation: the tool or command that writes, for the journal.

        Raises:
            OutsideWorkspace: it leaves the workspace, or lies where only reading is allowed.
            ToolError: it is a control file (a git hook, a shell's start-up file, our own state),
                or can't be written.
        """
        with self._told(path), self._transaction([str(path)], operation) as transaction:
            yield Target(transaction, str(path))

    @contextmanager
    def changing(
        self, paths: Sequence[Path | str], *, operation: str = "write"
    ) -> Iterator[Transaction]:
        """Files to be written together, all locked: see `Transaction`. They need not exist.

        What a killed process left half done in this workspace is put right first.

        Args:
            paths: the files; the transaction knows them by these very texts.
            operation: the tool or command that writes, for the journal.

        Raises:
            OutsideWorkspace: one leaves the workspace, or lies where only reading is allowed.
            ToolError: one is a control file, or can't be written.
        """
        with self._told(), self._transaction([str(path) for path in paths], operation) as found:
            yield found

    @property
    def journal(self) -> Journal:
        """What was written here, and what stood there before."""
        root = self.root if self._relative else None
        return Journal(partial(journal_folder, root))

    def state_dir(self) -> Path:
        """The folder for results and state, `.nanobot/`, made on demand and ignored by git.

        Without a workspace it lies in the user's state directory.
        """
        return state_folder(self.root if self._relative else None)

    @contextmanager
    def _transaction(self, paths: Sequence[str], operation: str) -> Iterator[Transaction]:
        self._check_there()
        journal = self.journal
        for last in (False, False, True):
            recover(journal, self._open_spot)
            real = {path: self._final(path) for path in paths}
            with locked(real.values()), ExitStack() as opened:
                spots = {
                    path: opened.enter_context(self._open_spot(path))
                    for path in dict.fromkeys(real.values())
                }
                stands = all(spot.path == path for path, spot in spots.items())
                if stands and (last or not journal.has_dead()):
                    found = {path: spots[real[path]] for path in paths}
                    yield Transaction(found, journal, operation)
                    return
        raise ToolError(
            "A folder on the way to the file is being moved all the time",
            hint="Try again later.",
        )

    def _final(self, path: str) -> Path:
        """The real path of a file that may be written, links followed."""
        place = self._fence.place(path)
        if place.spelled.endswith("/"):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), place.spelled)
        real = Path(self._fence.settled(place).spelled)
        self._check_writable(real, Path(os.path.normpath(place.spelled)))
        return real

    @contextmanager
    def _open_spot(self, real: Path) -> Iterator[Spot]:
        """The spot of a real path, below the nearest folder there is, open inside the fence."""
        missing: list[str] = []
        with ExitStack() as stack:
            for folder in real.parents:
                with suppress(FileNotFoundError):
                    opened = stack.enter_context(self._fence.open_folder(str(folder)))
                    break
                missing.insert(0, folder.name)
            else:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(real))
            standing = opened.path.joinpath(*missing, real.name)
            self._check_writable(standing, standing)
            spot = Spot(standing, opened.descriptor, missing)
            stack.callback(spot.close)
            yield spot

    @cached_property
    def _own(self) -> OwnPlaces:
        return OwnPlaces(self.root, self._protected)

    def _check_there(self) -> None:
        gone = self._fence.gone()
        if gone:
            raise ToolError(
                f"The folder that tools work in is not there: '{visible_line(str(gone))}'",
                hint="Tell the person: it was moved or removed, or never made.",
            )

    def _check_writable(self, real: Path, spelled: Path) -> None:
        root = self._fence.root_of(real)
        if root is not None and not root.writable:
            raise OutsideWorkspace(
                str(real),
                f"'{visible_line(str(real))}' may only be read: "
                "it is outside the configured workspace, in a read-only folder",
            )
        reason = (
            control_reason(self._inside(real))
            or control_reason(self._inside(spelled))
            or self._own.reason(real)
        )
        if reason:
            raise ToolError(
                f"'{visible_line(self.display(spelled))}' may not be written by a tool: {reason}",
                hint="Leave it as it is, and tell the person what you would change there.",
            )

    def _inside(self, real: Path) -> Sequence[str]:
        root = self._fence.root_of(real)
        return real.relative_to(root.path).parts if root else real.parts

    @contextmanager
    def _told(self, path: Path | str | None = None) -> Iterator[None]:
        """What the system says, in words for a model; of the file it names, without a path."""
        try:
            yield
        except OSError as error:
            named = path or (self.display(os.fsdecode(error.filename)) if error.filename else "")
            raise self._refusal(error, str(named or "A file")) from error

    def _refusal(self, error: OSError, path: str) -> ToolError:
        self._check_there()
        shown = visible_line(path[:300])
        said = _SAID.get(error.errno or 0, "'{path}' can't be used: {reason}")
        hint = self._near(path) if error.errno == errno.ENOENT else ""
        if error.errno == errno.EISDIR:
            hint = "See what is in it with list_dir."
        return ToolError(said.format(path=shown, reason=error.strerror or error), hint=hint)

    def _near(self, path: str) -> str:
        """Names like the missing one in the folder where it should be."""
        from difflib import get_close_matches  # noqa: PLC0415  # only after a miss

        name = Path(path).name
        parent = str(Path(path).parent)
        try:
            with self._fence.open_folder(parent) as folder:
                names = os.listdir(folder.descriptor)[:2000]  # noqa: PTH208  # of a descriptor
        except (OSError, ToolError):
            return "Its folder does not exist either. Use list_dir or find_files to look around."
        folded = {known.casefold(): known for known in names}
        near = get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6)
        if not near:
            return "Use list_dir or find_files to see what there is."
        meant = ", ".join(f"'{visible_line(str(Path(parent, folded[one])))}'" for one in near)
        return f"Did you mean {meant}?"


def _real(path: Path | str) -> Path:
    return Path(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111


__all__ = ["Workspace"]
