"""Every row of the recorded edits: applied exactly, or refused with nothing changed."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.builtin import EditFileTool
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from pathlib import Path


async def test_each_recorded_edit_is_applied_exactly_or_refused(
    test_data: Path, tmp_path: Path
) -> None:
    lines = (test_data / "edits" / "edits.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) > 500

    wrong = [row["id"] for row in rows if not await _is_right(row, tmp_path)]

    assert wrong == []


async def _is_right(row: dict[str, Any], workspace: Path) -> bool:
    file = workspace / row["path"]
    file.parent.mkdir(parents=True, exist_ok=True)
    before = base64.b64decode(row["file_b64"])
    file.write_bytes(before)
    arguments = {"old_text": row["old_text"], "new_text": row["new_text"], **row["options"]}
    try:
        await EditFileTool(workspace).execute(path=row["path"], **arguments)
    except ToolError:
        return bool(row["expect"] == "refuse") and file.read_bytes() == before
    expected = base64.b64decode(row["result_b64"] or "")
    return bool(row["expect"] == "apply") and file.read_bytes() == expected
