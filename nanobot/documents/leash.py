"""A process whose work ends with the process that asked for it, whatever it computes (Linux)."""

from __future__ import annotations

import fcntl
import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

_SIGNALS = (signal.SIGIO, signal.SIGALRM)


@contextmanager
def leashed(door: socket.socket, seconds: float) -> Iterator[None]:
    """While it lasts, this process ends when the other end of `door` closes, or after `seconds`.

    The kernel does it, by SIGIO or SIGALRM, also where code in C holds the interpreter. Nothing may
    be sent to the door meanwhile: SIGIO tells of that too.
    """
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    flags = fcntl.fcntl(door, fcntl.F_GETFL)
    fcntl.fcntl(door, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(door, fcntl.F_SETFL, flags | os.O_ASYNC)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        fcntl.fcntl(door, fcntl.F_SETFL, flags)


__all__ = ["leashed"]
