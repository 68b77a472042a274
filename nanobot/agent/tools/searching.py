"""What the search tools share: where they search, how ripgrep is told, how names are shown."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Self

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.globs import Glob
from nanobot.workspace.kernelfiles import kernel_folders
from nanobot.workspace.ripgrep import MEMORY, Bounds, Ripgrep
from nanobot.workspace.sensitive import sensitive_globs, sensitive_reason
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from nanobot.workspace import Workspace

_OWN = (".git", ".nanobot")
_TYPE = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_PUSHABLE = re.compile(r"[A-Za-z0-9_.*?{},-]+")
_UNKNOWN_TYPE = "unrecognized file type"
_BY_GLOB = "nanobotglob"
_LITTLE = 3
_MOST_LOOKED_AT = 20_000
_SMALLEST_TOO_LONG = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a call says about where to search."""

    path: str
    glob: str | None = None
    kind: str | None = None
    include_ignored: bool = False
    landlock: bool = True
    """Whether the kernel may help to hold the search inside, where it can."""
    memory: int = MEMORY
    """How many bytes of memory the search program may take."""
    python: bool = False
    """Whether ripgrep's stand-in searches, also where there is ripgrep."""


class Runs:
    """What one call has started; left as a context, all of it is ended."""

    def __init__(self) -> None:
        self._runs: list[Ripgrep] = []
        self._over = False

    def add(self, run: Ripgrep) -> None:
        """Take a run in; after the end it is stopped at once."""
        self._runs.append(run)
        if self._over:
            run.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._over = True
        for run in self._runs:
            run.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a search goes: an open real folder, and one file in it or all below."""

    workspace: Workspace
    folder: Path
    descriptor: int
    file: str
    prefix: str
    glob: Glob | None
    kind: str
    include_ignored: bool
    bounds: Bounds
    runs: Runs

    def shown(self, name: str) -> str:
        """A found name as the model may write it: relative to the workspace, escaped."""
        return visible_line(f"{self.prefix}{name}" if self.prefix else name)

    def wants(self, name: str) -> bool:
        """Whether the glob means this name (relative to the folder)."""
        return self.glob is None or self.glob.matches(name)

    def holds_secrets(self, name: str) -> bool:
        """Whether a found name is to be left out: it usually holds secrets, and nobody named it.

        This decides. What ripgrep is told to ignore only saves it work, since a `.gitignore`
        of the project overrides that.
        """
        return not self.file and bool(sensitive_reason(f"{self.prefix}{name}".split("/")))

    def ripgrep(
        self, *flags: str, ignore: Sequence[str] = (), paths: Sequence[str] = ()
    ) -> Ripgrep:
        """A run over this scope, or over some of the names found in it, with these flags."""
        hidden = ("--hidden", "--no-ignore") if self.include_ignored else ()
        own = "\n".join(
            [
                *(f"{name}/" for name in _OWN if name not in self.folder.parts),
                _exactly(kernel_folders(self.folder)),
            ]
        )
        names = paths or ((self.file,) if self.file else ("",))
        run = Ripgrep(
            [*hidden, *self._kind_flags(), *flags, "--", *(f"./{name}" for name in names)],
            self.descriptor,
            ignore=[text for text in (*ignore, own) if text],
            bounds=self.bounds,
        )
        self.runs.add(run)
        return run

    def _kind_flags(self) -> Sequence[str]:
        """The type, or the last part of the glob as one: unlike `--glob`, it ignores nothing less."""
        if self.kind:
            return (f"--type={self.kind}",)
        last = self.glob.text.rpartition("/")[2] if self.glob and not self.glob.negated else ""
        if self.file or "**" in last or not _PUSHABLE.fullmatch(last):
            return ()
        return (f"--type-add={_BY_GLOB}:{last}", f"--type={_BY_GLOB}")

    @property
    def held(self) -> bool:
        """Whether nothing from outside can be found: the kernel sees to it, or all is inside."""
        return self.bounds.roots is None or self.bounds.held

    def inside(self, name: str) -> bool:
        """Whether a found name still leads to a regular file inside the fence."""
        try:
            with self.workspace.open_file(self.folder / name):
                return True
        except ToolError:
            return False

    def left_out(self, found: int) -> list[str]:
        """After little was found: what was not looked at, and how to change that."""
        if self.file or found > _LITTLE:
            return []
        links = dangling_links(self.descriptor)
        lead = "link leads" if links == 1 else "links lead"
        said = [f"({links} {lead} nowhere.)"] if links else []
        if not self.include_ignored:
            said.append(
                "(Hidden files and what .gitignore names were left out; "
                "include_ignored=true takes them in.)"
            )
        return said


@contextmanager
def open_scope(workspace: Workspace, wanted: Wanted, runs: Runs) -> Iterator[Scope]:
    """The scope that a call means, its folder open. What it starts is added to `runs`.

    Raises:
        OutsideWorkspace: the path leaves the workspace.
        ToolError: there is nothing, or the glob or the type can't be used.
    """
    if wanted.kind and not _TYPE.fullmatch(wanted.kind):
        raise _unknown_type(wanted.kind)
    glob = Glob(wanted.glob) if wanted.glob else None
    folder, file = Path(wanted.path), ""
    if not workspace.is_folder(folder):
        with workspace.open_file(folder) as opened:
            folder, file = opened.path.parent, opened.path.name
    with workspace.open_folder(folder if file else wanted.path) as opened:
        shown = workspace.display(opened.path)
        yield Scope(
            workspace=workspace,
            folder=opened.path,
            descriptor=opened.descriptor,
            file=file,
            prefix="" if shown == "." else f"{shown.rstrip('/')}/",
            glob=glob,
            kind=wanted.kind or "",
            include_ignored=wanted.include_ignored
            or any(name in opened.path.parts for name in _OWN),
            bounds=Bounds(
                roots=workspace.readable_roots(),
                landlock=wanted.landlock,
                memory=wanted.memory,
                python=wanted.python,
            ),
            runs=runs,
        )


@dataclass(slots=True, kw_only=True)
class Found:
    """The first of the names that were found, in order, and how many there are in all."""

    first: list[tuple[object, str]]
    total: int
    notes: list[str] = field(default_factory=list)


def collect(
    scope: Scope,
    flags: Sequence[str],
    *,
    keyed: Callable[[bytes], tuple[object, str] | None],
    most: int,
    what: str,
    separator: bytes = b"\0",
    ignore: Sequence[str] = (),
    sifted: Callable[[list[bytes]], list[bytes]] = list,
) -> Found:
    """Run over all of the scope in parallel, and keep the `most` smallest of what was found.

    `keyed` gives a record's sort key and name, or None for one to leave out; `sifted` may leave
    some out before, many at a time. Memory stays within
    `most` names. A run that breaks for a line longer than its memory is run again without the
    files that have one; they are named.
    """
    skipped: list[str] = []
    while True:
        run = scope.ripgrep(*flags, ignore=[*ignore, _exactly(skipped)])
        counter = _Counted(run.blocks(separator), sifted, keyed)
        first = nsmallest(most, counter)
        notes = ended(run, what)
        if run.broke and not skipped:
            skipped = _too_long(scope)
            if skipped:
                continue
        if run.broke:
            notes.append("The search broke off: it needed more memory than it may have.")
        if skipped:
            notes.append(_too_long_note(scope, skipped))
        return Found(first=first, total=counter.total, notes=notes)


class _Counted:
    """The records that count, keyed, and how many there were."""

    def __init__(
        self,
        blocks: Iterable[list[bytes]],
        sifted: Callable[[list[bytes]], list[bytes]],
        keyed: Callable[[bytes], tuple[object, str] | None],
    ) -> None:
        self._blocks = blocks
        self._sifted = sifted
        self._keyed = keyed
        self.total = 0

    def __iter__(self) -> Iterator[tuple[object, str]]:
        for block in self._blocks:
            kept = [one for one in map(self._keyed, self._sifted(block)) if one is not None]
            self.total += len(kept)
            yield from kept


def has_endless_line(scope: Scope, name: str) -> bool:
    """Whether a found file holds a line of more than 64 MB, which a search can't keep."""
    try:
        with scope.workspace.open_file(scope.folder / name) as opened:
            if opened.identity.size < _SMALLEST_TOO_LONG:
                return False
            since = 0
            while piece := os.read(opened.descriptor, 1 << 20):
                since = 0 if b"\n" in piece else since + len(piece)
                if since >= _SMALLEST_TOO_LONG:
                    return True
    except (ToolError, OSError):
        return False
    return False


