"""ripgrep, or its stand-in, as a child process: fenced, with a clean environment, read as it writes.

Under Landlock the kernel lets it read the roots of the fence alone, and nothing be written: a name
or a link that is swapped while it runs gains nothing. It starts in an open folder, not in a path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread, Timer
from typing import TYPE_CHECKING, BinaryIO

from nanobot.workspace.beneath import open_real
from nanobot.workspace.landlock import landlock_version, restrict_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

_PIECE = 1 << 18
_MOST_RECORD = 1 << 16  # a preview is counted in graphemes, and one of those may be megabytes
_KEPT_ERRORS = 20
MEMORY = 1 << 30
"""How much memory one run may take, in bytes."""
_ALWAYS = (
    "--no-config",
    "--color=never",
    "--no-mmap",
    "--path-separator=/",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-require-git",
    "--no-ignore-messages",  # a broken line in a project's `.gitignore` is no fault of a search
)
_OF_A_FILE = "rg: ./"
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
_STAND_IN = "nanobot.workspace.pygrep.__main__"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A search program: its command, and what it must be able to read to run."""

    command: Sequence[str]
    readable: Sequence[str]


@cache
def search_program(*, python: bool = False) -> Program:
    """ripgrep, beside Python or on the path; its stand-in where there is none, or for `python`."""
    beside = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    found = [str(Path(folder) / "rg") for folder in beside]
    on_path = shutil.which("rg")
    for program in [*found, *([on_path] if on_path else [])]:
        if not python and os.access(program, os.X_OK):
            return Program(command=[program], readable=[program, *_LIBRARIES])
    start = (
        f"import sys; sys.path.append({_ROOT!r}); from {_STAND_IN} import main; sys.exit(main())"
    )
    return Program(
        command=[sys.executable, "-I", "-c", start],
        readable=[*sys.path, _ROOT, sys.prefix, sys.base_prefix, *_LIBRARIES],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a run may do: the folders it may read, or None for all; its time, its memory."""

    roots: Sequence[str] | None
    deadline_s: float = 100.0
    memory: int = MEMORY
    landlock: bool = True
    python: bool = False
    """Whether the stand-in in Python is used also where there is ripgrep."""

    @property
    def held(self) -> bool:
        """Whether the kernel holds the run to its roots."""
        return self.roots is not None and self.landlock and landlock_version() > 0


class Ripgrep:
    """One run. Iterate over `records` once; afterwards the fields say how it ended.

    What the search tools ask of it, its stand-in knows too: `--files`, `--files-with-matches`,
    `--count-matches`, `--null`, `--with-filename`, `--no-heading`, `--line-number`, `--column`,
    `--byte-offset`, `--max-columns`, `--max-columns-preview`, `-A`, `-B`, `-e`, `--fixed-strings`,
    `--ignore-case`, `--multiline`, `--multiline-dotall`, `--type`, `--type-add`, `--hidden`,
    `--no-ignore`, `--ignore-file`, `--threads`, and what goes before every run.

    Args:
        arguments: flags, then `--`, then paths; patterns only as `-e`.
        folder: an open descriptor of the working folder; it stays the caller's.
        ignore: gitignore rules, relative to that folder, the last one strongest.
        bounds: what it may do.
    """

    def __init__(
        self, arguments: Sequence[str], folder: int, *, ignore: Sequence[str], bounds: Bounds
    ) -> None:
        self._arguments = arguments
        self._folder = folder
        self._ignore = ignore
        self._bounds = bounds
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self.late = False
        """Whether the deadline ended it."""
        self.broke = False
        """Whether it broke by itself, as it does when it needs more memory than it may have."""
        self.errors: deque[str] = deque(maxlen=_KEPT_ERRORS)
        self.unreadable = 0
        """How many files or folders could not be opened."""

    def stop(self) -> None:
        """End the run from another thread; harmless after its end."""
        self._stopped = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def records(self, separator: bytes = b"\n") -> Generator[bytes, None, None]:
        """What it writes, split at `separator`, as it comes. Closing the iterator ends the run.

        Of a record over 64 KB, the beginning is kept.
        """
        for block in self.blocks(separator):
            yield from block

    def blocks(self, separator: bytes = b"\n") -> Generator[list[bytes], None, None]:
        """The same in lists, as many records at once as have come."""
        process = self._started()
        timer = Timer(self._bounds.deadline_s, self._expire)
        timer.daemon = True
        listener = Thread(target=self._listen, args=(process,), daemon=True)
        timer.start()
        listener.start()
        try:
            yield from _split(process, separator)
        finally:
            timer.cancel()
            if process.poll() is None and sys.exc_info()[0] is not None:
                self._stopped = True
                process.kill()
            self._end(process, listener)

    def _end(self, process: subprocess.Popen[bytes], listener: Thread) -> None:
        if process.stdout:
            process.stdout.close()
        code = process.wait()
        self.broke = code < 0 and not self._stopped
        listener.join()
        if process.stderr:
            process.stderr.close()

    def _started(self) -> subprocess.Popen[bytes]:
        with ExitStack() as held:
            rules = "\n".join(self._ignore)
            kept = [_in_memory(rules, held)] if rules else []
            files = [f"--ignore-file=/dev/fd/{descriptor}" for descriptor in kept]
            program = search_program(python=self._bounds.python)
            command = [*program.command, *_ALWAYS, *files, *self._arguments]
            nothing = held.enter_context(open(os.devnull, "rb"))  # noqa: PTH123  # no path
            readable = self._readable(program, held) if self._bounds.held else []
            self._process = _in_own_thread(lambda: self._popen(command, kept, nothing, readable))
        _limit_memory(self._process.pid, self._bounds.memory)
        if self._stopped:
            self._process.kill()
        return self._process

    def _readable(self, program: Program, held: ExitStack) -> list[int]:
        """What Landlock lets it read: the roots, unless a link took the place of one; its own."""
        return [
            *_opened(self._bounds.roots or (), held, lambda path: open_real(Path(path))),
            *_opened(program.readable, held, lambda path: os.open(path, os.O_PATH | os.O_CLOEXEC)),
        ]

    def _popen(
        self,
        command: Sequence[str],
        kept: Sequence[int],
        nothing: BinaryIO,
        readable: Sequence[int],
    ) -> subprocess.Popen[bytes]:
        if self._bounds.held:
            restrict_thread(readable)
        return subprocess.Popen(  # noqa: S603  # flags are ours, data follows -e and --
            command,
            cwd=_path_of(self._folder),
            pass_fds=kept,
            env={"LC_ALL": "C.UTF-8"},
            stdin=nothing,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def _expire(self) -> None:
        self.late = True
        self.stop()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        if process.stderr is None:
            return
        for raw in process.stderr:
            line = raw[:500].decode(errors="replace").rstrip()
            if line.startswith(_OF_A_FILE) or b"(os error " in raw:
                self.unreadable += 1
            elif line:
                self.errors.append(line)


def _split(process: subprocess.Popen[bytes], separator: bytes) -> Iterator[list[bytes]]:
    if process.stdout is None:
        return
    rest = b""
    while piece := os.read(process.stdout.fileno(), _PIECE):
        begin, found, others = piece.partition(separator)
        rest = (rest + begin)[:_MOST_RECORD]
        if found:
            *whole, last = others.split(separator)
            yield [rest, *whole]
            rest = last[:_MOST_RECORD]
    if rest:
        yield [rest]


def _in_own_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Call it in a thread that ends afterwards: what it gives up, nobody else loses."""
    results: list[subprocess.Popen[bytes]] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(start())
        except BaseException as error:  # noqa: BLE001  # it travels to the caller
            errors.append(error)

    thread = Thread(target=work, name="nanobot:ripgrep", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _opened(paths: Iterable[str], held: ExitStack, opened: Callable[[str], int]) -> list[int]:
    """Descriptors of what there is of these paths; closed with `held`."""
    found: list[int] = []
    for path in paths:
        with suppress(OSError):
            descriptor = opened(path)
            held.callback(os.close, descriptor)
            found.append(descriptor)
    return found


def _in_memory(text: str, held: ExitStack) -> int:
    """A descriptor to read the text from; closed with `held`."""
    data = text.encode("utf-8", errors="surrogateescape")
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("nanobot-ignore")
        held.callback(os.close, descriptor)
    else:
        descriptor = held.enter_context(tempfile.TemporaryFile()).fileno()  # noqa: SIM115  # held closes it
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _path_of(folder: int) -> str:
    """A path that leads to the open folder itself, whatever its name is by now."""
    if sys.platform != "darwin":
        return f"/proc/self/fd/{folder}"
    import fcntl  # noqa: PLC0415  # there alone

    return os.fsdecode(fcntl.fcntl(folder, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))


def _limit_memory(pid: int, most: int) -> None:
    """Ripgrep keeps a whole line in memory: it must not take the machine with it."""
    with suppress(ImportError, OSError, AttributeError, ValueError):
        import resource  # noqa: PLC0415  # not on every platform

        resource.prlimit(pid, resource.RLIMIT_AS, (most, most))


__all__ = ["MEMORY", "Bounds", "Program", "Ripgrep", "search_program"]
