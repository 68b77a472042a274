"""The Responses API: how messages are shaped and answers read."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.tools.shapes import NameMap
from nanobot.providers.base import GenerationSettings, LLMResponse
from nanobot.providers.openai_responses import read_responses, responses_body, responses_input
from nanobot.providers.responses_stream import ResponsesStream
from tests.fakes_http import responses_events

NAMES = NameMap.of(["math.add", "read_file"])
PNG = "data:image/png;base64,iVBORw0KGgo="


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": text}]}


def _call(call_id: str, name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def _reasoning(item_id: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": f"thought {item_id}"}]
    return {
        "type": "reasoning",
        "id": item_id,
        "summary": summary,
        "encrypted_content": f"enc-{item_id}",
        "status": None,
    }


def _answer(*items: Any, **more: Any) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": [*items], **more}


def _replayed(response: LLMResponse) -> list[dict[str, Any]]:
    message = {
        "role": "assistant",
        "content": response.content,
        "tool_calls": [call.to_openai_tool_call() for call in response.tool_calls],
        "thinking_blocks": response.thinking_blocks,
    }
    return responses_input([message], NAMES)


def test_reasoning_goes_back_encrypted_before_the_item_it_led_to() -> None:
    response = read_responses(
        _answer(_reasoning("r1"), _call("a"), _reasoning("r2"), _call("b")), NAMES
    )

    items = _replayed(response)

    places = [item.get("id") or item.get("call_id") for item in items]
    assert places == ["r1", "a", "r2", "b"]
    assert items[0]["encrypted_content"] == "enc-r1"
    assert "before" not in items[0]
    assert "status" not in items[0]
    assert response.reasoning_content == "thought r1\n\nthought r2"


def test_reasoning_of_a_text_goes_before_it() -> None:
    items = _replayed(read_responses(_answer(_reasoning("r1"), _message("hi")), NAMES))

    assert [item.get("type") or item["role"] for item in items] == ["reasoning", "assistant"]


def test_reasoning_that_cannot_be_read_without_storage_is_left_out() -> None:
    bare = {key: value for key, value in _reasoning("r").items() if key != "encrypted_content"}

    items = _replayed(read_responses(_answer(bare, _call("a")), NAMES))

    assert [item["type"] for item in items] == ["function_call"]


def test_reasoning_alone_is_not_sent() -> None:
    assert _replayed(read_responses(_answer(_reasoning("r1")), NAMES)) == []


def test_images_of_results_stay_in_them() -> None:
    content = [
        {"type": "text", "text": "A"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    ]
    messages = [{"role": "tool", "tool_call_id": "a", "content": content}]

    items = responses_input(messages, NAMES)

    assert items == [
        {
            "type": "function_call_output",
            "call_id": "a",
            "output": [
                {"type": "input_text", "text": "A"},
                {"type": "input_image", "image_url": PNG, "detail": "auto"},
            ],
        }
    ]


def test_names_are_mapped_out_and_back() -> None:
    safe = NAMES.to_provider("math.add")
    response = read_responses(_answer(_call("a", safe, '{"x": 1}')), NAMES)

    assert response.tool_calls[0].name == "math.add"
    assert _replayed(response)[0]["name"] == safe


BODIES: dict[str, tuple[bool, dict[str, Any]]] = {
    "reasoning": (
        True,
        {"include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low"}},
    ),
    "plain": (False, {"temperature": 0.5}),
}


@pytest.mark.parametrize(("reasoning", "expected"), BODIES.values(), ids=BODIES)
def test_settings_fit_the_model(reasoning: bool, expected: dict[str, Any]) -> None:
    settings = GenerationSettings(temperature=0.5, max_tokens=9, reasoning_effort="low")

    body = responses_body([], [], NAMES, model="m", settings=settings, reasoning=reasoning)

    common = {"model": "m", "input": [], "store": False, "max_output_tokens": 9}
    assert body == {**common, **expected}


ENDINGS: dict[str, tuple[dict[str, Any], str]] = {
    "calls": (_answer(_call("a")), "tool_calls"),
    "text": (_answer(_message("x")), "stop"),
    "too_long": (
        _answer(
            _call("a"),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        "length",
    ),
    "filtered": (
        _answer(status="incomplete", incomplete_details={"reason": "content_filter"}),
        "content_filter",
    ),
}


@pytest.mark.parametrize(("answer", "reason"), ENDINGS.values(), ids=ENDINGS)
def test_the_ending_is_told(answer: dict[str, Any], reason: str) -> None:
    response = read_responses(answer, NAMES)

    assert response.finish_reason == reason
    assert response.should_execute_tools is (reason == "tool_calls")


def test_a_refusal_is_shown() -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}

    assert read_responses(_answer(refusal), NAMES).content == "No."


def test_cached_and_reasoning_tokens_are_counted() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 5},
    }

    assert read_responses(_answer(_message("x"), usage=usage), NAMES).usage == {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "total_tokens": 17,
        "cached_tokens": 4,
        "reasoning_tokens": 5,
    }


@pytest.mark.parametrize("answer", [{}, {"output": None}, _answer(status="failed")], ids=str)
def test_what_did_not_end_is_no_answer(answer: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="response of status"):
        read_responses(answer, NAMES)


def test_a_stream_is_what_its_last_event_says() -> None:
    stream = ResponsesStream()

    shown = "".join(
        stream.add(event).content for event in responses_events(_message("hi"), _call("a"))
    )
    response = read_responses(stream.answer(), NAMES)

    assert shown == response.content == "hi"
    assert [call.id for call in response.tool_calls] == ["a"]


def test_items_are_kept_where_the_last_event_leaves_them_out() -> None:
    stream = ResponsesStream()
    *events, last = responses_events(_call("a"))
    for event in events:
        stream.add(event)
    stream.add({**last, "response": {**last["response"], "output": []}})

    assert [call.id for call in read_responses(stream.answer(), NAMES).tool_calls] == ["a"]


def test_without_its_last_event_a_stream_is_not_complete() -> None:
    stream = ResponsesStream()
    for event in responses_events(_call("a"), status=None):
        stream.add(event)

    assert not stream.complete
