"""Whole trees: started, followed and ended, whatever the processes in them do."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.processes.descendants import descendants
from nanobot.processes.tree import Command, Starter, Tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_LONG = "sleep 86399"  # an argument to be known by


@pytest.fixture
def starter() -> Iterator[Starter]:
    made = Starter()
    yield made
    made.close()


@asynccontextmanager
async def _running(starter: Starter, script: str, **more: object) -> AsyncIterator[Tree]:
    command = Command(argv=["/bin/bash", "-c", script], environment=_ENVIRONMENT, **more)  # type: ignore[arg-type]  # fields of Command
    folder, nothing = os.open("/", os.O_RDONLY), os.open(os.devnull, os.O_RDWR)
    try:
        tree = await starter.start(command, folder, [nothing, nothing, nothing])
    finally:
        os.close(folder)
        os.close(nothing)
    try:
        yield tree
    finally:
        await tree.end_and_wait(0)


async def _until(fact: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    async with asyncio.timeout(10):
        while not fact():  # noqa: ASYNC110  # other processes set no event
            await asyncio.sleep(0.01)


def _alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def _parent(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    return int(stat.rpartition(")")[2].split()[1])


def _open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize(
    ("script", "status"),
    [("true", 0), ("exit 7", 7), ("kill -9 $$", -9), ("kill -TERM $$", -15), ("nosuch 2>&-", 127)],
)
async def test_the_exit_says_how_the_command_ended(
    starter: Starter, script: str, status: int
) -> None:
    async with _running(starter, script) as tree:
        assert (await tree.exit).status == status
        await tree.gone


async def test_a_program_that_is_not_there_is_one_line(starter: Starter) -> None:
    command = Command(argv=["/no/such/program"], environment={})
    nothing = os.open(os.devnull, os.O_RDWR)

    with pytest.raises(ToolError, match="No such file or directory"):
        await starter.start(command, os.open("/", os.O_RDONLY), [nothing] * 3)


async def test_the_exit_comes_while_children_go_on(starter: Starter) -> None:
    async with _running(starter, f"{_LONG} & {_LONG} & exit 0") as tree:
        assert (await tree.exit).left == 2
        assert not tree.gone.done()


_STUBBORN = {
    "children": f"{_LONG} & {_LONG}",
    "ignores the polite signals": f"trap '' TERM HUP INT; {_LONG} & while :; do {_LONG}; done",
    "has left the session": f"setsid {_LONG} & {_LONG}",
    "has left the group twice": f"(setsid bash -c '(setsid {_LONG} &) ; {_LONG}' &); {_LONG}",
    "is stopped": f"{_LONG} & kill -STOP $!; {_LONG}",
    "orphans": f"(({_LONG} &) &); {_LONG}",
    "forks all the time": f"while :; do ({_LONG} &); done",
}


@pytest.mark.parametrize("script", _STUBBORN.values(), ids=_STUBBORN.keys())
async def test_ending_a_tree_ends_every_descendant(starter: Starter, script: str) -> None:
    async with _running(starter, script) as tree:
        supervisor = _parent(tree.pid)
        await _until(lambda: len(descendants(supervisor)) > 1)
        below = descendants(supervisor)

        await tree.end_and_wait(0.05)

        assert _alive(below) == []


async def test_what_outlived_its_command_ends_with_the_tree(starter: Starter) -> None:
    async with _running(starter, f"setsid {_LONG} & exit 0") as tree:
        assert (await tree.exit).left == 1
        await tree.end_and_wait(0.05)

        assert tree.gone.done()


async def test_a_killed_supervisor_takes_its_tree_along(starter: Starter) -> None:
    async with _running(starter, _LONG) as tree:
        pid = tree.pid
        os.kill(_parent(pid), signal.SIGKILL)

        await _until(lambda: not Path(f"/proc/{pid}").exists())
        assert (await tree.exit).status == -9


async def test_a_killed_fork_server_is_replaced(starter: Starter) -> None:
    async with _running(starter, _LONG) as first:
        os.kill(_parent(_parent(first.pid)), signal.SIGKILL)

        async with _running(starter, "exit 4") as second:
            assert (await second.exit).status == 4


async def test_cancelling_the_wait_still_waits_for_the_end(starter: Starter) -> None:
    async with _running(starter, f"trap '' TERM HUP; while :; do {_LONG}; done") as tree:
        task = asyncio.create_task(tree.end_and_wait(60))
        await asyncio.sleep(0)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert tree.gone.done()


async def test_many_commands_leave_no_descriptor_and_no_process(starter: Starter) -> None:
    async def once() -> None:
        async with _running(starter, _LONG) as tree:
            await tree.end_and_wait(0)

    await once()
    before = _open_descriptors()
    await asyncio.gather(*(once() for _ in range(60)))

    assert _open_descriptors() == before
    await _until(lambda: len(descendants(os.getpid())) == 2)  # the server and one in advance


_AGENT = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[1])
from nanobot.processes.tree import Command, Starter

async def main():
    nothing = os.open(os.devnull, os.O_RDWR)
    script = "setsid sleep 86398 & trap '' TERM HUP; while :; do sleep 86398; done"
    command = Command(argv=["/bin/bash", "-c", script], environment={"PATH": "/usr/bin:/bin"})
    tree = await Starter().start(command, os.open("/", os.O_RDONLY), [nothing] * 3)
    print(tree.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_a_killed_agent_leaves_no_descendant() -> None:
    with subprocess.Popen(  # noqa: ASYNC220  # short
        [sys.executable, "-c", _AGENT, _ROOT], stdout=subprocess.PIPE, text=True
    ) as agent:
        assert agent.stdout
        shell = int(await asyncio.to_thread(agent.stdout.readline))
        await _until(lambda: len(descendants(shell)) > 0)
        everyone = descendants(agent.pid)
        agent.kill()
        agent.wait()

        await _until(lambda: not _alive(everyone))


async def test_a_limit_holds_for_the_command(starter: Starter, tmp_path: Path) -> None:
    big = tmp_path / "big"
    script = f"head -c 2000000 /dev/zero > {big}"
    async with _running(starter, script, limits={"RLIMIT_FSIZE": 1_000_000}) as tree:
        assert (await tree.exit).status != 0

    assert big.stat().st_size == 1_000_000
