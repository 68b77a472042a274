"""A first look below an open folder, bounded: which links there are, and whether it is small."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.workspace.beneath import open_beneath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_NAMES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a look found. `links` are relative to the folder; `whole` tells that all was seen."""

    links: Sequence[str]
    whole: bool


def survey(
    folder: int, *, hidden: bool, without: Sequence[str] = (), most: int = _MOST_NAMES
) -> Survey:
    """Look at the first names below an open folder; no link is followed.

    Args:
        folder: an open descriptor of it.
        hidden: whether to go into what is hidden too.
        without: names that are passed over, at any depth.
        most: how many names are looked at.
    """
    links: list[str] = []
    waiting, seen = [""], 0
    while waiting:
        here = waiting.pop()
        for entry in _entries(folder, here):
            seen += 1
            if seen > most:
                return Survey(links=links, whole=False)
            if entry.name in without or (entry.name.startswith(".") and not hidden):
                continue
            if entry.is_symlink():
                links.append(f"{here}{entry.name}")
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(f"{here}{entry.name}/")
    return Survey(links=links, whole=True)


def _entries(folder: int, below: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder; none of one that can't be opened or is gone."""
    with suppress(OSError):
        place = open_beneath(folder, below or ".", os.O_DIRECTORY, links=False)
        try:
            opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=place)
        finally:
            os.close(place)
        try:
            with os.scandir(opened) as entries:
                yield from entries
        finally:
            os.close(opened)


__all__ = ["Survey", "survey"]
