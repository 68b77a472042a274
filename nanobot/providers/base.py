"""What a model is asked and answers: `LLMProvider`, `LLMResponse`, `ToolCallRequest`.

Messages are in the form of OpenAI's Chat Completions, whatever the provider: `role`, `content`
(text or blocks), `tool_calls`, `tool_call_id`. An assistant message may also hold
`reasoning_content` (text) and `thinking_blocks` (the provider's own, sent back to it unchanged).
"""

from __future__ import annotations

import asyncio
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from nanobot.errors import ProviderError

OnDelta: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with each piece of text as it streams."""

OnRetry: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with one line before a wait: what failed and for how long the provider waits."""

_EXECUTED_REASONS = frozenset({"tool_calls", "function_call", "stop"})
_ATTEMPTS = 4
_LONGEST_WAIT_S = 60.0


@dataclass(slots=True, kw_only=True)
class GenerationSettings:
    """How a model generates. None leaves the choice to the provider."""

    temperature: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None


@dataclass(slots=True)
class ToolCallRequest:
    """One call a model asks for.

    `arguments` is the object the model gave, or its raw text where that was no JSON object: the
    call path refuses it with a message that the model can read. `extra_content` is the provider's
    own, sent back to it unchanged.
    """

    id: str
    name: str
    arguments: Any = None
    extra_content: dict[str, Any] | None = None

    def to_openai_tool_call(self) -> dict[str, Any]:
        """The call in the form of a Chat Completions message; `arguments` is always an object."""
        call: dict[str, Any] = {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": _object_text(self.arguments)},
        }
        if self.extra_content:
            call["extra_content"] = self.extra_content
        return call


def _object_text(arguments: object) -> str:
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except ValueError:
            return "{}"
        return arguments if isinstance(parsed, dict) else "{}"
    return "{}"


@dataclass(slots=True)
class LLMResponse:
    """A model's answer.

    `finish_reason`: `stop`, `tool_calls`, `length`, `content_filter` or `error` (then `content` is
    one line that says what failed, and `error` the exception where there was one). `usage`:
    `prompt_tokens`, `completion_tokens`, `total_tokens` and, where known, `cached_tokens`,
    `reasoning_tokens`.
    """

    content: str | None = None
    tool_calls: list[ToolCallRequest] = field(default_factory=list)
    finish_reason: str = "stop"
    usage: dict[str, int] = field(default_factory=dict)
    reasoning_content: str | None = None
    thinking_blocks: list[dict[str, Any]] | None = None
    error: ProviderError | None = None

    @property
    def has_tool_calls(self) -> bool:
        """Whether the answer asks for at least one call."""
        return bool(self.tool_calls)

    @property
    def should_execute_tools(self) -> bool:
        """Whether its calls may run: an answer cut by its length limit never executes one."""
        return bool(self.tool_calls) and self.finish_reason in _EXECUTED_REASONS


class LLMProvider(ABC):
    """A connection to models. Subclasses write `chat` and `get_default_model`, and may stream.

    `chat` and `chat_stream` raise `ProviderError`. The `..._with_retry` forms try again what may
    succeed later, then answer with `finish_reason="error"`; the agent loop calls those.
    """

    def __init__(self, generation: GenerationSettings | None = None) -> None:
        self.generation = generation or GenerationSettings()

    @abstractmethod
    async def chat(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        **options: Any,
    ) -> LLMResponse:
        """One request, one answer. Options: the fields of `GenerationSettings`, `tool_choice`."""

    @abstractmethod
    def get_default_model(self) -> str:
        """The model that is asked where none is named."""

    async def chat_stream(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        *,
        on_content_delta: OnDelta | None = None,
        on_thinking_delta: OnDelta | None = None,
        **options: Any,
    ) -> LLMResponse:
        """The same, with the text in pieces as it arrives. Here: `chat`, then one piece."""
        response = await self.chat(messages, tools, model, **options)
        if response.reasoning_content and on_thinking_delta:
            await on_thinking_delta(response.reasoning_content)
        if response.content and on_content_delta:
            await on_content_delta(response.content)
        return response

    async def chat_with_retry(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        *,
        on_retry_wait: OnRetry | None = None,
        **options: Any,
    ) -> LLMResponse:
        """`chat`, tried again after faults that pass; a final fault is an `error` response."""

        async def attempt() -> LLMResponse:
            return await self.chat(messages, tools, model, **options)

        return await _with_retry(attempt, on_retry_wait)

    async def chat_stream_with_retry(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]] | None = None,
        model: str | None = None,
        *,
        on_content_delta: OnDelta | None = None,
        on_thinking_delta: OnDelta | None = None,
        on_retry_wait: OnRetry | None = None,
        **options: Any,
    ) -> LLMResponse:
        """`chat_stream`, tried again only while nothing has been shown yet."""
        shown = False

        def noting(callback: OnDelta | None) -> OnDelta:
            async def note(text: str) -> None:
                nonlocal shown
                shown = True
                if callback is not None:
                    await callback(text)

            return note

        async def attempt() -> LLMResponse:
            return await self.chat_stream(
                messages,
                tools,
                model,
                on_content_delta=noting(on_content_delta),
                on_thinking_delta=noting(on_thinking_delta),
                **options,
            )

        return await _with_retry(attempt, on_retry_wait, may_retry=lambda: not shown)

    async def aclose(self) -> None:
        """Close connections. Safe to call twice."""


async def _with_retry(
    attempt: Callable[[], Awaitable[LLMResponse]],
    on_retry_wait: OnRetry | None,
    *,
    may_retry: Callable[[], bool] = lambda: True,
) -> LLMResponse:
    for number in range(1, _ATTEMPTS + 1):
        try:
            return await attempt()
        except ProviderError as error:
            wait_s = _wait_before(number, error)
            if number == _ATTEMPTS or not error.retryable or not may_retry() or wait_s is None:
                return _error_response(error)
            if on_retry_wait is not None:
                await on_retry_wait(f"{error.message}; trying again in {wait_s:.1f} s")
            await asyncio.sleep(wait_s)
    raise AssertionError("unreachable: the last attempt returns")


def _wait_before(attempt: int, error: ProviderError) -> float | None:
    """Seconds to wait; None where the provider asks for longer than anyone would wait."""
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= _LONGEST_WAIT_S else None
    return min(_LONGEST_WAIT_S, 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.25)  # noqa: S311  # jitter, not a secret


def _error_response(error: ProviderError) -> LLMResponse:
    text = f"{error.message} {error.hint}".strip()
    return LLMResponse(content=text, finish_reason="error", error=error)


__all__ = [
    "GenerationSettings",
    "LLMProvider",
    "LLMResponse",
    "OnDelta",
    "OnRetry",
    "ToolCallRequest",
]
