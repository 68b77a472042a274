"""Steps: what one understood request does, in one call or in a few.

A step is asked for its next call with the results it has so far, and at the end for its headline.
It keeps no state: the same conversation always gives the same calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nanobot.providers.offline.call import Call

if TYPE_CHECKING:
    from collections.abc import Sequence

_LENGTH = re.compile(
    r"^\((?:Showing lines \d+-\d+ of|End of file —) (\d+)(?: lines? total)?[.)]", re.MULTILINE
)
_FOUND = re.compile(r"^\((?:Showing \d+-\d+ of )?(\d+)(?: found)?[.)]", re.MULTILINE)
_COUNT_ROW = re.compile(r".*:(\d+)")
_UNCHANGED = "[File unchanged since last read"
_CUT = "[Too long to show"
_NOTHING = "No "


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from one call."""

    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One understood request: here one call, and its result as it is."""

    first: Call

    may_go_on: ClassVar[bool] = False
    """Whether more calls may follow the first."""

    def next_call(self, results: Sequence[Result]) -> Call | None:
        """The call that follows these results; None when the step is done."""
        return None if results else self.first

    def headline(self, results: Sequence[Result]) -> str:  # noqa: ARG002  # for subclasses
        """One line made from the results, to stand above the last one; "" for none."""
        return ""


@dataclass(frozen=True, slots=True)
class Exact(Step):
    """An exact command."""


@dataclass(frozen=True, slots=True)
class Plain(Step):
    """A plain request for one call. A read that says only *unchanged* is asked once more."""

    may_go_on: ClassVar[bool] = True

    def next_call(self, results: Sequence[Result]) -> Call | None:
        """The call, then the same by force where the first result holds nothing to show."""
        if not results:
            return self.first
        return _read_again(self.first) if len(results) < _tries(results) else None


@dataclass(frozen=True, slots=True)
class LastLines(Plain):
    """The end of a file: its length first, then the last `lines`."""

    lines: int

    def next_call(self, results: Sequence[Result]) -> Call | None:
        """The read that tells the length, then the read of the end."""
        if len(results) < _tries(results):
            return _read_again(self.first) if results else self.first
        total = total_lines(results[-1].text)
        if len(results) > _tries(results) or results[-1].failed or not total:
            return None
        place: dict[str, int] = {"offset": max(1, total - self.lines + 1), "limit": self.lines}
        return Call("read_file", {"path": self.first.arguments["path"], **place, "force": True})

    def headline(self, results: Sequence[Result]) -> str:
        """A word on a file whose length is not known."""
        measured = len(results) == _tries(results) and not results[-1].failed
        if not measured or total_lines(results[-1].text) is not None:
            return ""
        return "The length of this file is not known, so its end can't be found this way."


@dataclass(frozen=True, slots=True)
class LineCount(Plain):
    """How long a file is, from the note below its first line."""

    def headline(self, results: Sequence[Result]) -> str:
        """`README.md: 120 lines`."""
        total = total_lines(results[-1].text) if _succeeded(results) else None
        return "" if total is None else f"{self.first.arguments['path']}: {_some(total, 'line')}"


@dataclass(frozen=True, slots=True)
class FileCount(Step):
    """How many files a search finds, from the note below the first."""

    def headline(self, results: Sequence[Result]) -> str:
        """`12 files`."""
        if not _succeeded(results):
            return ""
        found = _FOUND.search(results[-1].text)
        if found is None and not results[-1].text.startswith(_NOTHING):
            return ""
        return _some(int(found[1]) if found else 0, "file")


@dataclass(frozen=True, slots=True)
class MatchCount(Step):
    """How many lines match, from the counts of each file."""

    def headline(self, results: Sequence[Result]) -> str:
        """`12 matching lines`."""
        if not _succeeded(results) or results[-1].text.startswith(_CUT):
            return ""
        found = (_COUNT_ROW.fullmatch(row) for row in results[-1].text.splitlines())
        return _some(sum(int(row[1]) for row in found if row), "matching line")


def total_lines(text: str) -> int | None:
    """The length of a file from a note of `read_file`; None where it is not known.

    Lines of the file itself begin with their number, so that none is taken for the note.
    """
    found = _LENGTH.search(text)
    return int(found[1]) if found else None


def _tries(results: Sequence[Result]) -> int:
    """How many calls a read takes: one more where the first says only *unchanged*."""
    return 2 if results and results[0].text.startswith(_UNCHANGED) else 1


def _read_again(call: Call) -> Call:
    return Call(call.tool, {**call.arguments, "force": True})


def _succeeded(results: Sequence[Result]) -> bool:
    return bool(results) and not results[-1].failed


def _some(number: int, noun: str) -> str:
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
