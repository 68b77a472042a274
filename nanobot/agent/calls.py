"""Answers of a model as messages, and its calls with ids of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nanobot.agent.history import UNNAMED, own_id
from nanobot.surrogates import mend_text, mend_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.history import Message
    from nanobot.providers.base import LLMResponse, ToolCallRequest


def own_calls(calls: Sequence[ToolCallRequest], taken: set[str]) -> list[ToolCallRequest]:
    """The calls, each with a name and with an id that is not `taken`, which is then taken.

    Two calls with one id are two calls: both run (CASES.md H1).
    """
    return [_own(call, taken) for call in calls]


def _own(call: ToolCallRequest, taken: set[str]) -> ToolCallRequest:
    call_id = own_id(call.id, taken)
    name = call.name if (call.name or "").strip() else UNNAMED
    if call_id == call.id and name == call.name:
        return call
    return replace(call, id=call_id, name=name)


def asking_message(response: LLMResponse, calls: Sequence[ToolCallRequest]) -> Message:
    """The assistant message that asks for these calls."""
    message = saying_message(response.content, response)
    message["tool_calls"] = [call.to_openai_tool_call() for call in calls]
    return mend_value(message)


def saying_message(text: str | None, response: LLMResponse) -> Message:
    """The assistant message of an answer, with the reasoning that its provider wants back."""
    message: Message = {"role": "assistant", "content": mend_text(text or "")}
    if response.reasoning_content:
        message["reasoning_content"] = response.reasoning_content
    if response.thinking_blocks:
        message["thinking_blocks"] = [*response.thinking_blocks]
    return message


def call_event(name: str, status: str, detail: str) -> dict[str, str]:
    """The record of one call, as `AgentRunResult.tool_events` holds it."""
    return {"name": name, "status": status, "detail": detail}


__all__ = ["asking_message", "call_event", "own_calls", "saying_message"]
