"""`Transaction`: changes of several files, made all together or not at all.

Every new file is complete, under a temporary name beside its place and on the disk, before the
first name is touched; what stood there is kept in the journal. A failure puts everything back,
folders included; after a kill the next writer does (`recovery`).
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.fingerprint import digest_of_small, file_digest
from nanobot.workspace.identity import Identity
from nanobot.workspace.record import After, Change, Record
from nanobot.workspace.step import Step, go_back
from nanobot.workspace.temporary import copy, fill, new_file, open_to_read, take_over

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from nanobot.workspace.journal import Entry, Journal
    from nanobot.workspace.spot import Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    data: bytes
    like: Spot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _CopyOf:
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nothing:
    pass


_Bytes: TypeAlias = bytes  # a method has that name
_Draft: TypeAlias = "_Content | _CopyOf | _Nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A file as a commit left it: its real path and identity, None if it was deleted.

    `digest` is the fingerprint of its bytes, "" of more than 1 MB.
    """

    path: Path
    identity: Identity | None
    digest: str


class Transaction:
    """Files whose locks are held: made by `Workspace.changing`, for as long as its block lasts.

    Args:
        spots: where the files are, by the paths as they were given.
        journal: where old files are kept.
        operation: the tool or command, for the journal.

    Nothing but `commit` changes anything. A path that was not given is a `KeyError`.
    """

    def __init__(self, spots: Mapping[str, Spot], journal: Journal, operation: str) -> None:
        self._spots = spots
        self._journal = journal
        self._operation = operation
        self._drafts: dict[Path, _Draft] = {}
        self._seen = {spot.path: spot.identity() for spot in spots.values()}

    def path(self, path: str) -> Path:
        """The real path that `path` means."""
        return self._spots[path].path

    def identity(self, path: str) -> Identity | None:
        """The identity of the file that stands there; None for none. What is staged: `bytes`."""
        return self._spots[path].identity()

    def bytes(self, path: str, *, most: int | None = None) -> _Bytes | None:
        """The file's bytes, or what is staged for it; None when there is no file.

        Raises:
            ToolError: it has more than `most` bytes.
        """
        spot = self._spots[path]
        match self._drafts.get(spot.path):
            case _Content(data=data):
                return data
            case _CopyOf(file=file):
                return file.read_bytes()
            case _Nothing():
                return None
            case None:
                return _read(spot, most)

    @contextmanager
    def open(self, path: str) -> Iterator[int]:
        """A descriptor to read the file that stands there, whatever is staged.

        Raises:
            FileNotFoundError: there is none.
        """
        spot = self._spots[path]
        if spot.state() is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(spot.path))
        descriptor = open_to_read(spot.name, spot.folder)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def write(self, path: str, data: _Bytes, *, like: str | None = None) -> None:
        """Stage these bytes. Mode, owner and attributes of the file stay.

        `like` is the path of another file that hands its own on to a new file: the old name of
        one that moves.
        """
        model = None if like is None else self._spots[like]
        self._drafts[self._spots[path].path] = _Content(data=data, like=model)

    def put_back(self, path: str, image: Path) -> None:
        """Stage a copy of another file, mode, owner and attributes included."""
        self._drafts[self._spots[path].path] = _CopyOf(file=image)

    def delete(self, path: str) -> None:
        """Stage that there is no file afterwards."""
        self._drafts[self._spots[path].path] = _Nothing()

    def commit(self) -> Sequence[Committed]:
        """Make everything that is staged, or nothing of it; what stands there afterwards.

        Raises:
            ToolError: another program changed one of the files since the transaction began.
            OSError: a file can't be written. Everything is as it was.
        """
        work = [spot for spot in self._distinct() if self._is_change(spot)]
        drafts = [self._drafts[spot.path] for spot in work]
        self._drafts = {}
        if not work:
            return []
        for spot in work:
            _refuse_unwritable(spot)
        with self._journal.begin(self._record(work, drafts)) as entry:
            after = _done(work, drafts, entry)
        made = []
        for spot, each in zip(work, after, strict=True):
            identity = self._seen[spot.path] = spot.identity()
            made.append(Committed(path=spot.path, identity=identity, digest=each.digest))
        return made

    def _distinct(self) -> list[Spot]:
        return list({spot.path: spot for spot in self._spots.values()}.values())

    def _is_change(self, spot: Spot) -> bool:
        draft = self._drafts.get(spot.path)
        return draft is not None and (draft != _Nothing() or self._seen[spot.path] is not None)

    def _record(self, work: Sequence[Spot], drafts: Sequence[_Draft]) -> Record:
        folders = dict.fromkeys(str(folder) for spot in work for folder in spot.missing)
        return Record(
            operation=self._operation,
            at=time.time(),
            changes=tuple(
                Change(
                    path=str(spot.path),
                    before=self._seen[spot.path],
                    temporary=f".nanobot-{secrets.token_hex(8)}.tmp",
                    deletes=draft == _Nothing(),
                )
                for spot, draft in zip(work, drafts, strict=True)
            ),
            folders=tuple(folders),
        )


