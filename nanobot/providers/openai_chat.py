"""Chat Completions: messages → request body, answer → `LLMResponse`. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.portable import as_object
from nanobot.agent.tools.shapes import openai_chat_tools
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.calls import calls_in, chosen_tool, read_arguments, with_own_ids
from nanobot.providers.content import ImagePart, OtherPart, TextPart, parts_of, text_of
from nanobot.providers.usage import openai_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.agent.tools.names import NameMap
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.providers.base import GenerationSettings
    from nanobot.providers.content import Part

_REASONS = {
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
}
_FILTERED = "(The provider's content filter stopped this answer.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDialect:
    """In what a server differs.

    `official`: OpenAI's own (`max_completion_tokens`, `strict`), which takes no reasoning back;
    `reasoning`: the model takes no temperature there.
    """

    official: bool = False
    reasoning: bool = False


def chat_body(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    names: NameMap,
    *,
    model: str,
    settings: GenerationSettings,
    dialect: ChatDialect,
    tool_choice: object = None,
) -> JsonObject:
    """The body of a request, without `stream`."""
    body: JsonObject = {"model": model, "messages": [*chat_messages(messages, names, dialect)]}
    if tools and (shaped := openai_chat_tools(tools, names, strict=dialect.official)):
        body["tools"] = [*shaped]
        if tool_choice is not None:
            body["tool_choice"] = _tool_choice(tool_choice, names)
    if settings.temperature is not None and not (dialect.official and dialect.reasoning):
        body["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        limit = "max_completion_tokens" if dialect.official else "max_tokens"
        body[limit] = settings.max_tokens
    if settings.reasoning_effort:
        body["reasoning_effort"] = settings.reasoning_effort
    return body


def chat_messages(
    messages: Sequence[Mapping[str, Any]], names: NameMap, dialect: ChatDialect
) -> list[JsonObject]:
    """The messages with only the keys the API knows, names mapped, images where it takes them.

    A tool message can't carry an image: it follows, after the last result of its turn, in a
    message of the user.
    """
    shaped: list[JsonObject] = []
    images: list[JsonValue] = []
    this_turn = _start_of_turn(messages)
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            shaped.append(_tool_message(message, images))
            continue
        if images:
            shaped.append({"role": "user", "content": images})
            images = []
        if message.get("role") == "assistant":
            current = index >= this_turn and not dialect.official
            shaped.append(_assistant_message(message, names, reasoning=current))
        else:
            shaped.append(_plain_message(message))
    if images:
        shaped.append({"role": "user", "content": images})
    return shaped


def _start_of_turn(messages: Sequence[Mapping[str, Any]]) -> int:
    """The index after the last message of the user.

    DeepSeek and its like want the reasoning of the calls of the current turn back, and no other.
    """
    asked = (index for index, message in enumerate(messages) if message.get("role") == "user")
    return max(asked, default=-1) + 1


def _plain_message(message: Mapping[str, Any]) -> JsonObject:
    content = message.get("content")
    if isinstance(content, list):
        parts = parts_of(content)
        if all(isinstance(part, TextPart) for part in parts):
            content = text_of(content)
        else:
            content = [_part(part) for part in parts]
    return {"role": str(message.get("role") or "user"), "content": content or ""}


def _part(part: Part) -> JsonValue:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            image: JsonObject = {"url": part.address}
            if part.detail:
                image["detail"] = part.detail
            return {"type": "image_url", "image_url": image}
        case OtherPart():
            return part.part


def _assistant_message(
    message: Mapping[str, Any], names: NameMap, *, reasoning: bool
) -> JsonObject:
    calls = [_call(call, names) for call in calls_in(message)]
    text = text_of(message.get("content"))
    shaped: JsonObject = {"role": "assistant", "content": text or (None if calls else "")}
    if calls:
        shaped["tool_calls"] = [*calls]
    if reasoning and calls and message.get("reasoning_content"):
        shaped["reasoning_content"] = message["reasoning_content"]
    blocks = message.get("thinking_blocks") or ()
    details = [each for each in blocks if str(each.get("type", "")).startswith("reasoning.")]
    if details:
        shaped["reasoning_details"] = details
    return shaped


def _call(call: Mapping[str, Any], names: NameMap) -> JsonObject:
    function = call["function"]
    request = ToolCallRequest(
        id=str(call.get("id") or ""),
        name=names.to_provider(str(function.get("name") or "unnamed")),
        arguments=function.get("arguments"),
        extra_content=call.get("extra_content"),
    )
    return request.to_openai_tool_call()


def _tool_message(message: Mapping[str, Any], images: list[JsonValue]) -> JsonObject:
    """The text of a result; its images are added to `images`."""
    parts = parts_of(message.get("content"))
    call_id = str(message.get("tool_call_id") or "")
    shown = [part for part in parts if isinstance(part, ImagePart)]
    text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
    if shown:
        images.append({"type": "text", "text": f"Images in the result of call {call_id}:"})
        images.extend(_part(part) for part in shown)
        text = text or f"({len(shown)} image(s), shown in the next message)"
    return {"role": "tool", "tool_call_id": call_id, "content": text or "(no text)"}


def _tool_choice(choice: object, names: NameMap) -> JsonValue:
    if isinstance(choice, dict):
        return {"type": "function", "function": {"name": names.to_provider(chosen_tool(choice))}}
    return str(choice)


def read_chat(answer: Mapping[str, Any], names: NameMap) -> LLMResponse:
    """The answer of a whole body, or of a joined stream.

    Raises:
        ValueError: it has no message, or stopped for an unknown reason with calls in it.
    """
    choices = answer.get("choices")
    choice = as_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = as_object(choice.get("message"))
    if not message:
        raise ValueError("no message in the answer")
    calls = _read_calls(message, names)
    reason = _reason(choice.get("finish_reason"), has_calls=bool(calls))
    content = text_of(message.get("content")) or str(message.get("refusal") or "")
    if reason == "content_filter" and not content:
        content = _FILTERED
    return LLMResponse(
        content=content or None,
        tool_calls=calls,
        finish_reason=reason,
        usage=openai_usage(answer.get("usage")),
        reasoning_content=reasoning_text(message) or None,
        thinking_blocks=_details(message) or None,
    )


def _details(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    details = message.get("reasoning_details")
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def reasoning_text(message: Mapping[str, Any]) -> str:
    """The reasoning of a message or a delta: servers name it in one of two ways."""
    text = message.get("reasoning_content") or message.get("reasoning")
    return text if isinstance(text, str) else ""


def _read_calls(message: Mapping[str, Any], names: NameMap) -> list[ToolCallRequest]:
    calls = calls_in(message)
    if isinstance(message.get("function_call"), dict):
        calls.append({"function": message["function_call"]})
    return with_own_ids(_read_call(call, names) for call in calls)


def _read_call(call: Mapping[str, Any], names: NameMap) -> ToolCallRequest:
    function = call["function"]
    extra = call.get("extra_content")
    return ToolCallRequest(
        id=str(call.get("id") or ""),
        name=names.from_provider(str(function.get("name") or "")),
        arguments=read_arguments(function.get("arguments")),
        extra_content=extra if isinstance(extra, dict) else None,
    )


def _reason(given: object, *, has_calls: bool) -> str:
    """The finish reason in our words; servers that say `stop`, or nothing, beside calls are fine."""
    reason = _REASONS.get(str(given or "stop").lower())
    if reason is None:
        if has_calls:
            raise ValueError(f"calls with the unknown finish reason {given!r}")
        return "stop"
    if has_calls and reason == "stop":
        return "tool_calls"
    return "stop" if reason == "tool_calls" and not has_calls else reason


__all__ = ["ChatDialect", "chat_body", "chat_messages", "read_chat", "reasoning_text"]
