"""One file written whole: what it keeps, who waits for whom, and what a failure leaves."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.workspace import Workspace
from tests.workspace.trees import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[2]
_ADDER = """
import sys
from nanobot.workspace import Workspace
workspace = Workspace(sys.argv[1])
for number in range(int(sys.argv[3])):
    with workspace.target("log") as target:
        target.replace(target.read(1 << 20) + f"{sys.argv[2]} {number}\\n".encode())
"""
_FILLER = """
import os, sys, tempfile
from nanobot.errors import ToolError
from nanobot.workspace import Workspace
if os.geteuid() == 0 and sys.argv[2:]:
    with tempfile.TemporaryDirectory() as folder:  # imports what a write needs
        Workspace(folder).write_bytes("a", b"")
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Workspace(sys.argv[1]).write_bytes("a", b"x" * 2_000_000)
except ToolError as error:
    print(error.message)
"""


def _adder(folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _ADDER, str(folder), name, str(count)]
    return subprocess.Popen(command, cwd=_ROOT)


def test_two_processes_that_edit_one_file_at_once_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"")
    adders = [_adder(tmp_path, name, 40) for name in ("a", "b")]
    for adder in adders:
        assert adder.wait(60) == 0

    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    for name in ("a", "b"):
        assert [line for line in lines if line.startswith(name)] == [
            f"{name} {number}" for number in range(40)
        ]


def test_two_workspaces_over_one_file_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/log").write_bytes(b"")

    def add(workspace: Workspace, path: str) -> None:
        for _ in range(25):
            with workspace.target(path) as target:
                target.replace(target.read(1 << 20) + b"x")

    threads = [
        threading.Thread(target=add, args=[Workspace(tmp_path), "sub/log"]),
        threading.Thread(target=add, args=[Workspace(tmp_path / "sub"), "log"]),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert (tmp_path / "sub/log").read_bytes() == b"x" * 50


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")

    Workspace(tmp_path).write_bytes("link", b"new")

    assert (tmp_path / "link").readlink() == Path("real")
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        Workspace(tmp_path).write_bytes("a", b"new")
    finally:
        os.umask(old)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("shared", [False, True], ids=["own file", "hard link"])
def test_a_full_disk_leaves_the_old_bytes_and_no_litter(shared: bool, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old" * 1_000_000)
    if shared:
        (tmp_path / "b").hardlink_to(tmp_path / "a")
    before = tree(tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", _FILLER, str(tmp_path)],
        cwd=_ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "'a' can't be used: File too large\n"
    assert tree(tmp_path) == before
    assert not list(Workspace(tmp_path).journal.written())
    assert not list((tmp_path / ".nanobot/journal/running").iterdir())


@pytest.fixture
def common() -> Iterator[Path]:
    """A folder that every user can reach, with a file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "a").write_bytes(b"old")
        yield folder
        folder.chmod(0o777)


def _filled_without_rights(folder: Path, temporary: Path) -> str:
    """What a writer says that is not root, in a home that can't be written."""
    return subprocess.run(
        [sys.executable, "-c", _FILLER, str(folder), "without rights"],
        cwd=_ROOT,
        env={"XDG_STATE_HOME": str(folder / "a"), "TMPDIR": str(temporary), "HOME": "/"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_folder_that_may_only_be_read_leaves_the_old_bytes_and_no_litter(common: Path) -> None:
    (common / "ws").mkdir()
    (common / "ws/a").write_bytes(b"old")
    (common / "ws/a").chmod(0o666)
    (common / "ws").chmod(0o555)

    said = _filled_without_rights(common / "ws", common)

    assert said == "'a' may not be used: Permission denied\n"
    assert tree(common / "ws") == {"a": b"old"}


def test_a_journal_of_somebody_else_keeps_nobody_from_writing(common: Path) -> None:
    Workspace(common).write_bytes("b", b"mine")
    (common / "a").chmod(0o666)

    said = _filled_without_rights(common, common)

    assert said == ""
    assert (common / "a").stat().st_size == 2_000_000


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_file_that_may_not_be_written_is_not_replaced(mode: int, common: Path) -> None:
    (common / "a").chmod(mode)

    said = _filled_without_rights(common, common)

    (common / "a").chmod(0o600)
    assert said == "'a' may not be used: Permission denied\n"
    assert (common / "a").read_bytes() == b"old"


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_regular_file_is_not_replaced(kind: str, tmp_path: Path) -> None:
    if kind == "folder":
        (tmp_path / "a").mkdir()
    else:
        os.mkfifo(tmp_path / "a")

    with pytest.raises(ToolError, match=r"is a folder|is not a regular file"):
        Workspace(tmp_path).write_bytes("a", b"new")

    assert [path.name for path in tmp_path.iterdir()] == ["a"]
