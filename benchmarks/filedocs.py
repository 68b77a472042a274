"""Rows of `files.py`: documents through a worker that is up, beside the bare libraries.

Before each reading the document gets a new time, so that it is another one to the worker, which
keeps the last.
"""

from __future__ import annotations

import random
import zipfile
from functools import partial
from typing import TYPE_CHECKING

import docx
import fpdf
import openpyxl
import pypdfium2
from lxml import etree
from pairs import Pair
from python_calamine import CalamineWorkbook

from nanobot.agent.tools.builtin import ReadFileTool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from filetree import Material

_PAGES = 200
_PAGES_A_CALL = 20
_ROWS = 100_000
_PARAGRAPHS = 3_000
_LINES_A_CALL = 2_000
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def documents(made: Material, run: Callable[[Awaitable[object]], object]) -> Iterator[Pair]:
    """The rows; the documents are made where they are not there yet. `run` awaits on the loop."""
    folder = made.folder / "documents"
    folder.mkdir(exist_ok=True)
    tool = ReadFileTool(folder)
    pages = [f"{first}-{first + _PAGES_A_CALL - 1}" for first in range(1, _PAGES, _PAGES_A_CALL)]
    for name, title, file, make, calls, theirs, beside in (
        (
            "pdf",
            "`read_file`, all of a 200-page PDF",
            "report.pdf",
            _make_pdf,
            [{"pages": some} for some in pages],
            _read_pdf,
            "pypdfium2",
        ),
        (
            "workbook",
            "`read_file`, the first 2,000 of 100,000 rows",
            "table.xlsx",
            _make_workbook,
            [{}],
            _read_workbook,
            "python-calamine",
        ),
        (
            "docx",
            "`read_file`, all of 3,000 paragraphs of DOCX",
            "text.docx",
            _make_docx,
            [{}, {"offset": _LINES_A_CALL + 1}],
            _read_docx,
            "python-docx",
        ),
        (
            "docx-xml",
            "the same",
            "text.docx",
            _make_docx,
            [{}, {"offset": _LINES_A_CALL + 1}],
            _read_xml,
            "lxml, text alone",
        ),
    ):
        path = folder / file
        if not path.exists():
            make(path)
        yield Pair(
            name=name,
            title=title,
            beside=beside,
            bar=1.5,
            before=partial(_renew, path),
            ours=lambda file=file, calls=calls: run(_read(tool, file, calls)),
            theirs=partial(theirs, path),
        )


async def _read(tool: ReadFileTool, file: str, calls: list[dict[str, object]]) -> None:
    for arguments in calls:
        answer = await tool.execute(path=file, force=True, **arguments)
        assert len(str(answer)) > 10_000


def _renew(path: Path) -> None:
    path.touch()


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(["invoice", "amount", "of", "the", "order", "total"], k=count))


def _make_pdf(path: Path) -> None:
    chance = random.Random(7)  # noqa: S311  # the same text each time
    pdf = fpdf.FPDF()
    pdf.set_font("Helvetica", size=11)
    for number in range(_PAGES):
        pdf.add_page()
        for line in range(40):
            pdf.cell(
                0, 6, f"{number + 1}.{line} {_words(chance, 9)}", new_x="LMARGIN", new_y="NEXT"
            )
    pdf.output(str(path))


def _make_workbook(path: Path) -> None:
    chance = random.Random(7)  # noqa: S311  # the same text each time
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    for number in range(_ROWS):
        sheet.append([number, _words(chance, 3), number * 1.25, number % 7 == 0, f"N{number:06}"])
    book.save(path)


def _make_docx(path: Path) -> None:
    chance = random.Random(7)  # noqa: S311  # the same text each time
    document = docx.Document()
    for number in range(_PARAGRAPHS):
        document.add_paragraph(f"{number} {_words(chance, 8)}")
    document.save(str(path))


def _read_pdf(path: Path) -> None:
    pdf = pypdfium2.PdfDocument(path)
    texts = [page.get_textpage().get_text_range() for page in pdf]
    assert len(texts) == _PAGES
    pdf.close()


def _read_workbook(path: Path) -> None:
    rows = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    assert len(rows) == _ROWS


def _read_docx(path: Path) -> None:
    texts = [paragraph.text for paragraph in docx.Document(str(path)).paragraphs]
    assert len(texts) == _PARAGRAPHS


def _read_xml(path: Path) -> None:
    with zipfile.ZipFile(path) as package:
        root = etree.fromstring(package.read("word/document.xml"))
    texts = ["".join(text.text or "" for text in p.iter(f"{_W}t")) for p in root.iter(f"{_W}p")]
    assert len(texts) == _PARAGRAPHS


__all__ = ["documents"]
