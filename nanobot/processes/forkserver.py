"""The fork server: a small process that forks a supervisor for each command.

Forking here costs a millisecond and copies nothing of the agent: no threads, no memory, no
descriptors. It ends when the agent closes its door and the last supervisor is gone. Should a
command kill its supervisor, the orphans come here and are ended.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from contextlib import suppress

from nanobot.processes.descendants import descendants, signal_all
from nanobot.processes.supervisor import Handed, Launch, Supervisor, above, become_reaper
from nanobot.processes.wire import Frame, receive


class ForkServer:
    """Serves the requests that come through `door` until it is closed."""

    def __init__(self, door: socket.socket) -> None:
        self._door = door
        self._owner = _watch_on(os.getppid())
        self._supervisors: set[int] = set()
        self._wake, self._woken = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._taken, self._take = os.pipe2(os.O_CLOEXEC)

    def serve(self) -> None:
        """Fork supervisors; return when nobody can ask any more and none is left."""
        become_reaper()
        gc.freeze()  # pages that are not touched are not copied at a fork
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        self._fork()
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        poll.register(self._taken, select.POLLIN)
        while self._supervisors:
            for descriptor, _ in poll.poll():
                os.read(descriptor, 1)
                if descriptor == self._taken:
                    self._fork()
                else:
                    self._reap()

    def _fork(self) -> None:
        """One supervisor in advance: it waits for the next request itself."""
        pid = os.fork()
        if not pid:
            self._supervise()
        self._supervisors.add(pid)

    def _supervise(self) -> None:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            supervisor = Supervisor(self._owner)
            frame = receive(self._door)
            if frame is not None:
                control, folder, *others = frame.descriptors
                handed = Handed(
                    control=control, folder=folder, standard=others[:3], kept=others[3:]
                )
                runs = supervisor.start(_launch(frame), handed)
                with suppress(BrokenPipeError):  # the server was killed
                    os.write(self._take, b".")  # now, since the fork it asks for costs time
                self._door.close()
                if runs:
                    supervisor.watch()
            status = 0
        finally:
            os._exit(status)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self._supervisors.discard(pid)
            if status:
                self._end_orphans()

    def _end_orphans(self) -> None:
        """Kill what a dead supervisor left: children of ours that are no supervisors."""
        ours = [pid for pid in descendants(os.getpid()) if pid not in self._supervised()]
        signal_all(ours, signal.SIGKILL)

    def _supervised(self) -> set[int]:
        found = set(self._supervisors)
        for pid in self._supervisors:
            found.update(descendants(pid))
        return found


def _watch_on(pid: int) -> int | None:
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    with suppress(OSError):
        return above(opener(pid))
    return None


def _launch(frame: Frame) -> Launch:
    asked = frame.message
    argv, environment, limits = asked["argv"], asked["environment"], asked["limits"]
    if not (isinstance(argv, list) and isinstance(environment, dict) and isinstance(limits, dict)):
        raise TypeError("not a launch")
    return Launch(
        argv=[str(word) for word in argv],
        environment={name: str(value) for name, value in environment.items()},
        limits={name: int(str(value)) for name, value in limits.items()},
        terminal=bool(asked["terminal"]),
    )


def main() -> None:
    """Serve the socket whose descriptor is the first argument."""
    ForkServer(socket.socket(fileno=int(sys.argv[1]))).serve()


__all__ = ["ForkServer", "main"]
