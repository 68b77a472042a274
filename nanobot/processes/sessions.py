"""Commands that go on between calls: each belongs to an owner, and ends with it at the latest."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import termios
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.processes.command import Running
from nanobot.processes.host import Host
from nanobot.processes.spool import LIMIT, Spool
from nanobot.processes.transcript import Transcript
from nanobot.processes.tree import GRACE_S, Command, Starter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from nanobot.processes.transcript import Stream

MOST_SESSIONS = 8
"""How many sessions one owner may have at once."""
IDLE_S = 2 * 3600.0
"""After so many seconds without a poll and without output a session ends."""
_LOOK_S = 5.0
_PIPE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Of a terminal, in characters."""

    rows: int
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command to start.

    `shown` is what a person reads of it. `folder` is an open descriptor, the caller's. `timeout_s`
    ends the tree by itself. `output` is where all that it prints is kept, or None. With `size` it
    gets a terminal; with `reads` its input stays open, else it is at its end.
    """

    shown: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: int
    limits: Mapping[str, int] = field(default_factory=dict)
    timeout_s: float | None = None
    output: Path | None = None
    output_limit: int = LIMIT
    size: Size | None = None
    reads: bool = False
    watched: Callable[[bytes], None] | None = None


class Session:
    """One command of an owner. Its fields are facts; `Sessions` does things with it."""

    def __init__(self, number: int, owner: str, order: Order, running: Running) -> None:
        self.id = f"exec_{number}"
        self.owner = owner
        self.order = order
        self.running = running
        self.started = time.monotonic()
        self.polled = self.started
        self.timed_out = False
        """Whether its own timeout ended it."""
        self.terminated = False
        """Whether somebody ended it, by a call or because it was idle."""
        self.deadline: asyncio.TimerHandle | None = None
        self.ending: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left."""
        return self.running.tree.gone.done()


