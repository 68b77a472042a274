"""Where state of ours lies that belongs to a person and to no workspace."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from nanobot.errors import ToolError

_PRIVATE = 0o700
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def user_state(name: str) -> Path:
    """A folder `name` in the user's state directory, made on demand, for this user alone.

    Where that can't be written (a read-only home), it lies in a folder of the user's own below
    the directory for temporary files.

    Raises:
        ToolError: neither can be written, or somebody else took the name of the second one.
    """
    from platformdirs import user_state_path  # noqa: PLC0415  # only writing needs it

    folder = user_state_path("nanobot") / name
    with suppress(OSError):
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    return _temporary(name)


def _temporary(name: str) -> Path:
    folder = Path(tempfile.gettempdir(), f"nanobot-{os.geteuid()}")
    try:
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
        found = folder.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if ours and not found.st_mode & _OTHERS:
            below = folder / name
            below.mkdir(mode=_PRIVATE, exist_ok=True)
            return below
        reason = "somebody else may write there"
    except OSError as error:
        reason = error.strerror or str(error)
    raise ToolError(
        f"There is no folder for lock files and the like: {folder} can't be used ({reason})",
        hint="Set XDG_STATE_HOME to a folder that can be written.",
    )


__all__ = ["user_state"]
