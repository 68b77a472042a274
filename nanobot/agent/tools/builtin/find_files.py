"""The `find_files` tool: files by name."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.collection import collect
from nanobot.agent.tools.leftout import left_out
from nanobot.agent.tools.paging import Page, fitting, page_notes
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.agent.tools.searchtool import SearchTool
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nanobot.agent.tools.result import ToolResult
    from nanobot.agent.tools.searching import Scope

_LIMIT = 200
_MOST = 1_000
_AGE = struct.Struct(">Q")
_OLDEST = (1 << 64) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    words: Sequence[str]
    include_dirs: bool
    newest_first: bool

    def meant(self, names: list[bytes]) -> list[bytes]:
        """Those that hold every word."""
        for word in self.words:
            names = _holding(word, names)
        return names


def _holding(word: str, names: list[bytes]) -> list[bytes]:
    """The names that hold a word, without case. ASCII is searched as one text, most names unseen."""
    if "\0" in word:
        return []
    joined = b"\0".join(names)
    if not joined.isascii():
        return [name for name in names if word in os.fsdecode(name).casefold()]
    lowered, sought = joined.lower(), word.encode(errors="surrogatepass")
    found, place = [], lowered.find(sought)
    while place >= 0:
        start, end = lowered.rfind(b"\0", 0, place) + 1, lowered.find(b"\0", place)
        end = len(joined) if end < 0 else end
        found.append(joined[start:end])
        place = lowered.find(sought, end)
    return found


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
            folders=include_dirs,
            answer=lambda scope: _answer(scope, wish, page),
        )


def _answer(scope: Scope, wish: _Wish, page: Page) -> str:
    found = collect(
        scope,
        ["--files", "--null"],
        keys=lambda blocks: _keys(scope, wish, blocks),
        most=page.end,
        most_bytes=page.most_bytes,
        what="The search",
    )
    skipped = _AGE.size if wish.newest_first else 0
    rows = fitting((scope.shown(os.fsdecode(key[skipped:])) for key in found.first), page)
    notes = page_notes(rows, page, found.total)
    if not found.total:
        notes = ["No files found."]
    elif not notes:
        notes = [f"({found.total} found.)"]
    notes += [*left_out(scope, found.total), *found.notes]
    return "\n".join([*rows.shown, *filter(None, notes)])


def _keys(scope: Scope, wish: _Wish, blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """The names that are wanted as sort keys: by path the names, else with their age in front."""
    folders: set[bytes] = set()
    for block in blocks:
        names = [*block, *_folders_of(block, folders)] if wish.include_dirs else block
        names = wish.meant(scope.meant(names))
        yield [_age(scope, name) + name for name in names] if wish.newest_first else names


def _folders_of(names: Sequence[bytes], known: set[bytes]) -> list[bytes]:
    """The folders of some files that are not known yet, each with a slash at its end."""
    new: list[bytes] = []
    for folder in {name.rpartition(b"/")[0] for name in names}:
        above = folder
        while above and above not in known:
            known.add(above)
            new.append(above + b"/")
            above = above.rpartition(b"/")[0]
    return new


def _age(scope: Scope, name: bytes) -> bytes:
    """Bytes that sort the newest first, and what is gone meanwhile last."""
    try:
        found = os.stat(name, dir_fd=scope.descriptor, follow_symlinks=False)
    except OSError:
        return _AGE.pack(_OLDEST)
    return _AGE.pack((_OLDEST >> 1) - found.st_mtime_ns)


__all__ = ["FindFilesTool"]
