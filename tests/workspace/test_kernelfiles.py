"""File systems that the kernel makes up, known by their number and their place."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nanobot.workspace.kernelfiles import kernel_folders, kernel_system

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


@pytest.mark.parametrize(
    ("path", "name"),
    [("/proc", "proc"), ("/sys", "sysfs"), ("/", ""), ("/tmp", "")],  # noqa: S108  # not used
)
def test_a_file_system_is_known_by_its_number(path: str, name: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert kernel_system(descriptor) == name
    finally:
        os.close(descriptor)


def test_their_places_are_found_below_a_folder() -> None:
    assert {"proc", "sys"} <= set(kernel_folders(Path("/")))


def test_a_folder_of_a_disk_has_none_below(tmp_path: Path) -> None:
    assert kernel_folders(tmp_path) == []
    assert kernel_folders(Path("/pro")) == []
