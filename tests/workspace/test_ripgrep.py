"""The search program as a child: what the kernel lets it read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nanobot.workspace.landlock import landlock_version
from nanobot.workspace.ripgrep import Bounds, Ripgrep

_FIND = ["--no-messages", "--no-filename", "-e", "x", "--", "./"]

landlocked = pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")


def _found(folder: Path, root: Path) -> list[bytes]:
    """What a search finds that starts in a folder and may read a root."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        run = Ripgrep(_FIND, descriptor, ignore=[], bounds=Bounds(roots=[str(root)]))
        return list(run.records(b"\n"))
    finally:
        os.close(descriptor)


@landlocked
def test_what_is_outside_the_roots_can_not_be_read(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.txt").write_text(f"x {name}\n", encoding="utf-8")

    assert _found(tmp_path / "inside", tmp_path / "inside") == [b"x inside"]
    assert _found(tmp_path / "outside", tmp_path / "inside") == []


@landlocked
def test_a_link_in_the_place_of_a_root_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/f.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "root").symlink_to("outside")

    assert _found(tmp_path / "outside", tmp_path / "root") == []


def test_of_an_endless_record_the_beginning_is_kept(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("x\n" + "x" * 3_000_000 + "\nxy\n", encoding="utf-8")

    found = _found(tmp_path, tmp_path)

    assert [len(record) for record in found] == [1, 1 << 16, 2]
    assert found[2] == b"xy"


def test_a_fault_of_one_file_is_counted_and_not_taken_for_a_broken_pattern(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        arguments = ["-e", "x", "--", f"./{'n' * 200}/missing"]
        run = Ripgrep(arguments, descriptor, ignore=[], bounds=Bounds(roots=None))

        assert list(run.records()) == []
        assert (run.unreadable, list(run.errors)) == (1, [])
    finally:
        os.close(descriptor)


def _running(argument: bytes) -> bool:
    """Whether a child of this process was started with an argument."""
    below = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    children = [child for file in below for child in file.read_text(encoding="ascii").split()]
    commands = [Path(f"/proc/{child}/cmdline") for child in children]
    return any(argument in file.read_bytes().split(b"\0") for file in commands if file.exists())


def test_a_run_ends_at_its_deadline_with_its_process(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("a" * 60 + "!\n", encoding="utf-8")
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        bounds = Bounds(roots=[str(tmp_path)], deadline_s=2, python=True)
        run = Ripgrep(["-e", "(a+)+$", "--", "./"], descriptor, ignore=[], bounds=bounds)

        assert list(run.records()) == []
        assert (run.late, run.broke) == (True, False)
        assert not _running(b"(a+)+$")
    finally:
        os.close(descriptor)
