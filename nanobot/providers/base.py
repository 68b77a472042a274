"""What a model is asked and answers: `LLMProvider`, `LLMResponse`, `ToolCallRequest`.

Messages are in the form of OpenAI's Chat Completions, whatever the provider: `role`, `content`
(text or blocks), `tool_calls`, `tool_call_id`. An assistant message may also hold
`reasoning_content` (text) and `thinking_blocks` (the provider's own, sent back to it unchanged; each
provider takes the blocks whose `type` it knows, so that a conversation may change providers).
"""

from __future__ import annotations

import asyncio
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Self, TypeAlias

from nanobot.errors import ProviderError

OnDelta: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with each piece of text as it streams."""

OnRetry: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with one line before a wait: what failed and how long the wait is (a `RetryNotice`)."""

_EXECUTED_REASONS = frozenset({"tool_calls", "function_call", "stop"})
_SETTINGS = ("temperature", "max_tokens", "reasoning_effort")


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
    """The arguments as the text of one JSON object; `{}` for what no provider would take back."""
    if isinstance(arguments, dict):
        try:
            return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        except (ValueError, TypeError, RecursionError):
            return "{}"
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return "{}"
        return arguments if isinstance(parsed, dict) else "{}"
    return "{}"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a request is sent, and how long the waits between are.

    The wait doubles from `first_wait_s`, give or take a quarter, up to `longest_wait_s`. What the
    provider asks for (`Retry-After`) goes before it; where it asks for more than `longest_wait_s`
    the fault is final. `wait` does the waiting; tests put their own clock there.
    """

    attempts: int = 4
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait_after(self, attempt: int, error: ProviderError) -> float | None:
        """Seconds to wait after the attempt of that number (from 1); None: do not try again."""
        if not error.retryable or attempt >= self.attempts:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait_s else None
        doubled = self.first_wait_s * 2.0 ** (attempt - 1)
        jitter = random.uniform(0.75, 1.25)  # noqa: S311  # no secret
        return min(self.longest_wait_s, doubled * jitter)


class RetryNotice(str):
    """One line for a person about a wait; for code its parts, `reason` and `wait_s` (seconds)."""

    __slots__ = ("reason", "wait_s")

    reason: str
    wait_s: float

    def __new__(cls, reason: str, wait_s: float) -> Self:
        """The line made of its parts."""
        self = super().__new__(cls, f"{reason} Trying again in {wait_s:.1f} s.")
        self.reason = reason
        self.wait_s = wait_s
        return self


class LLMProvider(ABC):
    """A connection to models. Subclasses write `chat` and `get_default_model`, and may stream.

    `chat` and `chat_stream` raise `ProviderError`. The `..._with_retry` forms try again what may
    succeed later, then answer with `finish_reason="error"`; the agent loop calls those.
    """

    retry: RetryPolicy = RetryPolicy()
    """How the `..._with_retry` forms try again; may be set on an instance."""
    generation: GenerationSettings

    def __init__(self, generation: GenerationSettings | None = None) -> None:
        self.generation = generation or GenerationSettings()

    def settings_for(self, options: Mapping[str, Any]) -> GenerationSettings:
        """The settings of one request: its options, else the provider's own (`generation`)."""
        given = {name: options[name] for name in _SETTINGS if options.get(name) is not None}
        return replace(self.generation, **given)

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

        return await _with_retry(attempt, self.retry, on_retry_wait)

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

        def noting(callback: OnDelta | None) -> OnDelta | None:
            if callback is None:
                return None

            async def note(text: str) -> None:
                nonlocal shown
                shown = True
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

        return await _with_retry(attempt, self.retry, on_retry_wait, may_retry=lambda: not shown)

    async def aclose(self) -> None:  # noqa: B027  # most hold no connection
        """Close connections. Safe to call twice."""


async def _with_retry(
    attempt: Callable[[], Awaitable[LLMResponse]],
    policy: RetryPolicy,
    on_retry_wait: OnRetry | None,
    *,
    may_retry: Callable[[], bool] = lambda: True,
) -> LLMResponse:
    number = 1
    while True:
        try:
            return await attempt()
        except ProviderError as error:
            wait_s = policy.wait_after(number, error) if may_retry() else None
            if wait_s is None:
                return _error_response(error)
            notice = RetryNotice(error.message, wait_s)
        if on_retry_wait is not None:
            await on_retry_wait(notice)
        await policy.wait(wait_s)
        number += 1


def _error_response(error: ProviderError) -> LLMResponse:
    text = f"{error.message} {error.hint}".strip()
    return LLMResponse(content=text, finish_reason="error", error=error)


__all__ = [
    "GenerationSettings",
    "LLMProvider",
    "LLMResponse",
    "OnDelta",
    "OnRetry",
    "RetryNotice",
    "RetryPolicy",
    "ToolCallRequest",
]
