"""Undoing what tools wrote: the journal's writes listed, compared with now, and taken back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.encoding import NotText, decoded
from nanobot.workspace.fingerprint import file_digest
from nanobot.workspace.sizes import shown_size
from nanobot.workspace.temporary import open_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.workspace.journal import Written
    from nanobot.workspace.record import After, Change
    from nanobot.workspace.transaction import Transaction
    from nanobot.workspace.workspace import Workspace

_LARGEST = 4 * 1024 * 1024
_MOST_ROWS = 400


def find_write(workspace: Workspace, number: int) -> Written:
    """The write of this number.

    Raises:
        ToolError: there is none in the journal, any more or at all.
    """
    found = workspace.journal.find(number)
    if found is None:
        raise ToolError(
            f"There is no write {number} in the journal",
            hint="See which there are: nanobot undo list",
        )
    return found


def changes_since(workspace: Workspace, number: int) -> str:
    """A unified diff from what stood there before a write to what stands there now.

    At most 400 rows; files over 4 MB, and those that are no text, are told by their size.

    Raises:
        ToolError: there is no such write, or a file may not be read.
    """
    write = find_write(workspace, number)
    parts, room = [], _MOST_ROWS
    for index, change in enumerate(write.record.changes):
        part = _compared(workspace, write, index, change, room)
        room -= part.count("\n") + 1
        parts.append(part)
        if room <= 0 and index + 1 < len(write.record.changes):
            parts.append(f"… and {len(write.record.changes) - index - 1} more files")
            break
    return "\n".join(parts)


def take_back(workspace: Workspace, number: int, *, force: bool = False) -> Sequence[Path]:
    """Put back what stood there before a write, all of its files or none; their real paths.

    This is a write too: it is in the journal, and can be undone.

    Args:
        workspace: where it was written.
        number: which write.
        force: overwrite files that were changed after it.

    Raises:
        ToolError: there is no such write; a file is no longer what it left; or it may not be
            written.
    """
    write = find_write(workspace, number)
    changes, after = write.record.changes, write.record.after
    paths = [change.path for change in changes]
    with workspace.changing(paths, operation=f"undo {number}") as transaction:
        for index, change in enumerate(changes):
            if not force and not _stands(transaction, change, after[index]):
                raise ToolError(
                    f"'{visible_line(workspace.display(change.path))}' is no longer what write "
                    f"{number} left; nothing was changed",
                    hint=f"Compare with `nanobot undo show {number}`; --force overwrites it.",
                )
            _stage(transaction, write, index, change)
        transaction.commit()
    for folder in reversed(write.record.folders):
        _remove_empty(workspace, Path(folder))
    return [Path(path) for path in paths]


def _stands(transaction: Transaction, change: Change, after: After) -> bool:
    """Whether the file is what the write left: by its identity, or by its bytes if it is small."""
    now = transaction.identity(change.path)
    if now is None or after.identity is None:
        return now is None and after.identity is None
    if now.alike(after.identity):
        return True
    if not after.digest or now.size != after.identity.size:
        return False
    with transaction.open(change.path) as descriptor:
        return file_digest(descriptor) == after.digest


def _stage(transaction: Transaction, write: Written, index: int, change: Change) -> None:
    if change.before is None:
        transaction.delete(change.path)
        return
    if not write.image(index).is_file():
        raise ToolError(f"The old bytes of '{visible_line(change.path)}' are no longer kept")
    transaction.put_back(change.path, write.image(index))


def _remove_empty(workspace: Workspace, folder: Path) -> None:
    with suppress(OSError, ToolError), workspace.open_folder(folder.parent) as opened:
        os.rmdir(folder.name, dir_fd=opened.descriptor)


def _compared(workspace: Workspace, write: Written, index: int, change: Change, room: int) -> str:
    name = visible_line(workspace.display(change.path))
    before = _image_bytes(write, index, change)
    now = _bytes_now(workspace, change.path)
    if isinstance(before, bytes) and isinstance(now, bytes):
        with suppress(NotText):
            old, new = decoded(before)[0], decoded(now)[0]
            return bounded_diff(old, new, name, most=room) or f"{name}: the same as before"
    return f"{name}: {_size(before)} before, {_size(now)} now; too large, or no text, to compare"


def _size(found: bytes | int) -> str:
    return shown_size(found if isinstance(found, int) else len(found))


def _image_bytes(write: Written, index: int, change: Change) -> bytes | int:
    """The old bytes, none for no file; or only their number when there are too many."""
    if change.before is None:
        return b""
    try:
        descriptor = open_to_read(str(write.image(index)))
    except OSError:
        return change.before.size
    with os.fdopen(descriptor, "rb") as file:
        return file.read() if change.before.size <= _LARGEST else change.before.size


def _bytes_now(workspace: Workspace, path: str) -> bytes | int:
    if not os.path.lexists(path):
        return b""
    with workspace.open_file(path) as opened, open(opened.descriptor, "rb", closefd=False) as file:
        size = opened.identity.size
        return file.read() if size <= _LARGEST else size


__all__ = ["changes_since", "find_write", "take_back"]
