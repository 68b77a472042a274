"""Notebooks as lines of text."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.documents.faults import BrokenDocument, DocumentFault, DocumentTooLarge
from nanobot.documents.notebook import LARGEST, read_notebook


def _lines(root: object) -> list[str]:
    return list(read_notebook(io.BytesIO(json.dumps(root).encode())))


def _output(**output: object) -> list[str]:
    """The lines of an output of a cell."""
    return _lines({"cells": [{"cell_type": "code", "outputs": [output]}]})[1:]


def test_cells_come_in_order_with_what_they_printed() -> None:
    code = {
        "cell_type": "code",
        "execution_count": 3,
        "source": ["x = 1\n", "x"],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["hi\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "1", "image/png": "AAAA"}},
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
    ]


_OUTPUTS: dict[str, tuple[dict[str, object], list[str]]] = {
    "error": (
        {
            "output_type": "error",
            "ename": "ValueError",
            "evalue": "no\nway",
            "traceback": ["\x1b[31mTraceback\x1b[0m", "  \x1b]8;;x\x07line\x1b(B"],
        },
        ["[error] ValueError: no way", "Traceback", "  line"],
    ),
    "what went wrong": (
        {"output_type": "stream", "name": "stderr", "text": "warning"},
        ["[output: stderr]", "warning"],
    ),
    "progress": (
        {"output_type": "stream", "text": "1%\r50%\r100%\r\ndone\r"},
        ["[output]", "100%", "done"],
    ),
    "page": (
        {"output_type": "display_data", "data": {"text/html": ["<b>", "ä"], "text/plain": ["a"]}},
        ["[output]", "a", "[output: text/html, 5 bytes]"],
    ),
    "drawing": (
        {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "application/json": {"a": 1}}},
        ["[output: image/svg+xml, 6 bytes]", "[output: application/json, 8 bytes]"],
    ),
    "kind that acts": ({"data": {"a/b\n\x1b": "x"}}, ["[output: a/b, 1 byte]"]),
    "half a character": ({"text": "\ud83d"}, ["[output]", "\ufffd"]),
}  # fmt: skip


@pytest.mark.parametrize(("output", "lines"), _OUTPUTS.values(), ids=_OUTPUTS.keys())
def test_an_output_is_shown_as_text_or_named_with_its_size(
    output: dict[str, object], lines: list[str]
) -> None:
    assert _output(**output) == lines


def test_an_output_over_200_lines_is_cut() -> None:
    lines = _output(text="x\n" * 300)

    assert lines == ["[output]", *["x"] * 200, "[100 more lines of output]"]


def test_an_output_over_40_000_characters_is_cut() -> None:
    lines = _output(text="x" * 50_000)

    assert lines == ["[output]", "x" * 40_000, "[10,000 more characters of output]"]


def test_attachments_are_named() -> None:
    cell = {"cell_type": "markdown", "source": "![](a.png)", "attachments": {"a.png": {}}}

    assert _lines({"cells": [cell]})[1:] == ["![](a.png)", "[attachment: a.png]"]


def test_format_3_is_read_too() -> None:
    code = {
        "cell_type": "code",
        "input": "x",
        "prompt_number": 1,
        "outputs": [{"output_type": "pyout", "text": ["2"], "png": "AAAA"}],
    }
    head = {"cell_type": "heading", "level": 2, "source": "Part"}

    assert _lines({"worksheets": [{"cells": [head]}, {"cells": [code]}]}) == [
        "--- Cell 1: heading ---",
        "## Part",
        "--- Cell 2: code [1] ---",
        "x",
        "[output]",
        "2",
        "[output: image/png, 3 bytes]",
    ]


def test_a_mark_of_byte_order_is_no_fault() -> None:
    assert list(read_notebook(io.BytesIO(b'\xef\xbb\xbf{"cells": []}'))) == []


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"cells": 1}', b"{}", b"[" * 100_000, b"\xff", b'{"cells":' + b"9" * 5000 + b"}"],
    ids=["empty", "cut", "a list", "no cells", "nothing", "nested", "no text", "a long number"],
)  # fmt: skip
def test_what_is_no_notebook_is_one_line(data: bytes) -> None:
    with pytest.raises(BrokenDocument) as caught:
        list(read_notebook(io.BytesIO(data)))

    assert "\n" not in caught.value.message


def test_a_notebook_over_64_mb_is_refused() -> None:
    with pytest.raises(DocumentTooLarge, match=r"more than 64\.0 MB"):
        list(read_notebook(io.BytesIO(bytes(LARGEST + 1))))


_KEYS = st.sampled_from(
    [
        "cells",
        "cell_type",
        "source",
        "outputs",
        "output_type",
        "text",
        "data",
        "traceback",
        "ename",
        "level",
        "worksheets",
        "input",
        "execution_count",
        "attachments",
        "text/plain",
        "image/png",
        "png",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.just("heading"),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(_KEYS, inside, max_size=4),
    max_leaves=20,
)


@given(_JSON, st.sampled_from(["cells", "worksheets", "outputs"]))
def test_any_json_gives_clean_lines_or_a_fault(root: object, key: str) -> None:
    cells = [{"outputs": [root]}] if key == "outputs" else [root]
    try:
        lines = _lines({"cells" if key == "outputs" else key: cells})
    except DocumentFault:
        return
    for line in lines:
        assert not set("\n\r\x1b\x85\u2028") & set(line)
        line.encode()


@given(st.binary(max_size=200))
def test_any_bytes_give_a_fault(data: bytes) -> None:
    with pytest.raises(DocumentFault):
        list(read_notebook(io.BytesIO(data)))
