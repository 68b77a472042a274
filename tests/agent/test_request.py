"""Providers that are not ours: how little is enough."""

from __future__ import annotations

from typing import Any

import pytest

from nanobot.agent.runner import AgentRunner
from nanobot.providers.base import LLMResponse
from tests.fakes import EchoTool, RecordingHook
from tests.runs import spec


class _OnlyRetry:
    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def chat_with_retry(self, **kwargs: Any) -> LLMResponse:
        self.asked.append(kwargs)
        return LLMResponse(content="done")


class _Strict:
    """Takes no keyword but these."""

    async def chat_with_retry(self, messages: Any, tools: Any, model: Any) -> LLMResponse:
        return LLMResponse(content=f"strict {model}")


class _OnlyChat:
    async def chat(
        self, messages: Any, tools: Any = None, model: Any = None, **options: Any
    ) -> LLMResponse:
        return LLMResponse(content=f"chat {sorted(options)}")


class _OnlyStream:
    def get_default_model(self) -> str:
        return "own"

    async def chat_stream_with_retry(
        self, *, messages: Any, tools: Any, model: Any, on_content_delta: Any
    ) -> LLMResponse:
        await on_content_delta("piece")
        return LLMResponse(content=f"stream {model}")


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        (_OnlyRetry(), "done"),
        (_Strict(), "strict m"),
        (_OnlyChat(), "chat []"),
        (_OnlyStream(), "stream m"),
    ],
    ids=["retry", "strict", "chat", "stream"],
)
async def test_one_door_is_enough(provider: object, answer: str) -> None:
    result = await AgentRunner(provider).run(spec())

    assert result.final_content == answer


async def test_a_request_has_only_what_was_set() -> None:
    provider = _OnlyRetry()

    await AgentRunner(provider).run(spec(EchoTool(), temperature=0.0, max_tokens=5))

    (asked,) = provider.asked
    on_retry_wait = asked.pop("on_retry_wait")
    assert callable(on_retry_wait)
    assert [tool["function"]["name"] for tool in asked.pop("tools")] == ["echo"]
    assert asked == {
        "messages": [{"role": "user", "content": "go"}],
        "model": "m",
        "temperature": 0.0,
        "max_tokens": 5,
    }


async def test_without_a_model_the_provider_names_its_own() -> None:
    result = await AgentRunner(_OnlyStream()).run(spec(model=None))

    assert result.final_content == "stream own"


async def test_a_provider_that_cannot_stream_still_serves_a_hook_that_wants_it() -> None:
    hook = RecordingHook(streaming=True)

    result = await AgentRunner(_OnlyRetry()).run(spec(hook=hook))

    assert result.final_content == "done"
    assert (hook.deltas, hook.ends) == ([], [False])


async def test_what_is_no_provider_is_named() -> None:
    with pytest.raises(TypeError, match="object is no provider"):
        await AgentRunner(object()).run(spec())


async def test_a_timeout_of_the_provider_itself_is_raised() -> None:
    class Timing:
        async def chat(self, **kwargs: Any) -> LLMResponse:
            raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        await AgentRunner(Timing()).run(spec())


@pytest.mark.parametrize("seconds", [0, -1, float("inf")], ids=["zero", "negative", "infinite"])
async def test_a_bound_that_is_none_does_not_stop_an_answer(seconds: float) -> None:
    result = await AgentRunner(_OnlyRetry()).run(spec(llm_timeout_s=seconds))

    assert result.stop_reason == "completed"
