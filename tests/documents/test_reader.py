"""Documents read in worker processes, through the tool that shows them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import zipfile
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import openpyxl
import pytest
from PIL import Image

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from nanobot.documents.reader import DocumentReader
from nanobot.errors import ToolError
from tests.documents.samples import old_container, package, paragraph, pdf, word
from tests.documents.workers import wait_for, workers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[ReadFileTool]:
    made = ReadFileTool(tmp_path)
    yield made
    made.documents.close()


async def test_a_pdf_comes_by_pages_and_says_how_to_go_on(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(30))

    first = str(await tool.execute("a.pdf"))
    rest = str(await tool.execute("a.pdf", pages="21-40"))
    one = str(await tool.execute("a.pdf", pages="3"))

    assert first.startswith("--- Page 1 of 30 ---\nText of page 1\n")
    assert first.endswith("(Showing pages 1-20 of 30. Use pages='21-30' to continue.)")
    assert rest.endswith("Text of page 30\n\n(End of document — 30 pages total)")
    assert one.startswith("--- Page 3 of 30 ---\nText of page 3\n")


async def test_the_second_page_costs_no_second_parse(tool: ReadFileTool, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(30))

    for pages in ("1", "2", "3-4"):
        await tool.execute("a.pdf", pages=pages)

    assert tool.documents.parsed == 1
    assert len(workers()) == 1


_NO_PAGES = {
    "0": "no range",
    "5-2": "no range",
    "a": "no range",
    "1,3-4": "no range",
    "31": "the PDF has 30 pages",
}


@pytest.mark.parametrize(("pages", "said"), _NO_PAGES.items(), ids=_NO_PAGES.keys())
async def test_pages_that_are_none_are_one_line(
    tool: ReadFileTool, tmp_path: Path, pages: str, said: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(30))

    with pytest.raises(ToolError, match=said):
        await tool.execute("a.pdf", pages=pages)


async def test_pages_are_refused_for_what_is_no_pdf(tool: ReadFileTool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n", encoding="utf-8")

    with pytest.raises(ToolError, match="pages='1' is for PDF files"):
        await tool.execute("a.txt", pages="1")


async def test_a_workbook_comes_as_rows_with_dates_and_without_its_empty_tail(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["n", "when"], [1, date(2026, 1, 2)], [2.5, True], [None, None]):
        sheet.append(row)
    book.create_sheet("More").append(["x"])
    book.save(tmp_path / "a.xlsx")

    text = str(await tool.execute("a.xlsx"))
    page = str(await tool.execute("a.xlsx", offset=3, limit=1))

    assert text.splitlines()[:7] == [
        "(Workbook, as text)",
        "1| --- Sheet Sheet: 3 rows, 2 columns ---",
        "2| n\twhen",
        "3| 1\t2026-01-02",
        "4| 2.5\tTRUE",
        "5| --- Sheet More: 1 row, 1 column ---",
        "6| x",
    ]
    assert "3| 1\t2026-01-02" in page
    assert page.endswith("(Showing lines 3-3 of 6. Use offset=4 to continue.)")


async def test_a_picture_comes_as_blocks_scaled(tool: ReadFileTool, tmp_path: Path) -> None:
    Image.new("RGB", (4000, 1000), "red").save(tmp_path / "a.pdf", "PNG")

    blocks = await tool.execute("a.pdf")

    assert isinstance(blocks, list)
    assert blocks[0]["text"] == "a.pdf: PNG picture, 4000 × 1000 pixels, shown at 1568 × 392"
    assert str(blocks[1]["image_url"]).startswith("{'url': 'data:image/png;base64,")
    again = await tool.execute("a.pdf")
    assert str(again) == "[File unchanged since last read: a.pdf]"


_LOOP = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n"
    b"trailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"
)
_FAULTS: dict[str, tuple[bytes, str]] = {
    "cut pdf": (b"%PDF-1.7\nnothing more", "damaged"),
    "cut docx": (word(paragraph("x")).getvalue()[:200], "damaged"),
    "locked": (
        old_container("EncryptedPackage"),
        "needs a password",
    ),
    "old word": (
        old_container("WordDocument"),
        "old Word file",
    ),
    "cut picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "picture is damaged"),
    "bomb": (word(paragraph("x" * 60_000_000)).getvalue(), "zip bomb"),
}


@pytest.mark.parametrize(("data", "said"), _FAULTS.values(), ids=_FAULTS.keys())
async def test_a_document_that_cannot_be_read_is_one_line_with_its_name(
    tool: ReadFileTool, tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "some.bin").write_bytes(data)

    with pytest.raises(DocumentFault, match=said) as caught:
        await tool.execute("some.bin")

    assert caught.value.message.startswith("'some.bin': ")
    assert "\n" not in caught.value.message


async def test_a_pdf_that_refers_to_itself_ends(tool: ReadFileTool, tmp_path: Path) -> None:
    (tmp_path / "loop.pdf").write_bytes(_LOOP)

    try:
        text = str(await tool.execute("loop.pdf"))
    except DocumentFault:
        return
    assert text.endswith("pages total)")


_TEXTS = {
    "plain text named docx": ("a.docx", b"plain text\n", "1| plain text"),
    "nothing named pdf": ("a.pdf", b"", "(End of file — 0 lines total)"),
    "Markdown with a mark": ("a.md", b"\xef\xbb\xbf# Title\n", "1| # Title"),
    "JSON named ipynb": ("a.ipynb", b'["no notebook"]\n', '1| ["no notebook"]'),
    "broken notebook": ("a.ipynb", b'{"cells": [\n<<<<<<< HEAD\n', '1| {"cells": ['),
    "text named eml": ("a.eml", b"no mail\n", "1| no mail"),
    "notebook named json": ("a.json", b'{"cells": []}\n', '1| {"cells": []}'),
}


@pytest.mark.parametrize(("name", "data", "line"), _TEXTS.values(), ids=_TEXTS.keys())
async def test_a_text_is_text_whatever_its_name(
    tool: ReadFileTool, tmp_path: Path, name: str, data: bytes, line: str
) -> None:
    (tmp_path / name).write_bytes(data)

    assert str(await tool.execute(name)).splitlines()[0] == line


_DOCUMENTS = {
    "notebook": (
        "a.ipynb",
        b'{"cells": [{"cell_type": "code", "source": "x = 1"}]}',
        "(Notebook, as text)\n1| --- Cell 1: code ---\n2| x = 1\n",
    ),
    "mail": (
        "a.eml",
        b"Subject: Hi\nFrom: a@example.test\n\nText\n",
        "(Mail message, as text)\n1| From: a@example.test\n",
    ),
    "word named txt": (
        "a.txt",
        word(paragraph("Text")).getvalue(),
        "(Word document, as text)\n1| Text\n",
    ),
}


@pytest.mark.parametrize(("name", "data", "start"), _DOCUMENTS.values(), ids=_DOCUMENTS.keys())
async def test_a_document_is_shown_as_text(
    tool: ReadFileTool, tmp_path: Path, name: str, data: bytes, start: str
) -> None:
    (tmp_path / name).write_bytes(data)

    assert str(await tool.execute(name)).startswith(start)


async def test_a_document_that_has_not_changed_is_told_so(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    (tmp_path / "a.docx").write_bytes(word(paragraph("one")).getvalue())
    await tool.execute("a.docx")

    again = str(await tool.execute("a.docx"))
    (tmp_path / "a.docx").write_bytes(word(paragraph("two")).getvalue())
    changed = str(await tool.execute("a.docx"))

    assert again == "[File unchanged since last read: a.docx]"
    assert "1| two" in changed


async def test_an_archive_is_named_with_its_type_and_size(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as made:
        made.writestr("some.txt", "text")

    text = str(await tool.execute("a.docx"))

    assert "binary file" in text


async def test_a_document_over_200_mb_is_refused_before_it_is_read(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    (tmp_path / "big.pdf").write_bytes(b"%PDF-1.7\n")
    os.truncate(tmp_path / "big.pdf", 201 * 1024 * 1024)

    with pytest.raises(DocumentTooLarge, match=r"has 201\.0 MB; at most 200\.0 MB are read"):
        await tool.execute("big.pdf")

    assert workers() == []


def _behind_a_hole(data: bytes, path: Path) -> None:
    """A zip file of more than 200 MB that takes no room."""
    path.write_bytes(b"PK\x03\x04")
    os.truncate(path, 201 * 1024 * 1024)
    with path.open("ab") as file:
        file.write(data)


async def test_only_documents_are_held_to_a_size(tool: ReadFileTool, tmp_path: Path) -> None:
    _behind_a_hole(package({"some.txt": "text"}).getvalue(), tmp_path / "a.zip")
    _behind_a_hole(word("").getvalue(), tmp_path / "a.docx")

    archive = str(await tool.execute("a.zip"))

    assert archive.startswith("'a.zip' is a binary file: application/zip, 201.0 MB.")
    with pytest.raises(DocumentTooLarge, match=r"has 201\.0 MB; at most 200\.0 MB are read"):
        await tool.execute("a.docx")


async def test_a_worker_that_is_killed_is_replaced(tool: ReadFileTool, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(2))
    await tool.execute("a.pdf", pages="1")
    (worker,) = workers()
    os.kill(worker, signal.SIGSTOP)
    task = asyncio.create_task(tool.execute("a.pdf", pages="2"))
    await asyncio.sleep(0)
    os.kill(worker, signal.SIGKILL)

    with suppress(BrokenDocument):  # unless it was killed before it was asked
        await task

    assert "Text of page 2" in str(await tool.execute("a.pdf", pages="2", force=True))


async def test_a_document_that_takes_too_long_is_given_up(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    tool.documents = DocumentReader(deadline_s=0.5)
    (tmp_path / "a.pdf").write_bytes(pdf(2))
    await tool.execute("a.pdf", pages="1")
    os.kill(workers()[0], signal.SIGSTOP)

    with pytest.raises(DocumentTooLarge, match=r"took longer than 0\.5 s"):
        await tool.execute("a.pdf", pages="2")


async def test_a_document_that_needs_too_much_memory_is_given_up(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    tool.documents = DocumentReader(memory=200 * 1024 * 1024)
    rows = "".join(f"<w:p><w:r><w:t>{number}</w:t></w:r></w:p>" for number in range(600_000))
    (tmp_path / "a.docx").write_bytes(word(rows).getvalue())

    with pytest.raises(DocumentFault):
        await tool.execute("a.docx")

    (tmp_path / "b.docx").write_bytes(word(paragraph("fine")).getvalue())
    assert "fine" in str(await tool.execute("b.docx"))


async def test_many_documents_at_once_need_two_workers(tool: ReadFileTool, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.docx").write_bytes(word(paragraph(f"text {number}")).getvalue())

    texts = await asyncio.gather(*(tool.execute(f"{number}.docx") for number in range(6)))

    assert all(f"text {number}" in str(text) for number, text in enumerate(texts))
    assert len(workers()) <= 2


async def test_closing_ends_the_workers(tool: ReadFileTool, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(1))
    await tool.execute("a.pdf")
    before = workers()

    tool.documents.close()

    assert before
    assert workers() == []


_PARENT = """
import asyncio, glob, sys
from nanobot.agent.tools.builtin import ReadFileTool
tool = ReadFileTool(sys.argv[1])
asyncio.run(tool.execute("a.pdf"))
print(*(open(file).read() for file in glob.glob("/proc/self/task/*/children")), flush=True)
sys.stdin.read()
"""


def test_a_killed_parent_leaves_no_worker(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(1))
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout
        worker = Path(f"/proc/{parent.stdout.readline().split()[0]}")
        assert worker.exists()
        parent.kill()

    wait_for(lambda: not worker.exists())
