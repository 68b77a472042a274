"""The parent's side: hands documents to workers, holds them to their time, starts fresh ones."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from nanobot.documents.faults import (
    BrokenDocument,
    DocumentFault,
    DocumentLocked,
    DocumentTooLarge,
    UnknownDocument,
)
from nanobot.errors import ToolError
from nanobot.processes.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.documents.kind import Kind
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.workspace.identity import Identity

MEMORY = 1 << 30
"""How much memory a worker may take, in bytes."""
DEADLINE_S = 30.0
"""How long one document may take, in seconds."""
_WORKERS = 2
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_PROGRAM = (
    f"import sys; sys.path.append({_ROOT!r}); from nanobot.documents.worker import main; main()"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLines:
    """Some lines of a document, how many it has in all, and what to call it."""

    lines: Sequence[str]
    total: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPages:
    """The lines of the pages `first` to `last` of `total`."""

    lines: Sequence[str]
    first: int
    last: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPicture:
    """A picture as a data URL, and a line that describes it."""

    url: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An open document: its descriptor, its identity, its kind."""

    descriptor: int
    identity: Identity
    kind: Kind


class DocumentReader:
    """Reads documents in at most two worker processes, each kept for the next document.

    Args:
        memory: bytes that a worker may take.
        deadline_s: seconds that one answer may take.

    Its methods block: call them in threads. `close` ends the workers; they also end with this
    process, and by themselves when nothing was asked for five minutes.
    """

    _faults: ClassVar[Mapping[str, type[ToolError]]] = {
        "BrokenDocument": BrokenDocument,
        "DocumentLocked": DocumentLocked,
        "DocumentTooLarge": DocumentTooLarge,
        "MissingLibrary": DocumentFault,
        "ToolError": ToolError,
        "UnknownDocument": UnknownDocument,
    }

    def __init__(self, *, memory: int = MEMORY, deadline_s: float = DEADLINE_S) -> None:
        self._memory = memory
        self._deadline_s = deadline_s
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_WORKERS)
        self.parsed = 0
        """How many documents the worker that answered last has parsed."""
        weakref.finalize(self, _end_all, self._idle)

    def lines(self, document: Document, *, first: int, count: int, budget: int) -> DocumentLines:
        """`count` lines from `first` (counted from 0) on, or as many as `budget` characters are.

        Raises:
            UnknownDocument: it is a container of something else.
            DocumentFault: it is broken, locked or too large, or a library is missing.
        """
        answer = self._ask(document, {"first": first, "count": count, "budget": budget})
        return DocumentLines(
            lines=_texts(answer["lines"]), total=_whole(answer["total"]), label=str(answer["label"])
        )

    def pages(self, document: Document, pages: str | None, *, budget: int) -> DocumentPages:
        """The pages that `pages` names (None: the first 20), or as many as the budget allows.

        Raises:
            ToolError: there are no such pages.
            DocumentFault: see `lines`.
        """
        answer = self._ask(document, {"pages": pages, "budget": budget})
        return DocumentPages(
            lines=_texts(answer["lines"]),
            first=_whole(answer["first"]),
            last=_whole(answer["last"]),
            total=_whole(answer["total"]),
        )

    def picture(self, document: Document) -> DocumentPicture:
        """The picture, scaled to what models accept.

        Raises:
            DocumentFault: see `lines`.
        """
        answer = self._ask(document, {})
        return DocumentPicture(url=str(answer["url"]), line=str(answer["line"]))

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            _end_all(self._idle)

    def _ask(self, document: Document, asked: JsonObject) -> JsonObject:
        identity = document.identity
        key: list[JsonValue] = [
            identity.dev,
            identity.ino,
            identity.size,
            identity.mtime_ns,
            identity.ctime_ns,
        ]
        with self._room:
            worker = self._worker(key)
            worker.key = key
            request: JsonObject = {"kind": document.kind, "key": key, **asked}
            answer = worker.ask(request, document.descriptor, self._deadline_s)
            with self._lock:
                self._idle.append(worker)
        self.parsed = _whole(answer["parsed"])
        if "fault" in answer:
            fault = self._faults.get(str(answer["fault"]), BrokenDocument)
            raise fault(str(answer["message"]), hint=str(answer["hint"]))
        return answer

    def _worker(self, key: list[JsonValue]) -> _Worker:
        """An idle worker that lives, best the one that has this document; else a fresh one."""
        with self._lock:
            for dead in [worker for worker in self._idle if not worker.lives()]:
                self._idle.remove(dead)
                dead.end()
            found = next((worker for worker in self._idle if worker.key == key), None)
            if found is None and self._idle:
                found = self._idle[0]
            if found is not None:
                self._idle.remove(found)
                return found
        return _Worker(self._memory)


class _Worker:
    """One worker process and the socket to it."""

    def __init__(self, memory: int) -> None:
        self._door, theirs = socket.socketpair()
        self.key: list[JsonValue] | None = None
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  # our own program
                [sys.executable, "-I", "-c", _PROGRAM, str(theirs.fileno()), str(memory)],
                pass_fds=[theirs.fileno()],
                env={"LC_ALL": "C.UTF-8"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def lives(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: JsonObject, descriptor: int, deadline_s: float) -> JsonObject:
        """The answer.

        Raises:
            DocumentFault: the worker ended, by itself or at the deadline.
        """
        late = threading.Event()

        def expire() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(deadline_s, expire)
        timer.daemon = True
        timer.start()
        frame = None
        try:
            with suppress(OSError):
                send(self._door, request, [descriptor])
                frame = receive(self._door)
        except BaseException:
            self.end()
            raise
        finally:
            timer.cancel()
        if frame is not None:
            return frame.message
        self.end()
        if late.is_set():
            raise DocumentTooLarge(f"The document took longer than {deadline_s:g} s to read")
        raise BrokenDocument(
            "The document is too large or broken: reading it ended its program",
            hint="Ask for a smaller one, or read it with a program of your own.",
        )

    def end(self) -> None:
        self._door.close()
        self._process.kill()
        self._process.wait()


def _end_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


def _texts(value: JsonValue) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


__all__ = [
    "DEADLINE_S",
    "MEMORY",
    "Document",
    "DocumentLines",
    "DocumentPages",
    "DocumentPicture",
    "DocumentReader",
]
