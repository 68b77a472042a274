"""The `find_files` tool: files by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
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
from nanobot.agent.tools.searching import Scope, ended, name_of, scope_of
from nanobot.errors import ToolError
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LIMIT = 200
_MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    words: Sequence[str]
    include_dirs: bool
    newest_first: bool


@tool_parameters(
    tool_parameters_schema(
        path=StringSchema("Folder to search, relative to the workspace", default="."),
        query=StringSchema(
            "Words that the path must hold, in any order, without case: 'test config'"
        ),
        glob=StringSchema("Gitignore glob for the path: '*.py', 'src/**/*.ts', '*.{md,rst}'"),
        type=StringSchema("Kind of file: py, js, ts, rust, go, java, md, json, …"),
        include_dirs=BooleanSchema(description="Folders too", default=False),
        sort=StringSchema("By path, or newest first", enum=["path", "modified"], default="path"),
        head_limit=IntegerSchema(
            description="How many at most; 0: all", minimum=0, maximum=_MOST, default=_LIMIT
        ),
        offset=IntegerSchema(description="How many to skip", minimum=0, default=0),
        include_ignored=BooleanSchema(
            description="Also hidden files and what .gitignore names", default=False
        ),
        additional_properties=False,
    )
)
class FindFilesTool(FileTool):
    """Find files by words, glob or kind, in a defined order, page by page."""

    name = "find_files"
    title = "Find files"
    description = (
        "Find files by name in the workspace, at any depth. Give words of the path (query), a glob "
        "or a type; with none of them, every file is listed. To look for text inside files use "
        "grep; to see one folder use list_dir. Hidden files and what .gitignore names are left out "
        "unless include_ignored is true. Examples: {'glob': '*.py'}, {'query': 'user model', "
        "'path': 'src'}, {'type': 'md', 'sort': 'modified', 'head_limit': 10}."
    )
    read_only = True

    async def execute(
        self,
        path: str = ".",
        query: str = "",
        glob: str | None = None,
        type: str | None = None,  # noqa: A002  # the contract's name
        include_dirs: bool = False,
        sort: str = "path",
        head_limit: int = _LIMIT,
        offset: int = 0,
        include_ignored: bool = False,
    ) -> ToolResult:
        """The names of one page, then how many there are."""
        self.in_bounds("head_limit", head_limit, 0, _MOST)
        self.in_bounds("offset", offset, 0)
        if sort not in ("path", "modified"):
            raise ToolError(f"sort must be one of ['path', 'modified'], got '{sort}'")
        wish = _Wish(
            words=query.casefold().split(),
            include_dirs=include_dirs,
            newest_first=sort == "modified",
        )

        def find() -> str:
            scope = scope_of(
                self.workspace, path, glob=glob, kind=type, include_ignored=include_ignored
            )
            return _page(scope, wish, offset, head_limit)

        return ToolResult(await in_thread(find))


def _page(scope: Scope, wish: _Wish, offset: int, limit: int) -> str:
    search = scope.ripgrep("--files", "--null")
    found = [name_of(record) for record in search.records(b"\0")]
    notes = ended(search, "The search")
    if wish.include_dirs:
        found += sorted(_folders(found))
    names = [n for n in found if scope.wants(n.rstrip("/")) and _has_words(n, wish.words)]
    names.sort(key=_newest(scope) if wish.newest_first else None)
    rows = [scope.shown(n) for n in (names[offset : offset + limit] if limit else names[offset:])]
    return "\n".join([*rows, *_told(len(names), offset, len(rows), scope), *notes])


def _has_words(name: str, words: Sequence[str]) -> bool:
    folded = name.casefold()
    return all(word in folded for word in words)


def _folders(names: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for name in names:
        parent = os.path.dirname(name)  # noqa: PTH120  # of hundreds of thousands
        while parent and f"{parent}/" not in folders:
            folders.add(f"{parent}/")
            parent = os.path.dirname(parent)  # noqa: PTH120
    return folders


def _newest(scope: Scope) -> Callable[[str], tuple[int, str]]:
    def age(name: str) -> tuple[int, str]:
        try:
            return -os.lstat(scope.folder / name).st_mtime_ns, name
        except OSError:
            return 0, name

    return age


def _told(total: int, offset: int, shown: int, scope: Scope) -> list[str]:
    if not total:
        return [f"No files found. {scope.left_out()}".strip()]
    if not shown:
        return [f"(offset {offset} lies beyond the {total} files found.)"]
    if shown == total:
        return [f"({total} found.)"]
    last = offset + shown
    more = f" Use offset={last} to continue." if last < total else ""
    return [f"(Showing {offset + 1}-{last} of {total}.{more})"]


__all__ = ["FindFilesTool"]
