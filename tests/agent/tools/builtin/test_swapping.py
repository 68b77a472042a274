"""Names and links swapped all the time while a tool works: nothing from outside comes in."""

from __future__ import annotations

import shutil
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
    from collections.abc import Iterator
    from pathlib import Path

    from nanobot.agent.tools.filetool import FileTool

_SECRET = "TOPSECRET"  # noqa: S105  # no password, a marker
_PATCH = (
    "*** Begin Patch\n*** Update File: sub/f.txt\n@@\n-line\n+line\n+more\n"
    "*** Add File: sub/new/g.txt\n+x\n*** End Patch\n"
)
_SEARCH: dict[str, object] = {"pattern": ".", "path": ".", "output_mode": "content"}
_ROUNDS = 20


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
    "apply_patch": (ApplyPatchTool, {"patch": _PATCH}, 100),
    "list_dir": (ListDirTool, {"path": "sub"}, 300),
    "list_dir of all": (ListDirTool, {"path": ".", "recursive": True}, 300),
    "find_files": (FindFilesTool, {"path": "sub", "include_ignored": True}, 40),
    "find_files in all": (FindFilesTool, {"path": ".", "include_ignored": True}, 40),
    "grep": (GrepTool, {**_SEARCH, "path": "sub/f.txt"}, 40),
    "grep in all": (GrepTool, _SEARCH, 30),
    "grep without Landlock": (_GrepWithoutLandlock, _SEARCH, 30),
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

    with _swapped(place, target) as rounds:
        for _ in range(count):
            with suppress(ToolError):  # gone at that moment, or refused
                answers.append(str(await tool.execute(**arguments)))

    assert len(rounds) > _ROUNDS
    assert _SECRET not in "".join(answers)
    assert sorted(path.name for path in outside.iterdir()) == [f"{_SECRET}.txt", "f.txt"]
    assert (outside / "f.txt").read_text(encoding="utf-8") == f"{_SECRET}\n"


@contextmanager
def _swapped(place: Path, target: Path) -> Iterator[list[None]]:
    """A thread that replaces `place` by a link to `target` and puts it back, all the time.

    Its rounds are counted: a name that a tool made meanwhile is cleared away, so that it goes on.
    """
    over = threading.Event()
    rounds: list[None] = []

    def swap() -> None:
        away = place.with_name("away")
        while not over.is_set():
            with suppress(OSError):
                place.rename(away)
                place.symlink_to(target)
                place.unlink()
                rounds.append(None)
            _clear(place)
            with suppress(OSError):
                away.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield rounds
    finally:
        over.set()
        thread.join()


def _clear(place: Path) -> None:
    """Remove what stands there, but nothing behind a link."""
    shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):
        place.unlink()
