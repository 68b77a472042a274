"""Anthropic's Messages: how messages are shaped and answers read."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.tools.shapes import NameMap
from nanobot.providers.anthropic_messages import (
    DEFAULT_MAX_TOKENS,
    anthropic_turns,
    messages_body,
    read_messages,
)
from nanobot.providers.anthropic_stream import MessagesStream
from nanobot.providers.base import GenerationSettings
from tests.fakes_http import messages_events

NAMES = NameMap.of(["math.add", "read_file"])
MARK = {"type": "ephemeral"}
THINKING = {"type": "thinking", "thinking": "because", "signature": "sig"}


def _call(call_id: str, name: str = "read_file", arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(name: str) -> dict[str, Any]:
    function = {"name": name, "description": "d", "parameters": {"type": "object"}}
    return {"type": "function", "function": function}


def _body(messages: list[dict[str, Any]], *, model: str = "claude-sonnet-5-5", **more: Any) -> Any:
    tools = more.pop("tools", [])
    choice = more.pop("tool_choice", None)
    return messages_body(
        messages,
        tools,
        NAMES,
        model=model,
        settings=GenerationSettings(**more),
        tool_choice=choice,
    )


def test_results_of_one_turn_are_one_message_and_come_before_the_users_words() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [_call("a"), _call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "A"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {"role": "user", "content": "and?"},
    ]

    turns: Any = anthropic_turns(messages, NAMES)

    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert [block["type"] for block in turns[1]["content"]] == ["tool_use", "tool_use"]
    assert [block["type"] for block in turns[2]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
    ]
    assert turns[2]["content"][1]["content"] == "(no text)"


def test_images_of_results_stay_in_them() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    odd = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/tiff"}
    messages = [{"role": "tool", "tool_call_id": "a", "content": [image, odd]}]

    turns: Any = anthropic_turns(messages, NAMES)

    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    assert turns[0]["content"][0]["content"] == [
        {"type": "image", "source": source},
        {"type": "text", "text": "[an image of type image/tiff, not shown]"},
    ]


def test_the_cache_is_marked_on_tools_system_and_the_last_message() -> None:
    body = _body(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "1"},
            {"role": "assistant", "content": "2"},
            {"role": "user", "content": "3"},
        ],
        tools=[_tool("a"), _tool("b")],
    )

    assert body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert [tool.get("cache_control") for tool in body["tools"]] == [None, MARK]
    marked = [turn["content"][0].get("cache_control") for turn in body["messages"]]
    assert marked == [None, None, MARK]


def test_thinking_goes_back_first_and_unchanged() -> None:
    message = {
        "role": "assistant",
        "content": "text",
        "thinking_blocks": [THINKING, {"type": "reasoning", "encrypted_content": "x"}],
        "tool_calls": [_call("a")],
    }

    turns: Any = anthropic_turns([{"role": "user", "content": "x"}, message], NAMES)

    assert turns[1]["content"][0] == THINKING
    assert [block["type"] for block in turns[1]["content"]] == ["thinking", "text", "tool_use"]


def test_thinking_alone_is_not_sent() -> None:
    message = {"role": "assistant", "content": "", "thinking_blocks": [THINKING]}

    turns = anthropic_turns([{"role": "user", "content": "x"}, message], NAMES)

    assert [turn["role"] for turn in turns] == ["user"]


def test_what_messages_refuses_is_mended() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "  ", "tool_calls": [_call("call|1", arguments="{cut")]},
        {"role": "tool", "tool_call_id": "call|1", "content": "x"},
    ]

    turns: Any = anthropic_turns(messages, NAMES)

    assert turns[0] == {
        "role": "user",
        "content": [{"type": "text", "text": "(The conversation goes on.)"}],
    }
    assert turns[1]["content"] == [
        {"type": "tool_use", "id": "call_1", "name": "read_file", "input": {}}
    ]
    assert turns[2]["content"][0]["tool_use_id"] == "call_1"


THOUGHT: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "nothing_asked": ("claude-sonnet-5-5", {}, {}),
    "effort": (
        "claude-sonnet-5-5",
        {"reasoning_effort": "high"},
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
    ),
    "least_effort": (
        "claude-opus-5",
        {"reasoning_effort": "minimal"},
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
    ),
    "budget": (
        "claude-haiku-4-5-20251001",
        {"reasoning_effort": "low", "temperature": 0.2},
        {"thinking": {"type": "enabled", "budget_tokens": 2048}},
    ),
    "budget_that_does_not_fit": (
        "claude-sonnet-4-5",
        {"reasoning_effort": "low", "max_tokens": 1000},
        {"max_tokens": 1000},
    ),
    "temperature": ("claude-sonnet-5-5", {"temperature": 0.2}, {"temperature": 0.2}),
}


@pytest.mark.parametrize(("model", "settings", "expected"), THOUGHT.values(), ids=THOUGHT)
def test_thinking_takes_the_models_form(
    model: str, settings: dict[str, Any], expected: dict[str, Any]
) -> None:
    body = _body([{"role": "user", "content": "x"}], model=model, **settings)

    rest = {key: value for key, value in body.items() if key != "messages"}
    assert rest == {"model": model, "max_tokens": DEFAULT_MAX_TOKENS, **expected}


def test_a_turn_whose_calls_have_no_thinking_goes_on_without() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [_call("a")]},
        {"role": "tool", "tool_call_id": "a", "content": "y"},
    ]

    body = _body(messages, model="claude-haiku-4-5", reasoning_effort="high")

    assert "thinking" not in body


CHOICES: dict[str, tuple[Any, dict[str, Any]]] = {
    "auto": ("auto", {"type": "auto"}),
    "required": ("required", {"type": "any"}),
    "none": ("none", {"type": "none"}),
    "one": (
        {"type": "function", "function": {"name": "math.add"}},
        {"type": "tool", "name": NAMES.to_provider("math.add")},
    ),
}


@pytest.mark.parametrize(("choice", "shaped"), CHOICES.values(), ids=CHOICES)
def test_a_tool_choice_is_put_into_its_words(choice: Any, shaped: dict[str, Any]) -> None:
    body = _body([], tools=[_tool("math.add")], tool_choice=choice)

    assert body["tool_choice"] == shaped


def _answer(*content: Any, stop_reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {"type": "message", "content": [*content], "stop_reason": stop_reason, **more}


def _use(call_id: str, arguments: Any, name: str = "f") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


ENDINGS = {
    "tool_use": "tool_calls",
    "end_turn": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


@pytest.mark.parametrize(("given", "reason"), ENDINGS.items(), ids=ENDINGS)
def test_the_ending_of_an_answer_with_calls(given: str, reason: str) -> None:
    response = read_messages(_answer(_use("a", {}), stop_reason=given), NAMES)

    assert response.finish_reason == reason
    assert response.should_execute_tools is (reason == "tool_calls")


def test_a_refusal_is_shown() -> None:
    response = read_messages(_answer(stop_reason="refusal"), NAMES)

    assert response.content == "(The model declined to answer.)"


def test_cache_reads_and_writes_are_prompt_tokens() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "output_tokens": 7,
        "output_tokens_details": {"thinking_tokens": 3},
    }

    assert read_messages(_answer(usage=usage), NAMES).usage == {
        "prompt_tokens": 125,
        "completion_tokens": 7,
        "total_tokens": 132,
        "cached_tokens": 100,
        "reasoning_tokens": 3,
    }


def _joined(*blocks: Any, stop_reason: str | None = "tool_use") -> MessagesStream:
    stream = MessagesStream()
    for event in messages_events(*blocks, stop_reason=stop_reason):
        stream.add(event)
    return stream


def test_a_stream_is_joined_to_the_same_answer() -> None:
    stream = _joined(
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": "be"},
                {"type": "thinking_delta", "thinking": "cause"},
                {"type": "signature_delta", "signature": "sig"},
            ],
        ),
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Hi"}]),
        (
            _use("t1", {}, NAMES.to_provider("math.add")),
            [
                {"type": "input_json_delta", "partial_json": '{"x"'},
                {"type": "input_json_delta", "partial_json": ": 1}"},
            ],
        ),
        (_use("t2", {}, "read_file"), [{"type": "input_json_delta", "partial_json": ""}]),
    )

    response = read_messages(stream.answer(), NAMES)

    assert response.content == "Hi"
    assert response.thinking_blocks == [THINKING]
    assert [(call.name, call.arguments) for call in response.tool_calls] == [
        ("math.add", {"x": 1}),
        ("read_file", {}),
    ]
    assert response.usage["prompt_tokens"] == 10
    assert response.usage["completion_tokens"] == 5


def test_arguments_that_are_no_object_stay_raw() -> None:
    pieces = [{"type": "input_json_delta", "partial_json": '{"x": '}]

    response = read_messages(_joined((_use("t", {}), pieces)).answer(), NAMES)

    assert response.tool_calls[0].arguments == '{"x": '


def test_without_its_last_event_a_stream_is_not_complete() -> None:
    assert not _joined((_use("t", {}), []), stop_reason=None).complete


@pytest.mark.parametrize("event", [{}, {"type": "ping"}, {"type": "new_kind"}], ids=str)
def test_an_unknown_event_does_no_harm(event: dict[str, Any]) -> None:
    stream = MessagesStream()

    assert stream.add(event).content == ""


@pytest.mark.parametrize("answer", [{}, {"content": None}, {"content": "text"}], ids=str)
def test_an_answer_without_content_is_none(answer: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no content"):
        read_messages(answer, NAMES)
