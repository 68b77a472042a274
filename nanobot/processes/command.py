"""`Running`: a command with what it prints and reads, from its start until nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from nanobot.processes.tree import GRACE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nanobot.processes.spool import Spool
    from nanobot.processes.transcript import Stream, Transcript
    from nanobot.processes.tree import Exit, Tree

_PIECE = 1 << 18


class Running:
    """A command and its tree. All of it happens in the loop where it was made.

    Args:
        tree: the processes.
        outputs: descriptors to read its output from, by stream; they become its own.
        entry: a descriptor to write its input to, or None; it becomes its own too.
        transcript: where what it prints goes.
        spool: the file where all of that is kept, or None.
        watched: called with each piece that it prints.
    """

    def __init__(
        self,
        tree: Tree,
        outputs: Mapping[int, Stream],
        entry: int | None,
        *,
        transcript: Transcript,
        spool: Spool | None,
        watched: Callable[[bytes], None] | None = None,
    ) -> None:
        self.tree = tree
        self.transcript = transcript
        self.spool = spool
        self.last_output = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._watched = watched
        self._entry = entry
        self._to_write = bytearray()
        self._outputs = dict(outputs)
        self.quiet = asyncio.Event()
        """Set when every output is at its end."""
        for descriptor in outputs:
            os.set_blocking(descriptor, False)
            self._loop.add_reader(descriptor, self._read, descriptor)
        if entry is not None:
            os.set_blocking(entry, False)

    @property
    def exit(self) -> Exit | None:
        """How the command itself ended; None while it runs."""
        return self.tree.exit.result() if self.tree.exit.done() else None

    async def ended(self, seconds: float) -> Exit | None:
        """Wait for the end of the command itself, at most so long; what it printed by then is read.

        A child that goes on in the background, with the pipe in hand, is not waited for.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.shield(self.tree.exit)
        self.drain()
        return self.exit

    def drain(self) -> None:
        """Read what is there already."""
        for descriptor in list(self._outputs):
            while descriptor in self._outputs and self._read(descriptor):
                pass

    def write(self, data: bytes) -> None:
        """Give it input; it is written as fast as the command takes it.

        Raises:
            BrokenPipeError: its input is closed.
        """
        if self._entry is None:
            raise BrokenPipeError
        self._to_write += data
        self._write()

    def close_input(self) -> None:
        """Let it read the end of its input, after all that was given."""
        if self._entry is not None and not self._to_write:
            self._loop.remove_writer(self._entry)
            if self._entry not in self._outputs:  # a terminal is one descriptor for both
                os.close(self._entry)
            self._entry = None
        elif self._entry is not None:
            self._closing = True

    async def end(self, grace_s: float = GRACE_S) -> None:
        """End the whole tree; nothing of it is left afterwards."""
        try:
            await self.tree.end_and_wait(grace_s)
        finally:
            self.close()

    def close(self) -> None:
        """Read the rest, and let go of its descriptors."""
        self.drain()
        for descriptor in list(self._outputs):
            self._drop(descriptor)
        self._to_write.clear()
        self.close_input()
        if self.spool is not None:
            self.spool.close()

    _closing = False

    def _read(self, descriptor: int) -> bool:
        """Take a piece of output; False when there is none now."""
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return False
        except OSError:  # the end of a terminal
            data = b""
        if not data:
            self._drop(descriptor)
            return False
        self.last_output = time.monotonic()
        self.transcript.feed(self._outputs[descriptor], data)
        if self.spool is not None:
            self.spool.write(data)
        if self._watched is not None:
            self._watched(data)
        return True

    def _drop(self, descriptor: int) -> None:
        if self._outputs.pop(descriptor, None) is None:
            return
        self._loop.remove_reader(descriptor)
        if descriptor == self._entry:
            self._loop.remove_writer(descriptor)
            self._entry = None
        os.close(descriptor)
        if not self._outputs:
            self.quiet.set()

    def _write(self) -> None:
        if self._entry is None:
            return
        try:
            while self._to_write:
                count = os.write(self._entry, self._to_write[:_PIECE])
                del self._to_write[:count]
        except BlockingIOError:
            self._loop.add_writer(self._entry, self._write)
            return
        except OSError:  # nobody reads it any more
            self._to_write.clear()
        self._loop.remove_writer(self._entry)
        if self._closing:
            self.close_input()


__all__ = ["Running"]
