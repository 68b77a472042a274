"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.needs import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parent.parent

# A slow moment of the machine is no fault; and CI looks at the same examples each time: new ones
# are looked for where somebody sits in front of what they find.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "here")


@pytest.fixture(scope="session", autouse=True)
def _state_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests write into the user's state directory goes into a folder of the test run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with the conformance suites (NANOBOT_TEST_DATA, default ../shared/data)."""
    folder = Path(os.environ.get("NANOBOT_TEST_DATA") or _ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        missing(f"the test data folder {folder.name} (set NANOBOT_TEST_DATA)")
    return folder
