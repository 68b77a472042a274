"""Messages between a process, its fork server and the supervisors: JSON, with descriptors.

A frame is four bytes of length, then that many bytes of JSON; descriptors travel beside its first
byte (SCM_RIGHTS).
"""

from __future__ import annotations

import json
import os
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.jsonvalue import JsonObject

_HEAD = struct.Struct("!I")
_LARGEST = 1 << 24
_MOST_DESCRIPTORS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A message and the descriptors that came with it; the receiver owns them."""

    message: JsonObject
    descriptors: tuple[int, ...] = ()


def packed(message: JsonObject) -> bytes:
    """The bytes of a frame."""
    data = json.dumps(message).encode()
    return _HEAD.pack(len(data)) + data


def send(door: socket.socket, message: JsonObject, descriptors: Sequence[int] = ()) -> None:
    """Send a frame over a blocking stream socket.

    Raises:
        OSError: nobody listens any more.
    """
    frame = packed(message)
    sent = socket.send_fds(door, [frame], list(descriptors)) if descriptors else 0
    door.sendall(frame[sent:])


def receive(door: socket.socket) -> Frame | None:
    """The next frame of a blocking stream socket; None when the other end is closed.

    Raises:
        OSError: the socket is closed or, with a timeout, silent.
        ValueError: it is no JSON object.
        RecursionError: it is nested too deep.
    """
    head, descriptors, _, _ = socket.recv_fds(door, _HEAD.size, _MOST_DESCRIPTORS)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003  # takes no name
    head += _exactly(door, _HEAD.size - len(head)) if head else b""
    if len(head) < _HEAD.size:
        return None
    (length,) = _HEAD.unpack(head)
    body = _exactly(door, min(length, _LARGEST))
    if len(body) < length:
        return None
    message = json.loads(body)
    if not isinstance(message, dict):
        raise ValueError("a frame holds a JSON object")  # noqa: TRY004  # what arrived, no argument
    return Frame(message=message, descriptors=tuple(descriptors))


def _exactly(door: socket.socket, count: int) -> bytes:
    found = bytearray()
    while len(found) < count:
        piece = door.recv(count - len(found))
        if not piece:
            break
        found += piece
    return bytes(found)


class Unpacker:
    """Frames out of bytes that arrive in any pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[JsonObject]:
        """The messages that are whole now."""
        self._rest += piece
        while len(self._rest) >= _HEAD.size:
            (length,) = _HEAD.unpack_from(self._rest)
            end = _HEAD.size + length
            if len(self._rest) < end:
                return
            body, self._rest = self._rest[_HEAD.size : end], self._rest[end:]
            yield json.loads(body)


__all__ = ["Frame", "Unpacker", "packed", "receive", "send"]
