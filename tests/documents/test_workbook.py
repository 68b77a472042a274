"""Workbooks as rows."""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

import openpyxl
import pytest
from openpyxl.chart import BarChart

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.documents.faults import BrokenDocument, DocumentFault
from nanobot.documents.workbook import Workbook
from tests.documents.samples import package

if TYPE_CHECKING:
    from pathlib import Path


def saved(book: openpyxl.Workbook) -> io.BytesIO:
    room = io.BytesIO()
    book.save(room)
    room.seek(0)
    return room


def lines(file: io.BytesIO) -> list[str]:
    book = Workbook(file)
    return list(book.lines(0, len(book)))


_CELLS = {
    "whole number": (1, "1"),
    "number": (2.5, "2.5"),
    "small number": (1e-7, "1e-07"),
    "date": (date(2026, 1, 2), "2026-01-02"),
    "moment": (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02 03:04:05"),  # noqa: DTZ001  # has none
    "time": (time(3, 4), "03:04:00"),
    "hours": (timedelta(hours=30, seconds=1), "30:00:01"),
    "yes": (True, "TRUE"),
    "lines and tabs": ("a\tb\nc", "a b c"),
    "text": ("naïve ✓", "naïve ✓"),
}


@pytest.mark.parametrize(("value", "text"), _CELLS.values(), ids=_CELLS.keys())
def test_a_cell_is_shown(value: object, text: str) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append([value, "end"])

    assert lines(saved(book)) == ["--- Sheet Sheet: 1 row, 2 columns ---", f"{text}\tend"]


def test_all_sheets_come_in_order_each_under_its_name() -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["x"])
    book.create_chartsheet("Chart").add_chart(BarChart())
    book.create_sheet("Empty")
    book.create_sheet("Hidden").append(["y"])
    book.worksheets[-1].sheet_state = "hidden"

    assert lines(saved(book)) == [
        "--- Sheet Sheet: 1 row, 1 column ---",
        "x",
        "--- Sheet Chart: empty ---",
        "--- Sheet Empty: empty ---",
        "--- Sheet Hidden: 1 row, 1 column ---",
        "y",
    ]


def test_empty_rows_and_cells_stay_within_but_not_at_the_end() -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for place, value in (("B2", "x"), ("D4", "y"), ("F9", "")):
        sheet[place] = value
    sheet["G12"].style = "Good"

    assert lines(saved(book)) == [
        "--- Sheet Sheet: 4 rows, 4 columns ---",
        "",
        "\tx",
        "",
        "\t\t\ty",
    ]


def test_any_range_of_lines_is_a_part_of_all() -> None:
    book = openpyxl.Workbook()
    for name in ("One", "Two", "Three"):
        sheet = book.create_sheet(name)
        for number in range(3):
            sheet.append([number])
    made = Workbook(saved(book))
    all_lines = list(made.lines(0, len(made)))

    for first in range(len(made)):
        for count in range(len(made)):
            assert list(made.lines(first, count)) == all_lines[first : first + count]


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", package({"xl/workbook.xml": "<a"}).getvalue()]
)
def test_a_damaged_workbook_is_told_in_one_line(data: bytes) -> None:
    with pytest.raises(BrokenDocument, match="damaged") as caught:
        Workbook(io.BytesIO(data))

    assert "\n" not in caught.value.message


def far() -> bytes:
    """A workbook whose one sheet would be 17 billion cells."""
    book = openpyxl.Workbook()
    book.worksheets[0]["XFD1048576"] = book.worksheets[0]["A1"] = "x"
    return saved(book).getvalue()


def lying() -> bytes:
    """A workbook whose sheet of 450 MB says that it has 100 kB."""
    head = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    )
    rows = b'<row><c t="str"><v>%b</v></c></row>' % (b"x" * 4_500_000)
    source = zipfile.ZipFile(saved(openpyxl.Workbook()))
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as made:
        for name in source.namelist():
            with made.open(name, "w", force_zip64=False) as part:
                if "sheet1" not in name:
                    part.write(source.read(name))
                    continue
                part.write(head)
                for _ in range(100):
                    part.write(rows)
                part.write(b"</sheetData></worksheet>")
    data = bytearray(room.getvalue())
    size = made.getinfo("xl/worksheets/sheet1.xml").file_size.to_bytes(4, "little")
    return bytes(data.replace(size, (100_000).to_bytes(4, "little")))


@pytest.mark.parametrize("made", [far, lying])
async def test_a_workbook_that_takes_too_much_is_refused_in_one_line(
    tmp_path: Path, made: object
) -> None:
    tool = ReadFileTool(tmp_path)
    (tmp_path / "a.xlsx").write_bytes(made() if callable(made) else b"")

    with pytest.raises(DocumentFault) as caught:
        await tool.execute("a.xlsx")

    assert caught.value.message.startswith("'a.xlsx': ")
    assert "\n" not in caught.value.message
    tool.documents.close()
