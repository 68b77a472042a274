from __future__ import annotations

import subprocess
import sys

import pytest

import nanobot


@pytest.mark.parametrize("name", nanobot.__all__)
def test_each_public_name_loads(name: str) -> None:
    assert getattr(nanobot, name) is not None
    assert name in dir(nanobot)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        nanobot.nothing  # noqa: B018  # the access is the test


def test_importing_the_package_loads_none_of_its_modules() -> None:
    script = "import nanobot, sys; print([m for m in sys.modules if m.startswith('nanobot.')])"

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout

    assert loaded.strip() == "[]"
