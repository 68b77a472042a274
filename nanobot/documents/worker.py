"""The program that parses documents: in a process of its own, with little memory and no rights.

It gets each document as an open descriptor, opens no path, and keeps the last one parsed. Whatever
a hostile file does to a parser, it does it here.
"""

from __future__ import annotations

import gc
import os
import resource
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Protocol

from nanobot.documents.container import content_of_ole, content_of_zip
from nanobot.documents.faults import LARGEST, BrokenDocument, DocumentTooLarge, MissingLibrary
from nanobot.documents.leash import leashed
from nanobot.documents.pool import IDLE_S
from nanobot.errors import ToolError
from nanobot.processes.wire import receive, send
from nanobot.workspace.landlock import restrict_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nanobot.documents.pdf import PdfFile
    from nanobot.jsonvalue import JsonObject

_MOST_TEXT = 64 * 1024 * 1024
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_PACKAGES = {"PIL": "Pillow", "python_calamine": "python-calamine"}


class Lines(Protocol):
    """A document as lines of text, made when they are asked for."""

    def __len__(self) -> int: ...

    def lines(self, first: int, count: int) -> Iterator[str]:
        """`count` lines from `first` on, counted from 0."""


class Text:
    """Lines that are all there.

    Raises:
        DocumentTooLarge: they are more than 64 million characters.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines: list[str] = []
        room = _MOST_TEXT
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                raise DocumentTooLarge(f"The document has more than {_MOST_TEXT:,} characters")
            self._lines.append(line)

    def __len__(self) -> int:
        return len(self._lines)

    def lines(self, first: int, count: int) -> Iterator[str]:
        """`count` lines from `first` on, counted from 0."""
        yield from self._lines[first : first + count]


class Worker:
    """Answers requests until the door is closed, or nothing was asked for five minutes."""

    def __init__(self, door: socket.socket) -> None:
        self._door = door
        self._key: object = None
        self._label = ""
        self._lines: Lines | None = None
        self._pdf: PdfFile | None = None
        self.parsed = 0
        """How many documents were parsed."""

    def serve(self) -> None:
        """Answer one request after the other."""
        self._door.settimeout(IDLE_S)
        with suppress(TimeoutError):
            while (frame := receive(self._door)) is not None:
                with os.fdopen(frame.descriptors[0], "rb") as file:
                    with leashed(self._door, float(str(frame.message["deadline"]))):
                        answer = self._answer(frame.message, file)
                    send(self._door, {**answer, "parsed": self.parsed})

    def _answer(self, request: JsonObject, file: BinaryIO) -> JsonObject:
        try:
            return self._read(request, file)
        except ImportError as error:
            name = str(error.name or "a library").partition(".")[0]
            return _fault(MissingLibrary(_PACKAGES.get(name, name)))
        except ToolError as error:
            return _fault(error)
        except MemoryError:
            self._forget()
            gc.collect()
            return _fault(DocumentTooLarge("The document needs more memory than it may have"))
        except Exception as error:  # noqa: BLE001  # foreign parsers over hostile files
            return _fault(BrokenDocument(f"The document can't be read ({type(error).__name__})"))

    def _read(self, request: JsonObject, file: BinaryIO) -> JsonObject:
        kind, key = str(request["kind"]), request["key"]
        file.seek(0)
        if kind == "image":
            return self._image(file)
        if self._key != key:
            self._forget()
            self._parse(kind, file)
            self._key = key
        return self._pages(request) if kind == "pdf" else self._part(request)

    def _forget(self) -> None:
        if self._pdf is not None:
            self._pdf.close()
        self._key = self._lines = self._pdf = None

    def _parse(self, kind: str, file: BinaryIO) -> None:
        self.parsed += 1
        if kind == "pdf":
            from nanobot.documents.pdf import PdfFile  # noqa: PLC0415  # heavy

            self._pdf = PdfFile(file.read())
            return
        self._label, reader = _reader(kind, file)
        self._lines = reader(file)

    def _image(self, file: BinaryIO) -> JsonObject:
        from nanobot.documents.image import read_image  # noqa: PLC0415  # heavy

        self.parsed += 1
        picture = read_image(file)
        return {"url": picture.url, "line": picture.line}

    def _pages(self, request: JsonObject) -> JsonObject:
        from nanobot.documents.pdf import Room, parse_pages  # noqa: PLC0415  # heavy

        if self._pdf is None:
            raise TypeError
        asked = request.get("pages")
        pages = parse_pages(asked if isinstance(asked, str) else None, len(self._pdf))
        room = Room(
            first=_whole(request, "first"),
            lines=_whole(request, "count"),
            characters=_whole(request, "budget"),
        )
        shown = self._pdf.excerpt(pages, room)
        return {
            "lines": list(shown.lines),
            "first": pages.first,
            "last": shown.last,
            "total": len(self._pdf),
            "rest": shown.rest,
        }

    def _part(self, request: JsonObject) -> JsonObject:
        if self._lines is None:
            raise TypeError
        first, count = _whole(request, "first"), _whole(request, "count")
        budget = room = _whole(request, "budget")
        lines: list[str] = []
        for line in self._lines.lines(first, count):
            lines.append(line[: 4 * budget])
            room -= len(line) + 1
            if room < 0:
                break
        return {"lines": list(lines), "total": len(self._lines), "label": self._label}


def _reader(kind: str, file: BinaryIO) -> tuple[str, Callable[[BinaryIO], Lines]]:
    """What to call a document, and what makes lines of it."""
    found: str = kind
    if kind in ("zip", "ole"):
        found = content_of_zip(file) if kind == "zip" else content_of_ole(file)
        size = file.seek(0, os.SEEK_END)
        if size > LARGEST:
            raise DocumentTooLarge.by_size(size)
        file.seek(0)
    if found == "workbook":
        from nanobot.documents.workbook import Workbook  # noqa: PLC0415  # heavy

        return "Workbook", Workbook
    if found == "docx":
        from nanobot.documents.docx import read_docx  # noqa: PLC0415  # heavy

        return "Word document", lambda stream: Text(read_docx(stream))
    if found == "pptx":
        from nanobot.documents.pptx import read_pptx  # noqa: PLC0415  # heavy

        return "Presentation", lambda stream: Text(read_pptx(stream))
    if found == "notebook":
        from nanobot.documents.notebook import read_notebook  # noqa: PLC0415  # when needed

        return "Notebook", lambda stream: Text(read_notebook(stream))
    from nanobot.documents.mail import read_mail  # noqa: PLC0415  # when needed

    return "Mail message", lambda stream: Text(read_mail(stream))


def _whole(request: JsonObject, name: str) -> int:
    value = request[name]
    return value if isinstance(value, int) else 0


def _fault(error: ToolError) -> JsonObject:
    return {"fault": type(error).__name__, "message": error.message, "hint": error.hint}


def give_up_rights(memory: int) -> None:
    """From now on: so many bytes of memory, no core dumps, no file written, none read but Python's.

    The last holds where the kernel has Landlock.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    readable: list[int] = []
    for path in {*sys.path, sys.prefix, sys.base_prefix, *_LIBRARIES}:
        with suppress(OSError):
            readable.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    restrict_thread(readable)
    for descriptor in readable:
        os.close(descriptor)


def main() -> None:
    """Serve the socket whose descriptor is the first argument, within bytes of memory."""
    give_up_rights(int(sys.argv[2]))
    Worker(socket.socket(fileno=int(sys.argv[1]))).serve()


__all__ = ["Lines", "Text", "Worker", "give_up_rights", "main"]
