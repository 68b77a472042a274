"""What the search tools share: where they search, how ripgrep is told, how names are shown."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.globs import Glob
from nanobot.workspace.kernelfiles import kernel_folders
from nanobot.workspace.ripgrep import MEMORY, Bounds, Ripgrep
from nanobot.workspace.sensitive import may_be_sensitive, sensitive_globs, sensitive_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.workspace import Workspace

OWN = (".git", ".nanobot")
"""Names of git's and our own folders."""
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\*?[]!#{} "})
_TYPE = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_PUSHABLE = re.compile(r"[A-Za-z0-9_.*?-]+")
_MOST_PUSHED = 20
_UNKNOWN_TYPE = "unrecognized file type"
_LINE_END = '"\\n" is not allowed'
_BY_GLOB = "nanobotglob"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a call says about where to search."""

    path: str
    glob: str | None = None
    kind: str | None = None
    include_ignored: bool = False
    folders: bool = False
    """Whether folders are looked for too."""
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
    folders: bool
    bounds: Bounds
    runs: Runs

    def shown(self, name: str) -> str:
        """A found name as the model may write it: relative to the workspace, escaped."""
        return visible_line(f"{self.prefix}{name}" if self.prefix else name)

    def meant(self, records: list[bytes]) -> list[bytes]:
        """Of what was found, what the glob means, and nothing of git's and our own folders.

        A record is a name relative to the folder, maybe with NUL and more behind it. ripgrep goes
        into those folders where a `.gitignore` says so.
        """
        joined = b"\0".join(records)  # one look for all is quicker than one for each
        for own in self._own:
            if f"{own}/".encode() in joined:
                records = [one for one in records if own not in file_of(one).split("/")[:-1]]
        glob = self.glob
        if glob is None or self._glob_is_pushed:
            return records
        return [one for one in records if glob.matches(file_of(one).rstrip("/"))]

    def without_secrets(self, records: list[bytes]) -> list[bytes]:
        """Of what was found, what does not usually hold secrets."""
        if self.file:
            return records
        doubted = may_be_sensitive(os.fsencode(self.prefix))
        return [
            one
            for one in records
            if not (doubted or may_be_sensitive(one.partition(b"\0")[0]))
            or not self.holds_secrets(file_of(one))
        ]

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
        all_of_it = ("--hidden", "--no-ignore") if self.include_ignored else ()
        kind = self._kind_flags()
        names = paths or ((self.file,) if self.file else ("",))
        run = Ripgrep(
            [*all_of_it, *kind, *flags, "--", *(f"./{name}" for name in names)],
            self.descriptor,
            ignore=() if paths else self._rules(ignore, of_kind=bool(kind)),
            bounds=self.bounds,
        )
        self.runs.add(run)
        return run

    def _rules(self, ignore: Sequence[str], *, of_kind: bool) -> Sequence[str]:
        """What is told to be ignored, the strongest last. Each costs time for every name."""
        if self.include_ignored:
            hidden, own = "", "\n".join(f"{name}/" for name in self._own)
        else:  # a type shows hidden files too
            hidden, own = ".*" if of_kind else "", ""
        made_up = exactly(kernel_folders(self.folder))
        return [text for text in (hidden, *ignore, self._pruned(), own, made_up) if text]

    @property
    def of_kind(self) -> bool:
        """Whether ripgrep is told a kind of files: then other rules cost more than they save."""
        return bool(self._kind_flags())

    @property
    def _own(self) -> Sequence[str]:
        """Folders that no search goes into, unless it starts there."""
        return [name for name in OWN if name not in self.folder.parts]

    def _kind_flags(self) -> Sequence[str]:
        """The type, or the last names of the glob as one: unlike `--glob`, it unhides nothing ignored."""
        if self.kind:
            return (f"--type={self.kind}",)
        added = [f"--type-add={_BY_GLOB}:{last}" for last in self._pushed_names()]
        return [*added, f"--type={_BY_GLOB}"] if added else ()

    def _pushed_names(self) -> Sequence[str]:
        """The last names that ripgrep is asked for; none when any may be meant."""
        lasts = self.glob.last_names if self.glob and not (self.file or self.folders) else None
        if not lasts or self.kind or len(lasts) > _MOST_PUSHED:
            return ()
        return lasts if all(map(_PUSHABLE.fullmatch, lasts)) else ()

    @property
    def _glob_is_pushed(self) -> bool:
        """Whether ripgrep leaves out all that the glob does not mean."""
        return self.glob is not None and self.glob.by_last_name and bool(self._pushed_names())

    def _pruned(self) -> str:
        """An ignore file that keeps a search in the folder that the glob names."""
        names = self.glob.folder if self.glob and not self.file else ()
        if any(name.startswith(".") for name in names):  # it would be searched though hidden
            return ""
        rules, above = [], ""
        for name in names:
            below = f"{above}/{name.translate(_MARKS)}"
            rules += [f"{above}/*", f"!{below}/"]
            above = below
        return "\n".join(rules)

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
            or any(name in opened.path.parts for name in OWN),
            folders=wanted.folders,
            bounds=Bounds(
                roots=workspace.readable_roots(),
                landlock=wanted.landlock,
                memory=wanted.memory,
                python=wanted.python,
            ),
            runs=runs,
        )


def exactly(names: Sequence[str]) -> str:
    """Gitignore rules for these very files."""
    return "\n".join(f"/{name.translate(_MARKS)}" for name in names if "\n" not in name)


def name_of(record: bytes) -> str:
    """The name in a record of ripgrep, relative to the folder that was searched."""
    return os.fsdecode(record.removeprefix(b"./"))


def file_of(record: bytes) -> str:
    """The name before the NUL of a record."""
    return os.fsdecode(record.partition(b"\0")[0])


def ended(search: Ripgrep, what: str) -> list[str]:
    """Notes on how a run went.

    Raises:
        ToolError: it could not do what it was asked, such as a broken pattern.
    """
    if search.errors and not search.late and not search.broke:
        text = "\n".join(search.errors)
        if _UNKNOWN_TYPE in text:
            raise _unknown_type(text.rpartition(": ")[2])
        if _LINE_END in text:
            raise ToolError(f"{what} holds a line end", hint="Set multiline=true for such a one.")
        raise ToolError(
            f"{what} can't be used: {visible_line(_last_line(text))}",
            hint="Patterns are regular expressions as Rust has them, without look-around and "
            "backreferences; set fixed_strings=true for plain text.",
        )
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
    "OWN",
    "Runs",
    "Scope",
    "Wanted",
    "ended",
    "exactly",
    "file_of",
    "name_of",
    "open_scope",
    "secrets_skipped",
]
