"""What one run over a scope found: the first of it, in order, however much there is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.searching import ended, exactly, name_of
from nanobot.agent.tools.smallest import Smallest
from nanobot.errors import ToolError
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from nanobot.agent.tools.searching import Scope

_SMALLEST_TOO_LONG = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first keys of what was found, in order, and how many there are in all."""

    first: Sequence[bytes]
    total: int
    notes: Sequence[str]


def collect(
    scope: Scope,
    flags: Sequence[str],
    *,
    keys: Callable[[Iterable[list[bytes]]], Iterable[list[bytes]]],
    most: int,
    most_bytes: int | None,
    what: str,
    separator: bytes = b"\0",
    ignore: Sequence[str] = (),
) -> Found:
    """Run over all of the scope in parallel, and keep the smallest keys of what was found.

    `keys` makes sort keys of the names, as they come, and leaves out what is not wanted. `most` and
    `most_bytes` bound what is kept. A run that breaks for a line longer than its memory is run
    again without the files that have one; they are named.
    """
    skipped: list[str] = []
    while True:
        run = scope.ripgrep(*flags, ignore=[*ignore, exactly(skipped)])
        first = Smallest(most, most_bytes)
        names = ([one.removeprefix(b"./") for one in block] for block in run.blocks(separator))
        for block in keys(names):
            first.add(block)
        notes = ended(run, what)
        if run.broke and not skipped:
            skipped = _too_long(scope)
            if skipped:
                continue
        if run.broke:
            notes.append("The search broke off: it needed more memory than it may have.")
        if skipped:
            notes.append(_too_long_note(scope, skipped))
        return Found(first=first.sorted(), total=first.total, notes=notes)


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


def _too_long_note(scope: Scope, names: Sequence[str]) -> str:
    shown = ", ".join(scope.shown(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""  # noqa: PLR2004  # as shown
    return (
        f"Not searched, since a line is longer than a search may keep ({shown_size(scope.bounds.memory)} of "
        f"memory): {shown}{more}."
    )


__all__ = ["Found", "collect", "has_endless_line"]
