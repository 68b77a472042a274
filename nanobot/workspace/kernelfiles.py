"""File systems whose files the kernel makes up (procfs, sysfs and their like).

Their files claim to be regular and empty, yet reading one may wait for ever, show the secrets of a
process, or act. They are known by their file system: see statfs(2), proc_pid_mountinfo(5).
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.workspace.beneath import file_system

if TYPE_CHECKING:
    from collections.abc import Iterator

_BY_NUMBER = {
    0x9FA0: "proc",
    0x62656572: "sysfs",
    0x64626720: "debugfs",
    0x74726163: "tracefs",
    0x73636673: "securityfs",
    0x0027E0EB: "cgroup",
    0x63677270: "cgroup2",
    0x62656570: "configfs",
    0xCAFE4A11: "bpf",
    0x1CD1: "devpts",
    0x6165676C: "pstore",
    0xDE5E81E4: "efivarfs",
    0xF97CFF8C: "selinuxfs",
}
_NAMES = frozenset(_BY_NUMBER.values())
_ESCAPED = re.compile(r"\\([0-7]{3})")


def kernel_system(descriptor: int) -> str:
    """The name of the file system of an open file, if the kernel makes its files up; else ""."""
    return _BY_NUMBER.get(file_system(descriptor), "")


def kernel_folders(folder: Path) -> list[str]:
    """Where such file systems are mounted below a real folder, relative to it."""
    found: list[str] = []
    with suppress(OSError):  # no such file on other systems
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        found.extend(
            str(place.relative_to(folder)) for place in _mounted(mounts) if folder in place.parents
        )
    return found


def _mounted(mounts: str) -> Iterator[Path]:
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if after.partition(" ")[0] in _NAMES:
            yield Path(_ESCAPED.sub(lambda octal: chr(int(octal[1], 8)), before.split(" ")[4]))


__all__ = ["kernel_folders", "kernel_system"]
