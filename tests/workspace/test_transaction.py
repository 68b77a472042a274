"""Transactions: all files or none, their folders too, and what a write keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace import Workspace
from tests.workspace.trees import commit, tree

if TYPE_CHECKING:
    from pathlib import Path


def test_files_are_written_made_and_deleted_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    (tmp_path / "b").write_bytes(b"b1")

    with Workspace(tmp_path).changing(["a", "b", "new/er/c"]) as change:
        change.write("a", b"a2")
        change.delete("b")
        change.write("new/er/c", b"c2")
        change.commit()

    assert tree(tmp_path) == {"a": b"a2", "new": None, "new/er": None, "new/er/c": b"c2"}


def test_what_is_staged_is_read_back_and_nothing_is_done_without_a_commit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")

    with Workspace(tmp_path).changing(["a", "b"]) as change:
        before = change.bytes("a"), change.bytes("b")
        change.delete("a")
        change.write("b", b"b2")
        after = change.bytes("a"), change.bytes("b")

    assert before == (b"a1", None)
    assert after == (None, b"b2")
    assert tree(tmp_path) == {"a": b"a1"}


def test_two_spellings_of_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    (tmp_path / "link").symlink_to("a")

    with Workspace(tmp_path).changing(["a", "./a", "link"]) as change:
        change.write("link", b"a2")
        seen = change.bytes("./a")
        made = change.commit()

    assert seen == b"a2"
    assert [each.path for each in made] == [tmp_path / "a"]
    assert (tmp_path / "link").is_symlink()


def test_a_failure_at_the_last_file_puts_back_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    (tmp_path / "b").write_bytes(b"b1")
    (tmp_path / "b").chmod(0o640)
    before, inode = tree(tmp_path), (tmp_path / "b").stat().st_ino
    changes = {"a": b"a2", "b": None, "new/c": b"c2", "z": b"a file", "z/under": b"a folder"}

    with pytest.raises(ToolError):
        commit(Workspace(tmp_path), changes)

    assert tree(tmp_path) == before
    assert (tmp_path / "b").stat().st_ino == inode
    assert not list(Workspace(tmp_path).journal.written())


def test_a_new_file_is_like_the_one_it_takes_the_place_of(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a1")
    file.chmod(0o751)
    os.setxattr(file, "user.note", b"kept")

    with Workspace(tmp_path).changing(["a", "new/b", "none", "c"]) as change:
        change.write("new/b", b"a2", like="a")
        change.delete("a")
        change.write("c", b"c1", like="none")
        change.commit()

    moved = tmp_path / "new/b"
    assert moved.read_bytes() == b"a2"
    assert moved.stat().st_mode & 0o777 == 0o751
    assert os.getxattr(moved, "user.note") == b"kept"
    assert (tmp_path / "c").read_bytes() == b"c1"


def test_mode_and_extended_attributes_stay(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a1")
    file.chmod(0o751)
    os.setxattr(file, "user.note", b"kept")

    Workspace(tmp_path).write_bytes("a", b"a2")

    assert file.stat().st_mode & 0o7777 == 0o751
    assert os.getxattr(file, "user.note") == b"kept"


def test_a_file_that_another_program_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    (tmp_path / "b").write_bytes(b"b1")

    with Workspace(tmp_path).changing(["a", "b"]) as change:
        change.write("a", b"a2")
        change.write("b", b"b2")
        (tmp_path / "b").write_bytes(b"theirs")
        with pytest.raises(ToolError, match="'b' was changed by another program"):
            change.commit()

    assert tree(tmp_path) == {"a": b"a1", "b": b"theirs"}


@pytest.mark.parametrize(
    "path", ["../out", "link/x", ".git/hooks/pre-commit", ".nanobot/journal/x"]
)
def test_one_path_that_may_not_be_written_refuses_all(path: str, tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / "link").symlink_to(outside)

    with pytest.raises(ToolError):
        commit(Workspace(workspace), {"a": b"x", path: b"x"})

    assert tree(workspace).keys() <= {"link"}
    assert not list(outside.iterdir())


def test_without_a_workspace_the_journal_lies_with_the_user(tmp_path: Path) -> None:
    workspace = Workspace.anywhere()

    with workspace.changing([str(tmp_path / "a")]) as change:
        change.write(str(tmp_path / "a"), b"x")
        change.commit()

    newest = next(workspace.journal.written())
    assert newest.record.changes[0].path == str(tmp_path / "a")
    assert tree(tmp_path) == {"a": b"x"}


def test_a_folder_for_state_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / ".nanobot").symlink_to(outside)

    Workspace(workspace).write_bytes("a", b"x")

    assert not list(outside.iterdir())


def test_a_path_in_a_read_only_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "more").mkdir()
    workspace = Workspace(tmp_path / "ws", read_only_roots=[tmp_path / "more"])

    with pytest.raises(OutsideWorkspace), workspace.changing([str(tmp_path / "more/x")]):
        pass
