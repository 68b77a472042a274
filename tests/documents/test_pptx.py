"""Presentations as lines of text."""

from __future__ import annotations

import io

import pptx
import pytest
from pptx.util import Inches

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.pptx import read_pptx
from tests.documents.samples import package


def test_titles_text_tables_and_notes_are_read_in_the_order_of_the_show() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "first\nsecond"
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(1), Inches(3), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    slide.notes_slide.notes_text_frame.text = "say hello"
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "End"
    ids = made.part.presentation.element.sldIdLst
    ids.append(ids[0])  # the first one goes to the end
    room = io.BytesIO()
    made.save(room)

    assert list(read_pptx(room)) == [
        "--- Slide 1 of 2 ---",
        "# End",
        "--- Slide 2 of 2 ---",
        "# Plan",
        "first",
        "second",
        "| a | b |",
        "[notes] say hello",
    ]


def test_groups_in_groups_are_read() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    group = slide.shapes.add_group_shape().shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "deep"
    room = io.BytesIO()
    made.save(room)

    assert "deep" in list(read_pptx(room))


def test_a_presentation_without_its_main_part_is_one_line() -> None:
    with pytest.raises(BrokenDocument, match="lacks its part"):
        list(read_pptx(package({"ppt/slides/slide1.xml": "<a/>"})))
