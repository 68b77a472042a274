"""Writers of one file wait for each other, threads and processes alike.

A lock is a file in the user's state directory, named by a hash of the file's real path: never the
file itself, whose inode is replaced, and the same for workspaces that overlap. There are at most
4,096 of them, so that now and then two files share one.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from os import fsencode
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.userstate import user_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_WAIT_S = 30.0
_PAUSE_S = 0.002
_STRIPE_DIGITS = 3  # hexadecimal: 4,096 names


@contextmanager
def locked(paths: Iterable[Path], *, wait_s: float = _WAIT_S) -> Iterator[None]:
    """Hold the locks of real paths, whether or not there are files; taken in one fixed order.

    Whoever holds one must not ask for another: two paths may share a lock.

    Raises:
        ToolError: another writer held one of them for `wait_s` seconds in all.
    """
    until = time.monotonic() + wait_s
    by_name: dict[str, Path] = {}
    for path in paths:
        by_name.setdefault(_stripe(path), path)
    folder = user_state("locks") if by_name else None
    with ExitStack() as held:
        for name in sorted(by_name):
            if folder is not None:
                left = max(0.0, until - time.monotonic())
                shown = visible_line(by_name[name].name)
                busy = f"Another program has been writing '{shown}' for half a minute"
                held.enter_context(locked_file(folder / f"{name}.lock", left, busy))
        yield


@contextmanager
def locked_file(file: Path, wait_s: float, busy: str) -> Iterator[None]:
    """Hold a lock file, waiting for other holders, in this process and others.

    Raises:
        ToolError: another one held it for all of `wait_s` seconds; `busy` says so.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  # slow to import; only writing needs it

    lock = FileLock(file, mode=0o600, preserve_lock_file=True, poll_interval=_PAUSE_S)
    try:
        lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise ToolError(busy, hint="Try again later.") from error
    try:
        yield
    finally:
        lock.release()


def _stripe(path: Path) -> str:
    return blake2b(fsencode(path), digest_size=16).hexdigest()[:_STRIPE_DIGITS]


__all__ = ["locked", "locked_file"]
