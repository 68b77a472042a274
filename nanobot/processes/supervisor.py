"""The supervisor of one command: parent of its shell, reaper of all that it leaves, and their end.

It runs in a process of its own, forked from the fork server. As a child subreaper (prctl(2)) it
becomes the parent of every descendant that loses its own, also of those that called `setsid`. When
its owner closes the control socket, by intent or because it died, the whole tree is ended.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.processes.descendants import descendants, living, signal_all
from nanobot.processes.wire import Unpacker, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.jsonvalue import JsonObject

_GRACE_S = 2.0
_KILL_AGAIN_S = 0.02
_ABOVE = 64
_FIRST_KEPT = 3
_SUBREAPER = 36
_POLITE = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)
_PASSED_OVER = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGTSTP,
    signal.SIGTTOU,
    signal.SIGCHLD,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is started. `limits` holds soft and hard limits by their names in `resource`."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    limits: Mapping[str, int]
    terminal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """The descriptors of a launch, received; whoever starts it closes them.

    Through `control` the owner says what to do and hears what happened. `folder` is the working
    folder. `standard` become 0, 1, 2, and `kept` 3, 4, ….
    """

    control: int
    folder: int
    standard: Sequence[int]
    kept: Sequence[int]


class Supervisor:
    """One command and everything below it.

    Args:
        owner: a pidfd of the owner's process, or None where there are none.
    """

    def __init__(self, owner: int | None) -> None:
        self._owner = owner
        self._unpacker = Unpacker()
        self._shell: subprocess.Popen[bytes] | None = None
        self._kill_at: float | None = None
        self._wake, woken = map(above, os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK))
        os.setsid()
        become_reaper()
        for number in _PASSED_OVER:
            signal.signal(number, lambda *_: None)  # a handler, since SIG_IGN is inherited
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)

    def start(self, launch: Launch, handed: Handed) -> bool:
        """Start the command; False, with the owner told, when that fails."""
        self._control = socket.socket(fileno=above(handed.control))
        try:
            shell = _started(launch, handed)
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", None) or errno.EINVAL
            self._tell({"failed": number, "reason": os.strerror(number)})
            return False
        self._shell = shell  # kept: one that is dropped waits for its process itself
        self._tell({"started": shell.pid})
        _release(handed)
        return True

    def watch(self) -> None:
        """Stay until nothing of the command is left."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        if self._owner is not None:
            poll.register(self._owner, select.POLLIN)
        while self._reap():
            for descriptor, _ in poll.poll(self._patience()):
                if descriptor == self._wake:
                    with suppress(BlockingIOError):
                        os.read(self._wake, 4096)
                elif descriptor != self._control.fileno() or not self._listen():
                    poll.unregister(descriptor)
                    self._end(_GRACE_S)
            self._kill_if_due()
        self._tell({"gone": True})

    def _patience(self) -> float | None:
        """Milliseconds until something must be done."""
        if self._kill_at is None:
            return None
        return max(0.0, self._kill_at - time.monotonic()) * 1000 + 1

    def _listen(self) -> bool:
        """Take what the owner says; False when it is gone."""
        try:
            piece = self._control.recv(4096)
        except OSError:
            return False
        for message in self._unpacker.feed(piece):
            grace = message.get("end")
            if isinstance(grace, (int, float)):
                self._end(grace)
            number = message.get("signal")
            if isinstance(number, int):
                signal_all(descendants(os.getpid()), signal.Signals(number))
        return bool(piece)

    def _reap(self) -> bool:
        """Collect the dead; False when nothing is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if self._shell is not None and pid == self._shell.pid:
                left = living(descendants(os.getpid()))
                code = os.waitstatus_to_exitcode(status)
                self._tell({"exited": code, "left": len(left)})

    def _end(self, grace_s: float) -> None:
        """Ask everything to end, and see to it after the grace time."""
        due = time.monotonic() + grace_s
        if self._kill_at is not None:
            self._kill_at = min(self._kill_at, due)
            return
        self._kill_at = due
        if grace_s > 0:
            everyone = descendants(os.getpid())
            for number in _POLITE:
                signal_all(everyone, number)

    def _kill_if_due(self) -> None:
        """Kill all; again and again, since a process may fork while it is being looked for."""
        if self._kill_at is None or time.monotonic() < self._kill_at:
            return
        everyone = descendants(os.getpid())
        signal_all(everyone, signal.SIGSTOP)
        signal_all(descendants(os.getpid()), signal.SIGKILL)
        self._kill_at = time.monotonic() + _KILL_AGAIN_S

    def _tell(self, message: JsonObject) -> None:
        with suppress(OSError):
            self._control.sendall(packed(message))


def _started(launch: Launch, handed: Handed) -> subprocess.Popen[bytes]:
    os.fchdir(handed.folder)
    _in_place(handed)
    for name, value in launch.limits.items():  # ours too: they are inherited
        resource.setrlimit(getattr(resource, name), (value, value))
    if launch.terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    kept = range(_FIRST_KEPT, _FIRST_KEPT + len(handed.kept))
    shell = subprocess.Popen(  # noqa: S603  # what the owner asked for
        launch.argv, env=launch.environment, pass_fds=kept, process_group=0
    )
    if launch.terminal:
        os.tcsetpgrp(0, shell.pid)
        os.kill(shell.pid, signal.SIGCONT)  # if it was stopped for reading too early
    return shell


def _release(handed: Handed) -> None:
    """Hold no end of the command's pipes."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(_FIRST_KEPT):
        os.dup2(nothing, number, inheritable=False)
    for number in range(_FIRST_KEPT, _FIRST_KEPT + len(handed.kept)):
        os.close(number)
    os.close(nothing)


def become_reaper() -> None:
    """Make this process the parent of its orphaned descendants (Linux; elsewhere nothing)."""
    if sys.platform.startswith("linux"):
        import ctypes  # noqa: PLC0415  # loaded once, in the fork server

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def above(descriptor: int) -> int:
    """The same open file under a number that is out of the way of those a command inherits."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
    os.close(descriptor)
    return moved


def _in_place(handed: Handed) -> None:
    """Standard descriptors as 0, 1, 2 and the kept ones from 3 on; the others closed."""
    taken = (*handed.standard, *handed.kept)
    moved = [above(one) for one in taken]
    os.close(handed.folder)
    for number, descriptor in enumerate(moved):
        os.dup2(descriptor, number, inheritable=True)
        os.close(descriptor)


__all__ = ["Handed", "Launch", "Supervisor", "above", "become_reaper"]
