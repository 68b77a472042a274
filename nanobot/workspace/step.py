"""`Step`: one file of a write, from the temporary file to the new name, and back.

Each method looks at what stands there and not at what was done before, so that the process that
began a write and the one that finds it half done after a kill go the same way.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.identity import Identity
from nanobot.workspace.temporary import copy_of, new_file, open_to_read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nanobot.workspace.journal import Entry
    from nanobot.workspace.record import After, Change
    from nanobot.workspace.spot import Spot


class Step:
    """The change of this index in an entry of the journal, at its spot."""

    def __init__(self, index: int, change: Change, spot: Spot, entry: Entry) -> None:
        self._index = index
        self._change = change
        self._spot = spot
        self._entry = entry

    def keep(self, *, alone: bool) -> None:
        """Keep what stands there: the file itself by a hard link, where no other name can change it.

        Args:
            alone: whether the write changes this file only, so that it needs no way back.

        Raises:
            ToolError: it is another file than when the write began.
        """
        found = self._spot.state()
        if not _same(Identity.of(found) if found else None, self._change.before):
            raise ToolError(
                f"'{visible_line(self._spot.path.name)}' was changed by another program while it "
                "was being written; nothing was written",
                hint="Read it again, then repeat the change on what stands there now.",
            )
        if found is None:
            return
        image = self._entry.image(self._index)
        if found.st_nlink == 1 and self._linked(image):
            return
        if not alone:
            self._linked(self._entry.held(self._index))
        _copied(self._spot, image)

    def apply(self) -> None:
        """Give the name its new file, or none. Done already: nothing."""
        with suppress(FileNotFoundError):
            if self._change.deletes:
                os.unlink(self._spot.name, dir_fd=self._spot.folder)
            else:
                self._rename()

    def may_go_on(self) -> bool:
        """Whether the new file is in place, or nobody else has touched the old one."""
        if not self._change.deletes and not self._has_temporary():
            return True
        now = self._spot.identity()
        return (now is None and self._change.deletes) or _same(now, self._change.before)

    def go_back(self, after: After) -> None:
        """Put the old file back if the new one stands there; what somebody else wrote stays."""
        self.discard()
        before, now = self._change.before, self._spot.identity()
        if _same(now, before) or not _same(now, after.identity):
            return
        if before is None:
            os.unlink(self._spot.name, dir_fd=self._spot.folder)
            return
        self._restore()
        self._rename()

    def discard(self) -> None:
        """Remove the temporary file."""
        if not self._spot.missing:
            with suppress(FileNotFoundError):
                os.unlink(self._change.temporary, dir_fd=self._spot.folder)

    def _has_temporary(self) -> bool:
        with suppress(FileNotFoundError):
            os.stat(self._change.temporary, dir_fd=self._spot.folder, follow_symlinks=False)
            return True
        return False

    def _linked(self, image: Path) -> bool:
        try:
            os.link(self._spot.name, image, src_dir_fd=self._spot.folder, follow_symlinks=False)
        except OSError:  # another disk, or a file of somebody else
            return False
        return True

    def _rename(self) -> None:
        folder = self._spot.folder
        os.replace(self._change.temporary, self._spot.name, src_dir_fd=folder, dst_dir_fd=folder)

    def _restore(self) -> None:
        """The old file under the temporary name: itself where it can be, else a copy."""
        name = self._change.temporary
        for kept in (self._entry.held(self._index), self._entry.image(self._index)):
            with suppress(OSError):
                os.link(kept, name, dst_dir_fd=self._spot.folder)
                return
        source = open_to_read(str(self._entry.image(self._index)))
        try:
            copy_of(source, new_file(name, self._spot.folder, private=True))
        finally:
            os.close(source)


def _same(one: Identity | None, other: Identity | None) -> bool:
    return other is None if one is None else one.alike(other)


def _copied(spot: Spot, image: Path) -> None:
    source = open_to_read(spot.name, spot.folder)
    try:
        copy_of(source, new_file(str(image), private=True))
    finally:
        os.close(source)


def go_back(steps: Sequence[Step], entry: Entry, after: Sequence[After]) -> bool:
    """Undo what was done of a write: the old files stand again, and nothing else is left.

    Args:
        steps: all of the write's, in its order.
        entry: its place in the journal.
        after: what it was to leave; empty when no name had been touched yet.

    Returns:
        Whether all of it worked; what did not can be tried again.
    """
    if after:
        entry.undoing()
    done = True
    for number in reversed(range(len(steps))):
        try:
            if after:
                steps[number].go_back(after[number])
            else:
                steps[number].discard()
        except (OSError, ToolError):
            done = False
    return done


__all__ = ["Step", "go_back"]
