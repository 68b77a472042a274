"""How many lines a change adds and deletes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCount:
    """Lines added and deleted; `approximate` where a move may count as nothing."""

    added: int
    deleted: int
    approximate: bool = False


def count_lines(before: str, after: str) -> LineCount:
    """The lines that `after` has and `before` had not, and the other way round.

    Exact for all but very large changes, whose lines are counted without regard to their order.
    """
    old, new = _without_common_ends(before.splitlines(), after.splitlines())
    if not old or not new:
        return LineCount(added=len(new), deleted=len(old))
    if len(old) * len(new) > _MOST_PAIRS:
        had, has = Counter(old), Counter(new)
        return LineCount(added=(has - had).total(), deleted=(had - has).total(), approximate=True)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return LineCount(added=len(new) - same, deleted=len(old) - same)


def _without_common_ends(
    old: Sequence[str], new: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


__all__ = ["LineCount", "count_lines"]
