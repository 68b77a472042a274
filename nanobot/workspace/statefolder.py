"""Where the state of a workspace lies: results, sessions, the journal of writes."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.workspace.userstate import user_state

if TYPE_CHECKING:
    from pathlib import Path

_NAME = ".nanobot"
_JOURNAL = "journal"
_PRIVATE = 0o700


def state_folder(root: Path | None) -> Path:
    """The folder `.nanobot/` of a workspace, made on demand and ignored by git.

    Without a workspace it lies in the user's state directory.

    Raises:
        ToolError: it is a link, which a stranger's repository may have brought along.
    """
    if root is None:
        return user_state("anywhere")
    folder = root / _NAME
    if folder.is_symlink():
        raise ToolError(
            f"'{_NAME}' in the workspace is a link, and nanobot's state is kept there",
            hint="A person should look where it leads, and remove it.",
        )
    folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return folder


def journal_folder(root: Path | None, make: bool) -> Path:
    """The folder of the journal. With `make` it exists afterwards.

    Where the workspace's own folder for state can't be used (it may not be written, or is somebody
    else's), or is a link to somewhere else, it lies in the user's state directory.
    """
    if root is None:
        return _below(user_state("anywhere"), make=make)
    own = root / _NAME
    elsewhere = f"journal-{blake2b(os.fsencode(root), digest_size=8).hexdigest()}"
    if not own.is_symlink():
        if make:
            with suppress(OSError, ToolError):
                _below(state_folder(root), make=True)
        if _usable(own / _JOURNAL):
            return own / _JOURNAL
    return user_state(elsewhere) if make else user_state("") / elsewhere


def _usable(folder: Path) -> bool:
    try:
        return folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    except OSError:
        return False


def _below(folder: Path, *, make: bool) -> Path:
    journal = folder / _JOURNAL
    if make:
        journal.mkdir(mode=_PRIVATE, exist_ok=True)
    return journal


__all__ = ["journal_folder", "state_folder"]
