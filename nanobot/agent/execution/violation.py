"""A failure that is a boundary violation: told by its type, else by the phrases of its text."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nanobot.agent.execution.outcome import message_of, shown_text
from nanobot.errors import BlockedAddress, OutsideWorkspace, ToolError

if TYPE_CHECKING:
    from nanobot.agent.execution.outcome import Outcome

_ADDRESS_PHRASES = (
    "internal/private url detected",
    "private/internal address",
    "private address",
)
_WORKSPACE_PHRASES = (
    "outside the configured workspace",
    "outside allowed directory",
    "working_dir is outside",
    "working_dir could not be resolved",
    "path outside working dir",
    "path traversal detected",
)
_PATH_KEYS = (
    "path",
    "file_path",
    "target",
    "source",
    "destination",
    "directory",
    "working_dir",
    "workdir",
)
_PATH = re.compile(r"(?:~|\.\.|(?<![\w.~:/-])/)[^\s'\"`;|&<>(){}$,]*")
_SEARCHED = 20_000
_MOST_TARGETS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Which boundary, and what lay behind it: normalised absolute paths where they can be told."""

    kind: Literal["address", "workspace"]
    targets: tuple[str, ...] = ()


def violation_of(outcome: Outcome, arguments: object, root: Path | None) -> Violation | None:
    """The violation that a failure is, or None.

    Targets come from a typed error; else from the paths in the arguments, then in the message,
    that are outside `root`; else the whole call is its own target.
    """
    error = outcome.error
    if outcome.status == "ok" or not outcome.ran:
        return None
    if isinstance(error, BlockedAddress):
        return Violation(kind="address", targets=(error.target,))
    if isinstance(error, OutsideWorkspace):
        return Violation(kind="workspace", targets=(_normal(error.target, root),))
    said = shown_text(outcome.content) if error is None or _is_text(error) else message_of(error)
    lowered = said[:_SEARCHED].lower()
    if any(phrase in lowered for phrase in _ADDRESS_PHRASES):
        return Violation(kind="address")
    if any(phrase in lowered for phrase in _WORKSPACE_PHRASES):
        found = _outside(arguments, said[:_SEARCHED], root)
        return Violation(kind="workspace", targets=found or (f"{outcome.name} {arguments!r}",))
    return None


def _is_text(error: BaseException) -> bool:
    return type(error) is ToolError


def _outside(arguments: object, said: str, root: Path | None) -> tuple[str, ...]:
    """Paths outside the root, from the most to the least certain place."""
    given = arguments if isinstance(arguments, Mapping) else {}
    named = [value for key in _PATH_KEYS if isinstance(value := given.get(key), str)]
    texts = [value for value in given.values() if isinstance(value, str)]
    quoted = _paths_in(said)
    written = [path for text in texts for path in _operands(text[:_SEARCHED])]
    for paths in (named, [path for path in written if path in quoted], quoted, written):
        targets = dict.fromkeys(_normal(path, root) for path in paths if not _inside(path, root))
        if targets:
            return tuple(targets)[:_MOST_TARGETS]
    return ()


def _paths_in(text: str) -> list[str]:
    return [path.rstrip(".:") or path for path in _PATH.findall(text)]


def _operands(text: str) -> list[str]:
    """The paths in a text; not the one that a command begins with, where others follow."""
    paths = _paths_in(text)
    return paths[1:] if len(paths) > 1 and text.lstrip().startswith(paths[0]) else paths


def _normal(path: str, root: Path | None) -> str:
    expanded = os.path.expanduser(path)  # noqa: PTH111  # Path raises where there is no home
    return os.path.normpath(os.path.join(root or "/", expanded))  # noqa: PTH118  # as spelled


def _inside(path: str, root: Path | None) -> bool:
    return root is not None and Path(_normal(path, root)).is_relative_to(root)


__all__ = ["Violation", "violation_of"]
