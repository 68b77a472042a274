"""The `grep` tool: text inside files, by regular expression."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.collection import collect, has_endless_line
from nanobot.agent.tools.hits import FLAGS, FileHit, Hit, hits, shown_hit, still_stands
from nanobot.agent.tools.leftout import left_out
from nanobot.agent.tools.paging import Page, fitting, page_notes
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.agent.tools.searching import file_of, secrets_skipped
from nanobot.agent.tools.searchtool import SearchTool
from nanobot.errors import ToolError
from nanobot.surrogates import mend_text
from nanobot.visible import visible_line
from nanobot.workspace.encoding import encoding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nanobot.agent.tools.collection import Found
    from nanobot.agent.tools.result import ToolResult
    from nanobot.agent.tools.searching import Scope
    from nanobot.jsonvalue import JsonObject

_LIMIT = 250
_MOST = 1_000
_MOST_CONTEXT = 20
_COMMAND_LINE = 96 * 1024
_LONGEST_PATTERN = 64 * 1024
_NUMBER = re.compile(r":(?=\d+(?::|$))")
"""A colon in a name that would make `path:line:text` say another line (CASES.md, D7)."""
_MODES = ("content", "files_with_matches", "count")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    pattern: str
    mode: str
    ignore_case: bool
    fixed: bool
    multiline: bool
    before: int
    after: int

    def flags(self) -> list[str]:
        """Ripgrep's flags. The pattern goes behind `-e`, so that no dash makes it an option."""
        flags = ["--ignore-case"] * self.ignore_case + ["--fixed-strings"] * self.fixed
        flags += ["--multiline", "--multiline-dotall"] * self.multiline
        return [*flags, "-e", self.pattern]


@tool_parameters(
    tool_parameters_schema(
        pattern=StringSchema("Regular expression (Rust syntax), or text with fixed_strings"),
        path=StringSchema("File or folder to search, relative to the workspace", default="."),
        glob=StringSchema("Only files whose path fits: '*.py', 'src/**/*.ts', '!*.min.js'"),
        type=StringSchema("Only files of a kind: py, js, ts, rust, go, java, md, …"),
        case_insensitive=BooleanSchema(description="Upper and lower case alike", default=False),
        fixed_strings=BooleanSchema(description="The pattern is plain text", default=False),
        output_mode=StringSchema(
            "content: the lines; files_with_matches: the files; count: matches in each file",
            enum=list(_MODES),
            default="files_with_matches",
        ),
        context_before=IntegerSchema(
            description="Lines before each match (content)", minimum=0, maximum=_MOST_CONTEXT
        ),
        context_after=IntegerSchema(
            description="Lines after each match (content)", minimum=0, maximum=_MOST_CONTEXT
        ),
        head_limit=IntegerSchema(
            description="How many rows at most; 0: all", minimum=0, maximum=_MOST, default=_LIMIT
        ),
        offset=IntegerSchema(description="How many rows to skip", minimum=0, default=0),
        include_ignored=BooleanSchema(
            description="Also hidden files and what .gitignore names", default=False
        ),
        multiline=BooleanSchema(
            description="The pattern may span lines, and . takes line ends", default=False
        ),
        required=["pattern"],
        additional_properties=False,
    )
)
class GrepTool(SearchTool):
    """Search text with ripgrep, streamed, in the order of paths, page by page."""

    name = "grep"
    title = "Search in files"
    description = (
        "Search the text of files in the workspace with a regular expression. It answers with the "
        "names of the files that match; with output_mode='content' with the lines, as "
        "'path:line:text' (context lines as 'path-line-text'); with 'count' with the matches in "
        "each file. To find files by their name use find_files; to read around a hit use read_file "
        "with its line as offset. Special characters need a backslash ('def main\\\\('), or set "
        "fixed_strings. Hidden files and what .gitignore names are left out unless include_ignored "
        "is true; files that usually hold secrets are always left out, unless path names one. "
        "Examples: {'pattern': 'TODO', 'output_mode': 'content'}, {'pattern': 'class \\\\w+Tool', "
        "'glob': '*.py', 'output_mode': 'content', 'context_after': 3}."
    )

    def question(self, params: JsonObject) -> str:
        """Searching one file that usually holds secrets asks, as reading it does."""
        return self.secret_question(params)

    async def execute(
        self,
        pattern: str,
        path: str = ".",
        glob: str | None = None,
        type: str | None = None,  # noqa: A002  # the contract's name
        case_insensitive: bool = False,
        fixed_strings: bool = False,
        output_mode: str = "files_with_matches",
        context_before: int = 0,
        context_after: int = 0,
        head_limit: int = _LIMIT,
        offset: int = 0,
        include_ignored: bool = False,
        multiline: bool = False,
    ) -> ToolResult:
        """The rows of one page, then whether there are more and what was left out."""
        self.in_bounds("context_before", context_before, 0, _MOST_CONTEXT)
        self.in_bounds("context_after", context_after, 0, _MOST_CONTEXT)
        self.in_bounds("head_limit", head_limit, 0, _MOST)
        self.in_bounds("offset", offset, 0)
        if output_mode not in _MODES:
            raise ToolError(f"output_mode must be one of {list(_MODES)}, got '{output_mode}'")
        search = _Search(
            pattern=_checked(mend_text(pattern), multiline=multiline),
            mode=output_mode,
            ignore_case=case_insensitive,
            fixed=fixed_strings,
            multiline=multiline,
            before=context_before,
            after=context_after,
        )
        page = Page(offset=offset, limit=head_limit)
        return await self.searched(
            path,
            glob=glob,
            kind=type,
            include_ignored=include_ignored,
            answer=lambda scope: _answer(scope, search, page),
        )