def _too_long(scope: Scope) -> list[str]:
    """Names of the files of the scope that hold one."""
    run = scope.ripgrep("--files", "--null")
    names = [name_of(record) for record in run.records(b"\0")]
    return [name for name in names if has_endless_line(scope, name)]


def _exactly(names: Sequence[str]) -> str:
    """An ignore file for these very files."""
    marks = str.maketrans({mark: f"\\{mark}" for mark in "\\*?[]!#{} "})
    return "\n".join(f"/{name.translate(marks)}" for name in names if "\n" not in name)


def _too_long_note(scope: Scope, names: Sequence[str]) -> str:
    shown = ", ".join(scope.shown(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""  # noqa: PLR2004  # as shown
    return (
        f"Not searched, since a line is longer than a search may keep ({shown_size(scope.bounds.memory)} of "
        f"memory): {shown}{more}."
    )


def dangling_links(folder: int) -> int:
    """How many links below an open folder lead nowhere, among the first 20,000 names.

    ripgrep follows no link, and so says nothing of these.
    """
    count, left = 0, _MOST_LOOKED_AT
    for _, _, names, descriptor in os.fwalk(dir_fd=folder):
        for name in names[:left]:
            count += _is_dangling(name, descriptor)
        left -= len(names)
        if left <= 0:
            break
    return count


def _is_dangling(name: str, folder: int) -> bool:
    try:
        if not stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return False
        os.stat(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def name_of(record: bytes) -> str:
    """The name in a record of ripgrep, relative to the folder that was searched."""
    return os.fsdecode(record.removeprefix(b"./"))


def ended(search: Ripgrep, what: str) -> list[str]:
    """Notes on how a run went.

    Raises:
        ToolError: it could not do what it was asked, such as a broken pattern.
    """
    if search.errors and not search.late and not search.broke:
        text = "\n".join(search.errors)
        if _UNKNOWN_TYPE in text:
            raise _unknown_type(text.rpartition(": ")[2])
        raise ToolError(f"{what} can't be used: {visible_line(_last_line(text))}")
    notes = []
    if search.late:
        notes.append("The search took too long and was stopped: narrow it with path or glob.")
    if search.unreadable:
        many = search.unreadable != 1
        notes.append(f"{search.unreadable} file{'s' * many} or folder{'s' * many} can't be read.")
    return notes


def secrets_skipped() -> str:
    """An ignore file that leaves out what usually holds secrets."""
    return "\n".join(sensitive_globs())


def secrets_only() -> str:
    """An ignore file that leaves nothing but what usually holds secrets."""
    return "\n".join(["*", "!*/", *(f"!{glob}" for glob in sensitive_globs())])


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = next((line for line in lines if line.startswith("error:")), lines[-1])
    return found.removeprefix("error: ").removeprefix("rg: ")


def _unknown_type(kind: str) -> ToolError:
    return ToolError(
        f"The type '{visible_line(kind[:80])}' is not known",
        hint="Types are names such as py, js, ts, rust, go, java, c, cpp, md, json, yaml; "
        "or use glob='*.ext'.",
    )


__all__ = [
    "Found",
    "Runs",
    "Scope",
    "Wanted",
    "collect",
    "dangling_links",
    "ended",
    "has_endless_line",
    "name_of",
    "open_scope",
    "secrets_only",
    "secrets_skipped",
]
