"""What a file holds before and after a call: bounded, off the loop, for line counts alone."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.execution.linecount import LineCount, count_lines
from nanobot.errors import NanobotError
from nanobot.surrogates import mend_text
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.workspace import Workspace

_MOST_BYTES = 4 * 1024 * 1024
_MOST_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A file's text at one moment; "" where it is missing, `binary` or `unknown`.

    Unknown is what is larger than 4 MiB, can't be read, or was not read within 10 seconds.
    """

    text: str = ""
    exists: bool = False
    binary: bool = False
    unknown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file before and after, and the lines in which they differ."""

    before: Snapshot
    after: Snapshot
    count: LineCount

    @property
    def operation(self) -> str:
        """`create`, `edit` or `delete`."""
        if not self.before.exists:
            return "create"
        return "edit" if self.after.exists else "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path as given, absolute (links not followed), and as people write it here."""

    given: str
    absolute: str
    shown: str


_UNKNOWN = Snapshot(exists=True, unknown=True)


def place_of(path: str, workspace: Workspace | None) -> Place:
    """Where a path in an argument lies. Without a workspace it starts in the current folder."""
    expanded = os.path.expanduser(path)  # noqa: PTH111  # Path raises where there is no home
    root = workspace.root if workspace is not None else os.getcwd()  # noqa: PTH109  # text
    absolute = os.path.normpath(os.path.join(root, expanded))  # noqa: PTH118  # as spelled
    shown = workspace.display(absolute) if workspace is not None else path
    return Place(given=path, absolute=mend_text(absolute), shown=mend_text(shown))


async def snapshots(places: Sequence[Place], workspace: Workspace | None) -> list[Snapshot]:
    """Each file as it is now."""
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            return await in_thread(_look, places, workspace)
    except TimeoutError:
        return [_UNKNOWN for _ in places]


async def changes_since(
    before: Sequence[Snapshot], places: Sequence[Place], workspace: Workspace | None
) -> list[FileChange]:
    """What became of each file."""
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            return await in_thread(_compare, before, places, workspace)
    except TimeoutError:
        return [_change(old, _UNKNOWN) for old in before]


def _look(places: Sequence[Place], workspace: Workspace | None) -> list[Snapshot]:
    return [_snapshot(place, workspace) for place in places]


def _compare(
    before: Sequence[Snapshot], places: Sequence[Place], workspace: Workspace | None
) -> list[FileChange]:
    after = _look(places, workspace)
    return [_change(old, new) for old, new in zip(before, after, strict=True)]


def _change(before: Snapshot, after: Snapshot) -> FileChange:
    if before.unknown or after.unknown:
        count = LineCount(added=0, deleted=0, approximate=True)
    elif before.binary or after.binary:
        count = LineCount(added=0, deleted=0)
    else:
        count = count_lines(before.text, after.text)
    return FileChange(before=before, after=after, count=count)


def _snapshot(place: Place, workspace: Workspace | None) -> Snapshot:
    from nanobot.workspace import Workspace as Fence  # noqa: PLC0415  # only where one listens

    fence, path = workspace or Fence.anywhere(), place.given if workspace else place.absolute
    try:
        with (
            fence.open_file(path) as opened,
            open(opened.descriptor, "rb", closefd=False) as file,
        ):
            data = file.read(_MOST_BYTES + 1)
    except (NanobotError, OSError, ValueError):
        exists = os.path.lexists(place.absolute)
        return Snapshot(exists=exists, unknown=exists)
    return _UNKNOWN if len(data) > _MOST_BYTES else _decoded(data)


def _decoded(data: bytes) -> Snapshot:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Snapshot(exists=True, binary=True)
    if "\0" in text:
        return Snapshot(exists=True, binary=True)
    return Snapshot(text=text, exists=True)


__all__ = ["FileChange", "Place", "Snapshot", "changes_since", "place_of", "snapshots"]
