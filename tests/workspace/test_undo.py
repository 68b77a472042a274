"""Taking back a write: all of its files or none, and only where they are still what it left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.workspace import Workspace
from nanobot.workspace.undo import changes_since, take_back
from tests.workspace.trees import commit, tree

if TYPE_CHECKING:
    from pathlib import Path

_CHANGES = {"a": b"a2\n", "b": None, "new/er/c": b"c2\n"}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A folder with two files, changed by one write."""
    (tmp_path / "a").write_bytes(b"a1\n")
    (tmp_path / "b").write_bytes(b"b1\n")
    (tmp_path / "b").chmod(0o710)
    made = Workspace(tmp_path)
    commit(made, _CHANGES)
    return made


def test_a_write_of_several_files_is_taken_back_whole(workspace: Workspace) -> None:
    take_back(workspace, 1)

    assert tree(workspace.root) == {"a": b"a1\n", "b": b"b1\n"}
    assert (workspace.root / "b").stat().st_mode & 0o777 == 0o710


def test_taking_back_is_a_write_that_can_be_taken_back(workspace: Workspace) -> None:
    after = tree(workspace.root)
    take_back(workspace, 1)

    take_back(workspace, 2)

    assert tree(workspace.root) == after
    operations = [write.record.operation for write in workspace.journal.written()]
    assert operations == ["undo 2", "undo 1", "x"]


def test_extended_attributes_come_back(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    os.setxattr(tmp_path / "a", "user.note", b"kept")
    commit(Workspace(tmp_path), {"a": None})

    take_back(Workspace(tmp_path), 1)

    assert os.getxattr(tmp_path / "a", "user.note") == b"kept"


@pytest.mark.parametrize(
    "path", ["a", "b", "new/er/c"], ids=["changed", "made again", "changed new file"]
)
def test_a_file_changed_since_refuses_all_unless_forced(path: str, workspace: Workspace) -> None:
    (workspace.root / path).write_bytes(b"theirs\n")
    before = tree(workspace.root)

    with pytest.raises(ToolError, match=f"'{path}' is no longer what write 1 left"):
        take_back(workspace, 1)
    assert tree(workspace.root) == before

    take_back(workspace, 1, force=True)
    assert tree(workspace.root) == {"a": b"a1\n", "b": b"b1\n"}


def test_what_force_overwrote_can_be_had_back(workspace: Workspace) -> None:
    (workspace.root / "a").write_bytes(b"theirs\n")
    take_back(workspace, 1, force=True)

    take_back(workspace, 2)

    assert (workspace.root / "a").read_bytes() == b"theirs\n"


def test_a_touched_file_is_still_what_the_write_left(workspace: Workspace) -> None:
    os.utime(workspace.root / "a", ns=(1, 1))

    take_back(workspace, 1)

    assert (workspace.root / "a").read_bytes() == b"a1\n"


def test_a_made_folder_with_other_files_stays(workspace: Workspace) -> None:
    (workspace.root / "new/other").write_bytes(b"o")

    take_back(workspace, 1)

    assert tree(workspace.root) == {"a": b"a1\n", "b": b"b1\n", "new": None, "new/other": b"o"}


def test_an_unknown_number_is_one_clear_line(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="There is no write 7 in the journal"):
        take_back(workspace, 7)


def test_a_place_that_leads_out_by_now_is_not_written(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path.with_name(f"{tmp_path.name}-outside")
    (outside / "er").mkdir(parents=True)
    (outside / "er/c").write_bytes(b"c2\n")
    (workspace.root / "new/er/c").unlink()
    (workspace.root / "new/er").rmdir()
    (workspace.root / "new").rmdir()
    (workspace.root / "new").symlink_to(outside)

    with pytest.raises(ToolError):
        take_back(workspace, 1, force=True)

    assert (outside / "er/c").read_bytes() == b"c2\n"
    assert (workspace.root / "a").read_bytes() == b"a2\n"


def test_the_difference_goes_from_before_the_write_to_now(workspace: Workspace) -> None:
    (workspace.root / "a").write_bytes(b"a3\n")

    assert changes_since(workspace, 1).splitlines() == [
        *("--- a", "+++ a", "@@ -1 +1 @@", "-a1", "+a3"),
        *("--- b", "+++ b", "@@ -1 +0,0 @@", "-b1"),
        *("--- new/er/c", "+++ new/er/c", "@@ -0,0 +1 @@", "+c2"),
    ]


def test_the_difference_is_bounded_and_binary_files_are_told_by_size(tmp_path: Path) -> None:
    (tmp_path / "bin").write_bytes(b"\0\xff" * 100)
    (tmp_path / "long").write_bytes(b"x\n" * 5_000)
    commit(Workspace(tmp_path), {"bin": b"\0" * 300, "long": b"y\n" * 5_000})

    lines = changes_since(Workspace(tmp_path), 1).splitlines()

    assert lines[0] == "bin: 200 bytes before, 300 bytes now; too large, or no text, to compare"
    assert 100 < len(lines) < 450
