"""What a test needs and a machine may lack: skipped, saying so; in CI a failure."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

__all__ = ["missing", "need_program"]


def missing(what: str) -> NoReturn:
    """End the test for want of `what`."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and in CI nothing may be")
    pytest.skip(f"{what} is missing")


def need_program(name: str, package: str) -> str:
    """The path of a program that the Debian package `package` brings."""
    path = shutil.which(name)
    return path or missing(f"the program {name} (Debian package {package})")
