r"""The lines of an open file, one after the other, in constant memory.

Lines end at `\n` or `\r\n` and nowhere else. Text with a mark is recoded to UTF-8 on the way. Of a
line only a bounded head is kept, however long it is.
"""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.workspace.encoding import encoding_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PIECE = 1 << 18
_CONTINUATION = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The head of a line in UTF-8, its length in characters, and whether it is all there.

    `ended` tells that a line end follows. `measured` is False when its end was not looked for.
    """

    head: bytes
    length: int
    whole: bool
    ended: bool
    measured: bool = True


class LineStream:
    """Lines of the file behind `descriptor`, from its start.

    Args:
        descriptor: a regular file; its position is moved.
        most: how many bytes of a line are kept.
        farthest: how many bytes are looked at for the end of one line.
    """

    def __init__(self, descriptor: int, *, most: int, farthest: int) -> None:
        self._pieces = _utf8_pieces(descriptor)
        self._piece = b""
        self._at = 0
        self._most = most
        self._farthest = farthest

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left; looks ahead by one piece where that is not known."""
        if self._at >= len(self._piece):
            self._piece, self._at = next(self._pieces, b""), 0
        return not self._piece

    def skip(self, count: int) -> int:
        """Go over `count` lines; how many there were."""
        gone, open_line = 0, False
        while gone < count:
            if self.exhausted:
                return gone + open_line
            found = self._piece.count(b"\n", self._at)
            if gone + found >= count:
                rest = self._piece[self._at :].split(b"\n", count - gone)[-1]
                self._at = len(self._piece) - len(rest)
                return count
            gone += found
            open_line = not self._piece.endswith(b"\n")
            self._at = len(self._piece)
        return gone

    def lines(self, count: int, room: int) -> list[str]:
        """At most `count` next lines without their ends, of `room` bytes in all.

        Only lines that are whole, text, and at hand: it may give none where `next` gives one.
        """
        if self.exhausted:
            return []
        end = self._piece.rfind(b"\n", self._at, self._at + max(0, room)) + 1
        if end <= self._at:
            return []
        block = self._piece[self._at : end]
        try:
            text = block.decode()
        except UnicodeDecodeError as error:
            text = block[: block.rfind(b"\n", 0, error.start) + 1].decode()
        *lines, rest = text.split("\n", count)
        self._at += len(text.encode()) - len(rest.encode())
        return [line.removesuffix("\r") for line in lines] if "\r" in text else lines

    def next(self) -> Line | None:
        """The next line, or None after the last one."""
        head, size, length, last = bytearray(), 0, 0, b""
        while True:
            if self.exhausted:
                return self._line(head, size, length, ended=False) if size else None
            end = self._piece.find(b"\n", self._at)
            part = self._piece[self._at : end if end >= 0 else None]
            self._at += len(part) + (end >= 0)
            size += len(part)
            length += len(part.translate(None, _CONTINUATION))
            head += part[: max(0, self._most - len(head))]
            last = part[-1:] or last
            if end >= 0:
                return self._line(head, size, length - (last == b"\r"), ended=True)
            if size > self._farthest:
                return Line(
                    head=bytes(head), length=length, whole=False, ended=False, measured=False
                )

    def _line(self, head: bytearray, size: int, length: int, *, ended: bool) -> Line:
        whole = size == len(head)
        if whole and ended and head.endswith(b"\r"):
            del head[-1:]
        return Line(head=bytes(head), length=length, whole=whole, ended=ended)

    def count(self) -> int:
        """How many lines are left; reads to the end."""
        found, open_line = 0, False
        while not self.exhausted:
            found += self._piece.count(b"\n", self._at)
            open_line = not self._piece.endswith(b"\n")
            self._at = len(self._piece)
        return found + open_line


def _utf8_pieces(descriptor: int) -> Iterator[bytes]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    piece = os.read(descriptor, _PIECE)
    encoding = encoding_of(piece)
    piece = piece[len(encoding.mark) :]
    recode = _recoder(encoding.codec)
    while piece:
        text = recode(piece)
        if text:
            yield text
        piece = os.read(descriptor, _PIECE)


def _recoder(codec: str) -> Callable[[bytes], bytes]:
    if codec == "utf-8":
        return lambda piece: piece
    decoder = codecs.getincrementaldecoder(codec)(errors="replace")
    return lambda piece: decoder.decode(piece).encode("utf-8", errors="replace")


__all__ = ["Line", "LineStream"]
