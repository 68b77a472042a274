"""The workspace: several roots, control files, words for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name in ("ws", "reference", "scratch", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name, encoding="utf-8")
    return tmp_path


def _workspace(folders: Path) -> Workspace:
    return Workspace(
        folders / "ws",
        read_only_roots=[folders / "reference"],
        writable_roots=[folders / "scratch"],
    )


def test_more_roots_are_read_and_written_as_their_owner_says(folders: Path) -> None:
    workspace = _workspace(folders)

    assert workspace.read_text(folders / "reference/a.txt") == "reference"
    workspace.write_bytes(folders / "scratch/new/b.txt", b"b")

    assert (folders / "scratch/new/b.txt").read_bytes() == b"b"
    with pytest.raises(OutsideWorkspace, match="may only be read"):
        workspace.write_bytes(folders / "reference/a.txt", b"x")
    with pytest.raises(OutsideWorkspace, match="outside the configured workspace") as caught:
        workspace.read_text(folders / "elsewhere/a.txt")
    assert "reference' (to read only)" in caught.value.hint
    assert caught.value.target == str(folders / "elsewhere/a.txt")


def test_a_link_from_one_root_into_another_is_followed(folders: Path) -> None:
    (folders / "ws/link").symlink_to(folders / "reference")
    (folders / "ws/away").symlink_to(folders / "elsewhere")
    workspace = _workspace(folders)

    assert workspace.read_text("link/a.txt") == "reference"
    with pytest.raises(OutsideWorkspace):
        workspace.write_bytes("link/a.txt", b"x")
    with pytest.raises(OutsideWorkspace):
        workspace.read_text("away/a.txt")


def test_of_nested_roots_the_innermost_says_who_may_write(folders: Path) -> None:
    (folders / "ws/kept/free").mkdir(parents=True)
    workspace = Workspace(
        folders / "ws",
        read_only_roots=[folders / "ws/kept"],
        writable_roots=[folders / "ws/kept/free"],
    )

    workspace.write_bytes("a.txt", b"1")
    workspace.write_bytes("kept/free/a.txt", b"2")

    for path in ("kept/a.txt", "kept/new/a.txt", "kept/free/../a.txt"):
        with pytest.raises(OutsideWorkspace, match="may only be read"):
            workspace.write_bytes(path, b"x")
    assert [path.name for path in (folders / "ws/kept").iterdir()] == ["free"]


def test_a_folder_in_both_lists_may_only_be_read(folders: Path) -> None:
    both = [folders / "scratch"]
    workspace = Workspace(folders / "ws", read_only_roots=both, writable_roots=both)

    with pytest.raises(OutsideWorkspace, match="may only be read"):
        workspace.write_bytes(folders / "scratch/a.txt", b"x")


def test_a_workspace_that_is_gone_says_so(folders: Path) -> None:
    workspace = Workspace(folders / "ws")
    (folders / "ws").rename(folders / "moved")

    for use in (
        workspace.read_text,
        workspace.is_folder,
        lambda path: workspace.write_bytes(path, b""),
    ):
        with pytest.raises(ToolError, match=r"The folder that tools work in is not there: '.*/ws'"):
            use("a.txt")
    assert not (folders / "ws").exists()


def test_a_root_that_is_gone_leaves_the_others(folders: Path) -> None:
    workspace = _workspace(folders)
    (folders / "reference").rename(folders / "moved")

    assert workspace.read_text("a.txt") == "ws"
    with pytest.raises(ToolError, match=r"'.*reference/a.txt' does not exist"):
        workspace.read_text(folders / "reference/a.txt")


def test_without_restriction_every_path_is_used_but_control_files_are_kept(folders: Path) -> None:
    workspace = Workspace(folders / "ws", restrict=False)

    workspace.write_bytes(folders / "elsewhere/b.txt", b"b")

    assert workspace.read_text(folders / "elsewhere/b.txt") == "b"
    for path in (folders / "elsewhere/.git/hooks/pre-commit", "/etc/profile.d/x.sh", "~/.bashrc"):
        with pytest.raises(ToolError, match="may not be written by a tool"):
            workspace.write_bytes(path, b"x")


def test_a_write_replaces_the_name_and_the_other_name_keeps_its_bytes(folders: Path) -> None:
    (folders / "ws/second.txt").hardlink_to(folders / "ws/a.txt")

    _workspace(folders).write_bytes("a.txt", b"new")

    assert (folders / "ws/second.txt").read_text(encoding="utf-8") == "ws"


_CONTROL = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".git",
    "sub/.git/config",
    ".GIT/hooks/x",
    "sub/../.git/hooks/x",
    "./.git//config",
    ".git./config",
    ".nanobot/journal/x",
    ".nanobot/sessions/s.json",
    ".bashrc",
    "home/.profile",
    ".envrc",
    ".mcp.json",
    ".vscode/mcp.json",
    ".config/nanobot/config.toml",
    ".ssh/authorized_keys",
    "link/hooks/x",
    "{ws}/.git/config",
    "{ws}/../ws/.git/config",
    "git~1/config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/config",
    ".bashrc ",
    "start",
]


@pytest.mark.parametrize("path", _CONTROL)
def test_a_control_file_is_not_written_in_any_spelling(folders: Path, path: str) -> None:
    (folders / "ws/link").symlink_to(".git")
    (folders / "ws/start").symlink_to(".bashrc")
    workspace = _workspace(folders)
    before = sorted((folders / "ws").iterdir())

    with pytest.raises(ToolError, match="may not be written by a tool"):
        workspace.write_bytes(path.replace("{ws}", str(folders / "ws")), b"x")

    assert sorted((folders / "ws").iterdir()) == before
    assert not (folders / "ws/start").exists()


def test_the_git_file_of_a_worktree_is_not_written(folders: Path) -> None:
    (folders / "ws/.git").write_text("gitdir: /elsewhere\n", encoding="utf-8")

    with pytest.raises(ToolError, match="may not be written by a tool"):
        _workspace(folders).write_bytes(".git", b"gitdir: x\n")


_WORDS = {
    "nope.txt": "'nope.txt' does not exist",
    "a.txt/b": "'a.txt/b' is not a folder, or goes through a file",
    ".": "'.' is a folder, not a file",
    "A.TXT": "'A.TXT' does not exist",
    "loop/x": "'loop/x' goes through links that never end or may not be used",
    "x" * 256: f"The path is too long: '{'x' * 256}'",
    "n\new": "'n\\new' does not exist",
}


@pytest.mark.parametrize(("path", "said"), _WORDS.items(), ids=_WORDS.keys())
def test_what_the_system_says_is_told_in_words(folders: Path, path: str, said: str) -> None:
    (folders / "ws/loop").symlink_to("loop")

    with pytest.raises(ToolError) as caught:
        _workspace(folders).read_text(path)

    assert caught.value.message == said


def test_a_missing_file_names_the_nearest(folders: Path) -> None:
    with pytest.raises(ToolError) as caught:
        _workspace(folders).read_text("A.TXT")

    assert caught.value.hint == "Did you mean 'a.txt'?"


def test_paths_are_shown_as_people_write_them(folders: Path) -> None:
    workspace = _workspace(folders)

    assert workspace.display("sub/../a.txt") == "a.txt"
    assert workspace.display(folders / "ws/a.txt") == "a.txt"
    assert workspace.display(folders / "reference/a.txt") == str(folders / "reference/a.txt")


def test_by_hand_without_a_folder_only_absolute_paths_work(folders: Path) -> None:
    workspace = Workspace.for_tool()

    assert workspace.read_text(folders / "elsewhere/a.txt") == "elsewhere"
    with pytest.raises(ToolError, match="is a relative path"):
        workspace.read_text("a.txt")


def test_by_hand_more_folders_are_read_only(folders: Path) -> None:
    workspace = Workspace.for_tool(folders / "ws", extra_allowed_dirs=[folders / "reference"])

    assert workspace.read_text(folders / "reference/a.txt") == "reference"
    with pytest.raises(OutsideWorkspace):
        workspace.write_bytes(folders / "reference/a.txt", b"x")


def test_a_planted_link_is_no_place_for_our_state(folders: Path) -> None:
    (folders / "ws/.nanobot").symlink_to(folders / "elsewhere")
    workspace = _workspace(folders)

    with pytest.raises(ToolError, match="is a link"):
        workspace.state_dir()
    workspace.write_bytes("a.txt", b"new")

    assert sorted(path.name for path in (folders / "elsewhere").iterdir()) == ["a.txt"]
