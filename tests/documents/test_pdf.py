"""PDF files by pages."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import fpdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.tools.builtin import ReadFileTool
from nanobot.documents.faults import DocumentFault, DocumentLocked
from nanobot.documents.pdf import Pages, PdfFile, Room, parse_pages
from nanobot.errors import ToolError
from tests.documents.samples import pdf

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[ReadFileTool]:
    made = ReadFileTool(tmp_path)
    yield made
    made.documents.close()


def long_page(lines: int) -> bytes:
    """A PDF of one page of so many lines."""
    made = fpdf.FPDF()
    made.set_auto_page_break(False)
    made.set_font("Helvetica", size=4)
    made.add_page(format=(100, 3 * lines))
    for number in range(1, lines + 1):
        made.cell(text=f"line {number}", new_x="LMARGIN", new_y="NEXT", h=2)
    return bytes(made.output())


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, the first of them its catalog."""
    data = b"%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        b"%bxref\n0 %d\n0000000000 65535 f \n%b" % (data, len(objects) + 1, table)
        + b"trailer<</Size %d/Root 1 0 R>>\n" % (len(objects) + 1)
        + b"startxref\n%d\n%%%%EOF" % len(data)
    )


_RANGES = {
    "None": (None, Pages(first=1, last=20)),
    "3": ("3", Pages(first=3, last=3)),
    "2-5": ("2-5", Pages(first=2, last=5)),
    "blanks": (" 2 - 5 ", Pages(first=2, last=5)),
    "more than 20": ("1-999999", Pages(first=1, last=20)),
    "beyond the end": ("25-999999", Pages(first=25, last=30)),
}


@pytest.mark.parametrize(("text", "pages"), _RANGES.values(), ids=_RANGES.keys())
def test_a_range_is_cut_to_what_there_is_and_to_twenty(text: str | None, pages: Pages) -> None:
    assert parse_pages(text, 30) == pages


@given(st.text(alphabet="0123456789-, a", max_size=8))
def test_any_text_is_a_range_of_pages_or_an_error(text: str) -> None:
    try:
        pages = parse_pages(text, 30)
    except ToolError:
        return
    assert 1 <= pages.first <= pages.last <= 30
    assert pages.last - pages.first < 20


@given(st.integers(1, 90), st.integers(10, 500))
def test_paging_through_a_page_gives_each_line_once(lines: int, characters: int) -> None:
    found: list[str] = []
    document = PdfFile(_LONG)
    rest = 0
    while True:
        room = Room(first=rest, lines=lines, characters=characters)
        shown = document.excerpt(Pages(first=1, last=1), room)
        found += shown.lines[1:]
        if not shown.rest:
            break
        assert shown.rest > rest
        rest = shown.rest

    assert found == [f"line {number}" for number in range(1, 81)]


_LONG = long_page(80)


async def test_a_page_that_is_too_long_says_how_to_go_on(
    tool: ReadFileTool, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(_LONG)

    text = str(await tool.execute("a.pdf", limit=50))
    rest = str(await tool.execute("a.pdf", pages="1", offset=51))

    assert text.endswith("line 50\n\n(Page 1 of 1 goes on. Use pages='1', offset=51 to continue.)")
    assert rest.startswith("--- Page 1 of 1 ---\nline 51\n")
    assert rest.endswith("line 80\n\n(End of document — 1 pages total)")


_NO_LINES: dict[str, tuple[dict[str, object], str]] = {
    "beyond the page": ({"pages": "1", "offset": 9}, "page 1 has 1 line"),
    "several pages": ({"offset": 2}, "is for one page of a PDF, not for several"),
}


@pytest.mark.parametrize(("arguments", "said"), _NO_LINES.values(), ids=_NO_LINES.keys())
async def test_an_offset_that_is_none_is_told(
    tool: ReadFileTool, tmp_path: Path, arguments: dict[str, str], said: str
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(3))

    with pytest.raises(ToolError, match=said):
        await tool.execute("a.pdf", **arguments)  # type: ignore[arg-type]  # a table of arguments


async def test_a_pdf_with_a_password_is_locked(tool: ReadFileTool, tmp_path: Path) -> None:
    made = fpdf.FPDF()
    made.add_page()
    made.set_encryption(owner_password="a", user_password="b")  # noqa: S106  # a sample
    made.output(str(tmp_path / "a.pdf"))

    with pytest.raises(DocumentLocked, match=r"'a\.pdf': The PDF needs a password"):
        await tool.execute("a.pdf")


async def test_a_page_without_text_is_told(tool: ReadFileTool, tmp_path: Path) -> None:
    made = fpdf.FPDF()
    made.add_page()
    made.rect(10, 10, 50, 50)
    made.output(str(tmp_path / "a.pdf"))

    text = str(await tool.execute("a.pdf"))

    assert "[no text on this page; it may be a scanned picture]" in text


def test_a_hyphen_at_the_end_of_a_line_stays() -> None:
    made = fpdf.FPDF()
    made.set_font("Helvetica", size=12)
    made.add_page()
    made.multi_cell(30, 6, "A long exam-\nple text")

    shown = PdfFile(bytes(made.output())).excerpt(
        Pages(first=1, last=1), Room(first=0, lines=9, characters=999)
    )

    assert shown.lines[1:] == ["A long exam-ple text"]


_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<%b>>>>"
_FONT = b"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"


def _bomb() -> bytes:
    packer = zlib.compressobj(9)
    piece = b"BT /F1 9 Tf (x) Tj ET " * 50_000
    return b"".join(packer.compress(piece) for _ in range(1_500)) + packer.flush()


def _stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%b>>stream\n%b\nendstream" % (len(data), more, data)


_HOSTILE = {
    "tables that follow each other": b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n"
    b"trailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF",
    "pages in themselves": raw_pdf(
        _CATALOG,
        b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 9>>",
        b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R]/Count 3>>",
    ),
    "two billion pages": raw_pdf(
        _CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", _PAGE % b"", _stream(b"")
    ),
    "a drawing in itself": raw_pdf(
        _CATALOG,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        _PAGE % b"/XObject<</X 5 0 R>>",
        _stream(b"/X Do"),
        _stream(b"/X Do", b"/Type/XObject/Subtype/Form/Resources<</XObject<</X 5 0 R>>>>"),
    ),
    "a text of 1.6 GB": raw_pdf(
        _CATALOG,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        _PAGE % _FONT,
        _stream(_bomb(), b"/Filter/FlateDecode"),
    ),
}


@pytest.mark.parametrize("data", _HOSTILE.values(), ids=_HOSTILE.keys())
async def test_a_hostile_pdf_is_shown_in_bounds_or_refused_in_one_line(
    tool: ReadFileTool, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "a.pdf").write_bytes(data)
    (tmp_path / "b.pdf").write_bytes(pdf(1))

    try:
        text = str(await tool.execute("a.pdf"))
    except DocumentFault as fault:
        text = fault.message
        assert text.startswith("'a.pdf': ")

    assert len(text.splitlines()) < 100
    assert "Text of page 1" in str(await tool.execute("b.pdf"))
