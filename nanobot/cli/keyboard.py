"""Lines that a person types at a terminal, waited for on the event loop."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from typing import Self

_MOST_BYTES = 4096


class Keyboard:
    """A terminal that can be asked for a line. A wait can be cancelled without leaving a reader."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def find(cls, *, stdin_is_taken: bool = False) -> Self | None:
        """The terminal of the person, or None where nobody can answer.

        Standard input is taken where the prompt was read from it: then the controlling terminal
        answers, as long as standard output shows what is asked.
        """
        if not stdin_is_taken:
            seen = sys.stdout.isatty() or sys.stderr.isatty()
            return cls(sys.stdin.fileno()) if sys.stdin.isatty() and seen else None
        if not sys.stdout.isatty():
            return None
        try:
            return cls(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError:
            return None

    async def line(self) -> str | None:
        """The next line typed from now on, without its end; None at the end of input.

        What was typed before the question is dropped: it was no answer to it.
        """
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        loop = asyncio.get_running_loop()
        typed = bytearray()
        while not typed.endswith(b"\n"):
            ready = loop.create_future()
            loop.add_reader(self._descriptor, _settle, ready)
            try:
                await ready
            finally:
                loop.remove_reader(self._descriptor)
            piece = os.read(self._descriptor, _MOST_BYTES)
            if not piece:
                return typed.decode(errors="replace") or None
            typed += piece
        return typed.decode(errors="replace").rstrip("\r\n")


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


__all__ = ["Keyboard"]
