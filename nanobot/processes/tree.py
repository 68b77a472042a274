"""The agent's side: starts commands through a fork server, and follows each to its end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from nanobot.errors import ToolError
from nanobot.processes.wire import Unpacker, packed, send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.jsonvalue import JsonObject

_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_PROGRAM = (
    f"import sys; sys.path.insert(0, {_ROOT!r}); "
    "from nanobot.processes.forkserver import main; main()"
)
GRACE_S = 2.0
"""Seconds between the polite signals and the kill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run: the program's path and its arguments, its whole environment, its limits.

    `limits` maps names of `resource` (`RLIMIT_CPU`) to values. `terminal` says that the standard
    descriptors are a terminal, which becomes the controlling one.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    limits: Mapping[str, int] = field(default_factory=dict)
    terminal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How the command itself ended: its status, or the negative number of a signal.

    `left` is how many of its descendants were still running.
    """

    status: int
    left: int


class Tree:
    """A running command and all its descendants; made by `Starter.start`.

    `exit` is done when the command itself has ended, `gone` when nothing of it is left.
    """

    def __init__(self, control: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        self._control = control
        self._loop = loop
        self._unpacker = Unpacker()
        self._started: asyncio.Future[int] = loop.create_future()
        self.exit: asyncio.Future[Exit] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()
        self.pid = 0
        loop.add_reader(control.fileno(), self._hear)

    async def started(self) -> Self:
        """Wait until the program runs.

        Raises:
            ToolError: it could not be started.
            ConnectionResetError: its supervisor ended before it began.
        """
        self.pid = await self._started
        return self

    def signal(self, number: int) -> None:
        """Send a signal to every process of the tree."""
        self._say({"signal": number})

    def end(self, grace_s: float = GRACE_S) -> None:
        """Ask the tree to end, and kill what is left after `grace_s` seconds."""
        self._say({"end": grace_s})

    async def end_and_wait(self, grace_s: float = GRACE_S) -> None:
        """End the tree; return when nothing of it is left, also when cancelled meanwhile."""
        self.end(grace_s)
        cancelled: asyncio.CancelledError | None = None
        while not self.gone.done():
            try:
                await asyncio.shield(self.gone)
            except asyncio.CancelledError as error:
                cancelled = error
                self.end(0)
        if cancelled is not None:
            raise cancelled

    def _say(self, message: JsonObject) -> None:
        if not self.gone.done():
            with contextlib.suppress(OSError):
                self._control.send(packed(message))

    def _hear(self) -> None:
        try:
            piece = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        for message in self._unpacker.feed(piece):
            self._take(message)
        if not piece or self.gone.done():
            self._close()

    def _take(self, message: JsonObject) -> None:
        match message:
            case {"started": int(pid)}:
                self._started.set_result(pid)
            case {"failed": int(), "reason": str(reason)}:
                self._fail(ToolError(f"The command can't be started: {reason}"))
            case {"exited": int(status), "left": int(left)} if not self.exit.done():
                self.exit.set_result(Exit(status=status, left=left))
            case {"gone": True}:
                self._settle()

    def _fail(self, error: Exception) -> None:
        if not self._started.done():
            self._started.set_exception(error)
        self._settle()

    def _settle(self) -> None:
        if not self.exit.done():
            self.exit.set_result(Exit(status=-9, left=0))
        if not self.gone.done():
            self.gone.set_result(None)

    def _close(self) -> None:
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        self._fail(ConnectionResetError("the supervisor ended"))


class Starter:
    """Owns the fork server; starts it with the first command, and again should it die.

    `close` lets it end; the trees that still run are ended by their supervisors.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._door: socket.socket | None = None

    async def start(
        self, command: Command, folder: int, standard: Sequence[int], kept: Sequence[int] = ()
    ) -> Tree:
        """Start a command. The descriptors stay the caller's.

        Args:
            command: what to run.
            folder: an open descriptor of its working folder.
            standard: descriptors for its input, output and error output.
            kept: more descriptors that it inherits, as 3, 4, ….

        Raises:
            ToolError: the program can't be started.
        """
        message: JsonObject = {
            "argv": list(command.argv),
            "environment": dict(command.environment),
            "limits": dict(command.limits),
            "terminal": command.terminal,
        }
        try:
            return await self._ask(message, [folder, *standard, *kept])
        except ConnectionError:  # the server was killed: once more with a fresh one
            self._leave()
            return await self._ask(message, [folder, *standard, *kept])

    def close(self) -> None:
        """Close the door; the server ends when its last supervisor has."""
        server = self._server
        self._leave()
        if server is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(timeout=2 * GRACE_S)

    def _leave(self) -> None:
        with self._lock:
            if self._door is not None:
                self._door.close()
            self._door = None

    async def _ask(self, message: JsonObject, descriptors: Sequence[int]) -> Tree:
        ours, theirs = socket.socketpair()
        with theirs:
            ours.settimeout(0)
            tree = Tree(ours, asyncio.get_running_loop())
            with self._lock:
                send(self._open_door(), message, [theirs.fileno(), *descriptors])
        return await tree.started()

    def _open_door(self) -> socket.socket:
        if self._door is None:
            if self._server is not None:
                self._server.poll()  # reaps one that died
            self._door, theirs = socket.socketpair()
            with theirs:
                self._server = subprocess.Popen(  # noqa: S603  # our own program
                    [sys.executable, "-I", "-S", "-c", _PROGRAM, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    env={"LC_ALL": "C.UTF-8"},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        return self._door


__all__ = ["GRACE_S", "Command", "Exit", "Starter", "Tree"]
