"""What `files.py` works on: a tree like a large repository, and some large single files.

The text comes from a word list with a fixed seed, so that two runs search the same bytes. Needles
are planted in it: `NEEDLE` (literal) in one file of 300, a function named `…_handler` in one
Python file of 40, `deprecated api` in mixed case in one file of 200.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NEEDLE = "rare_needle(in_the_hay)"
FILES = 60_000
GIGABYTE = 1 << 30
MEGABYTE = 1 << 20

_WORDS = [
    "alpha",
    "beta",
    "gamma",
    "value",
    "index",
    "count",
    "total",
    "buffer",
    "stream",
    "reader",
    "writer",
    "parse",
    "token",
    "node",
    "tree",
    "graph",
    "client",
    "server",
    "request",
    "response",
    "header",
    "cookie",
    "session",
    "user",
    "order",
    "invoice",
    "amount",
    "price",
    "tax",
    "date",
    "time",
    "zone",
    "format",
    "path",
    "file",
    "folder",
    "name",
    "kind",
    "type",
    "state",
    "error",
    "result",
    "option",
    "config",
    "cache",
    "queue",
    "worker",
    "thread",
    "lock",
    "event",
    "loop",
    "timer",
    "signal",
    "handle",
    "open",
    "close",
    "read",
    "write",
    "seek",
    "return",
    "import",
    "class",
    "def",
    "if",
    "else",
    "for",
    "while",
    "not",
    "none",
    "true",
    "false",
    "self",
    "this",
    "async",
    "await",
]
_KINDS = ("py", "ts", "go", "rs", "java", "js", "c", "h", "md", "json", "yaml", "css")
_HIDDEN = (".github", ".config", ".vscode")
_IGNORED = ("node_modules", "build")
_POOL_LINES = 120_000
_TYPICAL = 8_600  # bytes: the median of a source file, the mean is twice that
_SPREAD = 1.15
_LARGEST = 160_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The folders and files that the rows use."""

    folder: Path

    @property
    def tree(self) -> Path:
        """The large tree."""
        return self.folder / "tree"

    @property
    def small_tree(self) -> Path:
        """The same with 1,000 files."""
        return self.folder / "small"

    @property
    def single(self) -> Path:
        """Large single files: `gigabyte.log`, `megabyte.log`, `line.log` (one line of 256 MB)."""
        return self.folder / "single"

    @property
    def hundred(self) -> Path:
        """A hundred files of 1 MB, `0.txt` to `99.txt`."""
        return self.folder / "hundred"

    @property
    def edited(self) -> Path:
        """Where edits are made; each row writes its own files."""
        return self.folder / "edited"


def material(folder: Path) -> Material:
    """Everything in `folder`, built where it is not there yet."""
    made = Material(folder=folder)
    lines = _Lines(random.Random(7))  # noqa: S311  # the same text each time
    for path, build in (
        (made.tree, lambda path: _build_tree(path, lines, FILES)),
        (made.small_tree, lambda path: _build_tree(path, lines, 1_000)),
        (made.single, lambda path: _build_single(path, lines)),
        (made.hundred, lambda path: _build_hundred(path, lines)),
        (made.edited, lambda path: path.mkdir()),
    ):
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            unfinished.mkdir(parents=True, exist_ok=True)
            build(unfinished / "it")
            (unfinished / "it").rename(path)
            unfinished.rmdir()
    return made


class _Lines:
    """Lines of made-up source code, in any amount, by slices of one pool."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._lines = [self._line() for _ in range(_POOL_LINES)]
        self.pool = b"".join(self._lines)

    def _line(self) -> bytes:
        chance = self.chance
        if chance.random() < 0.12:
            return b"\n"
        words = chance.choices(_WORDS, k=chance.randint(2, 11))
        joined = "".join(
            word + chance.choice((" ", " ", "_", ".", "(", ") ", ", ", " = ")) for word in words
        )
        return f"{'    ' * chance.choice((0, 0, 1, 1, 1, 2, 2, 3))}{joined}{chance.randint(0, 999)}\n".encode()

    def text(self, size: int) -> bytes:
        """About `size` bytes of whole lines, from a random place."""
        if size > len(self.pool) // 2:
            return self.pool * (size // len(self.pool)) + self.text(size % (len(self.pool) // 2))
        start = self.pool.index(b"\n", self.chance.randrange(len(self.pool) - size - 1000)) + 1
        return self.pool[start : self.pool.index(b"\n", start + size) + 1]


def _build_tree(root: Path, lines: _Lines, files: int) -> None:
    """Source files in nested folders, some larger data, ignored and hidden folders, secrets."""
    root.mkdir()
    (root / ".gitignore").write_text("node_modules/\nbuild/\n*.tmp\n")
    chance = lines.chance
    folders = _folders(root, chance, files)
    for number in range(files):
        folder = folders[number * len(folders) // files]
        kind = chance.choice(_KINDS)
        size = min(_LARGEST, int(chance.lognormvariate(0, _SPREAD) * _TYPICAL))
        if number % 120 == 0:
            kind, size = "csv", chance.randint(300_000, 2 * MEGABYTE)
        text = b"".join(_planted(lines.text(size), number, kind))
        words = "_".join(chance.choices(_WORDS, k=2))
        (folder / f"{words}_{number}.{kind}").write_bytes(text)
        if number % 2_000 == 0:
            (folder / ".env").write_bytes(b"TOKEN=rare_needle\n")


def _folders(root: Path, chance: random.Random, files: int) -> Sequence[Path]:
    """Nested folders, one for about 14 files; a tenth of the tops are ignored or hidden."""
    made: list[Path] = []
    tops = max(4, files // 3_000)
    for number in range(max(8, files // 14)):
        top = f"package_{number % tops}"
        if number % 10 == 0:
            top = f"{top}/{_IGNORED[number // 10 % 2]}"
        elif number % 50 == 1:
            top = f"{top}/{chance.choice(_HIDDEN)}"
        below = chance.choices(_WORDS[:24], k=chance.randint(1, 6))
        made.append(Path(root, top, *below))
    made = sorted(set(made))
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
    return made


def _planted(text: bytes, number: int, kind: str) -> Iterator[bytes]:
    middle = text.find(b"\n", len(text) // 2) + 1
    yield text[:middle]
    if number % 300 == 7:
        yield f"    {NEEDLE} = {number}\n".encode()
    if kind == "py" and number % 40 < 12:
        yield f"def value_{number}_handler(self, event):\n".encode()
    if number % 200 == 9:
        yield (b"# Deprecated API\n", b"// DEPRECATED api: gone\n")[number // 200 % 2]
    yield text[middle:]


def _build_single(folder: Path, lines: _Lines) -> None:
    folder.mkdir()
    (folder / "megabyte.log").write_bytes(lines.text(MEGABYTE))
    piece = lines.pool
    with (folder / "gigabyte.log").open("wb") as file:
        for _ in range(GIGABYTE // len(piece) + 1):
            file.write(piece)
    flat = piece.replace(b"\n", b" ")
    with (folder / "line.log").open("wb") as file:
        for _ in range(GIGABYTE // 4 // len(flat) + 1):
            file.write(flat)


def _build_hundred(folder: Path, lines: _Lines) -> None:
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.txt").write_bytes(lines.text(MEGABYTE))


__all__ = ["FILES", "GIGABYTE", "MEGABYTE", "NEEDLE", "Material", "material"]
