"""Rows of `files.py`: what one call takes of our process's memory, above idle.

Each call runs in a fresh process. Its high-water mark is set back when the tool stands ready and
read after the call; ripgrep is a process of its own and does not count.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import Figure

from nanobot.agent.tools.builtin import FindFilesTool, GrepTool, ListDirTool, ReadFileTool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nanobot.agent.tools.filetool import FileTool

_BAR_MB = 30.0
_STATUS = Path("/proc/self/status")
_CALLS: dict[str, tuple[Callable[[Path], FileTool], dict[str, object]]] = {
    "read-start": (ReadFileTool, {"path": "single/gigabyte.log"}),
    "read-end": (ReadFileTool, {"path": "single/gigabyte.log", "offset": 15_000_000}),
    "read-line": (ReadFileTool, {"path": "single/line.log"}),
    "grep-literal": (GrepTool, {"pattern": "rare_needle", "path": "tree"}),
    "grep-lines": (
        GrepTool,
        {"pattern": "return", "path": "tree", "output_mode": "content", "head_limit": 1_000},
    ),
    "grep-all": (GrepTool, {"pattern": "return", "path": "tree", "head_limit": 0}),
    "grep-line": (GrepTool, {"pattern": "return", "path": "single/line.log"}),
    "grep-count": (
        GrepTool,
        {"pattern": "return", "path": "tree", "output_mode": "count", "head_limit": 0},
    ),
    "find-glob": (FindFilesTool, {"glob": "*.py", "path": "tree"}),
    "find-all": (FindFilesTool, {"path": "tree", "head_limit": 0, "include_ignored": True}),
    "find-newest": (FindFilesTool, {"path": "tree", "sort": "modified"}),
    "list": (ListDirTool, {"path": "tree", "recursive": True}),
}


def memory_names() -> Sequence[str]:
    """What `memory` knows, as `memory-…`."""
    return [f"memory-{name}" for name in _CALLS]


def memory(name: str, folder: Path, rounds: int) -> Figure:
    """The largest of some fresh processes' peaks above idle."""
    command = [sys.executable, __file__, name.removeprefix("memory-"), str(folder)]
    found = [
        float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(min(3, rounds))
    ]
    tool, arguments = _CALLS[name.removeprefix("memory-")]
    shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return Figure(
        title=f"memory of `{tool.name}({shown})`",  # type: ignore[attr-defined]  # tool classes
        ours="",
        beside="idle",
        ratio=max(found),
        bar=_BAR_MB,
        unit=" MB",
    )


async def _peak(name: str, folder: Path) -> float:
    """Megabytes above idle, in this process."""
    make, arguments = _CALLS[name]
    tool = make(folder)
    idle = _idle()
    await tool.execute(**arguments)
    return (_field("VmHWM") - idle) / 1024


def _idle() -> int:
    """The memory now, in kilobytes; the high-water mark begins anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return _field("VmRSS")


def _field(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    assert found
    return int(found[1])


if __name__ == "__main__":
    print(asyncio.run(_peak(sys.argv[1], Path(sys.argv[2]))))

__all__ = ["memory", "memory_names"]
