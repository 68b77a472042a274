"""Content or exception becomes an outcome."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from nanobot.agent.execution.outcome import (
    HINT,
    not_run,
    one_line,
    raised,
    refused,
    returned,
    shown_text,
    without_hint,
)
from nanobot.agent.tools.result import ToolResult
from nanobot.errors import ToolError, UnknownTool

_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


class _Point(BaseModel):
    x: int
    when: datetime


@dataclass
class _Pair:
    left: str
    right: PurePosixPath


class _Colour(enum.Enum):
    RED = "red"


def _outcome(value: object) -> Any:
    return returned("c1", "tool", value)


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("all good", "ok"),
        ("Error: no such row", "error"),
        ("Errors found: 0", "error"),
        (" Error: not at the start", "ok"),
        (ToolResult("Errors found: 0"), "ok"),
        (ToolResult.error("no such row"), "error"),
        (ToolResult("fine", is_error=True), "error"),
        (ToolResult.error("no such row")[:2], "ok"),
        ({"error": "a field is only a field"}, "ok"),
    ],
    ids=str,
)
def test_success_is_decided_on_the_returned_object(value: object, status: str) -> None:
    assert _outcome(value).status == status


@pytest.mark.parametrize("value", [None, "", "  \n\t", [], (), ToolResult(""), b""], ids=repr)
def test_a_blank_result_says_so(value: object) -> None:
    outcome = _outcome(value)

    assert outcome.content == "(tool completed with no output)"
    assert outcome.detail == "(empty)"
    assert outcome.status == "ok"


def test_blank_text_blocks_are_blank() -> None:
    assert _outcome([{"type": "text", "text": " "}]).content == "(tool completed with no output)"


@pytest.mark.parametrize(
    ("value", "text", "structured"),
    [
        (3, "3", 3),
        (True, "true", True),
        (2.5, "2.5", 2.5),
        ({"a": [1, None]}, '{"a": [1, null]}', {"a": [1, None]}),
        ([1, 2], "[1, 2]", [1, 2]),
        (
            [{"type": "issue", "id": 3}],
            '[{"type": "issue", "id": 3}]',
            [{"type": "issue", "id": 3}],
        ),
        ({(1, 2): "x"}, '{"(1, 2)": "x"}', {"(1, 2)": "x"}),
        ({"é"}, '["é"]', ["é"]),
        (_Colour.RED, '"red"', "red"),
        (
            _Point(x=1, when=datetime(2030, 1, 1, tzinfo=UTC)),
            '{"x": 1, "when": "2030-01-01T00:00:00Z"}',
            {"x": 1, "when": "2030-01-01T00:00:00Z"},
        ),
        (
            [_Pair("a", PurePosixPath("b/c"))],
            '[{"left": "a", "right": "b/c"}]',
            [{"left": "a", "right": "b/c"}],
        ),
    ],
    ids=repr,
)
def test_a_value_becomes_json_text_and_data(value: object, text: str, structured: object) -> None:
    outcome = _outcome(value)

    assert outcome.content == text
    assert outcome.structured == structured


@pytest.mark.parametrize(
    ("value", "text"),
    [("é".encode(), "é"), (b"\xff\x00", "(2 bytes of binary data)"), (bytearray(b"x"), "x")],
    ids=repr,
)
def test_bytes_become_their_text_or_their_size(value: object, text: str) -> None:
    assert _outcome(value).content == text


def test_a_value_that_holds_itself_is_no_json() -> None:
    loop: list[object] = []
    loop.append(loop)

    with pytest.raises(ToolError, match="a list, can't be written as JSON"):
        _outcome(loop)


def test_blocks_go_on_as_they_are() -> None:
    outcome = _outcome([{"type": "text", "text": "a picture"}, _IMAGE])

    assert outcome.content == [{"type": "text", "text": "a picture"}, _IMAGE]
    assert outcome.detail == "a picture [image]"


def test_a_failure_in_blocks_gets_the_hint_as_its_last_block() -> None:
    outcome = _outcome(ToolResult("failed", is_error=True, blocks=[_IMAGE]))

    assert outcome.status == "error"
    assert outcome.content == [_IMAGE, {"type": "text", "text": HINT.strip()}]


def test_a_tool_result_carries_data_and_metadata_for_the_host() -> None:
    outcome = _outcome(ToolResult("3 rows", structured={"rows": 3}, metadata={"ms": 4}))

    assert (outcome.content, outcome.structured, outcome.metadata) == (
        "3 rows",
        {"rows": 3},
        {"ms": 4},
    )


@pytest.mark.parametrize("text", ["Error: x", f"Error: x{HINT}", f"Error: x{HINT}\n"], ids=len)
def test_the_hint_stands_once(text: str) -> None:
    outcome = _outcome(text)

    assert outcome.content.count(HINT.strip()) == 1
    assert outcome.content.startswith("Error: x")


def test_an_exception_reads_as_the_contract_says() -> None:
    outcome = raised("c1", "tool", RuntimeError("boom"))

    assert outcome.content == f"Error executing tool: boom{HINT}"
    assert outcome.detail == "boom"
    assert isinstance(outcome.error, RuntimeError)


def test_an_errors_own_hint_stands_before_ours() -> None:
    outcome = raised("c1", "tool", ToolError("no such row", hint="List the rows first."))

    assert outcome.content == f"Error executing tool: no such row\nList the rows first.{HINT}"
    assert outcome.detail == "no such row"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError(), "ValueError"),
        (KeyError("path"), "KeyError: 'path'"),
        (ExceptionGroup("many", [ValueError("only one")]), "only one"),
    ],
    ids=repr,
)
def test_an_exception_without_words_names_its_type(error: Exception, message: str) -> None:
    assert raised("c1", "tool", error).content == f"Error executing tool: {message}{HINT}"


def test_an_exception_that_cannot_be_read_names_its_type() -> None:
    class Mute(Exception):  # its name is asserted
        def __str__(self) -> str:
            raise ValueError

    assert raised("c1", "tool", Mute()).detail == "Mute"


def test_a_refused_call_did_not_run() -> None:
    outcome = refused("c1", "x", UnknownTool("Tool 'x' not found.", name="x"))

    assert outcome.content == f"Error: Tool 'x' not found.{HINT}"
    assert not outcome.ran


def test_a_call_left_out_says_why() -> None:
    outcome = not_run("c1", "x", "an earlier call failed")

    assert outcome.content == "Error: x was not run: an earlier call failed"
    assert not outcome.ran


@pytest.mark.parametrize(
    "value",
    [
        "\ud83d",
        ToolResult("a\ud83d", structured={"k\ud83d": "\ud83d"}),
        {"k\ud83d": ["\udcff"]},
        [{"type": "text", "text": "\ud83d"}],
        ToolResult.error("\udcff"),
        "Error: \ud83d",
    ],
    ids=ascii,
)
def test_lone_surrogates_are_mended_everywhere(value: object) -> None:
    outcome = _outcome(value)

    shown_text(outcome.content).encode()
    outcome.detail.encode()
    repr(outcome.structured).encode()
    assert "\\ud" not in repr(outcome.structured)


def test_surrogates_in_an_exception_are_mended() -> None:
    outcome = raised("c1", "tool", OSError("no file '\udcff'"))

    assert "\ufffd" in shown_text(outcome.content)
    outcome.detail.encode()


def test_two_halves_of_a_pair_are_joined() -> None:
    assert _outcome("\ud83d\ude00").content == "😀"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "(empty)"),
        (" \n ", "(empty)"),
        ("one\ntwo\t three", "one two three"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 120 + "..."),
    ],
    ids=len,
)
def test_a_detail_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text())
def test_a_detail_never_breaks_its_bounds(text: str) -> None:
    line = one_line(text)

    assert 0 < len(line) <= 123
    assert "\n" not in line


@given(st.text().filter(lambda text: text == text.rstrip()))
def test_taking_the_hint_away_gives_the_text_back(text: str) -> None:
    assert without_hint(without_hint(text) + HINT) == without_hint(text)