def _done(work: Sequence[Spot], drafts: Sequence[_Draft], entry: Entry) -> list[After]:
    """All steps of a write whose intent is recorded, or none."""
    alone = len(work) == 1
    changes = entry.record.changes
    steps = [
        Step(index, change, spot, entry)
        for index, (change, spot) in enumerate(zip(changes, work, strict=True))
    ]
    after: list[After] = []
    try:
        if not alone:
            entry.sync()
        made = []
        for change, spot, draft in zip(changes, work, drafts, strict=True):
            with _naming(spot):
                spot.make_folders()
                made.append(_made(change, spot, draft))
        for step, spot in zip(steps, work, strict=True):
            with _naming(spot):
                step.keep(alone=alone)
        entry.ready(made)
        after = made
        if not alone:
            entry.sync()
        for step, spot in zip(steps, work, strict=True):
            with _naming(spot):
                step.apply()
    except BaseException:
        if go_back(steps, entry, after):
            for spot in reversed(work):
                spot.remove_folders()
            entry.drop()
        raise
    for spot in work:
        spot.sync()
    with suppress(OSError):  # it is done all the same; the next writer tidies the journal
        entry.finish()
    return after


@contextmanager
def _naming(spot: Spot) -> Iterator[None]:
    """Errors name the file that was meant, not its temporary one."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(spot.path), None
        raise


def _made(change: Change, spot: Spot, draft: _Draft) -> After:
    """The temporary file of a change, complete and on the disk."""
    if isinstance(draft, _Nothing):
        return After()
    like = draft.like if isinstance(draft, _Content) else None
    model = spot if change.before is not None else like
    private = model is not None or isinstance(draft, _CopyOf)
    descriptor = new_file(change.temporary, spot.folder, private=private)
    try:
        if isinstance(draft, _CopyOf):
            found = _copied(draft.file, descriptor)
        else:
            found = _filled(draft.data, descriptor, model)
        os.fsync(descriptor)
        return After(identity=Identity.of(os.fstat(descriptor)), digest=found)
    finally:
        os.close(descriptor)


def _filled(data: bytes, descriptor: int, model: Spot | None) -> str:
    """Fill a new file; mode, owner and attributes are those of `model`."""
    fill(descriptor, data)
    old = model.state() if model else None
    if model and old:
        try:
            source = open_to_read(model.name, model.folder)
        except OSError:
            take_over(descriptor, old, None)
        else:
            take_over(descriptor, old, source)
            os.close(source)
    return digest_of_small(data)


def _copied(file: Path, descriptor: int) -> str:
    source = open_to_read(str(file))
    try:
        copy(source, descriptor)
        take_over(descriptor, os.fstat(source), source)
        return file_digest(source)
    finally:
        os.close(source)


def _refuse_unwritable(spot: Spot) -> None:
    if spot.state() is not None and not os.access(spot.name, os.W_OK, dir_fd=spot.folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(spot.path))


def _read(spot: Spot, most: int | None) -> bytes | None:
    found = spot.state()
    if found is None:
        return None
    if most is not None and found.st_size > most:
        raise ToolError(
            f"'{visible_line(spot.name)}' has {found.st_size:,} bytes; "
            f"at most {most:,} can be edited at once"
        )
    with os.fdopen(open_to_read(spot.name, spot.folder), "rb") as file:
        return file.read()


__all__ = ["Committed", "Transaction"]
