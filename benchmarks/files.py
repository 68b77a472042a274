"""What searching, reading and editing cost beside ripgrep, plain Python and bare libraries.

Run: `python benchmarks/files.py [ROUNDS] [--only NAME …] [--keep FOLDER]` with all extras and the
dependency group `test`, whose libraries make the documents. It builds a tree of
60,000 files and 1.5 GB (and 1.4 GB of single files) in a temporary folder; `--keep FOLDER` builds
it there once and leaves it. Every round times ours and the other of each row, in turn, ours as an
agent calls it: through the tool's `execute`, the start of ripgrep included. The table shows median
times, the median ratio of the rounds, and the bar it is held to. `--list` names the rows.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filedocs import documents
from fileedits import edits
from filememory import memory, memory_names
from filereads import reads
from filesearch import searches
from filetree import Material, material
from pairs import Figure, Pair, measured

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from nanobot.agent.tools.base import Tool


def main() -> int:
    """Measure and print the table; 0 when every bar is met."""
    asked = _arguments()
    with _folder(asked.keep) as folder, asyncio.Runner() as runner:
        os.environ["XDG_STATE_HOME"] = str(folder / "state")

        def run(work: Awaitable[object]) -> object:
            return runner.run(_awaited(work))

        pairs = list(_pairs(material(folder), run))
        if asked.list:
            print("\n".join([*(pair.name for pair in pairs), *memory_names()]))
            return 0
        figures = measured([pair for pair in pairs if _wanted(pair.name, asked.only)], asked.rounds)
        figures += [
            memory(name, folder, asked.rounds)
            for name in memory_names()
            if _wanted(name, asked.only)
        ]
    return _print(figures, asked.rounds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rounds", nargs="?", type=int, default=7)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="rows, or the start")
    parser.add_argument("--keep", "--tree", type=Path, metavar="FOLDER", help="use it again")
    parser.add_argument("--list", action="store_true", help="name the rows")
    return parser.parse_args()


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="nanobot-files-") as folder:
        yield Path(folder).resolve()


def _pairs(made: Material, run: Callable[[Awaitable[object]], object]) -> Iterator[Pair]:
    def ran(tool: Tool, **arguments: object) -> Callable[[], None]:
        def once() -> None:
            run(tool.execute(**arguments))

        return once

    yield from searches(made, ran)
    yield from reads(made, ran, run)
    yield from edits(made, ran, run)
    yield from documents(made, run)


async def _awaited(work: Awaitable[object]) -> object:
    return await work


def _wanted(name: str, only: list[str]) -> bool:
    return not only or any(name.startswith(start) for start in only)


def _print(figures: list[Figure], rounds: int) -> int:
    print(f"Python {platform.python_version()}, {rounds} interleaved rounds, medians\n")
    print("| work | ours | beside | ratio | bar |")
    print("|---|---|---|---|---|")
    for figure in figures:
        print(figure.row)
    return int(any(figure.ratio > figure.bar for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
