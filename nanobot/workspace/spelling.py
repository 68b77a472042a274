r"""How a path is written: what is no path at all, what another system means by it. Pure.

Forms of another system (`C:\x`, `\\server\share`, `..\x`, `file:///x`) are refused on every
system, so that no path means one file to us and another one to a program further on.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from pathlib import Path

_FOREIGN = re.compile(
    r"^(?:[A-Z]:[\\/]|\\|file:)|(?:^|[\\/])\.\.\\|\\\.\.(?:[\\/]|$)", re.IGNORECASE
)
_FILE_ADDRESS = re.compile(r"file:(?://[^/]*)?(?=/)", re.IGNORECASE)
_SHOWN = 200


def plain_path(path: str) -> str:
    """The path with a leading `~` written out; links and `..` stay as they are.

    Raises:
        OutsideWorkspace: it has a form of another system.
        ToolError: it is empty, holds a NUL, or is no valid text.
    """
    if not path or path.isspace():
        raise ToolError("The path is empty", hint="Give a path, such as 'README.md' or '.'.")
    shown = visible_line(path[:_SHOWN])
    if "\0" in path:
        raise ToolError(f"The path '{shown}' holds a NUL character", hint="Leave it out.")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"The path '{shown}' is no valid text", hint="Leave out what is shown as \\ud8… here."
        ) from error
    if _FOREIGN.search(path):
        raise OutsideWorkspace(
            _meant(path),
            f"Path '{shown}' is outside the configured workspace (a form of another system)",
            hint="Write paths relative to the workspace, with '/' between names.",
        )
    if path == "~" or path.startswith("~/"):
        return os.path.expanduser(path)  # noqa: PTH111  # keeps `..` as written
    return path


def below(path: str, root: Path) -> str | None:
    """The rest of an absolute path under `root` by its spelling, whole components only."""
    wanted = [part for part in str(root).split("/") if part]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts[: len(wanted)] != wanted:
        return None
    return "/".join(parts[len(wanted) :]) or "."


def _meant(path: str) -> str:
    """The target of a refused form: that of a `file:` address is known by its plain path too."""
    address = _FILE_ADDRESS.match(path)
    return os.path.normpath(unquote(path[address.end() :])) if address else path


__all__ = ["below", "plain_path"]
