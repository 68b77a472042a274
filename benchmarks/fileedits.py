"""Rows of `files.py`: editing, beside the least that an atomic replacement takes."""

from __future__ import annotations

import os
from difflib import unified_diff
from typing import TYPE_CHECKING

from filetree import MEGABYTE
from pairs import Pair
from stalls import longest_stall

from nanobot.agent.tools.builtin import EditFileTool
from nanobot.errors import ToolError
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from filetree import Material

    Ran = Callable[..., Callable[[], None]]

_LINES = 20_000
_SOUGHT = 200


def edits(made: Material, ran: Ran, run: Callable[[Awaitable[object]], object]) -> Iterator[Pair]:
    """The rows. `ran(tool, **arguments)` is a call of a tool; `run` awaits on the loop."""
    tool, folder = EditFileTool(made.edited), made.edited
    ten = b"a line of text, one of many\n" * (10 * MEGABYTE // 28)
    ten = ten[: len(ten) // 56 * 28] + b"the line to change\n" + ten[len(ten) // 56 * 28 :]
    yield Pair(
        name="edit-large",
        title="`edit_file`, one place in 10 MB",
        beside="read, `bytes.replace`, atomic write",
        bar=2.0,
        before=lambda: _reset(tool, folder / "ten.txt", ten),
        ours=ran(tool, path="ten.txt", old_text="line to change", new_text="changed line"),
        theirs=lambda: _replace(folder / "ten.txt", b"line to change", b"changed line"),
    )
    four = b"".join(
        b"    value_%06d = compute(old_name, %d)%s\n" % (number, number, b" # " + b"x" * 122)
        for number in range(24_000)
    )
    yield Pair(
        name="edit-all",
        title="`edit_file`, `replace_all` of 24,000 matches in 4 MB",
        beside="read, `bytes.replace`, atomic write",
        bar=2.0,
        before=lambda: _reset(tool, folder / "four.txt", four),
        ours=ran(tool, path="four.txt", old_text="old_name", new_text="new", replace_all=True),
        theirs=lambda: _replace(folder / "four.txt", b"old_name", b"new"),
    )
    yield from _misses(made, tool, run)


def _misses(
    made: Material, tool: EditFileTool, run: Callable[[Awaitable[object]], object]
) -> Iterator[Pair]:
    """200 lines of old text, every tenth of which differs from the file in one word."""
    with (made.hundred / "0.txt").open("rb") as file:
        source = [file.readline() for _ in range(_LINES)]
    text = b"".join(b"%d %s" % (number, line) for number, line in enumerate(source))
    path = made.edited / "miss.txt"
    path.write_bytes(text)
    region = text.decode().split("\n")[12_000 : 12_000 + _SOUGHT]
    wanted = [f"{line} other" if number % 10 == 5 else line for number, line in enumerate(region)]
    old = "\n".join(wanted)

    async def missed() -> str:
        try:
            return str(await tool.execute(path="miss.txt", old_text=old, new_text="new"))
        except ToolError as error:
            return error.message

    def ours() -> None:
        assert "Nearest region: line 12001" in str(run(missed()))

    def theirs() -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        for line in lines:
            hash(line)
        assert list(unified_diff(wanted, region, lineterm="", n=1))

    yield Pair(
        name="miss",
        title="`edit_file`, a miss of 200 lines in 20,000",
        beside="split, hash each line, one `unified_diff`",
        bar=5.0,
        ours=ours,
        theirs=theirs,
    )
    yield Pair(
        name="miss-stall",
        title="the same, the loop's longest stall",
        beside="while that runs five times in a thread",
        bar=2.0,
        ours=lambda: run(longest_stall(missed)),
        theirs=lambda: run(longest_stall(lambda: in_thread(lambda: [theirs() for _ in range(5)]))),
    )


def _reset(tool: EditFileTool, path: Path, data: bytes) -> None:
    """The old bytes again, on the disk, in a file that the tool has not seen."""
    tool.file_states.forget()
    path.write_bytes(data)


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes().replace(old, new)
    beside = path.with_suffix(".part")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


__all__ = ["edits"]
