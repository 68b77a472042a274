"""Presentations as lines of text."""

from __future__ import annotations

import io
from functools import cache

import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from nanobot.documents.pptx import read_pptx
from tests.documents.office import A, M, P, R, pptx_of
from tests.documents.samples import package

_SIZE = (Inches(1), Inches(1), Inches(3), Inches(1))


def _saved(made: pptx.presentation.Presentation) -> io.BytesIO:
    room = io.BytesIO()
    made.save(room)
    return room


def test_titles_text_tables_and_notes_are_read_in_the_order_of_the_show() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "first\nsecond"
    slide.placeholders[1].text_frame.paragraphs[1].level = 2
    table = slide.shapes.add_table(2, 2, *_SIZE).table
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 1).text = "a", "b|c", "d"
    slide.notes_slide.notes_text_frame.text = "say hello"
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "End"
    ids = made.part.presentation.element.sldIdLst
    ids.append(ids[0])  # the first one goes to the end

    assert list(read_pptx(_saved(made))) == [
        "--- Slide 1 of 2 ---",
        "# End",
        "--- Slide 2 of 2 ---",
        "# Plan",
        "first",
        "    second",
        "| a | b\\|c |",
        "|  | d |",
        "[notes] say hello",
    ]


def test_merged_cells_are_shown_once() -> None:
    made = pptx.Presentation()
    table = made.slides.add_slide(made.slide_layouts[6]).shapes.add_table(2, 3, *_SIZE).table
    table.cell(0, 0).merge(table.cell(1, 1))
    for cell in range(6):
        table.cell(cell // 3, cell % 3).text = str(cell)

    assert list(read_pptx(_saved(made)))[1:] == ["| 0 |  | 2 |", "|  |  | 5 |"]


def test_a_chart_is_a_table() -> None:
    made = pptx.Presentation()
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["north", "south"]
    data.add_series("2025", (1, 2.5))  # type: ignore[no-untyped-call]
    data.add_series("2026", (3, None))  # type: ignore[no-untyped-call]
    shapes = made.slides.add_slide(made.slide_layouts[6]).shapes
    chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *_SIZE, data).chart
    chart.chart_title.text_frame.text = "Sales"

    assert list(read_pptx(_saved(made)))[1:] == [
        "[chart: Sales]",
        "|  | 2025 | 2026 |",
        "| north | 1 | 3 |",
        "| south | 2.5 |  |",
    ]


def _text(inner: str) -> str:
    return f"<p:sp><p:txBody><a:p>{inner}</a:p></p:txBody></p:sp>"


