"""Documents with any damage: an answer or one line."""

from __future__ import annotations

import io
import os
import tempfile
from typing import TYPE_CHECKING

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from nanobot.documents.faults import DocumentFault
from nanobot.documents.kind import kind_of
from nanobot.documents.pool import Errand
from nanobot.documents.reader import Document, DocumentReader, Wanted
from nanobot.workspace.identity import Identity
from tests.documents.samples import paragraph, pdf, word

if TYPE_CHECKING:
    from collections.abc import Iterator


def _workbook() -> bytes:
    room = io.BytesIO()
    book = openpyxl.Workbook()
    book.worksheets[0].append(["text", 1, True])
    book.save(room)
    return room.getvalue()


def _picture() -> bytes:
    room = io.BytesIO()
    Image.effect_noise((40, 30), 90).save(room, "PNG")
    return room.getvalue()


_SOUND = {
    "pdf": pdf(2),
    "docx": word(paragraph("text") * 9).getvalue(),
    "xlsx": _workbook(),
    "png": _picture(),
    "ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = 1"], "outputs": []}]}',
    "eml": b"From: a@example.test\nSubject: =?utf-8?q?hi?=\n\ntext\n",
}


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader()
    yield made
    made.close()


def read(reader: DocumentReader, data: bytes, name: str) -> str:
    """What is shown of a document of these bytes; "" for what is none."""
    with tempfile.TemporaryFile() as file, Errand() as errand:
        file.write(data)
        file.flush()
        identity = Identity.of(os.fstat(file.fileno()))
        kind = kind_of(data, name)
        document = Document(descriptor=file.fileno(), identity=identity, kind=kind, errand=errand)
        wanted = Wanted(first=0, count=99, budget=9_999)
        if kind == "image":
            return reader.picture(document).line
        if kind == "pdf":
            return "\n".join(reader.pages(document, wanted).lines)
        return "\n".join(reader.lines(document, wanted).lines) if kind else ""


@pytest.mark.parametrize("suffix", _SOUND)
def test_a_sound_document_is_shown(reader: DocumentReader, suffix: str) -> None:
    assert read(reader, _SOUND[suffix], f"a.{suffix}")


@pytest.mark.parametrize("suffix", _SOUND)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_damage_gives_an_answer_or_one_line(
    reader: DocumentReader, suffix: str, data: st.DataObject
) -> None:
    damaged = bytearray(_SOUND[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        length = data.draw(st.integers(0, 20))
        damaged[at : at + length] = data.draw(st.binary(max_size=20))

    try:
        read(reader, bytes(damaged), f"a.{suffix}")
    except DocumentFault as fault:
        message = fault.message
    else:
        return
    assert message
    assert "\n" not in message
