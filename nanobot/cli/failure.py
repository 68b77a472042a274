"""What ends a command: a status, a message on one line, a hint."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, ClassVar

from nanobot.visible import visible_line

if TYPE_CHECKING:
    from nanobot.errors import NanobotError

_DEBUG = "NANOBOT_DEBUG"


class Stopped(Exception):
    """A signal ended the command; `number` is the signal's."""

    INTERRUPTED: ClassVar[int] = 128 + signal.SIGINT

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number

    @property
    def status(self) -> int:
        """The exit status: 130 after Ctrl-C."""
        return 128 + self.number


class Failed(Exception):
    """The command said what failed; it ends with this status."""

    def __init__(self, status: int = 1) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


def tell(message: str, hint: str = "") -> None:
    """One line on standard error, and one for the hint."""
    sys.stderr.write(f"nanobot: {visible_line(message)}\n")
    if hint:
        sys.stderr.write(f"{visible_line(hint)}\n")
    sys.stderr.flush()


def tell_error(error: NanobotError) -> None:
    """What was wrong and what to do next."""
    tell(error.message, error.hint)


def tell_fault(error: Exception) -> None:
    """A fault of ours, in one line; its traceback where NANOBOT_DEBUG is set."""
    if os.environ.get(_DEBUG):
        traceback.print_exception(error)
    tell(
        f"a fault in the program: {type(error).__name__}: {error}",
        "" if os.environ.get(_DEBUG) else f"With {_DEBUG}=1 it shows where.",
    )


class _OneLine(logging.Formatter):
    """A record as one line that can't drive the terminal; no traceback unless asked for."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"nanobot: {record.levelname.lower()}: {visible_line(record.getMessage())}"
        if record.exc_info and os.environ.get(_DEBUG):
            line += "\n" + self.formatException(record.exc_info)
        return line


class _CurrentStderr(logging.Handler):
    """Writes where standard error is now: a live display puts itself before it."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(self.format(record) + "\n")


def log_to_stderr() -> None:
    """Warnings of the package, and of what it uses, as single lines on standard error."""
    handler = _CurrentStderr(logging.WARNING)
    handler.setFormatter(_OneLine())
    logging.getLogger().handlers = [handler]


__all__ = ["Failed", "Stopped", "log_to_stderr", "tell", "tell_error", "tell_fault"]
