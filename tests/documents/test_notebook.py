"""Notebooks as lines of text."""

from __future__ import annotations

import io
import json

import pytest

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.notebook import read_notebook


def _lines(root: object) -> list[str]:
    return list(read_notebook(io.BytesIO(json.dumps(root).encode())))


def test_cells_come_in_order_with_what_they_printed() -> None:
    code = {
        "cell_type": "code",
        "execution_count": 3,
        "source": ["x = 1\n", "x"],
        "outputs": [
            {"output_type": "stream", "text": ["hi\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "1", "image/png": "AAAA"}},
            {
                "output_type": "error",
                "ename": "ValueError",
                "evalue": "no",
                "traceback": ["\x1b[31mTraceback\x1b[0m"],
            },
        ],
    }

    assert _lines({"cells": [{"cell_type": "markdown", "source": "# Hi"}, code]}) == [
        "--- Cell 1: markdown ---",
        "# Hi",
        "--- Cell 2: code [3] ---",
        "x = 1",
        "x",
        "[output]",
        "hi",
        "[output]",
        "1",
        "[output: image/png, 3 bytes]",
        "[error] ValueError: no",
        "Traceback",
    ]


def test_format_3_is_read_too() -> None:
    cell = {"cell_type": "code", "input": "x", "prompt_number": 1, "outputs": []}

    assert _lines({"worksheets": [{"cells": [cell]}]}) == ["--- Cell 1: code [1] ---", "x"]


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b'{"cells": 1}', b"[" * 100_000, b"\xff"],
    ids=["cut", "a list", "no cells", "nested without end", "no text"],
)
def test_what_is_no_notebook_is_one_line(data: bytes) -> None:
    with pytest.raises(BrokenDocument):
        list(read_notebook(io.BytesIO(data)))
