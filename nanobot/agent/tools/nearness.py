"""Which registered names are near one that a model made up. Nothing near is ever executed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from heapq import nlargest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST_SHOWN = 10
_CLOSE = 0.7
_CANDIDATES = 40
_LONGEST = 100
_SEPARATORS = re.compile(r"[\W_]+")


def nearest_name(wanted: str, names: Collection[str]) -> str | None:
    """The one name that was probably meant, or None.

    Case and separators don't count: `readFile` and `Read-File` are both near `read_file`.
    """
    close = _close_names(wanted, names)
    return close[0] if close else None


def available_names(wanted: str, names: Collection[str]) -> str:
    """At most 10 names, near ones first where there are more, and how many more there are."""
    if not names:
        return "none"
    if len(names) <= _MOST_SHOWN:
        return ", ".join(names)
    first = [*_close_names(wanted, names), *_first(names)]
    shown = list(dict.fromkeys(first))[:_MOST_SHOWN]
    return f"{', '.join(shown)} (and {len(names) - len(shown)} more)"


def _first(names: Collection[str]) -> list[str]:
    return [name for name, _ in zip(names, range(_MOST_SHOWN), strict=False)]


def _close_names(wanted: str, names: Collection[str]) -> list[str]:
    """The near names, nearest first. Cheap letters decide first which are compared in full."""
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


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name[:_LONGEST].casefold())


def _pairs(plain: str) -> set[str]:
    return {plain[at : at + 2] for at in range(max(1, len(plain) - 1))}


def _overlap(first: set[str], second: set[str]) -> float:
    return len(first & second) / (len(first) + len(second))


__all__ = ["available_names", "nearest_name"]
