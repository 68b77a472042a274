"""Before anything else: whether this program may start here, and what may be imported."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

_OURS = "nanobot_tools-"
_OTHER = "nanobot_ai-"
_METADATA = (".dist-info", ".egg-info")
_CONFLICT = (
    "nanobot: the distribution nanobot-ai is installed here too, and both own the package "
    "'nanobot'. Run: pip uninstall nanobot-ai && pip install --force-reinstall --no-deps "
    "nanobot-tools (for its plugins see docs/ship-a-plugin.md)"
)


def installed_versions(path: Iterable[str]) -> dict[str, str]:
    """The versions of `nanobot_tools` and `nanobot_ai` found on an import path, by these names.

    Reads folder listings only: `importlib.metadata` takes longer to import than this to run.
    """
    found: dict[str, str] = {}
    for folder in path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208  # pathlib is slow to import
        except OSError:
            continue
        for name in names:
            if name.startswith((_OURS, _OTHER)) and name.endswith(_METADATA):
                distribution, _, rest = name.partition("-")
                found.setdefault(distribution, _version_of(rest))
    return found


def conflict(versions: dict[str, str]) -> str:
    """Why the program may not start, in one line; "" when it may."""
    return _CONFLICT if "nanobot_ai" in versions else ""


def forget_working_folder(path: MutableSequence[str]) -> None:
    """Take the folder we stand in off the import path: nothing in it is imported unasked."""
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109  # pathlib is slow to import
    except OSError:
        here = ""
    path[:] = [folder for folder in path if folder and os.path.realpath(folder) != here]


def own_version() -> str:
    """The version of this program, as its distribution says; `0+unknown` in a bare source tree."""
    return installed_versions(sys.path).get("nanobot_tools", "0+unknown")


def _version_of(rest: str) -> str:
    """From `1.2.0-py3.11.egg-info` or `1.2.0.dist-info`."""
    for ending in _METADATA:
        rest = rest.removesuffix(ending)
    return rest.partition("-")[0]


__all__ = ["conflict", "forget_working_folder", "installed_versions", "own_version"]
