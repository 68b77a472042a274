"""The `read_file` tool."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.agent.tools.context import (
    RequestContext,
    bind_request_context,
    reset_request_context,
)
from nanobot.errors import OutsideWorkspace, ToolError

if TYPE_CHECKING:
    from pathlib import Path


async def read(tool: ReadFileTool, session: str, path: str) -> str:
    token = bind_request_context(RequestContext(session_key=session))
    try:
        return str(await tool.execute(path))
    finally:
        reset_request_context(token)


async def test_rows_carry_their_numbers_and_the_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")

    text = await ReadFileTool(tmp_path).execute("a.txt")

    assert text == "1| one\n2| two\n\n(End of file — 2 lines total)"


async def test_a_range_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 11)), encoding="utf-8")

    text = await ReadFileTool(tmp_path).execute("a.txt", offset=3, limit=2)

    assert text == "3| 3\n4| 4\n\n(Showing lines 3-4 of 10. Use offset=5 to continue.)"


async def test_a_big_file_is_read_in_part_and_not_scanned_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_bytes(b"one line of a log\n" * 300_000)

    text = await ReadFileTool(tmp_path).execute("big.txt", limit=1)

    assert text == (
        "1| one line of a log\n\n(Showing lines 1-1 of more than 1, 5.1 MB. Use offset=2 to continue.)"
    )


async def test_a_huge_sparse_file_is_named_from_its_first_bytes(tmp_path: Path) -> None:
    with (tmp_path / "big.txt").open("wb") as file:
        file.write(b"first\n")
        file.truncate(101 << 20)

    text = await ReadFileTool(tmp_path).execute("big.txt")

    assert "binary file" in text
    assert "101.0 MB" in text


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff\xfeh\x00i\x00", "1| hi"),
        (b"\xfe\xff\x00h\x00i", "1| hi"),
        (b"\xff\xfe\x00\x00h\x00\x00\x00i\x00\x00\x00", "1| hi"),
        (b"\xef\xbb\xbfhi", "1| hi"),
    ],
    ids=["utf-16-le", "utf-16-be", "utf-32-le", "utf-8"],
)
async def test_a_byte_order_mark_is_honoured(data: bytes, line: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(data)

    text = str(await ReadFileTool(tmp_path).execute("a.txt"))

    assert text.splitlines()[0] == line


async def test_a_binary_file_is_named_with_its_type_and_size(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0" + bytes(100))

    text = await ReadFileTool(tmp_path).execute("a.gz")

    assert "binary file: application/gzip, 108 bytes" in text


@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "proc", "folder"])
async def test_what_is_no_regular_file_is_refused_without_waiting(
    kind: str, tmp_path: Path
) -> None:
    place = tmp_path / "odd"
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(place))
        server.close()
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero" if kind == "device" else "/proc/self/status")

    with pytest.raises(ToolError):
        await ReadFileTool(tmp_path).execute("odd")


@pytest.mark.parametrize(
    "path", ["../outside.txt", "/etc/hostname", "link", "a/../../outside.txt", "~/x", "..\\x"]
)
async def test_a_path_that_leaves_the_workspace_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    workspace = tmp_path / "ws"
    (workspace / "a").mkdir(parents=True)
    (workspace / "link").symlink_to(tmp_path / "outside.txt")

    with pytest.raises(OutsideWorkspace):
        await ReadFileTool(workspace).execute(path)


async def test_a_folder_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    workspace, evil = tmp_path / "ws", tmp_path / "ws-evil"
    workspace.mkdir()
    evil.mkdir()
    (evil / "x").write_text("secret", encoding="utf-8")

    with pytest.raises(OutsideWorkspace):
        await ReadFileTool(workspace).execute(str(evil / "x"))


async def test_an_unchanged_file_is_told_so_only_to_the_session_that_read_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    tool = ReadFileTool(tmp_path)

    first = await read(tool, "a", "a.txt")
    again = await read(tool, "a", "a.txt")
    other = await read(tool, "b", "a.txt")

    assert first.startswith("1| one")
    assert again == "[File unchanged since last read: a.txt]"
    assert other == first


async def test_changed_bytes_are_read_again_and_force_always_reads(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n", encoding="utf-8")
    tool = ReadFileTool(tmp_path)
    await tool.execute("a.txt")

    forced = str(await tool.execute("a.txt", force=True))
    file.write_text("two\n", encoding="utf-8")
    changed = str(await tool.execute("a.txt"))

    assert forced.startswith("1| one")
    assert changed.startswith("1| two")


async def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")

    with pytest.raises(ToolError) as caught:
        await ReadFileTool(tmp_path).execute("notse.txt")

    assert caught.value.hint == "Did you mean 'notes.txt'?"


@pytest.mark.parametrize("name", [".env", ".env.local", "id_rsa", ".netrc", "server.pem"])
def test_a_file_that_usually_holds_secrets_asks_first(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")
    tool = ReadFileTool(tmp_path)

    assert tool.question({"path": name})
    assert not tool.question({"path": "a.txt"})


async def test_without_a_workspace_only_absolute_paths_work(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    tool = ReadFileTool()

    assert str(await tool.execute(str(tmp_path / "a.txt"))).startswith("1| one")
    with pytest.raises(ToolError, match="relative path"):
        await tool.execute("a.txt")
