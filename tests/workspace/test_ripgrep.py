"""The search program as a child: what the kernel lets it read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nanobot.workspace.landlock import landlock_version
from nanobot.workspace.ripgrep import Bounds, Ripgrep

if TYPE_CHECKING:
    from pathlib import Path

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
