"""The `read_file` tool: a range of a text file's lines, with their numbers."""

from __future__ import annotations

import mimetypes
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.context import shown_results
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
from nanobot.workspace.encoding import looks_like_text
from nanobot.workspace.excerpt import excerpt
from nanobot.workspace.fingerprint import digest
from nanobot.workspace.seen import Seen
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.fence import Opened
    from nanobot.workspace.identity import Identity

_BUDGET = 128_000
_LIMIT = 2_000
_SNIFFED = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """An answer, and the file in the state that it shows; `seen` where it shows lines of it.

    `print` is the digest of the text.
    """

    text: str
    print: str
    path: Path
    identity: Identity
    seen: Seen | None = None


@tool_parameters(
    tool_parameters_schema(
        path=StringSchema(
            "File to read, relative to the workspace or absolute: 'src/app.py'", min_length=1
        ),
        offset=IntegerSchema(description="Line to start at, counted from 1", minimum=1, default=1),
        limit=IntegerSchema(description="How many lines at most", minimum=1, default=_LIMIT),
        pages=StringSchema("Pages of a PDF, such as '2-5', at most 20; nothing for text"),
        force=BooleanSchema(
            description="Give the content also when it has not changed since the last read",
            default=False,
        ),
        required=["path"],
        additional_properties=False,
    )
)
class ReadFileTool(FileTool):
    """Read a range of lines in constant memory, however large the file is."""

    name = "read_file"
    title = "Read a file"
    description = (
        "Read a text file of the workspace. Each line comes as 'N| text', where N is its number; "
        "the number and '| ' are not part of the file. At most 2,000 lines and 128,000 characters "
        "come at once; the last line of the answer says how many there are and which offset goes "
        "on. For a large file, find the place with grep first, then read around it: "
        "{'path': 'app.log', 'offset': 4000, 'limit': 100}. Read a file before you edit it. To see "
        "what a folder holds use list_dir, to find files by name use find_files. "
        "UTF-8, and UTF-16 or UTF-32 with a byte order mark, are text; for any other file you get "
        "its type and size. If the same lines were read before and have not changed, the answer "
        "says so; force=true gives them again."
    )
    read_only = True
    _scopes: ClassVar[set[str]] = {"core", "subagent", "memory"}

    def question(self, params: JsonObject) -> str:
        """Files that usually hold secrets are read only after a word from the person."""
        return self.secret_question(params)

    async def execute(
        self,
        path: str,
        offset: int = 1,
        limit: int = _LIMIT,
        pages: str | None = None,
        force: bool = False,
    ) -> ToolResult:
        """The rows, or that they have not changed."""
        self.in_bounds("offset", offset, 1)
        self.in_bounds("limit", limit, 1)
        if pages is not None:
            raise ToolError(
                f"pages={pages!r} is for PDF files, and this build reads text alone",
                hint="Leave pages out; use offset and limit.",
            )
        read = await in_thread(self._read, path, offset, limit)
        session, range_ = self.session(), f"{offset}+{limit}"
        before = self.file_states.shown(session, read.path, range_)
        self.file_states.read(
            session, read.path, read.identity, shown=(range_, read.print), seen=read.seen
        )
        if not force and before == read.print and await in_thread(_still_shown, read.print):
            return ToolResult(f"[File unchanged since last read: {visible_line(path)}]")
        return ToolResult(read.text)

    def _read(self, path: str, offset: int, limit: int) -> _Read:
        with self.workspace.open_file(path) as opened:
            head = os.pread(opened.descriptor, _SNIFFED, 0)
            with self.turns.one():
                return _shown(path, opened, head, offset, limit)


def _shown(path: str, opened: Opened, head: bytes, offset: int, limit: int) -> _Read:
    size = opened.identity.size
    if not looks_like_text(head, whole=len(head) >= size):
        return _answer(opened, _binary(path, head, size))
    found = excerpt(opened.descriptor, offset=offset, limit=limit, budget=_BUDGET)
    if isinstance(found, int):
        raise ToolError(
            f"offset {offset} lies beyond the end of '{visible_line(path)}', "
            f"which has {found} line{'s' * (found != 1)}",
            hint=f"Use an offset from 1 to {found}." if found else "The file is empty.",
        )
    return _answer(opened, found.text, Seen.of(found, _BUDGET))


def _answer(opened: Opened, text: str, seen: Seen | None = None) -> _Read:
    return _Read(
        text=text, print=digest(text), path=opened.path, identity=opened.identity, seen=seen
    )


def _still_shown(print_: str) -> bool:
    """Whether the model still sees the earlier answer. Called without a run, it does."""
    results = shown_results()
    if results is None:
        return True
    return any(isinstance(content, str) and digest(content) == print_ for content in results)


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
)


def _binary(path: str, head: bytes, size: int) -> str:
    kind = next((mime for magic, mime in _MAGIC if head.startswith(magic)), None)
    by_name, _ = mimetypes.guess_type(path)
    if kind in (None, "application/zip") and by_name and not by_name.startswith("text/"):
        kind = by_name
    return (
        f"'{visible_line(path)}' is a binary file: {kind or 'application/octet-stream'}, "
        f"{shown_size(size)}. It can't be shown as text."
    )


__all__ = ["ReadFileTool"]
