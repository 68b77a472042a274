"""Commands with what they print and read."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from nanobot.processes.command import Running
from nanobot.processes.host import Host
from nanobot.processes.spool import Spool
from nanobot.processes.transcript import Transcript
from nanobot.processes.tree import Command, Starter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONG = "sleep 86397"


@pytest.fixture
def starter() -> Iterator[Starter]:
    made = Starter()
    yield made
    made.close()


async def _started(starter: Starter, script: str, spool: Spool | None = None) -> Running:
    out, out_end = os.pipe()
    error, error_end = os.pipe()
    entry_end, entry = os.pipe()
    folder = os.open("/", os.O_RDONLY)
    command = Command(argv=["/bin/bash", "-c", script], environment={"PATH": "/usr/bin:/bin"})
    tree = await starter.start(command, folder, [entry_end, out_end, error_end])
    for descriptor in (out_end, error_end, entry_end, folder):
        os.close(descriptor)
    return Running(
        tree,
        {out: "stdout", error: "stderr"},
        entry,
        transcript=Transcript(),
        spool=spool,
    )


async def test_the_end_of_the_command_is_enough_though_a_child_holds_the_pipe(
    starter: Starter,
) -> None:
    running = await _started(starter, f"{_LONG} & echo done")

    found = await running.ended(20)

    assert found is not None
    assert found.left == 1
    assert running.transcript.take(100).shown() == "done\n"
    await running.end(0)
    assert running.tree.gone.done()


async def test_a_command_that_goes_on_gives_what_it_printed_so_far(starter: Starter) -> None:
    running = await _started(starter, f"echo first; {_LONG}")
    await running.transcript.seen("first")

    assert await running.ended(0.01) is None
    assert running.transcript.take(100).shown() == "first\n"
    await running.end(0)


async def test_input_is_read_as_far_as_it_goes(starter: Starter) -> None:
    running = await _started(starter, "head -c 300000 | wc -c; cat >/dev/null")
    running.write(b"x" * 500_000)
    running.close_input()

    assert (await running.ended(20)) is not None
    assert running.transcript.take(100).shown().strip() == "300000"
    await running.end(0)


async def test_all_of_a_flood_is_in_the_file_and_its_ends_in_memory(
    starter: Starter, tmp_path: Path
) -> None:
    running = await _started(
        starter, "yes 0123456789 | head -c 30000000; echo; echo last", Spool(tmp_path / "out")
    )

    await running.ended(30)
    await running.end(0)

    assert (tmp_path / "out").stat().st_size == 30_000_006
    piece = running.transcript.take(2_000)
    assert piece.tail.endswith("last\n")
    assert len(piece.head) + len(piece.tail) + piece.dropped == 30_000_006


async def test_ending_leaves_no_descriptor(starter: Starter) -> None:
    await (await _started(starter, "true")).end(0)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # counted at once
    for _ in range(20):
        await (await _started(starter, _LONG)).end(0)

    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208  # the same


async def test_a_host_runs_on_while_the_loop_is_busy() -> None:
    host = Host()
    ticks: list[float] = []

    async def tick() -> str:
        for _ in range(20):
            ticks.append(time.monotonic())
            await asyncio.sleep(0.01)
        return threading.current_thread().name

    waiting = asyncio.create_task(host.run(tick))
    await asyncio.sleep(0.01)
    time.sleep(0.15)  # noqa: ASYNC251  # the busy loop
    busy = len(ticks)

    assert await waiting == "nanobot:processes"
    assert busy > 5
    host.close()


async def test_a_cancelled_caller_waits_for_the_cleaning_up() -> None:
    host, cleaned = Host(), threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)
            cleaned.set()

    task = asyncio.create_task(host.run(work))
    await asyncio.sleep(0.02)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned.is_set()
    host.close()


async def test_a_closed_host_refuses() -> None:
    host = Host()
    host.close()

    with pytest.raises(RuntimeError, match="closed"):
        await host.run(lambda: asyncio.sleep(0))
