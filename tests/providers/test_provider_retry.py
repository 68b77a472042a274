"""How `..._with_retry` tries again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.errors import KeyRejected, NetworkFault, ProviderError, RateLimited, ServerFault
from nanobot.providers.base import (
    GenerationSettings,
    LLMProvider,
    LLMResponse,
    RetryPolicy,
    ToolCallRequest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Failing(LLMProvider):
    """Fails with each error in turn, then answers."""

    def __init__(self, *errors: ProviderError, shown_first: str = "") -> None:
        super().__init__()
        self.errors = list(errors)
        self.shown_first = shown_first
        self.waits: list[float] = []
        self.retry = RetryPolicy(wait=self._wait)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        **options: Any,
    ) -> LLMResponse:
        if self.errors:
            raise self.errors.pop(0)
        return LLMResponse(content="answer")

    async def chat_stream(
        self, messages: list[dict[str, Any]], *args: Any, on_content_delta: Any = None, **more: Any
    ) -> LLMResponse:
        if self.shown_first and on_content_delta:
            await on_content_delta(self.shown_first)
        return await self.chat(messages)

    def get_default_model(self) -> str:
        return "failing"


async def test_a_fault_that_passes_is_tried_again() -> None:
    provider = _Failing(ServerFault("down."), NetworkFault("broken."))
    lines: list[str] = []

    async def told(line: str) -> None:
        lines.append(line)

    response = await provider.chat_with_retry([], on_retry_wait=told)

    assert response.content == "answer"
    assert lines[0].startswith("down. Trying again in ")
    assert len(lines) == 2
    assert provider.waits[0] < provider.waits[1]


async def test_a_final_fault_is_not_tried_again() -> None:
    provider = _Failing(KeyRejected("no key.", hint="Set one."))

    response = await provider.chat_with_retry([])

    assert response.finish_reason == "error"
    assert response.content == "no key. Set one."
    assert isinstance(response.error, KeyRejected)
    assert provider.waits == []


async def test_attempts_are_bounded() -> None:
    provider = _Failing(*[ServerFault("down.") for _ in range(10)])

    response = await provider.chat_with_retry([])

    assert response.finish_reason == "error"
    assert len(provider.waits) == 3


async def test_retry_after_is_obeyed() -> None:
    provider = _Failing(RateLimited("slow.", retry_after=17.0))

    await provider.chat_with_retry([])

    assert provider.waits == [17.0]


async def test_a_wait_that_nobody_would_wait_is_final() -> None:
    provider = _Failing(RateLimited("slow.", retry_after=3600.0))

    response = await provider.chat_with_retry([])

    assert response.finish_reason == "error"
    assert provider.waits == []


async def test_nothing_is_shown_twice() -> None:
    provider = _Failing(NetworkFault("broken."), shown_first="Hel")
    shown: list[str] = []

    async def show(piece: str) -> None:
        shown.append(piece)

    response = await provider.chat_stream_with_retry([], on_content_delta=show)

    assert response.finish_reason == "error"
    assert shown == ["Hel"]


async def test_a_stream_that_nobody_watches_is_tried_again() -> None:
    provider = _Failing(NetworkFault("broken."), shown_first="Hel")

    response = await provider.chat_stream_with_retry([])

    assert response.content == "answer"


async def test_cancelling_ends_the_wait() -> None:
    provider = _Failing(ServerFault("down."))
    provider.retry = RetryPolicy(first_wait_s=60)
    waiting = asyncio.Event()

    async def told(line: str) -> None:
        waiting.set()

    task = asyncio.create_task(provider.chat_with_retry([], on_retry_wait=told))
    await waiting.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


def test_options_go_before_the_providers_own_settings() -> None:
    provider = _Failing()
    provider.generation = GenerationSettings(temperature=0.5, max_tokens=10)

    settings = provider.settings_for({"temperature": 0.0, "max_tokens": None, "tool_choice": "x"})

    assert settings == GenerationSettings(temperature=0.0, max_tokens=10)


REPLAYED = {
    "object": ({"a": 1}, '{"a": 1}'),
    "text": ('{"a": 1}', '{"a": 1}'),
    "cut_text": ('{"a": ', "{}"),
    "list": ("[1]", "{}"),
    "nothing": (None, "{}"),
    "not_finite": ({"a": float("nan")}, "{}"),
    "not_finite_text": ('{"a": NaN}', "{}"),
    "deep": ("[" * 100_000, "{}"),
}


@pytest.mark.parametrize(("arguments", "text"), REPLAYED.values(), ids=REPLAYED)
def test_a_replayed_call_always_holds_an_object(arguments: Any, text: str) -> None:
    call = ToolCallRequest("c1", "f", arguments).to_openai_tool_call()

    assert call["function"] == {"name": "f", "arguments": text}
