"""Putting right what a killed process left half done: all of its write, or nothing."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.workspace.locks import locked
from nanobot.workspace.step import Step, go_back

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nanobot.workspace.journal import Entry, Journal
    from nanobot.workspace.spot import Spot

    OpenSpot = Callable[[Path], AbstractContextManager[Spot]]


def recover(journal: Journal, open_spot: OpenSpot) -> None:
    """Finish or undo each write whose process is gone, and remove what it left lying about.

    A write whose files were all complete is finished, unless somebody has touched one of them
    since; any other one is undone. The work of living processes is never touched.

    Args:
        journal: where writes in progress are recorded.
        open_spot: opens the spot of a real path, inside the fence.

    Raises:
        ToolError: another writer holds one of the files for half a minute.
    """
    for entry in journal.dead():
        with locked([Path(change.path) for change in entry.record.changes]), ExitStack() as opened:
            _put_right(entry, open_spot, opened)


def _put_right(entry: Entry, open_spot: OpenSpot, opened: ExitStack) -> None:
    steps, spots = [], []
    for index, change in enumerate(entry.record.changes):
        try:
            spot = opened.enter_context(open_spot(Path(change.path)))
        except (OSError, ToolError):  # its folder is gone, or leads out by now
            continue
        spots.append(spot)
        steps.append((index, Step(index, change, spot, entry)))
    whole = len(steps) == len(entry.record.changes)
    after = entry.record.after
    if whole and after and not entry.record.undone and _can_go_on([step for _, step in steps]):
        for _, step in steps:
            step.apply()
        for spot in spots:
            spot.sync()
        entry.finish()
        return
    left = [after[index] for index, _ in steps] if after else []
    if go_back([step for _, step in steps], entry, left):
        for folder in reversed(entry.record.folders):
            _remove_folder(Path(folder), open_spot)
        entry.drop()


def _can_go_on(steps: Sequence[Step]) -> bool:
    try:
        return all(step.may_go_on() for step in steps)
    except (OSError, ToolError):
        return False


def _remove_folder(folder: Path, open_spot: OpenSpot) -> None:
    with suppress(OSError, ToolError), open_spot(folder) as spot:
        if not spot.missing:
            os.rmdir(spot.name, dir_fd=spot.folder)


__all__ = ["recover"]
