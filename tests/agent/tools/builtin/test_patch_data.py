"""Every row of the recorded patches: applied exactly, or refused with nothing changed."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.builtin import ApplyPatchTool
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_KEPT = {"keep.txt": b"keep\n"}


async def test_each_recorded_patch_is_applied_exactly_or_refused(
    test_data: Path, tmp_path: Path
) -> None:
    lines = (test_data / "edits" / "patches.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) >= 90

    wrong = [row["id"] for row in rows if not await _is_right(row, tmp_path / row["id"])]

    assert wrong == []


async def _is_right(row: dict[str, Any], folder: Path) -> bool:
    workspace, outside = folder / "workspace", folder / "outside"
    _write(workspace, _decoded(row["files"]))
    _write(outside, _KEPT)
    for name, target in (row.get("links") or {}).items():
        (workspace / name).symlink_to(target)
    before = _standing(workspace)
    refused = False
    try:
        await ApplyPatchTool(workspace).execute(
            patch=row["patch"].replace("@OUTSIDE@", str(outside))
        )
    except ToolError:
        refused = True
    after = _standing(workspace)
    if _standing(outside) != _KEPT:
        return False
    if row["expect"] == "refuse":
        return refused and after == before and not (workspace / ".nanobot").exists()
    files = {name: data for name, data in after.items() if isinstance(data, bytes)}
    return not refused and files == _decoded(row["result_files"])


def _decoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {name: base64.b64decode(data) for name, data in files.items()}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _standing(folder: Path) -> dict[str, bytes | str | None]:
    """All files with their bytes, links with where they lead, and folders; our own state left out."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".nanobot":
            continue
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found