_X = _text("<a:r><a:t>x</a:t></a:r>")
_SHAPES = {
    "groups in groups": ("<p:grpSp>" * 100 + _X + "</p:grpSp>" * 100, ["x"]),
    "break and field": (
        _text("<a:r><a:t>a</a:t></a:r><a:br/><a:fld><a:t>3</a:t></a:fld>"),
        ["a", "3"],
    ),
    "level without end": (_text('<a:pPr lvl="99999999"/><a:r><a:t>x</a:t></a:r>'), [" " * 40 + "x"]),
    "formula": (
        _text(f"<mc:AlternateContent><mc:Choice><a14:m xmlns:a14='a'><m:oMath {M}><m:r><m:t>y=x</m:t></m:r></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>?</a:t></a:r></mc:Fallback></mc:AlternateContent>"),
        ["y=x"],
    ),
    "stored twice": (
        f"<mc:AlternateContent><mc:Choice>{_X}</mc:Choice><mc:Fallback>{_X}</mc:Fallback></mc:AlternateContent>",
        ["x"],
    ),
    "picture": ('<p:pic><p:nvPicPr><p:cNvPr name="a" descr="a&#10;cat"/></p:nvPicPr></p:pic>', ["[picture: a cat]"]),
    "hidden shape": (
        f'<p:sp><p:nvSpPr><p:cNvPr hidden="1"/></p:nvSpPr><p:txBody><a:p><a:r><a:t>no</a:t></a:r></a:p></p:txBody></p:sp>{_X}',
        ["[a hidden shape left out]", "x"],
    ),
    "number of the slide": (
        '<p:sp><p:nvPr><p:ph type="sldNum"/></p:nvPr><p:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></p:txBody></p:sp>',
        [],
    ),
    "cells that are not merged": (
        '<p:graphicFrame><a:tbl><a:tr><a:tc hMerge="0"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>',
        ["| x |"],
    ),
    "lost diagram": (
        '<p:graphicFrame><d:relIds xmlns:d="d" r:dm="lost"/></p:graphicFrame>',
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shapes", "lines"), _SHAPES.values(), ids=_SHAPES.keys())
def test_each_shape_is_shown_once_or_left_out(shapes: str, lines: list[str]) -> None:
    assert list(read_pptx(pptx_of(shapes))) == ["--- Slide 1 of 1 ---", *lines]


def test_a_diagram_is_a_list() -> None:
    node = "<d:pt><d:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></d:t></d:pt>"
    data = f'<d:dataModel xmlns:d="d" {A}>{node.format("one")}{node.format("two")}</d:dataModel>'
    frame = '<p:graphicFrame><d:relIds xmlns:d="d" r:dm="diagramData"/></p:graphicFrame>'

    assert list(read_pptx(pptx_of(frame, diagramData=data)))[1:] == ["[diagram]", "- one", "- two"]


def test_comments_are_shown() -> None:
    comments = f"<p:cmLst {P}><p:cm><p:text>why?</p:text></p:cm></p:cmLst>"

    assert list(read_pptx(pptx_of(_X, comments=comments)))[1:] == ["x", "[comment] why?"]


def test_a_hidden_slide_says_so() -> None:
    assert list(read_pptx(pptx_of(_X, show=' show="0"'))) == ["--- Slide 1 of 1 (hidden) ---", "x"]


def test_a_missing_slide_says_so() -> None:
    main = f'<p:presentation {P} {R}><p:sldId r:id="lost"/></p:presentation>'

    assert list(read_pptx(package({"ppt/presentation.xml": main}))) == [
        "--- Slide 1 of 1: missing in the file ---"
    ]


def test_a_presentation_without_slides_says_so() -> None:
    assert list(read_pptx(pptx_of())) == ["[no slides]"]


def test_a_presentation_without_its_main_part_is_one_line() -> None:
    with pytest.raises(BrokenDocument, match="lacks its part"):
        list(read_pptx(package({"ppt/slides/slide1.xml": "<a/>"})))


def test_groups_too_deep_for_the_parser_are_one_line() -> None:
    with pytest.raises(DocumentTooLarge, match="nested deeper than 256 elements"):
        list(read_pptx(pptx_of("<p:grpSp>" * 100_000 + "</p:grpSp>" * 100_000)))


@cache
def _sample() -> bytes:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "T"
    slide.shapes.add_table(1, 1, *_SIZE)
    return _saved(made).getvalue()


@settings(max_examples=60)
@given(place=st.floats(0, 1), bytes_=st.binary(min_size=1, max_size=40))
def test_a_damaged_presentation_gives_lines_or_a_fault(place: float, bytes_: bytes) -> None:
    sample = _sample()
    at = int(place * len(sample))
    damaged = sample[:at] + bytes_ + sample[at + len(bytes_) :]
    try:
        lines = list(read_pptx(io.BytesIO(damaged)))
    except DocumentFault:
        return
    assert all(isinstance(line, str) for line in lines)


_NAMES = [
    "p:sp",
    "p:grpSp",
    "p:pic",
    "p:graphicFrame",
    "p:txBody",
    "p:cNvPr",
    "p:nvSpPr",
    "p:ph",
    "a:p",
    "a:r",
    "a:t",
    "a:br",
    "a:pPr",
    "a:tbl",
    "a:tr",
    "a:tc",
    "a:txBody",
    "mc:AlternateContent",
    "mc:Choice",
    "c:chart",
    "m:oMath",
    "m:r",
    "m:t",
]


@st.composite
def _element(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(_NAMES))
    value = draw(st.sampled_from(["", ' lvl="²"', ' hMerge="1"', ' type="title"', ' r:id="x"']))
    return f"<{name}{value}>{''.join(draw(st.lists(inside, max_size=4)))}</{name}>"


@settings(max_examples=150)
@given(st.recursive(st.sampled_from(["", "x", "&#10;"]), _element, max_leaves=30))
def test_any_tree_of_elements_gives_lines_or_a_fault(shapes: str) -> None:
    try:
        lines = list(read_pptx(pptx_of(shapes)))
    except DocumentFault:
        return
    assert not any(set("\n\r") & set(line) for line in lines)
