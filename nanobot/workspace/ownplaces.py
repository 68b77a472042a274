"""Where our own settings and state lie beside a workspace: no tool may write there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.workspace.control import plain_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAME = "nanobot"


class OwnPlaces:
    """What is ours wherever the environment and the command line put it, as it is when made.

    Args:
        root: the workspace. Folders of ours that it lies in are the owner's choice.
        files: single files that are ours too, such as the settings in use.
    """

    def __init__(self, root: Path, files: Iterable[Path | str]) -> None:
        folders = {Path(os.path.realpath(place)) for place in _places()}
        self._files = [_names(path) for path in files]
        self._folders = [_names(place) for place in folders if not root.is_relative_to(place)]

    def reason(self, real: Path) -> str:
        """Why the file of this real path may not be written; "" when it may."""
        names = plain_names(real.parts)
        if names in self._files:
            return "it is nanobot's own configuration"
        ours = any(names[: len(folder)] == folder for folder in self._folders)
        return "it holds nanobot's own settings or state" if ours else ""


def _names(path: Path | str) -> list[str]:
    return plain_names(Path(os.path.realpath(path)).parts)


def _places() -> Iterator[Path]:
    from platformdirs import user_config_path, user_state_path  # noqa: PLC0415  # only writing needs it

    for appauthor in (None, False):
        yield user_config_path(_NAME, appauthor=appauthor)
        yield user_state_path(_NAME, appauthor=appauthor)
    if hasattr(os, "geteuid"):
        yield Path(tempfile.gettempdir(), f"{_NAME}-{os.geteuid()}")


__all__ = ["OwnPlaces"]
