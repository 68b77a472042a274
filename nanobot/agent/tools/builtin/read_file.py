"""The `read_file` tool: a range of a text file's lines, with their numbers."""

from __future__ import annotations

import mimetypes
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.context import shown_results
from nanobot.agent.tools.documentview import Part, not_paged, view_document
from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.documents.kind import kind_of
from nanobot.documents.pool import Errand
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

    from nanobot.agent.tools.documentview import View
    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.fence import Opened
    from nanobot.workspace.identity import Identity

_BUDGET = 128_000
_LIMIT = 2_000
_SNIFFED = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """An answer, and the file in the state that it shows; `seen` where it shows lines of it.

    `print` is the digest of the answer.
    """

    answer: View
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
        "Read a file of the workspace. Each line of a text comes as 'N| text', where N is its "
        "number; the number and '| ' are not part of the file. At most 2,000 lines and 128,000 "
        "characters come at once; the last line of the answer says how many there are and which "
        "offset goes on. For a large file, find the place with grep first, then read around it: "
        "{'path': 'app.log', 'offset': 4000, 'limit': 100}. Read a file before you edit it. To see "
        "what a folder holds use list_dir, to find files by name use find_files. "
        "PDF comes by pages, at most 20 at once: {'path': 'a.pdf', 'pages': '21-40'}. Word, Excel, "
        "PowerPoint, notebook (.ipynb) and mail (.eml) files come as text made from them, whose "
        "lines are paged with offset and limit. edit_file can't change PDF, Word, Excel and "
        "PowerPoint; notebooks and mails it changes by their own text, which grep shows. A picture "
        "is shown to you. UTF-8, and UTF-16 or UTF-32 with a byte order mark, are text; of any "
        "other file you get its type and size. If the same part was read before and has not "
        "changed, the answer says so; force=true gives it again."
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
    ) -> ToolResult | list[JsonObject]:
        """The rows, the pages or the picture, or that they have not changed."""
        self.in_bounds("offset", offset, 1)
        self.in_bounds("limit", limit, 1)
        part = Part(offset=offset, limit=limit, pages=pages, budget=_BUDGET)
        with Errand() as errand:  # a call that is cancelled ends the worker
            read = await in_thread(self._read, path, part, errand)
        session, range_ = self.session(), pages or f"{offset}+{limit}"
        before = self.file_states.shown(session, read.path, range_)
        self.file_states.read(
            session, read.path, read.identity, shown=(range_, read.print), seen=read.seen
        )
        if not force and before == read.print and await in_thread(_still_shown, read):
            return ToolResult(f"[File unchanged since last read: {visible_line(path)}]")
        return ToolResult(read.answer) if isinstance(read.answer, str) else read.answer

    def _read(self, path: str, part: Part, errand: Errand) -> _Read:
        with self.workspace.open_file(path) as opened:
            head = os.pread(opened.descriptor, _SNIFFED, 0)
            kind = kind_of(head, path)
            if kind:
                view = view_document(self.documents, opened, kind, path, part, errand)
                if view is not None:
                    return _answer(opened, view)
            with self.turns.one():
                return _shown(path, opened, head, part)


def _shown(path: str, opened: Opened, head: bytes, part: Part) -> _Read:
    size = opened.identity.size
    if not looks_like_text(head, whole=len(head) >= size):
        return _answer(opened, _binary(path, head, size))
    if part.pages is not None:
        raise not_paged(part.pages)
    found = excerpt(opened.descriptor, offset=part.offset, limit=part.limit, budget=part.budget)
    if isinstance(found, int):
        raise ToolError(
            f"offset {part.offset} lies beyond the end of '{visible_line(path)}', "
            f"which has {found} line{'s' * (found != 1)}",
            hint=f"Use an offset from 1 to {found}." if found else "The file is empty.",
        )
    return _answer(opened, found.text, Seen.of(found, part.budget))


def _answer(opened: Opened, answer: View, seen: Seen | None = None) -> _Read:
    return _Read(
        answer=answer,
        print=_print(answer),
        path=opened.path,
        identity=opened.identity,
        seen=seen,
    )


def _print(content: object) -> str:
    """The digest of an answer, or of the picture in it; "" for anything else."""
    if isinstance(content, str):
        return digest(content)
    if not isinstance(content, list):
        return ""
    return digest("".join(str(block["image_url"]) for block in content if "image_url" in block))


def _still_shown(read: _Read) -> bool:
    """Whether the model still sees the earlier answer. Called without a run, it does."""
    results = shown_results()
    if results is None:
        return True
    return any(_print(content) == read.print for content in results)


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
