"""Writers that are killed (SIGKILL): at a counted step of theirs, or whenever their parent likes.

Run as a program it is the nursery: for each line of JSON on its input it forks one writer, prints
its process id, and, when it is gone, whether it was killed.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from nanobot.errors import ToolError
from nanobot.workspace import Workspace
from tests.workspace.trees import commit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Nursery"]

_ROOT = Path(__file__).resolve().parents[2]
_STEPS = ("open", "os.", "fcntl.")


class Nursery:
    """The program, running; leave the `with` block to end it."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.workspace.killed"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            assert self._process.stdin
            self._process.stdin.close()
            self._process.wait(30)

    def start(
        self,
        root: Path,
        changes: Mapping[str, str | None],
        *,
        die_at: int = 0,
        fail_at: int = 0,
        versions: int = 1,
        size: int = 1,
    ) -> int:
        """Fork a writer; its process id.

        It commits `changes` in one transaction, `versions` times, each text with the number of the
        version for `{}`, and `size` times over. It kills itself at its step number `die_at`; the
        step number `fail_at` fails. With no changes it only opens the workspace for writing.
        """
        assert self._process.stdin
        order = {
            "root": str(root),
            "changes": dict(changes),
            "die_at": die_at,
            "fail_at": fail_at,
            "versions": versions,
            "size": size,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._answer())

    def was_killed(self) -> bool:
        """Wait for the writer: whether a signal ended it."""
        return self._answer() == "killed"

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


def _serve() -> None:
    with TemporaryDirectory() as folder:  # imports what a write needs, once
        commit(Workspace(folder), {"a": b""})
    for line in sys.stdin:
        writer = os.fork()
        if writer == 0:
            with suppress(ToolError):
                _write(json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{writer}\n")
        sys.stdout.flush()
        _, status = os.waitpid(writer, 0)
        sys.stdout.write("killed\n" if os.WIFSIGNALED(status) else "done\n")
        sys.stdout.flush()


def _write(order: dict[str, object]) -> None:
    root, changes = Path(str(order["root"])), order["changes"]
    assert isinstance(changes, dict)
    _at_step(int(str(order["die_at"])), _die)
    _at_step(int(str(order["fail_at"])), _fail)
    if not changes:
        with Workspace(root).changing(["any"]):
            return
    for version in range(1, int(str(order["versions"])) + 1):
        commit(
            Workspace(root),
            {
                path.format(version): None
                if text is None
                else text.format(version).encode() * int(str(order["size"]))
                for path, text in changes.items()
            },
        )


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail() -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def _at_step(step: int, act: Callable[[], None]) -> None:
    """Do it at this process's step of this number: files opened, linked, renamed, locked, ….

    What raises there makes the step fail, as the system would.
    """
    left = step

    def count(event: str, _arguments: object) -> None:
        nonlocal left
        if event.startswith(_STEPS):
            left -= 1
            if left == 0:
                act()

    if step:
        sys.addaudithook(count)


if __name__ == "__main__":
    _serve()
