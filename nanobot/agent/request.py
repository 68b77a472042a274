"""One request to the model: in the form its provider takes, bounded in time."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from nanobot.errors import AnswerTimeout
from nanobot.keywords import accepts
from nanobot.providers.base import LLMResponse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from nanobot.agent.spec import AgentRunSpec
    from nanobot.providers.base import OnDelta, OnRetry

_TIMEOUT_S = 600.0
_DOORS = {
    "chat_with_retry": ("on_retry_wait",),
    "chat": (),
    "chat_stream_with_retry": ("on_content_delta", "on_thinking_delta", "on_retry_wait"),
    "chat_stream": ("on_content_delta", "on_thinking_delta"),
}
_WHOLE = ("chat_with_retry", "chat", "chat_stream_with_retry", "chat_stream")
_STREAMING = ("chat_stream_with_retry", "chat_stream", "chat_with_retry", "chat")

_Ask: TypeAlias = "Callable[..., Awaitable[LLMResponse]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """Who hears of an answer as it arrives, and of waits before another try."""

    text: OnDelta
    reasoning: OnDelta
    retry: OnRetry


class ModelRequest:
    """How one run asks its provider.

    A provider need not be an `LLMProvider`: `chat_with_retry(**kwargs)` alone, or `chat` alone, is
    enough. It gets keyword arguments only, and of ours only those that its signature takes.
    """

    def __init__(self, provider: object, spec: AgentRunSpec) -> None:
        self._provider = provider
        self.model = spec.model or _default_model(provider)
        self._timeout_s = _bound(spec.llm_timeout_s)
        settings = {
            "temperature": spec.temperature,
            "max_tokens": spec.max_tokens,
            "reasoning_effort": spec.reasoning_effort,
        }
        self._settings = {name: value for name, value in settings.items() if value is not None}

    @property
    def answer_tokens(self) -> int | None:
        """How long an answer may become, where the run or the provider says so."""
        own = getattr(getattr(self._provider, "generation", None), "max_tokens", None)
        wanted = self._settings.get("max_tokens", own)
        return wanted if isinstance(wanted, int) else None

    async def send(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        listeners: Listeners,
        *,
        streaming: bool,
    ) -> LLMResponse:
        """Ask, and wait at most the run's `llm_timeout_s`; a late answer is an `error` response.

        Raises:
            Exception: what the provider raises. Ours answer with `finish_reason="error"` instead.
        """
        name, ask = self._door(_STREAMING if streaming else _WHOLE)
        heard = {
            "on_content_delta": listeners.text,
            "on_thinking_delta": listeners.reasoning,
            "on_retry_wait": listeners.retry,
        }
        options = {word: heard[word] for word in _DOORS[name] if accepts(ask, word)}
        try:
            async with asyncio.timeout(self._timeout_s) as deadline:
                return await ask(
                    messages=messages,
                    tools=list(tools) or None,
                    model=self.model,
                    **self._settings,
                    **options,
                )
        except TimeoutError:
            if not deadline.expired():
                raise
            return _too_late(self._timeout_s)

    def _door(self, names: Sequence[str]) -> tuple[str, _Ask]:
        for name in names:
            method: _Ask | None = getattr(self._provider, name, None)
            if callable(method):
                return name, method
        kind = type(self._provider).__name__
        raise TypeError(f"{kind} is no provider: it has neither chat_with_retry nor chat")


def _default_model(provider: object) -> str:
    named = getattr(provider, "get_default_model", None)
    return str(named()) if callable(named) else ""


def _bound(timeout_s: float | None) -> float | None:
    if timeout_s is None:
        return _TIMEOUT_S
    return timeout_s if 0 < timeout_s < math.inf else None


def _too_late(seconds: float | None) -> LLMResponse:
    error = AnswerTimeout(f"The model did not answer within {seconds or 0:g} s.")
    return LLMResponse(content=error.message, finish_reason="error", error=error)


__all__ = ["Listeners", "ModelRequest"]
