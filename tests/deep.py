"""A folder deeper than any path can say."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def deep_folder(folder: Path) -> Iterator[Path]:
    """2,000 folders in one another, removed by a program that doesn't recurse."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("deep", dir_fd=descriptor)
        below = os.open("deep", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    try:
        yield folder
    finally:
        subprocess.run(["rm", "-rf", folder / "deep"], check=True)


__all__ = ["deep_folder"]
