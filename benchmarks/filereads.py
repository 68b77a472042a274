"""Rows of `files.py`: reading, beside a plain count of newlines and plain streaming reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairs import Pair
from stalls import longest_stall

from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from filetree import Material

    Ran = Callable[..., Callable[[], None]]

_PIECE = 1 << 18
_ROWS = 2_000
_CHARS = 126_000


def reads(made: Material, ran: Ran, run: Callable[[Awaitable[object]], object]) -> Iterator[Pair]:
    """The rows. `ran(tool, **arguments)` is a call of a tool; `run` awaits on the loop."""
    tool = ReadFileTool(made.single)
    large = made.single / "gigabyte.log"
    last = newlines(large) - 100
    yield Pair(
        name="read-start",
        title="`read_file`, line 1 of 1 GB",
        beside="of 1 MB",
        bar=3.0,
        ours=ran(tool, path="gigabyte.log", force=True),
        theirs=ran(tool, path="megabyte.log", force=True),
    )
    yield Pair(
        name="read-end",
        title="`read_file`, 50 lines near the end of 1 GB",
        beside="counting its newlines",
        bar=1.5,
        ours=ran(tool, path="gigabyte.log", offset=last, limit=50, force=True),
        theirs=lambda: newlines(large),
    )
    files = [made.hundred / f"{number}.txt" for number in range(100)]
    yield Pair(
        name="turn",
        title="100 reads of 1 MB in one turn",
        beside="plain streaming reads in one thread",
        bar=1.2,
        ours=lambda: run(_turn(made.hundred)),
        theirs=lambda: run(in_thread(plain_reads, files)),
    )
    yield Pair(
        name="stall",
        title="the same, the loop's longest stall",
        beside="while plain reads run in a thread",
        bar=2.0,
        ours=lambda: run(longest_stall(lambda: _turn(made.hundred))),
        theirs=lambda: run(longest_stall(lambda: in_thread(plain_reads, files))),
    )


def newlines(path: Path) -> int:
    """A plain count, in pieces."""
    found = 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            found += piece.count(b"\n")
    return found


def plain_reads(paths: list[Path]) -> list[str]:
    """What the tool answers, in plain Python: numbered rows, and the exact count of lines."""
    answers = []
    for path in paths:
        rows, room, total = [], _CHARS, 0
        with path.open(encoding="utf-8", newline="\n") as file:
            for total, line in enumerate(file, 1):  # used after it
                if total <= _ROWS and room > 0:
                    row = f"{total}| {line[:-1]}"
                    room -= len(row) + 1
                    if room > 0:
                        rows.append(row)
        answers.append("\n".join([*rows, f"({total} lines)"]))
    return answers


async def _turn(folder: Path) -> None:
    registry = ToolRegistry()
    registry.register(ReadFileTool(folder))
    calls = [
        ToolCallRequest(f"c{number}", "read_file", {"path": f"{number}.txt"})
        for number in range(100)
    ]
    steps = [LLMResponse(tool_calls=calls, finish_reason="tool_calls"), "done"]
    spec = AgentRunSpec(
        initial_messages=[{"role": "user", "content": "Read them."}],
        tools=registry,
        model=None,
        max_iterations=3,
        max_tool_result_chars=None,
        concurrent_tools=True,
        workspace=folder,
    )
    result = await AgentRunner(ScriptedProvider(steps)).run(spec)
    answers = [message for message in result.messages if message["role"] == "tool"]
    assert len(answers) == 100
    assert all("lines" in message["content"][-100:] for message in answers)


__all__ = ["newlines", "plain_reads", "reads"]
