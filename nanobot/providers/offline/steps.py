"""Steps: what one understood request does, in one call or in two.

A step is asked for its next call with the results it has so far, and at the end for its text. It
keeps no state: the same conversation always gives the same calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from nanobot.providers.offline.call import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.jsonvalue import JsonObject

_TOTAL = re.compile(r"\(Showing lines \d+-\d+ of (\d+)\.|\(End of file\D{1,5}(\d+) lines? total\)")
_UNCHANGED = "[File unchanged since last read"
_NOTE = re.compile(r"\(.*\)|\[.*\]")
_COUNT_ROW = re.compile(r"(?:.*:)?\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from one call."""

    text: str
    failed: bool


class Step(Protocol):
    """One understood request."""

    @property
    def first(self) -> Call:
        """The call that begins it."""

    @property
    def may_go_on(self) -> bool:
        """Whether more calls may follow the first."""

    def next_call(self, results: Sequence[Result]) -> Call | None:
        """The call that follows these results; None when the step is done."""

    def headline(self, results: Sequence[Result]) -> str:
        """One line made from the results, to stand above the last one; "" for none."""


@dataclass(frozen=True, slots=True)
class Exact:
    """An exact command: its call, once, and the result as it is."""

    first: Call

    @property
    def may_go_on(self) -> bool:
        return False

    def next_call(self, results: Sequence[Result]) -> Call | None:
        return None if results else self.first

    def headline(self, results: Sequence[Result]) -> str:  # noqa: ARG002  # the protocol's
        return ""


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain request for one call. A read that says only *unchanged* is asked once more."""

    first: Call

    @property
    def may_go_on(self) -> bool:
        return True

    def next_call(self, results: Sequence[Result]) -> Call | None:
        if not results:
            return self.first
        return _read_again(self.first, results) if len(results) == 1 else None

    def headline(self, results: Sequence[Result]) -> str:  # noqa: ARG002  # the protocol's
        return ""


@dataclass(frozen=True, slots=True)
class LastLines:
    """The end of a file: its length first, then the lines."""

    path: str
    lines: int

    @property
    def first(self) -> Call:
        return _measure(self.path)

    @property
    def may_go_on(self) -> bool:
        return True

    def next_call(self, results: Sequence[Result]) -> Call | None:
        measures = _measures(results)
        if len(results) < measures:
            return _read_again(self.first, results) if results else self.first
        total = total_lines(results[-1].text)
        if len(results) > measures or results[-1].failed or not total:
            return None
        return Call("read_file", self._tail_of(total))

    def headline(self, results: Sequence[Result]) -> str:
        known = not results or results[-1].failed or total_lines(results[-1].text) is not None
        if known or len(results) > _measures(results):
            return ""
        return f"The length of {self.path} is not known, so its end can't be found this way."

    def _tail_of(self, total: int) -> JsonObject:
        offset = max(1, total - self.lines + 1)
        return {"path": self.path, "offset": offset, "limit": self.lines, "force": True}


@dataclass(frozen=True, slots=True)
class LineCount:
    """How long a file is, from the note below its first line."""

    path: str

    @property
    def first(self) -> Call:
        return _measure(self.path)

    @property
    def may_go_on(self) -> bool:
        return True

    def next_call(self, results: Sequence[Result]) -> Call | None:
        if not results:
            return self.first
        return _read_again(self.first, results) if len(results) == 1 else None

    def headline(self, results: Sequence[Result]) -> str:
        total = None if not results or results[-1].failed else total_lines(results[-1].text)
        return "" if total is None else f"{self.path}: {_counted(total, 'line')}"


@dataclass(frozen=True, slots=True)
class FileCount:
    """How many files a search finds."""

    first: Call

    @property
    def may_go_on(self) -> bool:
        return False

    def next_call(self, results: Sequence[Result]) -> Call | None:
        return None if results else self.first

    def headline(self, results: Sequence[Result]) -> str:
        if not results or results[-1].failed:
            return ""
        rows = [row for row in results[-1].text.splitlines() if row.strip()]
        return _counted(sum(not _NOTE.fullmatch(row.strip()) for row in rows), "file")


@dataclass(frozen=True, slots=True)
class MatchCount:
    """How many lines match, from the counts of each file."""

    first: Call

    @property
    def may_go_on(self) -> bool:
        return False

    def next_call(self, results: Sequence[Result]) -> Call | None:
        return None if results else self.first

    def headline(self, results: Sequence[Result]) -> str:
        if not results or results[-1].failed:
            return ""
        found = [_COUNT_ROW.fullmatch(row) for row in results[-1].text.splitlines()]
        return _counted(sum(int(row[1]) for row in found if row), "matching line")


def total_lines(text: str) -> int | None:
    """The length of a file from the last note of `read_file`; None where it is not known."""
    found = list(_TOTAL.finditer(text[-400:]))
    return int(found[-1][1] or found[-1][2]) if found else None


def _measure(path: str) -> Call:
    return Call("read_file", {"path": path, "limit": 1})


def _measures(results: Sequence[Result]) -> int:
    """How many calls it takes to learn a length: one more where the first says *unchanged*."""
    return 2 if results and results[0].text.startswith(_UNCHANGED) else 1


def _read_again(call: Call, results: Sequence[Result]) -> Call | None:
    if call.tool != "read_file" or not results[-1].text.startswith(_UNCHANGED):
        return None
    return Call(call.tool, {**call.arguments, "force": True})


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


__all__ = [
    "Exact",
    "FileCount",
    "LastLines",
    "LineCount",
    "MatchCount",
    "Plain",
    "Result",
    "Step",
    "total_lines",
]
