"""Chat Completions: how messages are shaped and answers read."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.tools.shapes import NameMap
from nanobot.providers.base import GenerationSettings
from nanobot.providers.openai_chat import ChatDialect, chat_body, chat_messages, read_chat
from tests.fakes_http import chat_message

NAMES = NameMap.of(["math.add", "read_file"])
OTHERS = ChatDialect()
OFFICIAL = ChatDialect(official=True, reasoning=True)
PNG = "data:image/png;base64,iVBORw0KGgo="


def _call(call_id: str, name: str = "read_file", arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool(name: str, parameters: object = None) -> dict[str, Any]:
    function = {"name": name, "description": "d", "parameters": parameters or {"type": "object"}}
    return {"type": "function", "function": function}


def test_images_of_results_follow_the_last_result_in_a_message_of_the_user() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": None, "tool_calls": [_call("a"), _call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "A"}, image]},
        {"role": "tool", "tool_call_id": "b", "content": [image]},
        {"role": "assistant", "content": "seen"},
    ]

    shaped = chat_messages(messages, NAMES, OTHERS)

    roles = [message["role"] for message in shaped]
    assert roles == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert shaped[2]["content"] == "A"
    assert shaped[3]["content"] == "(1 image(s), shown in the next message)"
    assert [part["type"] for part in _parts(shaped[4])] == ["text", "image_url"] * 2


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = message["content"]
    return parts


def test_names_are_mapped_in_tools_and_in_old_calls() -> None:
    messages = [{"role": "assistant", "content": None, "tool_calls": [_call("a", "math.add")]}]

    body: Any = chat_body(
        messages,
        [_tool("math.add")],
        NAMES,
        model="m",
        settings=GenerationSettings(),
        dialect=OTHERS,
        tool_choice={"type": "function", "function": {"name": "math.add"}},
    )

    safe = NAMES.to_provider("math.add")
    assert body["tools"][0]["function"]["name"] == safe
    assert body["messages"][0]["tool_calls"][0]["function"]["name"] == safe
    assert body["tool_choice"]["function"]["name"] == safe


def test_one_odd_schema_does_not_spoil_the_request() -> None:
    odd = {"anyOf": [{"$ref": "#/missing"}], "properties": {"a": {"$ref": "#"}}}

    body: Any = chat_body(
        [],
        [_tool("odd", odd), _tool("read_file")],
        NAMES,
        model="m",
        settings=GenerationSettings(),
        dialect=OTHERS,
    )

    assert "read_file" in [tool["function"]["name"] for tool in body["tools"]]


def test_only_keys_that_the_api_knows_are_sent() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "x", "timestamp": 1, "_meta": {}},
        {"role": "assistant", "content": "y", "thinking_blocks": [{"type": "thinking"}]},
        {"role": "tool", "tool_call_id": "a", "name": "f", "content": "z"},
    ]

    shaped = chat_messages(messages, NAMES, OTHERS)

    assert shaped == [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "y"},
        {"role": "tool", "tool_call_id": "a", "content": "z"},
    ]


def test_arguments_that_were_cut_go_back_as_an_empty_object() -> None:
    messages = [{"role": "assistant", "tool_calls": [_call("a", arguments='{"path": "a')]}]

    shaped: Any = chat_messages(messages, NAMES, OTHERS)

    assert shaped[0]["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(("dialect", "kept"), [(OTHERS, ["new"]), (OFFICIAL, [])], ids=str)
def test_reasoning_goes_back_for_the_calls_of_the_current_turn(
    dialect: ChatDialect, kept: list[str]
) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "1"},
        {"role": "assistant", "reasoning_content": "old", "tool_calls": [_call("a")]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        {"role": "user", "content": "2"},
        {"role": "assistant", "reasoning_content": "new", "tool_calls": [_call("b")]},
        {"role": "tool", "tool_call_id": "b", "content": "x"},
    ]

    shaped = chat_messages(messages, NAMES, dialect)

    sent = [message["reasoning_content"] for message in shaped if "reasoning_content" in message]
    assert sent == kept


SETTINGS: dict[str, tuple[ChatDialect, dict[str, Any]]] = {
    "official_reasoning": (OFFICIAL, {"max_completion_tokens": 9, "reasoning_effort": "low"}),
    "others": (OTHERS, {"max_tokens": 9, "temperature": 0.5, "reasoning_effort": "low"}),
}


@pytest.mark.parametrize(("dialect", "expected"), SETTINGS.values(), ids=SETTINGS)
def test_settings_take_the_servers_words(dialect: ChatDialect, expected: dict[str, Any]) -> None:
    settings = GenerationSettings(temperature=0.5, max_tokens=9, reasoning_effort="low")

    body = chat_body([], [], NAMES, model="m", settings=settings, dialect=dialect)

    assert body == {"model": "m", "messages": [], **expected}


def test_a_call_comes_back_under_our_name() -> None:
    answer = chat_message(None, ("c1", NAMES.to_provider("math.add"), '{"a": 1}'))

    response = read_chat(answer, NAMES)

    assert response.tool_calls[0].name == "math.add"
    assert response.finish_reason == "tool_calls"


ARGUMENTS: dict[str, tuple[Any, Any]] = {
    "object": ('{"a": 1}', {"a": 1}),
    "already_an_object": ({"a": 1}, {"a": 1}),
    "not_json": ("{a: 1", "{a: 1"),
    "a_list": ("[1]", "[1]"),
    "blank": ("", ""),
    "null": (None, ""),
    "deep": ("[" * 100_000, "[" * 100_000),
}


@pytest.mark.parametrize(("raw", "read"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_that_are_no_object_stay_raw(raw: Any, read: Any) -> None:
    response = read_chat(chat_message(None, ("c1", "f", raw)), NAMES)

    assert response.tool_calls[0].arguments == read


def test_calls_without_an_id_or_with_the_same_get_one_each() -> None:
    answer = chat_message(None, ("", "f", "{}"), ("x", "f", "{}"), ("x", "f", '{"a": 1}'))

    ids = [call.id for call in read_chat(answer, NAMES).tool_calls]

    assert len(set(ids)) == 3
    assert all(ids)
    assert "x" in ids


REASONS = {
    "stop": "tool_calls",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    None: "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}


@pytest.mark.parametrize(("given", "reason"), REASONS.items(), ids=str)
def test_the_finish_reason_of_an_answer_with_calls(given: Any, reason: str) -> None:
    answer = chat_message(None, ("c", "f", "{}"), finish_reason=given)

    response = read_chat(answer, NAMES)

    assert response.finish_reason == reason
    assert response.should_execute_tools is (reason == "tool_calls")


def test_calls_with_an_unknown_reason_are_no_answer() -> None:
    with pytest.raises(ValueError, match="weird"):
        read_chat(chat_message(None, ("c", "f", "{}"), finish_reason="weird"), NAMES)


def test_a_refusal_is_shown() -> None:
    response = read_chat(chat_message(None, refusal="I can't help with that."), NAMES)

    assert response.content == "I can't help with that."


def test_a_filtered_answer_says_so() -> None:
    response = read_chat(chat_message(None, finish_reason="content_filter"), NAMES)

    assert response.content == "(The provider's content filter stopped this answer.)"


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept(key: str) -> None:
    response = read_chat(chat_message("x", **{key: "because"}), NAMES)

    assert response.reasoning_content == "because"


def test_reasoning_details_go_back_as_they_came() -> None:
    details = [{"type": "reasoning.encrypted", "data": "abc"}]
    response = read_chat(chat_message("x", reasoning_details=details), NAMES)
    message = {"role": "assistant", "content": "x", "thinking_blocks": response.thinking_blocks}

    shaped = chat_messages([message], NAMES, OTHERS)

    assert shaped[0]["reasoning_details"] == details


def test_a_providers_extra_content_goes_back_with_its_call() -> None:
    extra = {"google": {"thought_signature": "s"}}
    answer = chat_message(None, ("c", "f", "{}"))
    answer["choices"][0]["message"]["tool_calls"][0]["extra_content"] = extra
    call = read_chat(answer, NAMES).tool_calls[0].to_openai_tool_call()

    shaped: Any = chat_messages([{"role": "assistant", "tool_calls": [call]}], NAMES, OTHERS)

    assert shaped[0]["tool_calls"][0]["extra_content"] == extra


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": [{}]}, {"choices": [None]}])
def test_an_answer_without_a_message_is_none(answer: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no message"):
        read_chat(answer, NAMES)
