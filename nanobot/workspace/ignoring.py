"""What a search leaves out: texts of gitignore files for ripgrep. Pure.

ripgrep lets a glob on its command line override `.gitignore`, so a wanted glob goes into an ignore
file instead: everything is ignored, folders and what the glob means are taken out again. Files
that a `.gitignore` takes out again (`!name`) get through and must be filtered after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.workspace.globs import Glob


def wanted_only(glob: Glob, folder: str, *, hidden: bool) -> str:
    """An ignore file that leaves only what `glob` means below `folder` (relative, "" for all)."""
    rows = [_based(form, folder) for form in glob.forms]
    if glob.negated:
        return "\n".join(rows)
    lines = ["*", "!*/", *("!" + row for row in rows)]
    return "\n".join(lines if hidden else [*lines, ".*"])


def rebased(text: str, folder: str) -> str:
    """The rules of `folder`'s `.gitignore` as rules of the folder above all."""
    if not folder:
        return text
    rows = []
    for raw in text.splitlines():
        line = raw.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        body = line.removeprefix("!")
        rows.append(("!" if body != line else "") + _based(body, folder))
    return "\n".join(rows)


def _based(pattern: str, folder: str) -> str:
    where = "/" + _literal(folder) + "/" if folder else "/"
    if "/" in pattern.rstrip("/"):
        return where + pattern.lstrip("/")
    return where + "**/" + pattern if folder else _guarded(pattern)


def _guarded(pattern: str) -> str:
    return "\\" + pattern if pattern.startswith(("#", "!")) else pattern


def _literal(path: str) -> str:
    return "".join("\\" + char if char in "*?[]{}\\!# " else char for char in path)


def parents(folder: str) -> Sequence[str]:
    """The folders above a relative one, from the outermost: "", "a", "a/b" for "a/b/c"."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:depth]) for depth in range(len(parts))]


__all__ = ["parents", "rebased", "wanted_only"]
