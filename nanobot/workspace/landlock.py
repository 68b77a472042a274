"""Landlock: a thread and the programs it starts may read some places, and write nothing (Linux).

The kernel holds every process below to it, whatever it is asked to open and whoever swaps names and
links meanwhile. See landlock(7); measured here from version 1 of its interface on.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""From which version on how many rights over files can be handled."""
_NETWORK_SINCE = 4
_TCP = 0b11


@cache
def landlock_version() -> int:
    """The version of the kernel's interface; 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _syscall()(_CREATE, None, 0, _ASK_VERSION))


def restrict_thread(readable: Iterable[int]) -> bool:
    """Let this thread, and what it starts from now on, read and run only what is given.

    There is no way back: call it in a thread made for one start. No TCP either, where the kernel
    knows how (version 4).

    Args:
        readable: open descriptors (`O_PATH` will do) of files, and of folders with all below.

    Returns:
        Whether it holds; False where the kernel has no Landlock.
    """
    version = landlock_version()
    if not version:
        return False
    handled = (1 << max(count for since, count in _RIGHTS if version >= since)) - 1
    network = _TCP if version >= _NETWORK_SINCE else 0
    head = struct.pack("QQ", handled, network) if network else struct.pack("Q", handled)
    rules = _syscall()(_CREATE, head, len(head), 0)
    if rules < 0:
        return False
    try:
        for descriptor in readable:
            _allow(rules, descriptor)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return _syscall()(_RESTRICT, rules, 0, 0) == 0
    finally:
        os.close(rules)


def _allow(rules: int, descriptor: int) -> None:
    rights = _EXECUTE | _READ_FILE
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights |= _READ_FOLDER
    rule = struct.pack("=Qi", rights, descriptor)
    if _syscall()(_ADD_RULE, rules, _PATH_BENEATH, rule, 0) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@cache
def _syscall() -> Callable[..., int]:
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    return function


__all__ = ["landlock_version", "restrict_thread"]
