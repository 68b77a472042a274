"""What the search tools share: where they search, how ripgrep is told, how names are shown."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.globs import Glob
from nanobot.workspace.ripgrep import Ripgrep
from nanobot.workspace.sensitive import sensitive_globs, sensitive_reason

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.workspace import Workspace

_OWN = (".git", ".nanobot")
_TYPE = re.compile(r"[a-z0-9]+", re.IGNORECASE)
_UNKNOWN_TYPE = "unrecognized file type"
_DEADLINE_S = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a search goes: a real folder, and one file in it or all below."""

    folder: Path
    file: str
    prefix: str
    glob: Glob | None
    kind: str
    include_ignored: bool

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

    def ripgrep(self, *flags: str, ignore: str = "") -> Ripgrep:
        """A run over this scope, with these flags."""
        hidden = ("--hidden", "--no-ignore") if self.include_ignored else ()
        kind = (f"--type={self.kind}",) if self.kind else ()
        own = "\n".join(f"{name}/" for name in _OWN if name not in self.folder.parts)
        return Ripgrep(
            [*hidden, *kind, *flags, "--", f"./{self.file}" if self.file else "./"],
            str(self.folder),
            ignore=[text for text in (ignore, own) if text],
            deadline_s=_DEADLINE_S,
        )

    def left_out(self) -> str:
        """What the search did not look at, and how to change that; "" if nothing."""
        if self.include_ignored or self.file:
            return ""
        return (
            "Hidden files and what .gitignore names were left out; "
            "include_ignored=true takes them in."
        )


def scope_of(
    workspace: Workspace, path: str, *, glob: str | None, kind: str | None, include_ignored: bool
) -> Scope:
    """The scope that a call means.

    Raises:
        OutsideWorkspace: the path leaves the workspace.
        ToolError: there is nothing, or the glob or the type can't be used.
    """
    if kind and not _TYPE.fullmatch(kind):
        raise _unknown_type(kind)
    compiled = Glob(glob) if glob else None
    if workspace.is_folder(path):
        with workspace.open_folder(path) as opened:
            folder, file = opened.path, ""
    else:
        with workspace.open_file(path) as opened:
            folder, file = opened.path.parent, opened.path.name
    shown = workspace.display(folder)
    prefix = "" if shown == "." else f"{shown.rstrip('/')}/"
    return Scope(
        folder=folder,
        file=file,
        prefix=prefix,
        glob=compiled,
        kind=kind or "",
        include_ignored=include_ignored or any(name in folder.parts for name in _OWN),
    )


def name_of(record: bytes) -> str:
    """The name in a record of ripgrep, relative to the folder that was searched."""
    return os.fsdecode(record.removeprefix(b"./"))


def ended(search: Ripgrep, what: str) -> list[str]:
    """Notes on how a run went.

    Raises:
        ToolError: it could not do what it was asked, such as a broken pattern.
    """
    if search.errors and not search.late:
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


__all__ = ["Scope", "ended", "name_of", "scope_of", "secrets_only", "secrets_skipped"]
