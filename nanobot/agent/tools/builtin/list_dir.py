"""The `list_dir` tool: what a folder holds."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.filetool import FileTool
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
        skipped: list[str] = []
        walk = _entries(self.workspace, path, "", recursive=recursive, skipped=skipped)
        rows: list[str] = []
        for row in walk:
            if len(rows) == limit:
                rows.append(
                    f"(More entries: only the first {limit} are shown. Raise max_entries, "
                    "list a folder below, or use find_files.)"
                )
                break
            rows.append(row)
        if skipped:
            rows.append(f"({len(skipped)} could not be read: {', '.join(skipped[:5])})")
        return "\n".join(rows) or "(The folder is empty.)"


def _entries(
    workspace: Workspace, folder: str, below: str, *, recursive: bool, skipped: list[str]
) -> Iterator[str]:
    """Rows of a folder and, where asked, of those below it, each opened behind the fence."""
    with workspace.open_folder(folder) as opened:
        entries = sorted(_read(opened.descriptor))
    for name, mode, size in entries:
        shown = visible_line(below + name)
        if not stat.S_ISDIR(mode):
            yield f"{shown}{_kind(mode, size)}"
            continue
        passed_over = recursive and name in _PASSED_OVER
        yield f"{shown}/ (not listed)" if passed_over else f"{shown}/"
        if recursive and not passed_over:
            try:
                yield from _entries(
                    workspace,
                    os.path.join(folder, name),  # noqa: PTH118  # `..` must stay as written
                    f"{below}{name}/",
                    recursive=True,
                    skipped=skipped,
                )
            except ToolError:
                skipped.append(f"{shown}/")


def _read(descriptor: int) -> Iterator[tuple[str, int, int]]:  # a row of the listing
    with os.scandir(descriptor) as entries:
        for entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            yield entry.name, found.st_mode, found.st_size


def _kind(mode: int, size: int) -> str:
    if stat.S_ISREG(mode):
        return f" ({shown_size(size)})"
    return " (link)" if stat.S_ISLNK(mode) else " (special file)"


__all__ = ["ListDirTool"]