def _checked(pattern: str, *, multiline: bool) -> str:
    """The pattern, if a search program can be given it."""
    if len(pattern.encode()) > _LONGEST_PATTERN:
        raise ToolError(
            f"The pattern has {len(pattern):,} characters, too many to search for",
            hint="Search for a telling part of it.",
        )
    if "\0" in pattern:
        raise ToolError("The pattern holds a NUL character, which no text holds")
    if "\n" in pattern and not multiline:
        raise ToolError(
            "The pattern spans lines", hint="Set multiline=true, or search for one of its lines."
        )
    return pattern


def _answer(scope: Scope, search: _Search, page: Page) -> str:
    _check_encoding(scope)
    what = f"The pattern '{visible_line(search.pattern[:200])}'"
    listed = _listing(scope, search, what, page)
    if search.mode == "content":
        rows = fitting(_lines(scope, search, map(file_of, listed.first)), page)
        total = None
    else:
        rows = fitting((_listed(scope, key) for key in listed.first), page)
        total = listed.total
    notes = [*listed.notes, *page_notes(rows, page, total)]
    if not listed.total:
        where = scope.shown(scope.file).rstrip("/") or "the workspace"
        notes.append(f"No matches in {where}.")
    notes += left_out(scope, listed.total, secrets=True)
    return "\n".join([*rows.shown, *filter(None, notes)])


def _check_encoding(scope: Scope) -> None:
    """Refuse one file that ripgrep would misread in silence."""
    if not scope.file:
        return
    with scope.workspace.open_file(scope.folder / scope.file) as opened:
        found = encoding_of(os.pread(opened.descriptor, 4, 0))
    if found.codec.startswith("utf-32"):
        raise ToolError(
            f"'{scope.shown(scope.file)}' is UTF-32 text, which a search can't read",
            hint="Read it with read_file.",
        )


def _listing(scope: Scope, search: _Search, what: str, page: Page) -> Found:
    """The files that match, the first ones by name, each with its count where that is wanted."""
    counts = search.mode == "count"
    mode = "--count-matches" if counts else "--files-with-matches"

    def keys(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
        for block in _with_counts(blocks) if counts else blocks:
            found = scope.without_secrets(scope.meant(block))
            yield found if scope.held else [one for one in found if scope.inside(file_of(one))]

    return collect(
        scope,
        [mode, "--null", "--with-filename", *search.flags()],
        keys=keys,
        most=page.end + 1,
        most_bytes=page.most_bytes,
        what=what,
        separator=b"\n" if counts else b"\0",
        ignore=() if scope.file or scope.of_kind else (secrets_skipped(),),
    )


def _with_counts(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """The same records, those put together again whose name holds a line end."""
    begun = b""
    for block in blocks:
        whole: list[bytes] = []
        for record in block:
            begun += record
            if b"\0" in record:
                whole.append(begun)
                begun = b""
            else:
                begun += b"\n"
        yield whole


def _listed(scope: Scope, key: bytes) -> str:
    name, mark, count = key.partition(b"\0")
    return f"{scope.shown(os.fsdecode(name))}{':' if mark else ''}{count.decode()}"


def _lines(scope: Scope, search: _Search, names: Iterable[str]) -> Iterator[str]:
    """The matching lines of these files, in their order; groups with context parted by `--`."""
    flags = [*FLAGS, f"-B{search.before}", f"-A{search.after}", *search.flags()]
    parted = shown = False
    for batch in _batches(names):
        for hit in _hits(scope, flags, batch):
            if hit is None:
                parted = shown
                continue
            row = _row(scope, hit)
            if row is not None:
                if parted:
                    yield "--"
                parted, shown = False, True
                yield row
        parted = shown and bool(search.before or search.after)


def _hits(
    scope: Scope, flags: Sequence[str], names: Sequence[str]
) -> Iterator[Hit | FileHit | None]:
    """The hits in these files. One with a line that is too long to be kept breaks a run off."""
    rest = list(names)
    while rest:
        run, last = scope.ripgrep(*flags, paths=rest), rest[0]
        with closing(run.records()) as records:
            for hit in hits(records):
                last = hit.name if hit else last
                yield hit
        if not run.broke:
            return
        rest = rest[rest.index(last) :]
        broken = next((name for name in rest if has_endless_line(scope, name)), last)
        yield FileHit(broken, "a line is too long to be shown")
        rest = rest[rest.index(broken) + 1 :]


def _row(scope: Scope, hit: Hit | FileHit) -> str | None:
    name = _NUMBER.sub(r"\\x3a", scope.shown(hit.name))
    if isinstance(hit, FileHit):
        return f"{name}: it matches, but {hit.why}"
    if not scope.held and not still_stands(hit, scope.workspace, scope.folder):
        return None
    return f"{name}{shown_hit(hit, scope.workspace, scope.folder)}"


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    """The names in portions that fit on a command line."""
    batch: list[str] = []
    room = _COMMAND_LINE
    for name in names:
        room -= len(name.encode(errors="surrogateescape")) + 16
        if batch and room < 0:
            yield batch
            batch, room = [], _COMMAND_LINE
        batch.append(name)
    if batch:
        yield batch


__all__ = ["GrepTool"]
