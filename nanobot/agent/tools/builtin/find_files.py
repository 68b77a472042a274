"""The `find_files` tool: files by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.paging import Page, fitting, page_notes
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.agent.tools.searching import (
    Scope,
    collect,
    name_of,
)
from nanobot.agent.tools.searchtool import SearchTool
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.tools.result import ToolResult
    from nanobot.agent.tools.searching import Found

_LIMIT = 200
_MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    words: Sequence[str]
    include_dirs: bool
    newest_first: bool

    def sifted(self, records: list[bytes]) -> list[bytes]:
        """Without those that surely lack a word."""
        for word in self.words:
            if word.isascii():
                sought = word.encode()
                records = [
                    record for record in records if sought in record.lower() or not record.isascii()
                ]
        return records


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
class FindFilesTool(SearchTool):
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
        page = Page(offset=offset, limit=head_limit)
        return await self.searched(
            path,
            glob=glob,
            kind=type,
            include_ignored=include_ignored,
            answer=lambda scope: _answer(scope, wish, page),
        )


def _answer(scope: Scope, wish: _Wish, page: Page) -> str:
    if wish.include_dirs:
        found = _with_folders(scope, wish, most=page.end)
    else:
        found = collect(
            scope,
            ["--files", "--null"],
            keyed=lambda record: _keyed(scope, wish, name_of(record)),
            sifted=wish.sifted,
            most=page.end,
            what="The search",
        )
    rows = fitting((scope.shown(name) for _, name in found.first), page)
    notes = page_notes(rows, page, found.total)
    if not found.total:
        notes = ["No files found."]
    elif not notes:
        notes = [f"({found.total} found.)"]
    notes += [*scope.left_out(found.total), *found.notes]
    return "\n".join([*rows.shown, *filter(None, notes)])


def _keyed(scope: Scope, wish: _Wish, name: str) -> tuple[object, str] | None:
    """A name that is wanted, with what it is sorted by."""
    if not scope.wants(name.rstrip("/")):
        return None
    if wish.words:
        folded = name.casefold()
        if not all(word in folded for word in wish.words):
            return None
    return (_age(scope, name), name) if wish.newest_first else (name, name)


def _age(scope: Scope, name: str) -> tuple[int, str]:
    try:
        found = os.stat(name, dir_fd=scope.descriptor, follow_symlinks=False)
    except OSError:
        return 0, name
    return -found.st_mtime_ns, name


def _with_folders(scope: Scope, wish: _Wish, *, most: int) -> Found:
    """The same with the folders of the files found, each with a slash at its end."""
    folders: dict[str, None] = {}

    def keyed(record: bytes) -> tuple[object, str] | None:
        name = name_of(record)
        parent = os.path.dirname(name)  # noqa: PTH120  # of hundreds of thousands
        while parent and f"{parent}/" not in folders:
            folders[f"{parent}/"] = None
            parent = os.path.dirname(parent)  # noqa: PTH120
        return _keyed(scope, wish, name)

    found = collect(scope, ["--files", "--null"], keyed=keyed, most=most, what="The search")
    more = [one for one in (_keyed(scope, wish, name) for name in folders) if one is not None]
    found.total += len(more)
    found.first = nsmallest(most, [*found.first, *more])
    return found


__all__ = ["FindFilesTool"]
