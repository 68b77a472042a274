"""Rows of `files.py`: searching and listing, beside ripgrep itself with the same filter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from filetree import NEEDLE
from pairs import Pair

from nanobot.agent.tools.builtin import FindFilesTool, GrepTool, ListDirTool
from nanobot.workspace.sensitive import sensitive_globs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from filetree import Material

    from nanobot.agent.tools.base import Tool

    Ran = Callable[..., Callable[[], None]]

_FILTER = (
    "--no-config",
    "--color=never",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-require-git",
)
_CONTENT = ("--line-number", "--no-heading", "--with-filename", "--max-columns=400")
_REGEX = r"def\s+\w+_handler\("


def searches(made: Material, ran: Ran) -> Iterator[Pair]:
    """The rows. `ran(tool, **arguments)` is a call of a tool, as an agent makes it."""
    rg = partial(_ripgrep, made.tree, _secrets(made.folder))
    grep, find = GrepTool(made.tree), FindFilesTool(made.tree)
    content = partial(ran, grep, output_mode="content")
    for name, title, ours, flags in (
        (
            "grep-literal",
            "literal, lines",
            content(pattern=NEEDLE, fixed_strings=True),
            ["--fixed-strings", f"--regexp={NEEDLE}"],
        ),
        (
            "grep-type",
            "regex over Python files, lines",
            content(pattern=_REGEX, type="py"),
            ["--type=py", f"--regexp={_REGEX}"],
        ),
        (
            "grep-context",
            "without case, 3 lines of context",
            content(
                pattern="deprecated api", case_insensitive=True, context_before=3, context_after=3
            ),
            ["--ignore-case", "--context=3", "--regexp=deprecated api"],
        ),
    ):
        yield Pair(
            name=name,
            title=f"`grep`, {title}",
            beside="`rg`",
            bar=1.3,
            ours=ours,
            theirs=rg(*_CONTENT, *flags),
        )
    yield Pair(
        name="grep-files",
        title="`grep`, a word that is in every file, names",
        beside="`rg -l`",
        bar=1.3,
        ours=ran(grep, pattern="return"),
        theirs=rg("--files-with-matches", "--regexp=return"),
    )
    yield from _finds(made, ran, find, rg)


def _finds(
    made: Material, ran: Ran, find: Tool, rg: Callable[..., Callable[[], None]]
) -> Iterator[Pair]:
    for name, title, arguments, flags in (
        ("find-glob", "by glob", {"glob": "**/*.py"}, []),
        ("find-words", "by words", {"query": "stream user"}, []),
        ("find-newest", "newest first", {"sort": "modified"}, ["--sortr=modified"]),
    ):
        yield Pair(
            name=name,
            title=f"`find_files`, {title}",
            beside=f"`{' '.join(['rg --files', *flags]).replace('=', ' ')}`",
            bar=1.5,
            ours=ran(find, **arguments),
            theirs=rg("--files", *flags),
        )
    yield Pair(
        name="list",
        title="`list_dir`, recursive, 200 of 60,000 files",
        beside="of 1,000 files",
        bar=2.0,
        ours=ran(ListDirTool(made.tree), path=".", recursive=True, max_entries=200),
        theirs=ran(ListDirTool(made.small_tree), path=".", recursive=True, max_entries=200),
    )


def _secrets(folder: Path) -> Path:
    """What our tools leave out by name, as an ignore file for ripgrep."""
    file = folder / "left-out"
    file.write_text("\n".join([*sensitive_globs(), ".git/", ".nanobot/"]), encoding="utf-8")
    return file


def _ripgrep(tree: Path, left_out: Path, *flags: str) -> Callable[[], None]:
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which("rg", path=beside) or "rg"
    command = [program, *_FILTER, f"--ignore-file={left_out}", *flags, "./"]

    def run() -> None:
        found = subprocess.run(command, cwd=tree, capture_output=True, check=True)
        assert found.stdout

    return run


__all__ = ["searches"]
