"""What a command prints: kept within bounds as it comes, decoded when it is read."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

Stream: TypeAlias = Literal["stdout", "stderr"]
"""Where output comes from. A terminal has one stream, `stdout`."""

KEPT = 256 * 1024
"""How many bytes of the beginning, and as many of the end, are kept until they are read."""
_LONGEST_CHARACTER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What was printed since the last one: all of it, or its beginning and end.

    `dropped` is how many bytes between them are not here.
    """

    head: str
    tail: str
    dropped: int

    def shown(self, where: str = "") -> str:
        """The text, with what is missing said between beginning and end; `where` says its place."""
        if not self.dropped:
            return self.head + self.tail
        lead = "" if self.head.endswith("\n") or not self.head else "\n"
        return f"{self.head}{lead}[… {self.dropped:,} bytes left out{where} …]\n{self.tail}"


class Transcript:
    """The unread output of one command, at most twice `kept` bytes of it.

    What comes by the error stream stands behind a line `[stderr]`, what follows it of the other one
    behind `[stdout]`.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._stream: Stream = "stdout"
        self._ends_line = True
        self._waits: list[_Wait] = []
        self._cut = b""
        self._clear()

    def _clear(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def feed(self, stream: Stream, data: bytes) -> None:
        """Take in what was printed."""
        if not data:
            return
        if stream != self._stream:
            self._add(b"%s[%s]\n" % (b"" if self._ends_line else b"\n", stream.encode()))
            self._stream = stream
        self._add(data)
        self._ends_line = data.endswith(b"\n")
        for wait in [wait for wait in self._waits if wait.sees(stream, data)]:
            self._waits.remove(wait)

    def take(self, most: int, *, final: bool = False) -> Piece:
        """What was not read yet, at most `most` bytes of it; it counts as read.

        A character that is cut at the end waits for its rest, unless it is `final`.
        """
        head, tail, dropped = bytes(self._head), b"".join(self._tail), self._dropped
        head, self._cut = self._cut + head, b""
        self._clear()
        if not final:
            end = tail or head
            self._cut = end[_whole(end) :]
            head, tail = (head, tail[: _whole(tail)]) if tail else (head[: _whole(head)], b"")
        if not dropped and len(head) + len(tail) <= most:
            return Piece(head=_decoded(head + tail), tail="", dropped=0)
        if not dropped:
            head = tail = head + tail
        begin = head[: _whole(head[: most // 2])]
        end = _from_whole(tail[-(most - most // 2) :])
        size = len(head) if not dropped else len(head) + len(tail)
        return Piece(
            head=_decoded(begin),
            tail=_decoded(end),
            dropped=size + dropped - len(begin) - len(end),
        )

    async def seen(self, text: str) -> None:
        """Wait until `text` stands in what was not read yet, in how many pieces it came whatever."""
        wait = _Wait(text.encode(errors="replace"))
        if wait.sees(self._stream, self._cut + self._head + b"".join(self._tail)):
            return
        self._waits.append(wait)
        try:
            await wait.event.wait()
        finally:
            if wait in self._waits:
                self._waits.remove(wait)

    def _add(self, data: bytes) -> None:
        if not self._tail:
            room = self._kept - len(self._head)
            self._head += data[:room]
            data = data[room:] if room > 0 else data
        if not data:
            return
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= self._kept:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._dropped += len(gone)
        excess = self._tail_size - self._kept
        if (
            excess > self._kept
        ):  # only one long piece: cut it; a short excess is cut when it is read
            self._tail[0] = self._tail[0][excess:]
            self._tail_size -= excess
            self._dropped += excess


class _Wait:
    """Somebody who waits for a text; it may come in pieces."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._rest: dict[Stream, bytes] = {}
        self.event = asyncio.Event()

    def sees(self, stream: Stream, data: bytes) -> bool:
        """Whether the text is there now."""
        seen = self._rest.get(stream, b"") + data
        self._rest[stream] = seen[-(len(self._text) - 1) :] if len(self._text) > 1 else b""
        if self._text in seen:
            self.event.set()
        return self.event.is_set()


def _whole(data: bytes) -> int:
    """Where a UTF-8 character begins that is cut at the end; the length where none is."""
    for back in range(1, min(_LONGEST_CHARACTER, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:  # noqa: PLR2004  # ASCII
            break
        if byte >= 0xC0:  # noqa: PLR2004  # the first byte of a character of two to four
            size = 2 + (byte >= 0xE0) + (byte >= 0xF0)  # noqa: PLR2004  # the same
            return len(data) - back if size > back else len(data)
    return len(data)


def _from_whole(data: bytes) -> bytes:
    """Without the rest of a character that was cut at the beginning."""
    most = _LONGEST_CHARACTER - 1
    for at, byte in enumerate(data[:most]):
        if not 0x80 <= byte < 0xC0:  # noqa: PLR2004  # a continuation
            return data[at:]
    return data[most:]


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")


__all__ = ["KEPT", "Piece", "Stream", "Transcript"]
