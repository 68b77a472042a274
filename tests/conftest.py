"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.needs import missing

_ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with the conformance suites (NANOBOT_TEST_DATA, default ../shared/data)."""
    folder = Path(os.environ.get("NANOBOT_TEST_DATA") or _ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        missing(f"the test data folder {folder.name} (set NANOBOT_TEST_DATA)")
    return folder
