"""The processes below one: found in `/proc`, ended for good."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from signal import Signals


def descendants(root: int) -> list[int]:
    """The ids of all processes below `root`, parents before children; zombies too."""
    found: list[int] = []
    open_ids = [root]
    while open_ids:
        below = _children(open_ids.pop())
        found += below
        open_ids += below
    return found


def living(pids: Sequence[int]) -> list[int]:
    """Those of the processes that are no zombies."""
    return [pid for pid in pids if _state(pid) not in ("Z", "X", "")]


def signal_all(pids: Sequence[int], number: Signals) -> None:
    """Send a signal to each; those that are gone don't matter."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    tasks = Path(f"/proc/{pid}/task")
    with suppress(OSError):
        for task in os.listdir(tasks):  # noqa: PTH208  # a hot loop
            with suppress(OSError), open(tasks / task / "children", "rb") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def _state(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[0]


__all__ = ["descendants", "living", "signal_all"]
