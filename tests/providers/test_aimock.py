"""All three protocols against a server that somebody else wrote."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import pytest

from nanobot.errors import RateLimited
from nanobot.providers.anthropic import AnthropicProvider
from nanobot.providers.base import LLMProvider, LLMResponse, RetryPolicy
from nanobot.providers.openai import OpenAIProvider

Ask: TypeAlias = Callable[..., Any]


def _openai(api: Any) -> Callable[[str], LLMProvider]:
    def make(origin: str) -> LLMProvider:
        return OpenAIProvider(model="gpt-5.5", base_url=f"{origin}/v1", api_key="k" * 20, api=api)

    return make


def _anthropic(origin: str) -> LLMProvider:
    return AnthropicProvider(model="claude-sonnet-5-5", base_url=origin, api_key="k" * 20)


PROTOCOLS = {"chat": _openai("chat"), "responses": _openai("responses"), "messages": _anthropic}


@pytest.fixture(params=PROTOCOLS)
async def provider(request: pytest.FixtureRequest, aimock: str) -> AsyncIterator[LLMProvider]:
    made = PROTOCOLS[request.param](aimock)
    yield made
    await made.aclose()


@pytest.fixture(params=["whole", "streamed"])
def ask(request: pytest.FixtureRequest, provider: LLMProvider) -> Ask:
    if request.param == "whole":
        return provider.chat
    return provider.chat_stream


def _user(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]


async def test_text_arrives_with_its_usage(ask: Ask) -> None:
    response: LLMResponse = await ask(_user("greet me"))

    assert response.content == "Hello there, how are you?"
    assert response.finish_reason == "stop"
    counts = {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}
    assert response.usage.items() >= counts.items()


async def test_parallel_calls_keep_order_ids_and_arguments(
    ask: Ask, weather_tool: dict[str, Any]
) -> None:
    response: LLMResponse = await ask(_user("make two calls"), [weather_tool])

    assert response.should_execute_tools
    assert response.content == "I look twice."
    assert [call.arguments for call in response.tool_calls] == [
        {"city": "Oslo"},
        {"city": "Rome ☀"},
    ]
    assert [call.id for call in response.tool_calls] == ["call_a", "call_b"]


async def test_results_go_back_and_the_answer_comes(ask: Ask, weather_tool: dict[str, Any]) -> None:
    messages = _user("make one call")
    asked: LLMResponse = await ask(messages, [weather_tool])
    call = asked.tool_calls[0]
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [call.to_openai_tool_call()]},
        {"role": "tool", "tool_call_id": call.id, "content": "sun"},
    ]

    answered: LLMResponse = await ask(messages, [weather_tool])

    assert answered.content == "It is sunny."


async def test_a_length_cut_never_executes(ask: Ask, weather_tool: dict[str, Any]) -> None:
    response: LLMResponse = await ask(_user("be cut off"), [weather_tool])

    assert response.finish_reason == "length"
    assert not response.should_execute_tools


async def test_pieces_arrive_as_they_are_written(provider: LLMProvider) -> None:
    pieces: list[str] = []

    async def show(piece: str) -> None:
        pieces.append(piece)

    response = await provider.chat_stream(_user("greet me"), on_content_delta=show)

    assert len(pieces) > 1
    assert "".join(pieces) == response.content


async def test_a_rate_limit_is_told_apart_and_tried_again(provider: LLMProvider, ask: Ask) -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    with pytest.raises(RateLimited, match="takes no more requests"):
        await ask(_user("too often"))
    provider.retry = RetryPolicy(attempts=3, wait=wait)
    response = await provider.chat_with_retry(_user("too often"))

    assert response.finish_reason == "error"
    assert len(waits) == 2
