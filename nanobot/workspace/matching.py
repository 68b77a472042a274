"""Where the old text of an edit stands in a file: exactly, or tolerantly in one way. Pure.

Exact places come first, from left to right without overlap. Only when there is none, a tolerant
one may do, in this order: blanks at line ends, indentation shifted as a block, Unicode blanks,
quotes and dashes. A tolerant place spans exactly as many lines as the old text.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from os.path import commonprefix
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.workspace.flattext import line_starts
from nanobot.workspace.folding import fold, types_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Way: TypeAlias = Literal["exact", "trailing blanks", "indentation", "Unicode characters"]
"""How a place fits."""

_BLANKS = " \t"
_MOST_LOOKED_AT = 2_000_000  # lines whose indentation is compared; beyond, nothing is tolerated


@dataclass(frozen=True, slots=True)
class Span:
    """A range of flat offsets, the end excluded."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The places that fit in one way. For indentation: the blanks typed, and those found."""

    way: Way
    spans: Sequence[Span]
    typed_indent: str = ""
    found_indent: str = ""


def find(flat: str, old: str) -> Matches:
    r"""The places of `old` in `flat`, both with `\n` alone; none means nothing fits.

    `old` must not be empty.
    """
    exact = tuple(occurrences(flat, old))
    if exact:
        return Matches(way="exact", spans=exact)
    lines = _Lines(flat, old)
    for tolerant in (lines.trailing, lines.shifted):
        found = tolerant()
        if found.spans:
            return found
    return _folded(flat, old)


def occurrences(flat: str, old: str) -> Iterator[Span]:
    """The exact places, from left to right without overlap."""
    at, size = flat.find(old), len(old)
    while at >= 0:
        yield Span(at, at + size)
        at = flat.find(old, at + size)


def _folded(flat: str, old: str) -> Matches:
    if flat.isascii():
        return Matches(way="Unicode characters", spans=())
    spans = tuple(
        span
        for span in occurrences(fold(flat), fold(old))
        if types_as(old, flat[span.start : span.end])
    )
    return Matches(way="Unicode characters", spans=spans)


class _Lines:
    """Whole lines of the file against whole lines of the old text."""

    def __init__(self, flat: str, old: str) -> None:
        self._flat = flat
        self._ends_open = old.endswith("\n")
        self._old = old.split("\n")[:-1] if self._ends_open else old.split("\n")

    @cached_property
    def _lines(self) -> Sequence[str]:
        return self._flat.split("\n")

    @cached_property
    def _starts(self) -> Sequence[int]:
        return line_starts(self._flat)

    def trailing(self) -> Matches:
        spans: list[Span] = []
        for _, span in self._windows(lambda line: line.rstrip(_BLANKS)):
            if _is_apart(span, spans):
                spans.append(span)
        return Matches(way="trailing blanks", spans=tuple(spans))

    def shifted(self) -> Matches:
        typed = common_indent(self._old)
        spans: list[Span] = []
        indent, left = "", _MOST_LOOKED_AT
        for first, span in self._windows(lambda line: line.lstrip(_BLANKS)):
            if not _is_apart(span, spans):
                continue
            left -= len(self._old)
            if left < 0:
                break
            window = self._lines[first : first + len(self._old)]
            found = common_indent(window)
            if found != typed and all(
                starmap(
                    lambda one, other, found=found: _shift_fits(one, other, typed, found),
                    zip(self._old, window, strict=True),
                )
            ):
                spans.append(span)
                indent = found
        return Matches(
            way="indentation", spans=tuple(spans), typed_indent=typed, found_indent=indent
        )

    def _windows(self, key: Callable[[str], str]) -> Iterator[tuple[int, Span]]:
        """Where all lines of the old text fit by `key`: first line and range of each."""
        telling = max(range(len(self._old)), key=lambda number: len(self._old[number].strip()))
        wanted, keys = [key(line) for line in self._old], None
        if not wanted[telling]:
            return
        for number in self._holding(wanted[telling]):
            first = number - telling
            if not 0 <= first <= len(self._lines) - len(self._old):
                continue
            keys = keys or [key(line) for line in self._lines]
            span = self._span(first) if keys[first : first + len(wanted)] == wanted else None
            if span is not None:
                yield first, span

    def _holding(self, text: str) -> Iterator[int]:
        """The numbers, from 0, of the lines that hold a piece of text."""
        at = self._flat.find(text)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            yield number
            end = self._starts[number] + len(self._lines[number])
            at = self._flat.find(text, end)

    def _span(self, first: int) -> Span | None:
        after = first + len(self._old)
        if self._ends_open:
            return Span(self._starts[first], self._starts[after]) if self._has(after) else None
        last = after - 1
        return Span(self._starts[first], self._starts[last] + len(self._lines[last]))

    def _has(self, line: int) -> bool:
        return line < len(self._starts)


def common_indent(lines: Sequence[str]) -> str:
    """The leading blanks that all non-blank lines share."""
    return commonprefix(  # noqa: RUF071  # character by character is meant
        [line[: len(line) - len(line.lstrip(_BLANKS))] for line in lines if line.strip(_BLANKS)]
    )


def _shift_fits(typed: str, stands: str, typed_indent: str, found_indent: str) -> bool:
    if not typed.strip(_BLANKS) and typed == stands:
        return True
    return (
        typed.startswith(typed_indent)
        and stands.startswith(found_indent)
        and typed[len(typed_indent) :] == stands[len(found_indent) :]
    )


def _is_apart(span: Span, before: Sequence[Span]) -> bool:
    """Whether a place does not begin inside the one before."""
    return not before or span.start >= before[-1].end


__all__ = ["Matches", "Span", "Way", "common_indent", "find", "occurrences"]
