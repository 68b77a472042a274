"""Tables and nesting in Word documents."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot.documents.docx import read_docx
from nanobot.documents.faults import DocumentFault, DocumentTooLarge
from tests.documents.office import docx_of, nested_tables
from tests.documents.samples import paragraph


def _lines(body: str) -> list[str]:
    return list(read_docx(docx_of(body)))


def _cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def _table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


_TABLES = {
    "order": (paragraph("a") + _table(_cell("b")) + paragraph("c"), ["a", "| b |", "c"]),
    "merged across": (
        _table(_cell("wide", '<w:gridSpan w:val="2"/>') + _cell("z"), _cell("a") + _cell("b")),
        ["| wide |  | z |", "| a | b |"],
    ),
    "merged down": (
        _table(
            _cell("tall", '<w:vMerge w:val="restart"/>') + _cell("1"),
            _cell("never", "<w:vMerge/>") + _cell("2"),
            _cell("never", '<w:vMerge w:val="continue"/>') + _cell("3"),
        ),
        ["| tall | 1 |", "|  | 2 |", "|  | 3 |"],
    ),
    "merged in the old way": (
        _table(_cell("wide", '<w:hMerge w:val="restart"/>') + _cell("never", "<w:hMerge/>")),
        ["| wide |  |"],
    ),
    "a span without end": (
        _table(_cell("x", '<w:gridSpan w:val="999999999"/>')),
        ["| x |" + "  |" * 62],
    ),
    "signs and lines": (
        _table(f"<w:tc>{paragraph('a|b')}{paragraph('c')}<w:p/></w:tc>"),
        ["| a\\|b / c |"],
    ),
    "empty rows": (_table(_cell(""), _cell("x"), _cell("")), ["| x |"]),
    "rows and cells in controls": (
        (
            f"<w:tbl><w:sdt><w:sdtContent><w:tr><w:sdt><w:sdtContent>{_cell('x')}</w:sdtContent>"
            f"</w:sdt>{_cell('y')}</w:tr></w:sdtContent></w:sdt></w:tbl>"
        ),
        ["| x | y |"],
    ),
    "table in a table": (
        _table(f"<w:tc>{paragraph('out')}{_table(_cell('a') + _cell('b'), _cell('c'))}</w:tc>"),
        ["| out / (a ; b) / c |"],
    ),
}


@pytest.mark.parametrize(("body", "lines"), _TABLES.values(), ids=_TABLES.keys())
def test_tables_are_rows_in_order_each_cell_once(body: str, lines: list[str]) -> None:
    assert _lines(body) == lines


@pytest.mark.parametrize("depth", [1, 2, 50, 60])
def test_tables_in_tables_are_shown_to_a_depth_of_60(depth: int) -> None:
    assert _lines(nested_tables(depth)) == ["| deepest |"]


@pytest.mark.parametrize("depth", [61, 80])
def test_a_deeper_table_is_cut_with_a_note(depth: int) -> None:
    assert _lines(nested_tables(depth)) == ["| [a table nested in 60 others, not shown] |"]


@pytest.mark.parametrize("depth", [100, 30_000])
def test_tables_too_deep_for_the_parser_are_one_line(depth: int) -> None:
    with pytest.raises(DocumentTooLarge, match="nested deeper than 256 elements"):
        _lines(nested_tables(depth))


@pytest.mark.parametrize("name", ["sdt", "sdtContent", "customXml", "ins", "smartTag"])
def test_wrappers_in_wrappers_are_looked_through_to_the_depth_of_the_parser(name: str) -> None:
    assert _lines(f"<w:{name}>" * 250 + paragraph("x") + f"</w:{name}>" * 250) == ["x"]


_NAMES = [
    "p",
    "r",
    "t",
    "tbl",
    "tr",
    "tc",
    "tcPr",
    "vMerge",
    "gridSpan",
    "pPr",
    "rPr",
    "vanish",
    "del",
    "ins",
    "moveFrom",
    "sdt",
    "sdtContent",
    "br",
    "tab",
    "sym",
    "txbxContent",
    "drawing",
    "pict",
    "object",
    "numPr",
    "pStyle",
    "footnoteReference",
    "altChunk",
    "ffData",
    "checkBox",
]
_LEAF = st.sampled_from(["", "x", "|", "&#10;", "<w:t>y</w:t>"])


@st.composite
def _element(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(_NAMES))
    value = draw(st.sampled_from(["", ' w:val="2"', ' w:val="x"', ' w:char="F0FC"']))
    return f"<w:{name}{value}>{''.join(draw(st.lists(inside, max_size=4)))}</w:{name}>"


@settings(max_examples=150)
@given(st.recursive(_LEAF, _element, max_leaves=30))
def test_any_tree_of_elements_gives_lines_or_a_fault(body: str) -> None:
    try:
        lines = _lines(body)
    except DocumentFault:
        return
    assert not any(set("\n\r") & set(line) for line in lines)
