"""Workbooks (XLSX, XLS, ODS) as lines: each sheet with its rows, cells parted by tabs."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import python_calamine

from nanobot.documents.faults import BrokenDocument, DocumentLocked
from nanobot.documents.plaintext import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Cell: TypeAlias = "int | float | str | bool | time | date | datetime | timedelta"
_EXACT = 2.0**53


class Workbook:
    """The lines of all sheets, made when they are asked for.

    Raises:
        BrokenDocument: it can't be opened.
        DocumentLocked: it needs a password.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            book = python_calamine.CalamineWorkbook.from_filelike(file)
            self._sheets = [_Sheet(book, name) for name in book.sheet_names]
        except python_calamine.PasswordError as error:
            raise DocumentLocked(
                "The workbook needs a password", hint="Ask the person for one without."
            ) from error
        except (python_calamine.CalamineError, OSError, ValueError) as error:
            raise BrokenDocument(f"The workbook is damaged: {one_line(str(error))}") from error

    def __len__(self) -> int:
        return sum(map(len, self._sheets))

    def lines(self, first: int, count: int) -> Iterator[str]:
        """`count` lines from `first` on, counted from 0."""
        for sheet in self._sheets:
            size = len(sheet)
            if first < size and count > 0:
                taken = min(count, size - first)
                yield from sheet.lines(first, taken)
                count -= taken
                first = 0
            else:
                first -= size


class _Sheet:
    def __init__(self, book: python_calamine.CalamineWorkbook, name: str) -> None:
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        while rows and not any(cell != "" for cell in rows[-1]):
            rows.pop()
        self._rows: Sequence[Sequence[_Cell]] = rows
        columns = max((_width(row) for row in rows), default=0)
        shape = f"{_many(len(rows), 'row')}, {_many(columns, 'column')}" if rows else "empty"
        self._head = f"--- Sheet {one_line(name)}: {shape} ---"

    def __len__(self) -> int:
        return len(self._rows) + 1

    def lines(self, first: int, count: int) -> Iterator[str]:
        if first == 0:
            yield self._head
        for row in self._rows[max(0, first - 1) : first - 1 + count]:
            yield "\t".join(map(_shown, row[: _width(row)]))


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _width(row: Sequence[_Cell]) -> int:
    width = len(row)
    while width and row[width - 1] == "":
        width -= 1
    return width


def _shown(cell: _Cell) -> str:
    if isinstance(cell, str):
        return cell if cell.isprintable() else one_line(cell)
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return str(int(cell))
    if isinstance(cell, datetime | date | time):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    return _hours(cell) if isinstance(cell, timedelta) else str(cell)


def _hours(span: timedelta) -> str:
    """As a workbook shows it: `30:00:00`."""
    minutes, seconds = divmod(abs(round(span.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{'-' * (span < timedelta())}{hours}:{minutes:02}:{seconds:02}"


__all__ = ["Workbook"]
