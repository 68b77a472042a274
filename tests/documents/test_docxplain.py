"""What of a Word document is shown, and what is not."""

from __future__ import annotations

import pytest

from nanobot.documents.docx import read_docx
from tests.documents.office import docx_of
from tests.documents.samples import W, paragraph


def _lines(body: str, **parts: str) -> list[str]:
    return list(read_docx(docx_of(body, **parts)))


def _run(inner: str) -> str:
    return f"<w:p><w:r>{inner}</w:r></w:p>"


_X = "<w:r><w:t>x</w:t></w:r>"
_VML = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
_BOX = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
_DRAWING = (
    '<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><wp:docPr id="1" name="a" descr="{}"/><pic:pic xmlns:pic='
    '"http://schemas.openxmlformats.org/drawingml/2006/picture"/></wp:inline></w:drawing>'
)
_ELEMENTS = {
    "tab and breaks": (
        _run("<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t>"),
        ["a\tb", "c", "d"],
    ),
    "tab stops": (
        '<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="9"/></w:tabs></w:pPr>' + _X + "</w:p>",
        ["x"],
    ),
    "hyphens": (_run("<w:t>a</w:t><w:noBreakHyphen/><w:softHyphen/><w:t>b</w:t>"), ["a\u2011b"]),
    "deletion": (
        ("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"),
        ["new"],
    ),
    "deletion of what is not marked as deleted text": (
        f"<w:p><w:del><w:r><w:t>gone</w:t><w:tab/></w:r></w:del>{_X}</w:p>",
        ["x"],
    ),
    "moved": (
        ("<w:p><w:moveFrom><w:r><w:t>old place</w:t></w:r></w:moveFrom></w:p>"
        "<w:p><w:moveTo><w:r><w:t>new place</w:t></w:r></w:moveTo></w:p>"),
        ["new place"],
    ),
    "deleted end of a paragraph": (
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{_X}</w:p>{paragraph('y')}{paragraph('z')}",
        ["xy", "z"],
    ),
    "deleted end of the last paragraph": (
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{_X}</w:p>",
        ["x"],
    ),
    "deleted row": (
        (f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph('gone')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{paragraph('kept')}</w:tc></w:tr></w:tbl>"),
        ["| kept |"],
    ),
    "deleted cell": (
        (f"<w:tbl><w:tr><w:tc><w:tcPr><w:cellDel/></w:tcPr>{paragraph('gone')}</w:tc>"
        f"<w:tc>{paragraph('kept')}</w:tc></w:tr></w:tbl>"),
        ["| kept |"],
    ),
    "link": (f"<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink>{_X}</w:p>", ["linkx"]),
    "field": (
        _run("<w:instrText>PAGE</w:instrText>") + f"<w:p><w:fldSimple>{_X}</w:fldSimple></w:p>",
        ["x"],
    ),
    "content control": (f"<w:sdt><w:sdtContent>{paragraph('form')}</w:sdtContent></w:sdt>", ["form"]),
    "ruby": (
        ("<w:p><w:r><w:ruby><w:rt><w:r><w:t>kanji</w:t></w:r></w:rt><w:rubyBase>"
        "<w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"),
        ["漢字"],
    ),
    "symbol": (_run('<w:sym w:font="Wingdings" w:char="F0FC"/>'), ["✓"]),
    "formula": (
        ("<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></w:p>"),
        ["(a+b)/2"],
    ),
    "ticked box": (
        _run('<w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar>'),
        ["[x]"],
    ),
    "empty box": (
        _run('<w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar>'),
        ["[ ]"],
    ),
    "chosen of a list": (
        _run(
            '<w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="a"/>'
            '<w:listEntry w:val="b"/></w:ddList></w:ffData></w:fldChar>'
        ),
        ["b"],
    ),
    "picture": (_run(_DRAWING.format("a | cat")), ["[picture: a | cat]"]),
    "picture without a name": (_run(_DRAWING.format("")), ["[picture]"]),
    "old picture": (
        _run(f'<w:pict><v:shape {_VML} alt="old"><v:imagedata/></v:shape></w:pict>'),
        ["[picture: old]"],
    ),
    "embedded object": (
        _run(f'<w:object><v:shape {_VML}><v:imagedata/></v:shape><o:OLEObject {_VML} ProgID="Excel.Sheet.12"/></w:object>'),
        ["[embedded object: Excel.Sheet.12]"],
    ),
    "another document": ("<w:altChunk/>", ["[an embedded document, not shown]"]),
    "text box": (f"<w:p>{_X}<w:r><w:pict>{_BOX}</w:pict></w:r></w:p>", ["x", "[text box] boxed"]),
    "text box stored twice": (
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing>" + _BOX + "</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{_BOX}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
        ["[text box] boxed"],
    ),
    "text box in a text box": (
        (f"<w:p><w:r><w:pict><w:txbxContent><w:p>{_X}<w:r><w:pict>{_BOX}</w:pict></w:r></w:p>"
        "</w:txbxContent></w:pict></w:r></w:p>"),
        ["[text box] x", "[text box] [text box] boxed"],
    ),
    "text stored twice": (
        (f"<w:p><mc:AlternateContent><mc:Choice>{_X}</mc:Choice><mc:Fallback>{_X}</mc:Fallback>"
        "</mc:AlternateContent></w:p>"),
        ["x"],
    ),
    "many empty paragraphs": (paragraph("a") + "<w:p/>" * 9 + paragraph("b"), ["a", "", "b"]),
}  # fmt: skip


@pytest.mark.parametrize(("body", "lines"), _ELEMENTS.values(), ids=_ELEMENTS.keys())
def test_each_element_is_shown_once_or_left_out(body: str, lines: list[str]) -> None:
    assert _lines(body) == lines


_HIDING_STYLES = (
    f'<w:styles {W}><w:style w:type="character" w:styleId="S"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="P"><w:basedOn w:val="S"/></w:style></w:styles>'
)


@pytest.mark.parametrize(
    "body",
    [
        '<w:p><w:r><w:rPr><w:rStyle w:val="S"/></w:rPr><w:t>secret</w:t></w:r></w:p>',
        '<w:p><w:pPr><w:pStyle w:val="P"/></w:pPr><w:r><w:t>secret</w:t></w:r></w:p>',
    ],
    ids=["of a run", "of a paragraph, inherited"],
)
def test_text_hidden_by_a_style_is_left_out(body: str) -> None:
    shown = '<w:p><w:r><w:rPr><w:rStyle w:val="S"/><w:vanish w:val="0"/></w:rPr><w:t>x</w:t></w:r></w:p>'

    assert _lines(body + shown, styles=_HIDING_STYLES) == ["x", "[1 piece of hidden text left out]"]


@pytest.mark.parametrize(
    "properties",
    ['<w:vanish w:val="false"/>', "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>"],
    ids=["switched off", "in the past"],
)
def test_text_that_is_not_hidden_any_more_is_shown(properties: str) -> None:
    assert _lines(f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>x</w:t></w:r></w:p>") == ["x"]


def test_a_table_made_of_what_a_chart_shows() -> None:
    points = '<c:pt idx="0"><c:v>{}</c:v></c:pt><c:pt idx="1"><c:v>{}</c:v></c:pt>'
    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        "<c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser><c:tx><c:v>2025</c:v></c:tx>"
        f"<c:cat>{points.format('north', 'south')}</c:cat><c:val>{points.format(1, 2)}</c:val>"
        "</c:ser></c:chartSpace>"
    )

    assert _lines(_run('<w:drawing><c:chart r:id="chart"/></w:drawing>'), chart=chart) == [
        "[chart: Sales]",
        "|  | 2025 |",
        "| north | 1 |",
        "| south | 2 |",
    ]
