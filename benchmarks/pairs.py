"""Pairs of programs that do the same work, timed in turn; and the table of their ratios."""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Work: TypeAlias = "Callable[[], object]"
"""Something to time. Where it gives a float, that is what was measured, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One row: ours beside theirs, and the ratio it is held to. `name` is for `--only`."""

    name: str
    title: str
    beside: str
    bar: float
    ours: Work
    theirs: Work
    before: Callable[[], object] | None = None
    """Puts things back, untimed, before each of the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table, as it is printed."""

    title: str
    ours: str
    beside: str
    ratio: float
    bar: float
    unit: str = ""

    @property
    def row(self) -> str:
        """The row in Markdown."""
        verdict = "" if self.ratio <= self.bar else " **missed**"
        return (
            f"| {self.title} | {self.ours} | {self.beside} | {self.ratio:.2f}{self.unit}{verdict} "
            f"| {self.bar:g}{self.unit} |"
        )


def measured(pairs: Sequence[Pair], rounds: int) -> list[Figure]:
    """Every round times both of each pair, in turn; the medians of times and of ratios."""
    times: dict[str, list[tuple[float, float]]] = {pair.name: [] for pair in pairs}
    for number in range(rounds + 1):
        for pair in pairs:
            both = _once(pair, pair.ours), _once(pair, pair.theirs)
            if number:  # the first round warms up
                times[pair.name].append(both)
    return [_figure(pair, times[pair.name]) for pair in pairs]


def _once(pair: Pair, work: Work) -> float:
    if pair.before is not None:
        pair.before()
    gc.collect()
    start = time.perf_counter()
    told = work()
    return told if isinstance(told, float) else time.perf_counter() - start


def _figure(pair: Pair, times: Sequence[tuple[float, float]]) -> Figure:
    ours, theirs = zip(*times, strict=True)
    return Figure(
        title=pair.title,
        ours=_shown(statistics.median(ours)),
        beside=f"{pair.beside} {_shown(statistics.median(theirs))}",
        ratio=statistics.median(one / other for one, other in times),
        bar=pair.bar,
    )


def _shown(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.{1 if seconds >= 0.01 else 2}f} ms"


__all__ = ["Figure", "Pair", "Work", "measured"]
