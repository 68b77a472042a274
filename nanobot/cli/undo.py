"""`nanobot undo`: what tools wrote, compared with now, and taken back."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from nanobot.cli.screen import Screen, stdout_console
from nanobot.cli.session import open_workspace
from nanobot.cli.table import print_rows
from nanobot.cli.wording import counted
from nanobot.config import load_settings
from nanobot.workspace import Workspace
from nanobot.workspace.undo import changes_since, take_back

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nanobot.workspace.journal import Written

_MOST_FILES = 3


def print_writes(folder: Path | None, *, anywhere: bool, limit: int) -> None:
    """The writes in the journal, newest first, at most `limit`; 0 means all."""
    workspace = _workspace(folder, anywhere=anywhere)
    screen = Screen(stdout_console())
    rows = [
        (str(write.number), _when(write), write.record.operation, _files(workspace, write))
        for write in islice(workspace.journal.written(), limit + 1 if limit else None)
    ]
    if not rows:
        screen.line(("no writes", "dim"))
        return
    print_rows(screen, ("id", "time", "by", "files"), rows[:limit] if limit else rows)
    if limit and len(rows) > limit:
        screen.line((f"there are more: --limit {limit * 2}, or 0 for all", "dim"))


def print_write(number: int, folder: Path | None, *, anywhere: bool) -> None:
    """What changed from before a write until now.

    Raises:
        ToolError: there is none of that number.
    """
    workspace = _workspace(folder, anywhere=anywhere)
    Screen(stdout_console()).plain(changes_since(workspace, number))


def restore_write(number: int, folder: Path | None, *, anywhere: bool, force: bool) -> None:
    """Put back what stood there before a write, and say what was put back.

    Raises:
        ToolError: there is none of that number, or a file was changed after it.
    """
    workspace = _workspace(folder, anywhere=anywhere)
    paths = take_back(workspace, number, force=force)
    screen = Screen(stdout_console())
    screen.line(f"undone: write {number}, {counted(len(paths), 'file')}")
    for path in paths:
        screen.line(f"  {workspace.display(path)}")


def _workspace(folder: Path | None, *, anywhere: bool) -> Workspace:
    return Workspace.anywhere() if anywhere else open_workspace(folder, load_settings())


def _when(write: Written) -> str:
    return datetime.fromtimestamp(write.record.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _files(workspace: Workspace, write: Written) -> str:
    names = []
    for change in write.record.changes[:_MOST_FILES]:
        kind = " (deleted)" if change.deletes else " (new)" if change.before is None else ""
        names.append(workspace.display(change.path) + kind)
    return _joined(names, len(write.record.changes) - len(names))


def _joined(names: Sequence[str], more: int) -> str:
    return ", ".join(names) + (f" and {more} more" if more else "")


__all__ = ["print_write", "print_writes", "restore_write"]
