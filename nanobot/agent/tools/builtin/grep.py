"""The `grep` tool: text inside files, by regular expression."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import islice
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
from nanobot.agent.tools.searching import (
    Scope,
    ended,
    name_of,
    scope_of,
    secrets_only,
    secrets_skipped,
)
from nanobot.errors import ToolError
from nanobot.threads import in_thread
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.ripgrep import Ripgrep

_LIMIT = 250
_MOST = 1_000
_MOST_CONTEXT = 20
_MOST_CHARS = 2_000_000
_LONGEST_LINE = 400
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
        flags = ["--null", "--with-filename", "--sort=path"]
        flags += {
            "content": ["--line-number", "--no-heading", f"--max-columns={_LONGEST_LINE}"],
            "files_with_matches": ["--files-with-matches"],
            "count": ["--count-matches"],
        }[self.mode]
        if self.mode == "content":
            flags += ["--max-columns-preview", f"-B{self.before}", f"-A{self.after}"]
        flags += ["--ignore-case"] * self.ignore_case + ["--fixed-strings"] * self.fixed
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
class GrepTool(FileTool):
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
    read_only = True

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
            pattern=pattern,
            mode=output_mode,
            ignore_case=case_insensitive,
            fixed=fixed_strings,
            multiline=multiline,
            before=context_before,
            after=context_after,
        )

        def run() -> str:
            scope = scope_of(
                self.workspace, path, glob=glob, kind=type, include_ignored=include_ignored
            )
            return _page(scope, search, offset, head_limit)

        return ToolResult(await in_thread(run))


def _page(scope: Scope, search: _Search, offset: int, limit: int) -> str:
    run = scope.ripgrep(*search.flags(), ignore="" if scope.file else secrets_skipped())
    rows: list[str] = []
    room = _MOST_CHARS
    more = False
    with closing(_rows(run, scope, search)) as found:  # closing it ends the run
        skipped = sum(1 for _ in islice(found, offset))
        for row in found:
            if (limit and len(rows) == limit) or room < 0:
                more = True
                break
            rows.append(row)
            room -= len(row)
    notes = [] if more else ended(run, f"The pattern '{visible_line(search.pattern[:200])}'")
    if more:
        last = offset + len(rows)
        notes.append(f"(Showing {offset + 1}-{last}; there are more. Use offset={last}.)")
    elif not rows and skipped:
        notes.append(f"(offset {offset} lies beyond the {skipped} rows found.)")
    elif not rows:
        where = scope.shown(scope.file).rstrip("/") or "the workspace"
        notes.append(f"No matches in {where}. {scope.left_out()}".strip())
    return "\n".join([*rows, *notes, *_secrets_note(scope)])


def _rows(run: Ripgrep, scope: Scope, search: _Search) -> Generator[str, None, None]:
    """What is shown, a row at a time; groups with context are parted by `--`."""
    parted = shown = False
    for name, text in _found(run, search):
        if name is None:
            parted = shown
        elif scope.wants(name) and not scope.holds_secrets(name):
            if parted:
                yield "--"
            parted, shown = False, True
            yield f"{scope.shown(name)}{text}"


def _found(run: Ripgrep, search: _Search) -> Iterator[tuple[str | None, str]]:
    """Names with the text that follows them; no name stands for the end of a group."""
    if search.mode == "files_with_matches":
        for record in run.records(b"\0"):
            yield name_of(record), ""
        return
    begun = b""
    for record in run.records():
        path, found, rest = (begun + record).partition(b"\0")
        if found:
            begun = b""
            mark = ":" if search.mode == "count" or _is_match(rest) else "-"
            text = visible_line(rest.decode(errors="replace").rstrip("\r")).replace("\\t", "\t")
            yield name_of(path), f"{mark}{text}"
        elif path == b"--":
            yield None, ""
        else:
            begun = path + b"\n"  # a name with a line end goes on in the next record


def _is_match(rest: bytes) -> bool:
    digits = len(rest) - len(rest.lstrip(b"0123456789"))
    return rest[digits : digits + 1] == b":"


def _secrets_note(scope: Scope) -> list[str]:
    """How many files were left out because they usually hold secrets."""
    if scope.file:
        return []
    run = scope.ripgrep("--files", "--null", ignore=secrets_only())
    names = map(name_of, run.records(b"\0"))
    count = sum(scope.wants(name) and scope.holds_secrets(name) for name in names)
    if not count:
        return []
    were = "file was" if count == 1 else "files were"
    return [f"({count} {were} left out: they usually hold secrets. Name one as path to ask.)"]


__all__ = ["GrepTool"]
