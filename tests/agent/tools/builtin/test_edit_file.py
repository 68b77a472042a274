"""The `edit_file` tool: what it keeps of a file, and edits at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import EditFileTool
from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace import FileStates
from tests.workspace.trees import tree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(
            b"\xef\xbb\xbfa\r\nb\r\n", "b", "c\nd", b"\xef\xbb\xbfa\r\nc\r\nd\r\n", id="mark, CRLF"
        ),
        pytest.param(b"a\nb\r\nc\n", "c", "d", b"a\nb\r\nd\n", id="mixed line ends"),
        pytest.param(b"a\nb", "b", "c", b"a\nc", id="no line end at the end"),
        pytest.param(b"a\nb\r", "a", "c", b"c\nb\r", id="a lone CR at the end"),
        pytest.param("ab\n".encode("utf-16"), "b", "é", "aé\n".encode("utf-16"), id="UTF-16"),
    ],
)
async def test_encoding_mark_and_line_ends_are_kept(
    before: bytes, old: str, new: str, after: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(before)

    await EditFileTool(tmp_path).execute("a", old, new)

    assert (tmp_path / "a").read_bytes() == after


@pytest.mark.parametrize("data", [b"caf\xe9\n", "文字\n".encode("gbk")], ids=["Latin-1", "GBK"])
async def test_what_is_no_unicode_text_is_refused_and_stays(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)

    with pytest.raises(ToolError):
        await EditFileTool(tmp_path).execute("a", "a", "b")

    assert (tmp_path / "a").read_bytes() == data


async def test_edits_of_one_file_at_once_are_all_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"<{number}>\n" for number in range(20)), encoding="utf-8")
    tools = [EditFileTool(tmp_path, file_states=FileStates()) for _ in range(2)]

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            edit = tools[number % 2].execute("a", f"<{number}>", f"[{number}]")
            group.create_task(edit)

    text = (tmp_path / "a").read_text(encoding="utf-8")
    assert text == "".join(f"[{number}]\n" for number in range(20))


async def test_a_new_file_and_its_folders_are_made_from_an_empty_old_text(tmp_path: Path) -> None:
    said = await EditFileTool(tmp_path).execute("new/a", "", "x\n")

    assert said == "Created new/a"
    assert (tmp_path / "new/a").read_bytes() == b"x\n"


@pytest.mark.parametrize("path", ["missing", "no/such/folder/a"])
async def test_a_missing_file_is_said_to_be_missing_and_no_folder_is_made(
    path: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolError, match=f"'{path}' does not exist"):
        await EditFileTool(tmp_path).execute(path, "a", "b")

    assert tree(tmp_path) == {}


async def test_a_link_that_leads_out_is_not_edited_through(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    workspace.mkdir()
    outside.write_bytes(b"a")
    (workspace / "link").symlink_to(outside)

    with pytest.raises(OutsideWorkspace):
        await EditFileTool(workspace).execute("link", "a", "b")

    assert outside.read_bytes() == b"a"


async def test_a_preview_changes_nothing_and_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\n")

    shown = await EditFileTool(tmp_path).preview(
        {"path": "a", "old_text": "one", "new_text": "two"}
    )

    assert shown.splitlines()[2:] == ["@@ -1 +1 @@", "-one", "+two"]
    assert tree(tmp_path) == {"a": b"one\n"}
