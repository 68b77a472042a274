"""The `list_dir` tool."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import ListDirTool
from nanobot.errors import ToolError
from tests.deep import deep_folder

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_folder_is_listed_with_kinds_and_sizes(project: Path) -> None:
    rows = (await ListDirTool(project).execute(".")).splitlines()

    assert "src/" in rows
    assert "README.md (19 bytes)" in rows


async def test_a_listing_stops_at_its_limit_and_says_so(project: Path) -> None:
    rows = (await ListDirTool(project).execute(".", recursive=True, max_entries=2)).splitlines()

    assert len(rows) == 3
    assert rows[-1].startswith("(More entries: only the first 2 are shown.")


async def test_a_recursive_listing_follows_no_link(project: Path) -> None:
    (project / "loop").symlink_to("..")

    text = await ListDirTool(project).execute(".", recursive=True)

    assert "loop (link)" in text
    assert "loop/" not in text


@pytest.mark.parametrize("path", ["README.md", "nope"])
async def test_what_is_no_folder_is_refused(path: str, project: Path) -> None:
    with pytest.raises(ToolError, match=path):
        await ListDirTool(project).execute(path)


async def test_a_deep_folder_is_listed_as_far_as_paths_go(tmp_path: Path) -> None:
    with deep_folder(tmp_path):
        tool = ListDirTool(tmp_path)
        rows = (await tool.execute(".", recursive=True, max_entries=5_000)).splitlines()

    assert len(rows) > 500
    assert "could not be read" in rows[-1]


async def test_a_listing_stops_at_two_million_characters(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 250) / ("d" * 250) / ("d" * 250)
    folder.mkdir(parents=True)
    for number in range(2_200):
        (folder / f"{number:0250}").touch()

    text = await ListDirTool(tmp_path).execute(".", recursive=True, max_entries=10_000)

    assert len(text) < 2_010_000
    assert "(More entries: only the first " in text.splitlines()[-1]
    assert "Raise max_entries" not in text


async def test_what_is_no_ordinary_file_is_named_and_never_opened(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "away").symlink_to("/etc")

    rows = (await ListDirTool(project).execute(".", recursive=True)).splitlines()

    assert "pipe (special file)" in rows
    assert "away (link)" in rows
    assert not [row for row in rows if row.startswith("away/")]


async def test_names_that_act_are_spelled_out(tmp_path: Path) -> None:
    (tmp_path / "a\u202egpj.exe").touch()
    (tmp_path / "b\nc\x1b[31m").touch()

    rows = (await ListDirTool(tmp_path).execute(".")).splitlines()

    assert rows == ["a\\u202egpj.exe (0 bytes)", "b\\nc\\x1b[31m (0 bytes)"]
