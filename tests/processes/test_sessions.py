"""Commands between calls: started, waited for, written to, ended."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.processes.sessions import Order, Sessions, Size

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_LONG = "sleep 86396"


@asynccontextmanager
async def _sessions(**settings: float) -> AsyncIterator[Sessions]:
    made = Sessions(**settings)  # type: ignore[arg-type]  # its numbers
    try:
        yield made
    finally:
        await made.close()


def _order(script: str, **more: object) -> Order:
    return Order(
        shown=script,
        argv=["/bin/bash", "-c", script],
        environment={"PATH": "/usr/bin:/bin", "TERM": "xterm"},
        folder=os.open("/", os.O_RDONLY | os.O_CLOEXEC),
        **more,  # type: ignore[arg-type]  # fields of Order
    )


def _is_running(marker: str) -> bool:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes().replace(b"\0", b" "):
                    return True
            except OSError:
                continue
    return False


async def test_a_quick_command_does_not_take_the_whole_wait() -> None:
    async with _sessions() as sessions:
        session = await sessions.start("me", _order("true"))
        begun = time.monotonic()

        await sessions.wait(session, 30)

        assert session.running.exit is not None
        assert time.monotonic() - begun < 10


async def test_reading_a_closed_input_ends_at_once() -> None:
    async with _sessions() as sessions:
        session = await sessions.start("me", _order("cat; read x; echo $?"))
        await sessions.wait(session, 20)

        assert session.running.transcript.take(100).shown() == "1\n"


async def test_a_text_is_waited_for_and_answered() -> None:
    async with _sessions() as sessions:
        session = await sessions.start("me", _order("echo READY; read x; echo got $x", reads=True))
        assert await sessions.wait(session, 20, "READY")

        await sessions.write(session, b"this\n")

        assert await sessions.wait(session, 20, "got this")


async def test_a_timeout_ends_the_tree_by_itself() -> None:
    async with _sessions() as sessions:
        session = await sessions.start("me", _order(f"{_LONG}1 & {_LONG}1", timeout_s=0.2))

        async with asyncio.timeout(20):
            while not session.is_over:  # noqa: ASYNC110  # another loop sets it
                await asyncio.sleep(0.01)

        assert session.timed_out
        assert not _is_running(f"{_LONG}1")


async def test_cancelling_the_end_still_ends_the_tree() -> None:
    async with _sessions() as sessions:
        script = f"trap '' TERM HUP; while :; do {_LONG}2; done"
        session = await sessions.start("me", _order(script))
        task = asyncio.create_task(sessions.end(session, 60))
        await asyncio.sleep(0.05)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert not _is_running(f"{_LONG}2")


async def test_a_session_belongs_to_its_owner() -> None:
    async with _sessions() as sessions:
        session = await sessions.start("me", _order(_LONG))

        assert sessions.find("me", session.id) is session
        with pytest.raises(ToolError, match=f"no session '{session.id}'"):
            sessions.find("you", session.id)


async def test_ended_sessions_make_room_first() -> None:
    async with _sessions(most=2) as sessions:
        first = await sessions.start("me", _order("true"))
        await sessions.start("me", _order(_LONG))
        await sessions.wait(first, 20)
        await sessions.end(first)

        await sessions.start("me", _order(_LONG))

        with pytest.raises(ToolError, match="2 commands are running already"):
            await sessions.start("me", _order(_LONG))
        await sessions.start("you", _order(_LONG))


async def test_the_end_of_an_owner_ends_all_that_is_his() -> None:
    async with _sessions() as sessions:
        await sessions.start("me", _order(f"setsid {_LONG}3"))
        other = await sessions.start("you", _order(f"{_LONG}4"))

        await sessions.end_owner("me")

        assert not _is_running(f"{_LONG}3")
        assert sessions.of("me") == []
        assert not other.is_over


async def test_closing_ends_everything_and_refuses_more() -> None:
    async with _sessions() as sessions:
        await sessions.start("me", _order(f"{_LONG}5"))

    assert not _is_running(f"{_LONG}5")
    with pytest.raises(RuntimeError, match="closed"):
        await sessions.start("me", _order("true"))


async def test_a_terminal_is_one_with_its_size() -> None:
    async with _sessions() as sessions:
        session = await sessions.start(
            "me", _order("tty -s && stty size; read x; echo $x!", size=Size(rows=30, columns=90))
        )
        assert await sessions.wait(session, 20, "30 90")

        await sessions.write(session, b"hi\n")

        assert await sessions.wait(session, 20, "hi!")


async def test_ctrl_c_reaches_what_runs_in_the_terminal() -> None:
    async with _sessions() as sessions:
        session = await sessions.start(
            "me",
            _order(
                "trap 'echo stopped; exit 3' INT; echo on; sleep 60 & wait",
                size=Size(rows=24, columns=80),
            ),
        )
        assert await sessions.wait(session, 20, "on")

        await sessions.write(session, b"\x03")
        await sessions.wait(session, 20)

        assert session.running.exit is not None
        assert session.running.exit.status == 3


async def test_sessions_live_on_from_one_loop_to_the_next() -> None:
    sessions = Sessions()
    session = await sessions.start("me", _order("read x; echo got $x", reads=True))

    def later() -> bool:
        async def work() -> bool:
            await sessions.write(session, b"it\n")
            return await sessions.wait(session, 20, "got it")

        return asyncio.run(work())

    assert await asyncio.to_thread(later)
    await sessions.close()
