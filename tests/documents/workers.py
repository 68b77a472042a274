"""The worker processes of this process, looked at from outside."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def workers(parent: int | None = None) -> list[int]:
    """The ids of the workers that live as children of a process; without one, of this."""
    listed = Path(f"/proc/{parent or os.getpid()}/task").glob("*/children")
    children = [int(one) for file in listed for one in file.read_text(encoding="ascii").split()]
    return [child for child in children if is_worker(child)]


def is_worker(process: int) -> bool:
    """Whether it is a worker that has not ended."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return b"nanobot.documents.worker" in command


def wait_for(fact: Callable[[], bool]) -> None:
    """Wait until it is so; it fails after ten seconds."""
    pause = threading.Event()
    for _ in range(1_000):
        if fact():
            return
        pause.wait(0.01)
    raise AssertionError
