"""The parent's side: documents as lines, pages or pictures, parsed in workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nanobot.documents.faults import (
    BrokenDocument,
    DocumentFault,
    DocumentLocked,
    DocumentTooLarge,
    UnknownDocument,
)
from nanobot.documents.pool import Errand, WorkerPool
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.documents.kind import Kind
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.workspace.identity import Identity

MEMORY = 1 << 30
"""How much memory a worker may take, in bytes."""
DEADLINE_S = 30.0
"""How long one answer may take, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which part of a document is wanted: `count` lines from `first` on, counted from 0.

    Of a PDF the `pages` (`"2-5"`; None: the first 20), and the lines of each. It comes as far as
    `budget` characters go.
    """

    first: int
    count: int
    budget: int
    pages: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLines:
    """Some lines of a document, how many it has in all, and what to call it."""

    lines: Sequence[str]
    total: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPages:
    """The lines of the pages `first` to `last` of `total`, each page under a head line.

    `rest` is the first line of page `last`, counted from 0, that is not among them; 0 where all
    are.
    """

    lines: Sequence[str]
    first: int
    last: int
    total: int
    rest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPicture:
    """A picture as a data URL, and a line that describes it."""

    url: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An open document: its descriptor, its identity, its kind, and for which call it is read."""

    descriptor: int
    identity: Identity
    kind: Kind
    errand: Errand


class DocumentReader:
    """Reads documents in at most two worker processes, each kept for the next document.

    Args:
        memory: bytes that a worker may take.
        deadline_s: seconds that one answer may take.

    Its methods block: call them in threads. `close` ends the workers; they also end with this
    object, with this process, and by themselves when nothing was asked for five minutes.
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
        self._pool = WorkerPool(memory=memory, deadline_s=deadline_s)
        self.parsed = 0
        """How many documents the worker that answered last has parsed."""

    @property
    def working(self) -> int:
        """How many workers are asked something just now."""
        return self._pool.working

    def lines(self, document: Document, wanted: Wanted) -> DocumentLines:
        """Lines of a document other than a PDF.

        Raises:
            UnknownDocument: it is a container of something else.
            DocumentFault: it is broken, locked or too large, or a library is missing.
        """
        answer = self._ask(document, wanted)
        return DocumentLines(
            lines=_texts(answer.get("lines")),
            total=_whole(answer.get("total")),
            label=str(answer.get("label")),
        )

    def pages(self, document: Document, wanted: Wanted) -> DocumentPages:
        """Pages of a PDF.

        Raises:
            ToolError: there are no such pages or lines.
            DocumentFault: see `lines`.
        """
        answer = self._ask(document, wanted)
        return DocumentPages(
            lines=_texts(answer.get("lines")),
            first=_whole(answer.get("first")),
            last=_whole(answer.get("last")),
            total=_whole(answer.get("total")),
            rest=_whole(answer.get("rest")),
        )

    def picture(self, document: Document) -> DocumentPicture:
        """The picture, scaled to what models accept.

        Raises:
            DocumentFault: see `lines`.
        """
        answer = self._ask(document, None)
        return DocumentPicture(url=str(answer.get("url")), line=str(answer.get("line")))

    def close(self) -> None:
        """End the workers; reading again starts fresh ones."""
        self._pool.close()

    def _ask(self, document: Document, wanted: Wanted | None) -> JsonObject:
        identity = document.identity
        key: list[JsonValue] = [
            document.kind,
            identity.dev,
            identity.ino,
            identity.size,
            identity.mtime_ns,
            identity.ctime_ns,
        ]
        request: JsonObject = {"kind": document.kind, "key": key}
        if wanted is not None:
            request["first"] = wanted.first
            request["count"] = wanted.count
            request["budget"] = wanted.budget
            request["pages"] = wanted.pages
        answer = self._pool.ask(request, document.descriptor, key, document.errand)
        self.parsed = _whole(answer.get("parsed"))
        if "fault" in answer:
            fault = self._faults.get(str(answer["fault"]), BrokenDocument)
            raise fault(str(answer.get("message")), hint=str(answer.get("hint", "")))
        return answer


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
    "Wanted",
]
