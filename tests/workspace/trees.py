"""Whole folders as values, and changes of them in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nanobot.workspace import Workspace

__all__ = ["commit", "tree"]


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder with None; our own state left out."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if ".nanobot" not in path.relative_to(folder).parts
    }


def commit(workspace: Workspace, changes: Mapping[str, bytes | None], operation: str = "x") -> None:
    """Write, or with None delete, all of the files in one transaction."""
    with workspace.changing(list(changes), operation=operation) as change:
        for path, data in changes.items():
            if data is None:
                change.delete(path)
            else:
                change.write(path, data)
        change.commit()
