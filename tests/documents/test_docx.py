"""Word documents as lines of text."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot.documents.docx import read_docx
from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from tests.documents.samples import W, package, paragraph, word


def _lines(body: str) -> list[str]:
    return list(read_docx(word(body)))


def _cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def test_a_document_of_its_own_program_is_read_in_order() -> None:
    made = docx.Document()
    made.add_heading("Report", 1)
    made.add_paragraph("before")
    table = made.add_table(2, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "name", "a|b"
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(1, 1).text = "two\nlines"
    made.add_paragraph("point", style="List Bullet")
    made.sections[0].header.paragraphs[0].text = "on top"
    made.sections[0].footer.paragraphs[0].text = "below"
    room = io.BytesIO()
    made.save(room)

    assert list(read_docx(room)) == [
        "[header] on top",
        "# Report",
        "before",
        "| name | a\\|b |",
        "|  | two / lines |",
        "- point",
        "[footer] below",
    ]


_SPAN = '<w:gridSpan w:val="2"/>'
_ELEMENTS = {
    "tab and break": ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", ["a\tb", "c"]),
    "deletion": ("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>", ["new"]),
    "moved away": ("<w:p><w:moveFrom><w:r><w:t>old place</w:t></w:r></w:moveFrom><w:r><w:t>x</w:t></w:r></w:p>", ["x"]),
    "link": ("<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>", ["link"]),
    "content control": (f"<w:sdt><w:sdtContent>{paragraph('form')}</w:sdtContent></w:sdt>", ["form"]),
    "merged across": (
        f"<w:tbl><w:tr>{_cell('wide', _SPAN)}</w:tr><w:tr>{_cell('a')}{_cell('b')}</w:tr></w:tbl>",
        ["| wide |  |", "| a | b |"],
    ),
    "hidden": ("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret order</w:t></w:r><w:r><w:t>x</w:t></w:r></w:p>", ["x", "[1 piece of hidden text left out]"]),
    "symbol": ('<w:p><w:r><w:sym w:char="2713"/></w:r></w:p>', ["\u2713"]),
    "deleted row": (f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr>{_cell('gone')}</w:tr><w:tr>{_cell('kept')}</w:tr></w:tbl>", ["| kept |"]),
    "field code": ("<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>3</w:t></w:r></w:p>", ["3"]),
}  # fmt: skip


@pytest.mark.parametrize(("body", "lines"), _ELEMENTS.values(), ids=_ELEMENTS.keys())
def test_each_element_is_shown_once_or_left_out(body: str, lines: list[str]) -> None:
    assert _lines(body) == lines


def test_a_text_box_is_shown_once_though_it_is_stored_twice() -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    body = (
        f"<w:p><w:r><mc:AlternateContent {mc}><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )

    assert [line for line in _lines(body) if line] == ["[text box] boxed"]


def test_tables_in_tables_are_shown_to_a_depth_of_50() -> None:
    table = f"<w:tbl><w:tr>{_cell('deepest')}</w:tr></w:tbl>"
    for _ in range(49):
        table = f"<w:tbl><w:tr><w:tc>{table}</w:tc></w:tr></w:tbl>"

    assert "deepest" in "\n".join(_lines(table))


def test_footnotes_stand_at_the_end_under_their_mark() -> None:
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    made = package(
        {
            "word/document.xml": (
                f"<w:document {W}><w:body><w:p><w:r><w:t>text</w:t>"
                '<w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>'
            ),
            "word/_rels/document.xml.rels": (
                '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                f'<Relationship Id="r1" Type="{rel}/footnotes" Target="footnotes.xml"/></Relationships>'
            ),
            "word/footnotes.xml": (
                f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("the note")}</w:footnote>'
                "</w:footnotes>"
            ),
        }
    )

    assert list(read_docx(made)) == ["text[^2]", "[^2]: the note"]


_BROKEN = {
    "no zip": io.BytesIO(b"PK\x03\x04 not really"),
    "no main part": package({"other.xml": "<a/>"}),
    "no XML": package({"word/document.xml": "<w:document"}),
    "a DTD": package({"word/document.xml": f'<!DOCTYPE x [<!ENTITY e "x">]><w:document {W}/>'}),
    "an outside entity": package(
        {
            "word/document.xml": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
            f"<w:document {W}><w:body>&e;</w:body></w:document>"
        }
    ),
}


@pytest.mark.parametrize("file", _BROKEN.values(), ids=_BROKEN.keys())
def test_a_broken_document_is_one_line(file: io.BytesIO) -> None:
    file.seek(0)

    with pytest.raises(BrokenDocument) as caught:
        list(read_docx(file))

    assert "\n" not in caught.value.message


def test_a_part_that_inflates_beyond_measure_is_refused() -> None:
    with pytest.raises(DocumentTooLarge):
        list(read_docx(word(paragraph("x" * 60_000_000))))


def test_a_document_of_too_many_parts_is_refused() -> None:
    made = word(paragraph("x"), **{f"part{number}": "" for number in range(20_001)})

    with pytest.raises(DocumentTooLarge):
        list(read_docx(made))


def _sample() -> bytes:
    made = docx.Document()
    made.add_heading("Title", 1)
    made.add_table(2, 2).cell(0, 0).text = "cell"
    made.element.body.append(parse_xml(f"<w:p {W}><w:r><w:t>end</w:t></w:r></w:p>"))
    room = io.BytesIO()
    made.save(room)
    return room.getvalue()


_SAMPLE = _sample()


@settings(max_examples=60)
@given(at=st.integers(0, len(_SAMPLE) - 1), bytes_=st.binary(min_size=1, max_size=40))
def test_a_damaged_document_gives_lines_or_a_fault(at: int, bytes_: bytes) -> None:
    damaged = _SAMPLE[:at] + bytes_ + _SAMPLE[at + len(bytes_) :]
    try:
        lines = list(read_docx(io.BytesIO(damaged)))
    except DocumentFault:
        return
    assert all(isinstance(line, str) for line in lines)
