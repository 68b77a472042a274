"""What styles of Word documents say about their paragraphs."""

from __future__ import annotations

import pytest

from nanobot.documents.docx import read_docx
from nanobot.documents.docxstyles import without_table_styles
from tests.documents.office import docx_of
from tests.documents.samples import W


def _style(name: str, inner: str) -> str:
    return f'<w:style w:type="paragraph" w:styleId="{name}">{inner}</w:style>'


_STYLES = f"<w:styles {W}>" + "".join(
    (
        _style("Titel", '<w:name w:val="Title"/>'),
        _style("berschrift2", '<w:name w:val="heading 2"/>'),
        _style("H9", '<w:name w:val="heading 9"/>'),
        _style("Mine", '<w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/>'),
        _style("Chapter", '<w:name w:val="C"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
        _style("Body", '<w:name w:val="B"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
        _style("Point", '<w:name w:val="P"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>'),
        _style("A", '<w:name w:val="A"/><w:basedOn w:val="B"/>'),
        _style("B", '<w:name w:val="B"/><w:basedOn w:val="A"/>'),
    )
) + "</w:styles>"  # fmt: skip


def _lead(properties: str) -> str:
    body = f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>x</w:t></w:r></w:p>"
    (line,) = read_docx(docx_of(body, styles=_STYLES))
    return line.removesuffix("x")


@pytest.mark.parametrize(
    ("style", "lead"),
    [
        ("Titel", "# "),
        ("berschrift2", "## "),
        ("H9", "###### "),
        ("Mine", "## "),
        ("Chapter", "# "),
        ("Body", ""),
        ("Point", "  - "),
        ("A", ""),
        ("unknown", ""),
    ],
)
def test_a_style_says_what_stands_before_its_paragraphs(style: str, lead: str) -> None:
    assert _lead(f'<w:pStyle w:val="{style}"/>') == lead


@pytest.mark.parametrize(
    ("properties", "lead"),
    [
        ('<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>', "    - "),
        ('<w:numPr><w:ilvl w:val="99999999"/></w:numPr>', "  " * 20 + "- "),
        ('<w:numPr><w:ilvl w:val="²"/></w:numPr>', "- "),
        ('<w:pStyle w:val="Point"/><w:numPr><w:numId w:val="0"/></w:numPr>', ""),
        ('<w:pStyle w:val="Mine"/><w:numPr><w:numId w:val="3"/></w:numPr>', "## "),
        ('<w:outlineLvl w:val="2"/>', "### "),
        ("<w:pPrChange><w:pPr><w:numPr/></w:pPr></w:pPrChange>", ""),
    ],
    ids=["level 3", "level without end", "level that is none", "taken off its list",
         "numbered heading", "level of the outline", "list in the past"],
)  # fmt: skip
def test_a_paragraph_may_say_so_itself(properties: str, lead: str) -> None:
    assert _lead(properties) == lead


def test_an_empty_paragraph_has_nothing_before_it() -> None:
    body = "<w:p><w:pPr><w:numPr/></w:pPr></w:p><w:p><w:r><w:t>x</w:t></w:r></w:p>"

    assert list(read_docx(docx_of(body))) == ["x"]


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (b'a<w:style w:type="table"><b/></w:style>c<w:style w:type="table"></w:style>', b"ac"),
        (b'a<w:style w:type="paragraph"></w:style>', b'a<w:style w:type="paragraph"></w:style>'),
        (b'a<w:style w:type="table">b', b'a<w:style w:type="table">b'),
        (b'<w:style w:type="table"' * 100_000, b'<w:style w:type="table"' * 100_000),
    ],
    ids=["two", "another", "one without end", "many without end"],
)
def test_styles_of_tables_are_taken_out_before_they_cost_time(data: bytes, rest: bytes) -> None:
    assert without_table_styles(data) == rest
