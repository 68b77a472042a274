"""Frames between processes."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from nanobot.processes.wire import Unpacker, packed, receive, send

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_MESSAGE: JsonObject = {"text": "é\ud83d", "list": [1, None, True]}


def test_a_message_arrives_with_its_descriptor() -> None:
    ours, theirs = socket.socketpair()
    read, write = os.pipe()
    with ours, theirs:
        send(ours, _MESSAGE, [write])
        frame = receive(theirs)
    os.close(write)

    assert frame is not None
    assert frame.message == _MESSAGE
    os.write(frame.descriptors[0], b"x")
    assert not os.get_inheritable(frame.descriptors[0])
    os.close(frame.descriptors[0])
    assert os.read(read, 2) == b"x"
    os.close(read)


@pytest.mark.parametrize("cut", [0, 2, 6])
def test_a_frame_that_is_cut_is_the_end(cut: int) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        with ours:
            ours.sendall(packed(_MESSAGE)[:cut])
        assert receive(theirs) is None


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_frames_come_whole_out_of_any_pieces(step: int) -> None:
    data = packed(_MESSAGE) + packed({}) + packed(_MESSAGE)
    unpacker = Unpacker()

    found = [
        message
        for start in range(0, len(data), step)
        for message in unpacker.feed(data[start : start + step])
    ]

    assert found == [_MESSAGE, {}, _MESSAGE]
