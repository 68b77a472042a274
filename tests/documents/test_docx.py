"""Word documents as lines of text."""

from __future__ import annotations

import io
from functools import cache

import docx
import pytest
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot.documents.docx import read_docx
from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from tests.documents.office import docx_of, relations, zip_bomb
from tests.documents.samples import W, package, paragraph, word


def _saved(made: docx.document.Document) -> io.BytesIO:
    room = io.BytesIO()
    made.save(room)
    return room


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

    assert list(read_docx(_saved(made))) == [
        "[header] on top",
        "# Report",
        "before",
        "| name | a\\|b |",
        "|  | two / lines |",
        "- point",
        "[footer] below",
    ]


def test_a_form_whose_text_is_in_tables_is_read_whole() -> None:
    made = docx.Document()
    made.add_paragraph("Form")
    for number in range(40):
        table = made.add_table(2, 3)
        for cell in range(6):
            table.cell(cell // 3, cell % 3).text = f"field {number}.{cell}"

    text = "\n".join(read_docx(_saved(made)))

    assert text.startswith("Form\n| field 0.0 | field 0.1 | field 0.2 |\n| field 0.3 |")
    assert all(f"field {number}.{cell} |" in text for number in range(40) for cell in range(6))


def test_an_outer_text_is_not_repeated_by_a_region_merged_both_ways() -> None:
    made = docx.Document()
    table = made.add_table(3, 3)
    for cell in range(9):
        table.cell(cell // 3, cell % 3).text = str(cell)
    table.cell(0, 0).merge(table.cell(1, 1)).text = "merged"

    assert list(read_docx(_saved(made))) == ["| merged |  | 2 |", "|  |  | 5 |", "| 6 | 7 | 8 |"]


def _notes(kind: str, name: str) -> str:
    separator = f'<w:{name} w:type="continuationNotice" w:id="0">{paragraph("line")}</w:{name}>'
    return (
        f'<w:{kind} {W}>{separator}<w:{name} w:id="2">{paragraph("the note")}</w:{name}></w:{kind}>'
    )


@pytest.mark.parametrize(
    ("kind", "name", "mark"), [("footnotes", "footnote", "^2"), ("endnotes", "endnote", "^e2")]
)
def test_notes_stand_at_the_end_under_their_marks(kind: str, name: str, mark: str) -> None:
    body = f'<w:p><w:r><w:t>text</w:t><w:{name}Reference w:id="2"/></w:r></w:p>'

    made = docx_of(body, **{kind: _notes(kind, name)})

    assert list(read_docx(made)) == [f"text[{mark}]", f"[{mark}]: the note"]


def test_comments_stand_at_the_end_with_their_authors() -> None:
    comments = f'<w:comments {W}><w:comment w:id="1" w:author="Ann&#10;Lee">{paragraph("why?")}{paragraph("so")}</w:comment></w:comments>'
    body = '<w:p><w:r><w:t>text</w:t><w:commentReference w:id="1"/></w:r></w:p>'

    assert list(read_docx(docx_of(body, comments=comments))) == [
        "text[comment 1]",
        "[comment 1] Ann Lee: why? so",
    ]


def test_headers_and_footers_in_use_are_shown_once_each() -> None:
    margins = {
        "header": f"<w:hdr {W}>{paragraph('top')}{paragraph('more')}</w:hdr>",
        "footer": f"<w:ftr {W}><w:tbl><w:tr><w:tc>{paragraph('page')}</w:tc></w:tr></w:tbl></w:ftr>",
    }
    section = (
        '<w:sectPr><w:headerReference r:id="header"/><w:footerReference r:id="footer"/></w:sectPr>'
    )

    made = docx_of(f"<w:p><w:pPr>{section}</w:pPr></w:p>{paragraph('x')}{section}", **margins)

    assert list(read_docx(made)) == ["[header] top more", "", "x", "[footer] | page |"]
    assert list(read_docx(docx_of(paragraph("x"), **margins))) == ["x"]


def test_hidden_text_is_left_out_and_counted() -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret order</w:t></w:r>"

    assert list(read_docx(word(f"<w:p>{hidden}<w:r><w:t>x</w:t></w:r>{hidden}</w:p>"))) == [
        "x",
        "[2 pieces of hidden text left out]",
    ]


def test_a_strict_document_is_read_like_any() -> None:
    main = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    rels = relations(officeDocument="word/document.xml").replace(
        "http://schemas.openxmlformats.org/officeDocument/2006/",
        "http://purl.oclc.org/ooxml/officeDocument/",
    )
    body = f'<w:document xmlns:w="{main}"><w:body>{paragraph("strict")}</w:body></w:document>'

    assert list(read_docx(package({"word/document.xml": body, "_rels/.rels": rels}))) == ["strict"]


def test_a_main_part_of_another_name_is_found() -> None:
    body = f"<w:document {W}><w:body>{paragraph('here')}</w:body></w:document>"
    rels = relations(officeDocument="/word/document2.xml")

    assert list(read_docx(package({"word/document2.xml": body, "_rels/.rels": rels}))) == ["here"]


def test_an_embedded_bomb_is_never_opened() -> None:
    made = docx_of(paragraph("fine"))
    with_bomb = package({"word/embeddings/a.zip": zip_bomb("x", 100).getvalue()})

    assert list(read_docx(made)) == ["fine"]
    with pytest.raises(BrokenDocument, match=r"lacks its part 'word/document\.xml'"):
        read_docx(with_bomb)


_BROKEN = {
    "no zip": io.BytesIO(b"PK\x03\x04 not really"),
    "no main part": package({"other.xml": "<a/>"}),
    "no XML": package({"word/document.xml": "<w:document"}),
    "no body": package({"word/document.xml": "<document/>"}),
    "a DTD": package({"word/document.xml": f'<!DOCTYPE x [<!ENTITY e "x">]><w:document {W}/>'}),
    "broken styles": docx_of('<w:p><w:pPr><w:pStyle w:val="x"/></w:pPr></w:p>', styles="<a"),
    "broken notes": docx_of(paragraph("x"), footnotes="<a"),
}


@pytest.mark.parametrize("file", _BROKEN.values(), ids=_BROKEN.keys())
def test_a_broken_document_is_one_line(file: io.BytesIO) -> None:
    file.seek(0)

    with pytest.raises(BrokenDocument) as caught:
        list(read_docx(file))

    assert "\n" not in caught.value.message


def test_a_part_that_inflates_beyond_measure_is_refused() -> None:
    with pytest.raises(DocumentTooLarge):
        read_docx(word(paragraph("x" * 60_000_000)))


@cache
def _sample() -> bytes:
    made = docx.Document()
    made.add_heading("Title", 1)
    made.add_table(2, 2).cell(0, 0).text = "cell"
    made.element.body.append(parse_xml(f"<w:p {W}><w:r><w:t>end</w:t></w:r></w:p>"))
    return _saved(made).getvalue()


@settings(max_examples=60)
@given(place=st.floats(0, 1), bytes_=st.binary(min_size=1, max_size=40))
def test_a_damaged_document_gives_lines_or_a_fault(place: float, bytes_: bytes) -> None:
    sample = _sample()
    at = int(place * len(sample))
    damaged = sample[:at] + bytes_ + sample[at + len(bytes_) :]
    try:
        lines = list(read_docx(io.BytesIO(damaged)))
    except DocumentFault:
        return
    assert all(isinstance(line, str) for line in lines)


@given(st.binary(max_size=300))
def test_any_bytes_give_lines_or_a_fault(data: bytes) -> None:
    with pytest.raises(DocumentFault):
        read_docx(io.BytesIO(data))
