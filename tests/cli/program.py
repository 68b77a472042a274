"""The program as a user starts it: a process without a terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cli.terminal import clean_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NANOBOT", "run_nanobot"]

NANOBOT = str(Path(sys.executable).with_name("nanobot"))


def run_nanobot(
    *words: str, cwd: Path, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, in a home of its own beside `cwd`."""
    return subprocess.run(
        [NANOBOT, *words],
        cwd=cwd,
        input=stdin,
        env={**clean_environment(cwd.parent / "home"), **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
