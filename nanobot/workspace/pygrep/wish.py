"""What is asked for on the command line: the flags of ripgrep that are used here."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

_MEANINGLESS = (
    "--no-config",
    "--color",
    "--no-mmap",
    "--path-separator",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-require-git",
    "--no-ignore-messages",
    "--threads",
    "--with-filename",
    "--no-heading",
    "--line-number",
    "--column",
    "--byte-offset",
    "--max-columns-preview",
)


class BadUsage(ValueError):  # names the condition (STYLE.md 10)
    """A flag or a value that is not known here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A search, or with `mode` `files` a listing. `widest` is in bytes, 0 for any."""

    mode: str
    pattern: str
    fixed: bool
    ignore_case: bool
    multiline: bool
    before: int
    after: int
    widest: int
    null: bool
    hidden: bool
    no_ignore: bool
    ignore_files: Sequence[str]
    types: Sequence[str]
    added_types: Sequence[str]
    paths: Sequence[str]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadUsage(message)


def parse(arguments: Sequence[str]) -> Wish:
    """The wish that these arguments are.

    Raises:
        BadUsage: a flag that is not known.
    """
    given = _parser().parse_args(_joined(arguments))
    mode = "files" if given.files else "names" if given.names else "lines"
    return Wish(
        mode="count" if given.count else mode,
        pattern=given.regexp or "",
        fixed=given.fixed_strings,
        ignore_case=given.ignore_case,
        multiline=given.multiline,
        before=given.before,
        after=given.after,
        widest=given.max_columns,
        null=given.null,
        hidden=given.hidden,
        no_ignore=given.no_ignore,
        ignore_files=given.ignore_file,
        types=given.type,
        added_types=given.type_add,
        paths=given.paths or ["./"],
    )


def _joined(arguments: Sequence[str]) -> list[str]:
    """With `-e PATTERN` in one word, so that a pattern may begin with a dash."""
    words, joined = iter(arguments), []
    for word in words:
        joined.append(f"--regexp={next(words, '')}" if word == "-e" else word)
        if word == "--":
            joined += words
    return joined


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="rg", add_help=False, allow_abbrev=False)
    parser.add_argument("--regexp")
    parser.add_argument("-B", "--before-context", dest="before", type=int, default=0)
    parser.add_argument("-A", "--after-context", dest="after", type=int, default=0)
    parser.add_argument("--max-columns", type=int, default=0)
    parser.add_argument("--ignore-file", action="append", default=[])
    parser.add_argument("--type", action="append", default=[])
    parser.add_argument("--type-add", action="append", default=[])
    parser.add_argument("--files-with-matches", dest="names", action="store_true")
    parser.add_argument("--count-matches", dest="count", action="store_true")
    for flag in ("files", "null", "hidden", "no-ignore", "fixed-strings", "ignore-case"):
        parser.add_argument(f"--{flag}", action="store_true")
    for flag in ("multiline", "multiline-dotall"):
        parser.add_argument(f"--{flag}", action="store_true")
    for flag in _MEANINGLESS:
        parser.add_argument(flag, nargs="?", default=None)
    parser.add_argument("paths", nargs="*")
    return parser


__all__ = ["BadUsage", "Wish", "parse"]
