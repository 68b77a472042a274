"""A process that ends with the one that waits for it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import IO, TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUSY = """
import signal, socket, sys
from nanobot.documents.leash import leashed
signal.signal(signal.SIGIO, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO, signal.SIGALRM])
with leashed(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2])):
    print("busy", flush=True)
    sum(iter(int, 1))  # for ever, in C
"""
_DONE = """
import socket, sys
from nanobot.documents.leash import leashed
with leashed(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2])):
    pass
print("done", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def doors() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def start(program: str, door: socket.socket, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(door.fileno()), str(seconds)],
        pass_fds=[door.fileno()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def said(output: IO[str] | None) -> str:
    return output.readline().strip() if output else ""


def test_work_ends_when_the_other_end_closes(
    doors: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = doors
    with start(_BUSY, theirs, 60) as process:
        assert said(process.stdout) == "busy"
        ours.close()

        assert process.wait(30) == -signal.SIGIO


def test_work_ends_when_its_time_is_up(doors: tuple[socket.socket, socket.socket]) -> None:
    with start(_BUSY, doors[1], 0.1) as process:
        assert process.wait(30) == -signal.SIGALRM


def test_a_process_off_the_leash_lives_on(doors: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = doors
    with start(_DONE, theirs, 60) as process:
        assert said(process.stdout) == "done"
        ours.close()
        assert process.stdin
        process.stdin.close()

        assert process.wait(30) == 0
