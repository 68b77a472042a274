"""The chunks of Chat Completions, joined."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.tools.shapes import NameMap
from nanobot.providers.chat_stream import ChatStream
from nanobot.providers.openai_chat import read_chat
from tests.fakes_http import chat_chunks

NAMES = NameMap.of([])


def _joined(*deltas: Any, finish_reason: str | None = "tool_calls") -> Any:
    stream = ChatStream()
    for chunk in chat_chunks(*deltas, finish_reason=finish_reason):
        stream.add(chunk)
    return read_chat(stream.answer(), NAMES)


def _piece(text: str = "", *, index: int | None = 0, **more: Any) -> dict[str, Any]:
    function = {"arguments": text, **({"name": more.pop("name")} if "name" in more else {})}
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, "function": function, **more}]}


JOINS: dict[str, tuple[list[Any], list[tuple[str, Any]]]] = {
    "one_call_in_pieces": (
        [_piece(name="f", id="a"), _piece('{"x":'), _piece(" 1}")],
        [("f", {"x": 1})],
    ),
    "two_interleaved": (
        [
            _piece(name="f", id="a"),
            _piece(name="g", id="b", index=1),
            _piece('{"x": 1}'),
            _piece('{"y": 2}', index=1),
        ],
        [("f", {"x": 1}), ("g", {"y": 2})],
    ),
    "same_index_new_id": (
        [_piece("{}", name="f", id="a"), _piece('{"y": 2}', name="f", id="b")],
        [("f", {}), ("f", {"y": 2})],
    ),
    "no_index_but_ids": (
        [
            _piece('{"x": 1}', name="f", id="a", index=None),
            _piece("{}", name="g", id="b", index=None),
        ],
        [("f", {"x": 1}), ("g", {})],
    ),
    "name_repeated_in_each_piece": (
        [_piece('{"x"', name="f", id="a"), _piece(": 1}", name="f", id="a")],
        [("f", {"x": 1})],
    ),
    "name_split": (
        [_piece(name="read_", id="a"), _piece("{}", name="file")],
        [("read_file", {})],
    ),
    "no_id_at_all": ([_piece(name="f"), _piece("{}")], [("f", {})]),
    "not_json": ([_piece("{x", name="f", id="a")], [("f", "{x")]),
}


@pytest.mark.parametrize(("deltas", "calls"), JOINS.values(), ids=JOINS)
def test_pieces_become_the_calls_they_are(deltas: list[Any], calls: list[Any]) -> None:
    response = _joined(*deltas)

    assert [(call.name, call.arguments) for call in response.tool_calls] == calls
    assert all(call.id for call in response.tool_calls)


def test_text_reasoning_and_usage_are_joined() -> None:
    response = _joined(
        {"reasoning_content": "I "},
        {"reasoning": "think"},
        {"content": "Hel"},
        {"content": "lo"},
        finish_reason="stop",
    )

    assert response.content == "Hello"
    assert response.reasoning_content == "I think"
    assert response.usage == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def test_reasoning_details_in_pieces_are_one_block() -> None:
    response = _joined(
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "a"}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b"}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "s"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "d"}]},
        finish_reason="stop",
    )

    assert response.thinking_blocks == [
        {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "d"},
    ]


def test_a_refusal_streams_as_text() -> None:
    stream = ChatStream()

    shown = [stream.add(chunk).content for chunk in chat_chunks({"refusal": "No."})]

    assert "".join(shown) == "No."
    assert read_chat(stream.answer(), NAMES).content == "No."


def test_without_a_finish_reason_it_is_not_complete() -> None:
    stream = ChatStream()
    for chunk in chat_chunks({"content": "x"}, finish_reason=None):
        stream.add(chunk)

    assert not stream.complete


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"tool_calls": [None, {"function": None}]}}]},
    ],
    ids=str,
)
def test_an_odd_chunk_does_no_harm(chunk: dict[str, Any]) -> None:
    stream = ChatStream()
    stream.add(chunk)
    for good in chat_chunks({"content": "x"}):
        stream.add(good)

    assert read_chat(stream.answer(), NAMES).content == "x"


@given(st.dictionaries(st.text(), st.text()), st.lists(st.integers(1, 200), max_size=20))
def test_wherever_arguments_are_split_they_come_back_equal(
    arguments: dict[str, str], cuts: list[int]
) -> None:
    text = json.dumps(arguments)
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]

    response = _joined(_piece(name="f", id="a"), *[_piece(piece) for piece in pieces])

    assert response.tool_calls[0].arguments == arguments