class Sessions:
    """All commands of a host; its methods may be awaited from any loop.

    Args:
        most: sessions of one owner at once; those that have ended make room first.
        idle_s: see `IDLE_S`.
    """

    def __init__(self, *, most: int = MOST_SESSIONS, idle_s: float = IDLE_S) -> None:
        self._host = Host()
        self._starter = Starter()
        self._most = most
        self._idle_s = idle_s
        self._number = 0
        self._sessions: dict[str, Session] = {}
        self._closing = False
        self._watch: asyncio.Task[None] | None = None

    async def start(self, owner: str, order: Order) -> Session:
        """Start a command.

        Raises:
            ToolError: it can't be started, the owner has too many, or all are being ended.
        """
        return await self._host.run(lambda: self._start(owner, order))

    async def wait(self, session: Session, seconds: float, text: str = "") -> bool:
        """Wait for the command's end, or for a text that it prints, at most so long.

        Returns:
            Whether the text came.
        """
        return await self._host.run(lambda: self._wait(session, seconds, text))

    async def write(self, session: Session, data: bytes, *, close: bool = False) -> None:
        """Give it input, and then the end of it where asked.

        Raises:
            ToolError: its input is closed.
        """

        async def work() -> None:
            try:
                if data:
                    session.running.write(data)
            except BrokenPipeError as error:
                raise ToolError(
                    f"The input of {session.id} is closed", hint="Start it anew to write to it."
                ) from error
            if close:
                session.running.close_input()

        await self._host.run(work)

    async def end(self, session: Session, grace_s: float = GRACE_S) -> None:
        """End its tree; nothing of it is left afterwards."""
        await self._host.run(lambda: self._end(session, grace_s))

    def find(self, owner: str, number: str) -> Session:
        """The owner's session of this id.

        Raises:
            ToolError: there is none, or it is somebody else's.
        """
        session = self._sessions.get(number)
        if session is None or session.owner != owner:
            there = ", ".join(known.id for known in self.of(owner)) or "none"
            raise ToolError(f"There is no session '{number}'", hint=f"Your sessions: {there}.")
        session.polled = time.monotonic()
        return session

    def of(self, owner: str) -> list[Session]:
        """The owner's sessions, the oldest first."""
        return [session for session in self._sessions.values() if session.owner == owner]

    def forget(self, session: Session) -> None:
        """Let go of one that is over."""
        self._sessions.pop(session.id, None)

    async def end_owner(self, owner: str) -> None:
        """End all that an owner has running, and forget it."""
        await self._host.run(lambda: self._end_all(self.of(owner)))

    async def close(self) -> None:
        """End everything; no command starts any more."""
        self._closing = True
        await self._host.run(lambda: self._end_all(list(self._sessions.values())))
        self._starter.close()
        self._host.close()

    async def _start(self, owner: str, order: Order) -> Session:
        if self._closing:
            raise ToolError("Commands are being ended; no new one starts")
        self._make_room(owner)
        if self._watch is None:
            self._watch = asyncio.create_task(self._end_idle())
        with ExitStack() as theirs:
            ends = _terminal(order.size, theirs) if order.size else _pipes(order, theirs)
            command = Command(
                argv=order.argv,
                environment=order.environment,
                limits=order.limits,
                terminal=order.size is not None,
            )
            try:
                tree = await self._starter.start(command, order.folder, ends.standard)
            except BaseException:
                ends.close()
                raise
        running = Running(
            tree,
            ends.outputs,
            ends.entry,
            transcript=Transcript(),
            spool=Spool(order.output, order.output_limit) if order.output else None,
            watched=order.watched,
        )
        self._number += 1
        session = Session(self._number, owner, order, running)
        self._sessions[session.id] = session
        if order.timeout_s is not None:
            loop = asyncio.get_running_loop()
            session.deadline = loop.call_later(order.timeout_s, self._expire, session)
        return session

    def _make_room(self, owner: str) -> None:
        mine = self.of(owner)
        for session in mine:
            if len(mine) < self._most:
                return
            if session.is_over:
                self.forget(session)
                mine.remove(session)
        if len(mine) >= self._most:
            raise ToolError(
                f"{len(mine)} commands are running already, and that is the most",
                hint="End one of them: write_stdin with its session_id and terminate=true.",
            )

    async def _wait(self, session: Session, seconds: float, text: str) -> bool:
        session.polled = time.monotonic()
        waits = [asyncio.ensure_future(session.running.ended(seconds))]
        if text:
            waits.append(asyncio.ensure_future(session.running.transcript.seen(text)))
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            session.running.drain()
            return len(waits) > 1 and waits[1].done()
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
            session.polled = time.monotonic()

    def _expire(self, session: Session) -> None:
        if not session.is_over:
            session.timed_out = True
            session.ending = asyncio.create_task(self._end(session, GRACE_S))

    async def _end(self, session: Session, grace_s: float) -> None:
        if session.deadline is not None:
            session.deadline.cancel()
        session.terminated = session.terminated or not (session.timed_out or session.is_over)
        await session.running.end(grace_s)

    async def _end_all(self, sessions: list[Session]) -> None:
        async with asyncio.TaskGroup() as group:
            for session in sessions:
                group.create_task(self._end(session, GRACE_S))
        for session in sessions:
            self.forget(session)

    async def _end_idle(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            now = time.monotonic()
            for session in list(self._sessions.values()):
                last = max(session.polled, session.running.last_output)
                if now - last > self._idle_s:
                    await self._end(session, GRACE_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """Descriptors: the command's standard three, and ours."""

    standard: Sequence[int]
    outputs: Mapping[int, Stream]
    entry: int | None

    def close(self) -> None:
        for descriptor in {*self.outputs, *({self.entry} - {None})}:
            with suppress(OSError, TypeError):
                os.close(descriptor)  # type: ignore[arg-type]  # None was taken out


def _pipes(order: Order, theirs: ExitStack) -> _Ends:
    out, out_end = os.pipe()
    error, error_end = os.pipe()
    for descriptor in (out, error):
        with suppress(OSError):  # more than a user may have
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE)
    if order.reads:
        entry_end, entry = os.pipe()
    else:
        entry_end, entry = os.open(os.devnull, os.O_RDONLY), None
    for descriptor in (entry_end, out_end, error_end):
        theirs.callback(os.close, descriptor)
    return _Ends(
        standard=[entry_end, out_end, error_end],
        outputs={out: "stdout", error: "stderr"},
        entry=entry,
    )


def _terminal(size: Size, theirs: ExitStack) -> _Ends:
    ours, end = pty.openpty()
    theirs.callback(os.close, end)
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
    return _Ends(standard=[end] * 3, outputs={ours: "stdout"}, entry=ours)


__all__ = ["IDLE_S", "MOST_SESSIONS", "Order", "Session", "Sessions", "Size"]
