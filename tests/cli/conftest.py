"""Fixtures for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small workspace, in a folder of its own."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# Title\n\nSome text with TODO.\n")
    (folder / "src" / "code.py").write_text("x = 1\n")
    return folder
