"""`WorkerPool`: at most two processes that parse documents; late, stuck or cancelled ones end."""

from __future__ import annotations

import _thread
import os
import socket
import subprocess
import sys
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from nanobot.processes.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.jsonvalue import JsonObject, JsonValue

IDLE_S = 300.0
"""A worker that nobody asked for so many seconds ends."""
_REUSED_S = 240.0
_GRACE_S = 5.0
_LOOK_S = 1.0
_WORKERS = 2
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_PROGRAM = (
    f"import sys; sys.path.append({_ROOT!r}); from nanobot.documents.worker import main; main()"
)


class Errand:
    """What one call asks of workers; left as a context, whatever still works for it is ended."""

    def __init__(self) -> None:
        self.over = False
        """Whether nobody waits for the answer any more."""
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self.over = True
            if self._worker is not None:
                self._worker.kill()

    def go_on(self) -> None:
        """Go on with it, unless it is over.

        Raises:
            BrokenDocument: it is over.
        """
        if self.over:
            raise BrokenDocument("Nobody waits for the document any more")

    @contextmanager
    def done_by(self, worker: _Worker) -> Iterator[None]:
        """While it lasts, the end of the errand is the end of this worker.

        Raises:
            BrokenDocument: it is over already.
        """
        with self._lock:
            self.go_on()
            self._worker = worker
        try:
            yield
        finally:
            with self._lock:
                self._worker = None


class WorkerPool:
    """The workers of a reader.

    Args:
        memory: bytes of address space that a worker may take.
        deadline_s: seconds that one answer may take.

    They are started when they are needed, and end at `close`, when this object or this process
    ends, however it ends, and by themselves after five minutes in which nobody asked.
    """

    def __init__(self, *, memory: int, deadline_s: float) -> None:
        self._memory = memory
        self._deadline_s = deadline_s
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()  # those that work and the idle ones
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_WORKERS)
        weakref.finalize(self, _end, self._idle, self._all)

    @property
    def working(self) -> int:
        """How many workers are asked something just now."""
        with self._lock:
            return sum(worker.works for worker in self._all)

    def ask(
        self, request: JsonObject, descriptor: int, key: list[JsonValue], errand: Errand
    ) -> JsonObject:
        """What a worker answers, best the one that has the document of this key.

        Raises:
            DocumentTooLarge: it took too long.
            BrokenDocument: reading it ended the worker, or the errand is over.
            DocumentFault: no worker can be started.
        """
        while not self._room.acquire(timeout=_LOOK_S):
            errand.go_on()
        try:
            errand.go_on()
            worker = self._taken(key)
            try:
                with errand.done_by(worker):
                    return worker.ask(request, descriptor, self._deadline_s)
            finally:
                self._give_back(worker)
        finally:
            self._room.release()

    def close(self) -> None:
        """End the workers, also one that works; a later request starts a fresh one."""
        with self._lock:
            _end(self._idle, self._all)

    def _taken(self, key: list[JsonValue]) -> _Worker:
        with self._lock:
            for stale in [worker for worker in self._idle if not worker.is_fit()]:
                self._idle.remove(stale)
                self._all.discard(stale)
                stale.end()
            worker = next((one for one in self._idle if one.key == key), None)
            if worker is None:
                worker = self._idle[0] if self._idle else _Worker(self._memory)
            if worker in self._idle:
                self._idle.remove(worker)
            self._all.add(worker)
        worker.key = key
        return worker

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            if worker.is_fit():
                self._idle.append(worker)
                return
            self._all.discard(worker)
        worker.end()


class _Worker:
    """One worker process and the socket to it. Only the thread that asks it closes the socket."""

    def __init__(self, memory: int) -> None:
        self.key: list[JsonValue] | None = None
        self.works = False
        self._used = time.monotonic()
        self._ended = False
        self._door, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # our own program
                    [sys.executable, "-I", "-c", _PROGRAM, str(theirs.fileno()), str(memory)],
                    pass_fds=[theirs.fileno()],
                    env={"LC_ALL": "C.UTF-8"},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                self._door.close()
                raise DocumentFault(
                    f"The program that reads documents can't be started: {error.strerror}"
                ) from error

    def is_fit(self) -> bool:
        """Whether it may be asked again: it lives, and won't end just now for want of work."""
        fresh = time.monotonic() - self._used < _REUSED_S
        return fresh and not self._ended and self._process.poll() is None

    def ask(self, request: JsonObject, descriptor: int, deadline_s: float) -> JsonObject:
        self.works = True
        clock = _Clock(self, deadline_s)
        try:
            answer = self._exchange({**request, "deadline": deadline_s + _GRACE_S}, descriptor)
        except BaseException:
            self.kill()
            raise
        finally:
            clock.stop()
            self.works = False
        self._used = time.monotonic()
        if answer is not None:
            return answer
        self.kill()
        if clock.late:
            raise DocumentTooLarge(
                f"The document took longer than {deadline_s:g} s to read and was given up"
            )
        raise BrokenDocument(
            "The document is too large or broken: reading it ended its program",
            hint="Ask for a smaller one, or read it with a program of your own.",
        )

    def _exchange(self, request: JsonObject, descriptor: int) -> JsonObject | None:
        """The answer; None where there is none, or nothing that a sound worker sends."""
        try:
            send(self._door, request, [descriptor])
            frame = receive(self._door)
        except (OSError, ValueError, RecursionError):
            return None
        if frame is None:
            return None
        for sent in frame.descriptors:
            with suppress(OSError):
                os.close(sent)
        return None if self._ended else frame.message

    def kill(self) -> None:
        self._ended = True
        self._process.kill()

    def end(self) -> None:
        self.kill()
        self._door.close()
        self._process.wait()


class _Clock:
    """Kills a worker at its deadline.

    A bare thread, since `threading.Timer` waits until its own has had a turn.
    """

    def __init__(self, worker: _Worker, seconds: float) -> None:
        self.late = False
        self._worker = worker
        self._running = threading.Lock()
        self._running.acquire()  # `stop` releases it
        _thread.start_new_thread(self._run, (seconds,))

    def stop(self) -> None:
        self._running.release()

    def _run(self, seconds: float) -> None:
        if not self._running.acquire(timeout=seconds):
            self.late = True
            self._worker.kill()


def _end(idle: list[_Worker], workers: set[_Worker]) -> None:
    workers.difference_update(idle)
    while idle:
        idle.pop().end()
    for working in workers:  # the threads that asked them do the rest
        working.kill()


__all__ = ["IDLE_S", "Errand", "WorkerPool"]
