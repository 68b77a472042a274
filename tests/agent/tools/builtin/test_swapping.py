"""Names and links swapped all the time while a tool works: nothing from outside comes in."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import (
    ApplyPatchTool,
    EditFileTool,
    FindFilesTool,
    GrepTool,
    ListDirTool,
    ReadFileTool,
    WriteFileTool,
)
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nanobot.agent.tools.filetool import FileTool

_SECRET = "TOPSECRET"  # noqa: S105  # no password, a marker
_PATCH = (
    "*** Begin Patch\n*** Update File: sub/f.txt\n@@\n-line\n+line\n+more\n"
    "*** Add File: sub/new/g.txt\n+x\n*** End Patch\n"
)
_SEARCH: dict[str, object] = {"pattern": ".", "path": "sub", "output_mode": "content"}


class _GrepWithoutLandlock(GrepTool):
    landlock = False


_CALLS: dict[str, tuple[type[FileTool], dict[str, object], int]] = {
    "read_file": (ReadFileTool, {"path": "sub/f.txt", "force": True}, 300),
    "write_file": (WriteFileTool, {"path": "sub/f.txt", "content": "line\n"}, 150),
    "edit_file": (
        EditFileTool,
        {"path": "sub/f.txt", "old_text": "line", "new_text": "lines"},
        150,
    ),
    "apply_patch": (ApplyPatchTool, {"patch": _PATCH}, 80),
    "list_dir": (ListDirTool, {"path": ".", "recursive": True}, 300),
    "find_files": (FindFilesTool, {"path": "sub", "include_ignored": True}, 40),
    "grep": (GrepTool, _SEARCH, 40),
    "grep without Landlock": (_GrepWithoutLandlock, _SEARCH, 40),
}


@pytest.mark.parametrize("swap", ["folder", "file"])
@pytest.mark.parametrize("name", _CALLS)
async def test_a_tool_gains_nothing_by_a_swap(
    name: str, swap: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made, arguments, count = _CALLS[name]
    workspace = tmp_path / "ws"
    (workspace / "sub").mkdir(parents=True)
    (workspace / "sub/f.txt").write_text("line\n", encoding="utf-8")
    outside = tmp_path_factory.mktemp("outside")
    for secret in ("f.txt", f"{_SECRET}.txt"):
        (outside / secret).write_text(f"{_SECRET}\n", encoding="utf-8")
    tool = made(workspace)
    answers: list[str] = []
    place = workspace / ("sub" if swap == "folder" else "sub/f.txt")
    target = outside if swap == "folder" else outside / "f.txt"

    with _swapped(place, target):
        for _ in range(count):
            with suppress(ToolError):  # gone at that moment, or refused
                answers.append(str(await tool.execute(**arguments)))

    assert _SECRET not in "".join(answers)
    assert sorted(path.name for path in outside.iterdir()) == [f"{_SECRET}.txt", "f.txt"]
    assert (outside / "f.txt").read_text(encoding="utf-8") == f"{_SECRET}\n"


@contextmanager
def _swapped(place: Path, target: Path) -> Iterator[None]:
    """A thread that replaces `place` by a link to `target` and puts it back, all the time."""
    over = threading.Event()
    away = place.with_name("away")

    def swap() -> None:
        while not over.is_set():
            for step in _steps(place, away, target):
                with suppress(OSError):
                    step()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _steps(place: Path, away: Path, target: Path) -> list[Callable[[], object]]:
    return [
        lambda: place.rename(away),
        lambda: place.symlink_to(target),
        place.unlink,
        lambda: away.rename(place),
    ]
