"""Which registered names are near one that a model made up. Nothing near is ever executed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_MOST_SHOWN = 10
_CLOSE = 0.7
_CANDIDATES = 40
_LONGEST = 100
_SEPARATORS = re.compile(r"[\W_]+")


def near_names(wanted: str, names: Collection[str]) -> list[str]:
    """The names that may have been meant, nearest first; none where none is near.

    Case and separators don't count: `readFile` and `Read-File` are both near `read_file`. Pairs of
    letters decide which 40 names are compared in full.
    """
    plain = _plain(wanted)
    if not plain:
        return []
    pairs = _pairs(plain)
    likely = nlargest(_CANDIDATES, names, key=lambda name: _overlap(pairs, _pairs(_plain(name))))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(plain)
    scored: list[tuple[float, str]] = []
    for name in likely:
        matcher.set_seq1(_plain(name))
        if matcher.quick_ratio() >= _CLOSE and (ratio := matcher.ratio()) >= _CLOSE:
            scored.append((ratio, name))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [name for _, name in scored]


def nearest_name(wanted: str, names: Collection[str]) -> str | None:
    """The one name that was probably meant, or None where none is near."""
    near = near_names(wanted, names)
    return near[0] if near else None


def available_names(near: Sequence[str], names: Collection[str]) -> str:
    """At most 10 names, the near ones first where there are more, and how many more there are."""
    if not names:
        return "none"
    if len(names) <= _MOST_SHOWN:
        return ", ".join(names)
    shown = list(dict.fromkeys([*near, *islice(names, _MOST_SHOWN)]))[:_MOST_SHOWN]
    return f"{', '.join(shown)} (and {len(names) - len(shown)} more)"


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name[:_LONGEST].casefold())


def _pairs(plain: str) -> set[str]:
    return {plain[at : at + 2] for at in range(max(1, len(plain) - 1))}


def _overlap(first: set[str], second: set[str]) -> float:
    return len(first & second) / (len(first) + len(second))


__all__ = ["available_names", "near_names", "nearest_name"]
