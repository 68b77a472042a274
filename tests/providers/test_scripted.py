from __future__ import annotations

from typing import Any

import pytest

from nanobot.errors import RateLimited
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider, Step, UnexpectedRequest, UnusedSteps

_QUESTION: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]


async def _ask(step: Step) -> LLMResponse:
    return await ScriptedProvider([step]).chat_with_retry(_QUESTION)


async def test_a_text_is_a_final_answer() -> None:
    response = await _ask("hello")

    assert (response.content, response.finish_reason, response.tool_calls) == ("hello", "stop", [])


@pytest.mark.parametrize(
    "step",
    [
        ("echo", {"text": "a"}),
        [("echo", {"text": "a"})],
        ToolCallRequest("call_1", "echo", {"text": "a"}),
        lambda messages, tools: ("echo", {"text": "a"}),
    ],
    ids=["call", "list", "request", "function"],
)
async def test_calls_get_ids_and_may_run(step: Step) -> None:
    response = await _ask(step)

    assert response.should_execute_tools
    assert response.tool_calls == [ToolCallRequest("call_1", "echo", {"text": "a"})]


async def test_a_function_sees_the_request() -> None:
    def last(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
        return f"{messages[-1]['content']} with {len(tools)} tools"

    response = await ScriptedProvider(last).chat(_QUESTION, [{"type": "function"}])

    assert response.content == "hi with 1 tools"


async def test_an_exception_is_an_error_response_without_another_try() -> None:
    response = await _ask(RateLimited("slow down"))

    assert response.finish_reason == "error"
    assert response.content == "slow down"


async def test_a_request_without_a_step_is_an_error() -> None:
    provider = ScriptedProvider([])

    with pytest.raises(UnexpectedRequest, match=r"request 1; its last message is .*'hi'"):
        await provider.chat_with_retry(_QUESTION)


def test_steps_that_are_left_are_an_error() -> None:
    with pytest.raises(UnusedSteps, match="1 steps"), ScriptedProvider(["never"]):
        pass


def test_a_failing_test_is_not_hidden_by_unused_steps() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedProvider(["never"]):
        raise ZeroDivisionError


async def test_a_wrong_step_is_named() -> None:
    with pytest.raises(TypeError, match="A call is"):
        await ScriptedProvider([[("echo",)]]).chat(_QUESTION)  # type: ignore[list-item]  # on purpose


async def test_it_streams_word_by_word() -> None:
    pieces: list[str] = []

    async def listen(text: str) -> None:
        pieces.append(text)

    step = LLMResponse(content="one two", reasoning_content="hm")
    response = await ScriptedProvider([step]).chat_stream_with_retry(
        _QUESTION, on_content_delta=listen, on_thinking_delta=listen
    )

    assert pieces == ["hm", "one ", "two"]
    assert response is step


async def test_it_notes_what_was_asked() -> None:
    provider = ScriptedProvider(["a"], model="m")
    messages = list(_QUESTION)

    await provider.chat_with_retry(messages=messages, model="x", temperature=0.5)
    messages.append({"role": "assistant", "content": "later"})

    assert provider.get_default_model() == "m"
    assert provider.requests[0].messages == _QUESTION
    assert provider.requests[0].options == {"temperature": 0.5}
