"""Opening a path below a directory descriptor without leaving it.

On Linux the kernel does it in one step: `openat2` with `RESOLVE_BENEATH`, so that swapping a name
or a link between a check and its use gains nothing. Where the call is missing, each component is
opened by itself with `O_NOFOLLOW`.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_OPENAT2 = 437  # the same number on every architecture
_NO_MAGICLINKS = 0x02
_NO_SYMLINKS = 0x04
_BENEATH = 0x08
_HOW = struct.Struct("=QQQ")
_RETRIES = 200
_O_PATH: int = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)

ESCAPES = frozenset({errno.EXDEV, errno.ELOOP, errno.EMLINK})
"""What an open fails with when a link leads out, or is absolute, or is one where none may be."""


class Opener(Protocol):
    """`open_beneath` or `walk_beneath`."""

    def __call__(self, root_fd: int, relative: str, flags: int = 0, *, links: bool = ...) -> int:
        """A descriptor of what stands below `root_fd`."""


def open_beneath(root_fd: int, relative: str, flags: int = 0, *, links: bool = True) -> int:
    """A descriptor (`O_PATH` where there is one) of `relative` below the directory `root_fd`.

    `links=False` refuses every symbolic link on the way and at the end.

    Raises:
        OSError: with an errno of `ESCAPES` when the path would leave the directory.
    """
    wanted = flags | _O_PATH | os.O_CLOEXEC
    resolve = _BENEATH | _NO_MAGICLINKS | (0 if links else _NO_SYMLINKS)
    try:
        return _by_kernel(root_fd, relative, wanted, resolve)
    except NotImplementedError:
        return walk_beneath(root_fd, relative, flags)


def open_anywhere(path: str, flags: int = 0) -> int:
    """A descriptor of an absolute path, unfenced; links that only the kernel makes are refused."""
    wanted = flags | _O_PATH | os.O_CLOEXEC
    try:
        return _by_kernel(-1, path, wanted, _NO_MAGICLINKS)
    except NotImplementedError:
        return os.open(path, wanted)


def walk_beneath(root_fd: int, relative: str, flags: int = 0, *, links: bool = False) -> int:
    """The same without `openat2`: component by component; no link is followed, `links` or not.

    Raises:
        OSError: `EXDEV` for `..` and `ELOOP` or `ENOTDIR` for a link.
    """
    del links
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), relative)
    here = os.dup(root_fd)
    try:
        for number, part in enumerate(parts, 1):
            last = flags if number == len(parts) else os.O_DIRECTORY
            _refuse_link(here, part)
            below = os.open(part, _O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC | last, dir_fd=here)
            os.close(here)
            here = below
    except BaseException:
        os.close(here)
        raise
    return here


def open_real(path: Path, opener: Opener = open_beneath) -> int:
    """A descriptor of a folder by its real path: a link that has come to stand on the way is refused.

    Raises:
        OSError: with an errno of `ESCAPES` for such a link; `ENOENT` when the folder is gone.
    """
    if not hasattr(os, "O_PATH"):  # each folder above would have to be readable
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    top = os.open("/", _O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return opener(top, str(path).lstrip("/"), os.O_DIRECTORY, links=False)
    finally:
        os.close(top)


def _refuse_link(directory: int, name: str) -> None:
    import stat  # noqa: PLC0415  # only where the kernel lacks the call

    if stat.S_ISLNK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)


def _by_kernel(root_fd: int, path: str, flags: int, resolve: int) -> int:
    call = _openat2()
    raw = os.fsencode(path) or b"."
    how = _HOW.pack(flags, 0, resolve)
    for _ in range(_RETRIES):  # EAGAIN: something was renamed while `..` was followed
        result, code = call(root_fd, raw, how)
        if result >= 0:
            return result
        if code not in (errno.EAGAIN, errno.EINTR):
            break
    if code in (errno.ENOSYS, errno.E2BIG, errno.EINVAL) or (
        code == errno.EPERM and not _works(call)
    ):
        raise NotImplementedError
    raise OSError(code, os.strerror(code), path)


def _works(call: Callable[[int, bytes, bytes], tuple[int, int]]) -> bool:
    """Whether the kernel knows the call at all: some sandboxes answer EPERM for unknown ones."""
    result, _ = call(-1, b"/", _HOW.pack(_O_PATH | os.O_CLOEXEC, 0, 0))
    if result >= 0:
        os.close(result)
    return result >= 0


@cache
def _openat2() -> Callable[[int, bytes, bytes], tuple[int, int]]:
    if not sys.platform.startswith("linux"):
        raise NotImplementedError
    import ctypes  # noqa: PLC0415  # keeps the import of the package light

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    )

    def call(directory: int, path: bytes, how: bytes) -> tuple[int, int]:
        result: int = syscall(_OPENAT2, directory, path, how, len(how))
        return result, ctypes.get_errno() if result < 0 else 0

    return call


@cache
def _fstatfs() -> Callable[[int], int]:
    if not sys.platform.startswith("linux"):
        return lambda _: 0
    import ctypes  # noqa: PLC0415  # keeps the import of the package light

    function = ctypes.CDLL(None, use_errno=True).fstatfs

    def call(descriptor: int) -> int:
        room = ctypes.create_string_buffer(512)
        if function(descriptor, room) != 0:
            return 0
        return ctypes.c_long.from_buffer(room).value & 0xFFFFFFFF

    return call


def file_system(descriptor: int) -> int:
    """The magic number of the file system a descriptor lies on (statfs(2)); 0 when unknown."""
    return _fstatfs()(descriptor)


__all__ = [
    "ESCAPES",
    "Opener",
    "file_system",
    "open_anywhere",
    "open_beneath",
    "open_real",
    "walk_beneath",
]
