"""The `write_file` tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import ReadFileTool, WriteFileTool
from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace import FileStates

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    text = await WriteFileTool(tmp_path).execute("a/b/c.txt", "one\n")

    assert (tmp_path / "a/b/c.txt").read_bytes() == b"one\n"
    assert text == "Created a/b/c.txt: 1 line, 4 bytes"


async def test_text_that_looks_like_json_is_written_as_it_is(tmp_path: Path) -> None:
    await WriteFileTool(tmp_path).execute("a.json", '{"a":1}')

    assert (tmp_path / "a.json").read_bytes() == b'{"a":1}'


async def test_mark_line_ends_and_mode_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.sh"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    file.chmod(0o755)

    await WriteFileTool(tmp_path).execute("a.sh", "c\nd\n")

    assert file.read_bytes() == b"\xef\xbb\xbfc\r\nd\r\n"
    assert file.stat().st_mode & 0o777 == 0o755


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    file, states = tmp_path / "a.txt", FileStates()
    file.write_text("one\n", encoding="utf-8")
    await ReadFileTool(tmp_path, file_states=states).execute("a.txt")
    file.write_text("other\n", encoding="utf-8")

    with pytest.raises(ToolError):
        await WriteFileTool(tmp_path, file_states=states).execute("a.txt", "mine\n")

    assert file.read_text(encoding="utf-8") == "other\n"


@pytest.mark.parametrize(
    "path",
    [".git/hooks/pre-commit", ".git/config", ".GIT/config", ".nanobot/x", ".bashrc", ".mcp.json"],
)
async def test_a_control_file_is_never_written(path: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="may not be written by a tool"):
        await WriteFileTool(tmp_path).execute(path, "x")

    assert not (tmp_path / path).exists()


async def test_a_link_that_leads_out_is_not_written_through(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside.txt"
    workspace.mkdir()
    outside.write_text("kept", encoding="utf-8")
    (workspace / "link").symlink_to(outside)

    with pytest.raises(OutsideWorkspace):
        await WriteFileTool(workspace).execute("link", "x")

    assert outside.read_text(encoding="utf-8") == "kept"


async def test_a_hard_link_keeps_the_bytes_of_the_other_name(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside.txt"
    workspace.mkdir()
    outside.write_text("kept", encoding="utf-8")
    (workspace / "a.txt").hardlink_to(outside)

    await WriteFileTool(workspace).execute("a.txt", "new")

    assert outside.read_text(encoding="utf-8") == "kept"


async def test_a_folder_to_read_may_not_be_written(tmp_path: Path) -> None:
    workspace, more = tmp_path / "ws", tmp_path / "more"
    workspace.mkdir()
    more.mkdir()
    tool = WriteFileTool(workspace, extra_allowed_dirs=[more])

    with pytest.raises(OutsideWorkspace):
        await tool.execute(str(more / "x"), "x")


async def test_the_preview_of_a_new_file_shows_its_lines_alone(tmp_path: Path) -> None:
    shown = await WriteFileTool(tmp_path).preview({"path": "a.txt", "content": "hello\n"})

    assert shown.splitlines()[2:] == ["@@ -0,0 +1 @@", "+hello"]
