"""A unified diff that stays short and quick, whatever the texts. Pure."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 3
_MOST_COMPARED = 2_000
_WIDEST = 300
_NO_NEWLINE = "\n\\ No newline at end of file"


def bounded_diff(old: str, new: str, name: str, *, most: int = 200, first: int = 1) -> str:
    """The change from `old` to `new` as a unified diff of at most `most` rows, each cut at 300.

    `first` is the number of the first line, where the texts are a part of a file.

    Lines that both share at the start and the end are not compared; what is left of more than
    2,000 lines on a side is shown as removed and added.
    """
    before, after = _lines(old), _lines(new)
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    lead = max(0, start - _CONTEXT)
    tail = max(0, end - _CONTEXT)
    rows = list(
        _rows(
            before[lead : len(before) - tail],
            after[lead : len(after) - tail],
            lead + first - 1,
            most,
        )
    )
    if not rows:
        return ""
    cut = [f"… (the diff goes on; {most} rows are shown)"] if len(rows) > most else []
    shown = [row if len(row) <= _WIDEST else row[:_WIDEST] + "…" for row in rows[:most]]
    return "\n".join([f"--- {name}", f"+++ {name}", *shown, *cut])


def _lines(text: str) -> list[str]:
    """Lines without their ends; a last one that has none says so, as `diff` does."""
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last}{_NO_NEWLINE}"] if last else lines


def _shared(before: Sequence[str], after: Sequence[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _rows(before: Sequence[str], after: Sequence[str], lead: int, most: int) -> Iterator[str]:
    if before == after:
        return
    if max(len(before), len(after)) > _MOST_COMPARED:
        yield f"@@ -{lead + 1},{len(before)} +{lead + 1},{len(after)} @@"
        yield from ("-" + line for line in before[: most // 2])
        yield from ("+" + line for line in after[:most])
        return
    for row in list(unified_diff(before, after, lineterm="", n=_CONTEXT))[2:]:
        yield _moved(row, lead) if row.startswith("@@") else row


def _moved(head: str, lead: int) -> str:
    """A hunk's head with its line numbers counted from the start of the file."""
    marks = head.split(" ")
    return " ".join(mark if mark == "@@" else _plus(mark, lead) for mark in marks)


def _plus(mark: str, lead: int) -> str:
    first, comma, count = mark[1:].partition(",")
    return f"{mark[0]}{int(first) + lead}{comma}{count}"


__all__ = ["bounded_diff"]
