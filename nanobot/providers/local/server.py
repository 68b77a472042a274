"""`ModelServer`: the process that holds the model and answers on loopback.

A process of its own, so that a native crash, a print of the native library or a load that can't be
stopped stays out of this program: it can be killed, and it ends with us.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from nanobot.errors import ConfigError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonValue

_PROGRAM = Path(__file__).with_name("serving.py")
_LONGEST_LOG = 20_000
_LONGEST_REASON = 300
_LEAST_WAIT_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the model answers (`http://127.0.0.1:PORT`), and the key it wants."""

    url: str
    key: str


class ModelServer:
    """One model file in one process. Thread-safe; every method blocks.

    Args:
        path: the model file.
        context_tokens: how much of a conversation the model sees at once.
        load_timeout_s: how long loading may take, in seconds.
    """

    def __init__(self, path: Path, *, context_tokens: int, load_timeout_s: float) -> None:
        self._path = path
        self._context_tokens = context_tokens
        self._load_timeout_s = load_timeout_s
        self._starting = threading.Lock()
        self._owning = threading.Lock()
        self._process: _Process | None = None
        self._address: Address | None = None
        self._closings = 0

    @property
    def ended(self) -> bool:
        """Whether no process runs: none was started, it was closed, or it died."""
        process = self._process
        return process is None or process.popen.poll() is not None

    def dies(self, within_s: float) -> bool:
        """Whether the process has ended, or does within that many seconds."""
        process = self._process
        try:
            return process is None or process.popen.wait(within_s) is not None
        except subprocess.TimeoutExpired:
            return False

    def start(self) -> Address:
        """The address; the model is loaded first unless it is.

        Raises:
            ConfigError: it can't be loaded.
        """
        with self._starting:
            if self._address is None or self.ended:
                self._address = self._load()
            return self._address

    def close(self) -> None:
        """End the process, also one that is still loading. A later `start` loads again."""
        with self._owning:
            process, self._process = self._process, None
            self._closings += 1
        if process is not None:
            process.end()

    def _load(self) -> Address:
        closings = self._closings
        self.close()
        process = _Process.begin()
        with self._owning:
            closed = self._closings != closings + 1
            if not closed:
                self._process = process
        key = secrets.token_urlsafe(24)
        try:
            url = None if closed else process.load(self._order(key), self._load_timeout_s)
        except BaseException:
            process.end()
            raise
        if url is not None:
            return Address(url=url, key=key)
        process.end()
        raise ConfigError(f"The model {self._path.name} could not be loaded: {process.reason()}.")

    def _order(self, key: str) -> dict[str, JsonValue]:
        return {
            "path": str(self._path),
            "context_tokens": self._context_tokens,
            "threads": max(1, len(os.sched_getaffinity(0)) - 1),
            "key": key,
        }


class _Process:
    """The child, with what it printed."""

    def __init__(self, popen: subprocess.Popen[bytes], printed: IO[bytes]) -> None:
        self.popen = popen
        self._printed = printed
        self._said = ""
        self._ending = threading.Lock()

    @classmethod
    def begin(cls) -> _Process:
        printed = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `end`
        popen = subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            bufsize=0,
            cwd="/",
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )
        return cls(popen, printed)

    def load(self, order: dict[str, JsonValue], timeout_s: float) -> str | None:
        """The address; None where the process ended, or did not load in time."""
        until = time.monotonic() + timeout_s
        try:
            if self.popen.stdin is None or self.popen.stdout is None:
                return None
            self.popen.stdin.write(json.dumps(order).encode() + b"\n")
            wait_s = max(_LEAST_WAIT_S, until - time.monotonic())
            if not select.select([self.popen.stdout], [], [], wait_s)[0]:
                self._said = f"it took longer than {timeout_s:g} s"
                return None
            line = self.popen.stdout.readline()
            return str(json.loads(line)["address"]) if line else None
        except (OSError, ValueError):
            return None

    def end(self) -> None:
        """Kill it, reap it, close its pipes. Safe to call twice, from two threads."""
        with self._ending:
            if self._printed.closed:
                return
            died = self.popen.poll()
            self.popen.kill()
            self.popen.wait()
            self._said = self._said or _reason_in(_tail(self._printed), died)
            for stream in (self.popen.stdin, self.popen.stdout, self._printed):
                if stream is not None:
                    stream.close()

    def reason(self) -> str:
        """Why it did not load, once it has ended."""
        return self._said


def _tail(printed: IO[bytes]) -> str:
    size = printed.seek(0, os.SEEK_END)
    printed.seek(max(0, size - _LONGEST_LOG))
    return printed.read().decode(errors="replace")


def _reason_in(printed: str, status: int | None) -> str:
    """The line of what was printed that says most: the library's own first error."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.casefold() and " E " in line]
    said = next(iter(told), "") or next(reversed(lines), "")
    said = said.rsplit(" E ", maxsplit=1)[-1]
    if not said:
        return "it was closed" if status is None else f"its process ended with status {status}"
    return " ".join(visible_line(said).split())[:_LONGEST_REASON].rstrip(".")


__all__ = ["Address", "ModelServer"]
