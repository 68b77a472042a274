"""The `list_dir` tool: what a folder holds."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.paging import Page, fitting
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.errors import ToolError
from nanobot.threads import in_thread
from nanobot.visible import visible_line
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.workspace import Workspace

_LIMIT = 200
_AT_ONCE = 256
_SHOWN_NAME = 300
_PASSED_OVER = frozenset({".git", ".nanobot", "node_modules", "__pycache__", ".venv"})


@tool_parameters(
    tool_parameters_schema(
        path=StringSchema("Folder to list, relative to the workspace: '.', 'src'", min_length=1),
        recursive=BooleanSchema(description="Everything below it too", default=False),
        max_entries=IntegerSchema(description="How many at most", minimum=1, default=_LIMIT),
        required=["path"],
        additional_properties=False,
    )
)
class ListDirTool(FileTool):
    """List one folder, or all below it, and stop at the limit."""

    name = "list_dir"
    title = "List a folder"
    description = (
        "List what a folder of the workspace holds, sorted by name: folders end in '/', files come "
        "with their size. With recursive=true everything below is listed, except inside .git, "
        ".nanobot, node_modules, __pycache__ and .venv. To find files by name in a large tree use "
        "find_files; to search their text use grep. Example: {'path': 'src', 'recursive': true}."
    )
    read_only = True

    async def execute(
        self, path: str, recursive: bool = False, max_entries: int = _LIMIT
    ) -> ToolResult:
        """The entries, one a line, then whether there are more."""
        self.in_bounds("max_entries", max_entries, 1)
        return ToolResult(await in_thread(self._list, path, recursive, max_entries))

    def _list(self, path: str, recursive: bool, limit: int) -> str:
        walk = _Walk(self.workspace, recursive=recursive)
        found = fitting(walk.rows(path), Page(offset=0, limit=limit))
        rows = found.shown
        if found.more:
            raised = "Raise max_entries, l" if len(rows) == limit else "L"
            rows.append(
                f"(More entries: only the first {len(rows)} are shown. "
                f"{raised}ist a folder below, or use find_files.)"
            )
        if walk.skipped:
            shown = ", ".join(name[-_SHOWN_NAME:] for name in walk.skipped[:5])
            rows.append(f"({len(walk.skipped)} could not be read: {shown})")
        return "\n".join(rows) or "(The folder is empty.)"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name below the folder that is listed, with a slash at its end for a folder."""

    name: str
    fact: str

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder that can be listed."""
        return self.name.endswith("/") and not self.fact


class _Walk:
    """The entries of a folder and, where asked, of those below it, one after the other."""

    def __init__(self, workspace: Workspace, *, recursive: bool) -> None:
        self._workspace = workspace
        self._recursive = recursive
        self.skipped: list[str] = []

    def rows(self, path: str) -> Iterator[str]:
        """A row for each entry; a folder is opened when its rows are wanted, behind the fence."""
        waiting = [self._entries(path, "")]
        while waiting:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
                continue
            yield f"{visible_line(entry.name)}{entry.fact}"
            if entry.is_folder and self._recursive:
                folder = os.path.join(path, entry.name.rstrip("/"))  # noqa: PTH118  # keeps `..`
                waiting.append(self._below(folder, entry.name))

    def _below(self, folder: str, name: str) -> Iterator[_Entry]:
        try:
            yield from self._entries(folder, name)
        except ToolError:
            self.skipped.append(visible_line(name))

    def _entries(self, folder: str, below: str) -> Iterator[_Entry]:
        with self._workspace.open_folder(folder) as opened:
            names = sorted(_names(opened.descriptor))
            first = [self._entry(opened.descriptor, below, name) for name in names[:_AT_ONCE]]
        yield from filter(None, first)
        for start in range(_AT_ONCE, len(names), _AT_ONCE):
            with self._workspace.open_folder(folder) as opened:
                more = [
                    self._entry(opened.descriptor, below, name)
                    for name in names[start : start + _AT_ONCE]
                ]
            yield from filter(None, more)

    def _entry(self, descriptor: int, below: str, name: str) -> _Entry | None:
        if name.endswith("/"):
            passed_over = self._recursive and name[:-1] in _PASSED_OVER
            return _Entry(f"{below}{name}", " (not listed)" if passed_over else "")
        try:
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except OSError:  # gone meanwhile
            return None
        return _Entry(f"{below}{name}", _kind(found.st_mode, found.st_size))


def _names(descriptor: int) -> Iterator[str]:
    """The names in a folder; those of folders with a slash at their end."""
    with os.scandir(descriptor) as entries:
        for entry in entries:
            yield f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name


def _kind(mode: int, size: int) -> str:
    if stat.S_ISREG(mode):
        return f" ({shown_size(size)})"
    return " (link)" if stat.S_ISLNK(mode) else " (special file)"


__all__ = ["ListDirTool"]
