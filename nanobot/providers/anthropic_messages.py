"""Anthropic's Messages: messages → request body, answer → `LLMResponse`. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.shapes import anthropic_tools
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.calls import calls_in, chosen_tool, read_arguments, with_own_ids
from nanobot.providers.content import ImagePart, OtherPart, TextPart, parts_of, text_of
from nanobot.providers.usage import anthropic_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.agent.tools.names import NameMap
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.providers.base import GenerationSettings
    from nanobot.providers.content import Part

DEFAULT_MAX_TOKENS = 32_000
"""Messages wants a limit in every request; this one is taken where none is set."""

_CACHE: JsonObject = {"type": "ephemeral"}
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_REFUSED = "(The model declined to answer.)"
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_THINKING = frozenset({"thinking", "redacted_thinking"})
_FOREIGN_ID = re.compile(r"[^A-Za-z0-9_-]")
_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192}
_LARGEST_BUDGET = 16_384
_EFFORTS = {"minimal": "low", "none": ""}
_BUDGET_MODELS = re.compile(r"claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)")
"""Models that think by a budget of tokens; later ones by effort (`thinking.type: adaptive`)."""


def messages_body(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    names: NameMap,
    *,
    model: str,
    settings: GenerationSettings,
    tool_choice: object = None,
) -> JsonObject:
    """The body of a request, without `stream`.

    Cache marks stand on the last tool, the system text and the last message, so that each request
    of a run reads what the one before it wrote.
    """
    turns = anthropic_turns(messages, names)
    body: JsonObject = {
        "model": model,
        "max_tokens": settings.max_tokens or DEFAULT_MAX_TOKENS,
        "messages": [*turns],
    }
    system: list[JsonObject] = [
        {"type": "text", "text": text} for text in _system_texts(messages) if text.strip()
    ]
    if system:
        _mark(system)
        body["system"] = [*system]
    forced = False
    if tools and (shaped := anthropic_tools(tools, names)):
        _mark(shaped)
        body["tools"] = [*shaped]
        if tool_choice is not None:
            choice = _tool_choice(tool_choice, names)
            forced = choice["type"] in {"any", "tool"}
            body["tool_choice"] = choice
    body.update(_thinking(model, settings, possible=not forced and _may_think(messages)))
    if settings.temperature is not None and "thinking" not in body:
        body["temperature"] = settings.temperature
    return body


def anthropic_turns(messages: Sequence[Mapping[str, Any]], names: NameMap) -> list[JsonObject]:
    """The messages as turns of the user and the assistant that alternate, results first."""
    turns: list[JsonObject] = []
    for message in messages:
        role = message.get("role")
        if role in {"system", "developer"}:
            continue
        blocks = _blocks(message, names)
        if not blocks:
            continue
        speaker = "assistant" if role == "assistant" else "user"
        last = turns[-1] if turns else None
        if last is not None and last["role"] == speaker and isinstance(last["content"], list):
            last["content"].extend(blocks)
        else:
            turns.append({"role": speaker, "content": [*blocks]})
    if not turns or turns[0]["role"] != "user":
        opening: list[JsonValue] = [{"type": "text", "text": "(The conversation goes on.)"}]
        turns.insert(0, {"role": "user", "content": opening})
    _mark(turns[-1]["content"])
    return turns


def _system_texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    roles = {"system", "developer"}
    return [text_of(each.get("content")) for each in messages if each.get("role") in roles]


def _mark(blocks: object) -> None:
    """Put a cache mark on the last block, where it is of a kind that may carry one."""
    last = blocks[-1] if isinstance(blocks, list) and blocks else None
    if isinstance(last, dict) and last.get("type") not in _THINKING:
        last["cache_control"] = dict(_CACHE)


def _blocks(message: Mapping[str, Any], names: NameMap) -> list[JsonObject]:
    parts = parts_of(message.get("content"))
    if message.get("role") == "tool":
        result: JsonObject = {
            "type": "tool_result",
            "tool_use_id": _id(message.get("tool_call_id")),
        }
        content = [*_parts(parts)]
        result["content"] = [*content] if content else "(no text)"
        return [result]
    if message.get("role") != "assistant":
        return _parts(parts)
    thinking = [
        {key: value for key, value in block.items() if key != "cache_control"}
        for block in message.get("thinking_blocks") or ()
        if block.get("type") in _THINKING
    ]
    calls = [_tool_use(call, names) for call in calls_in(message)]
    said = [*_parts(parts), *calls]
    return [*thinking, *said] if said else []


def _tool_use(call: Mapping[str, Any], names: NameMap) -> JsonObject:
    function = call["function"]
    arguments = read_arguments(function.get("arguments"))
    return {
        "type": "tool_use",
        "id": _id(call.get("id")),
        "name": names.to_provider(str(function.get("name") or "unnamed")),
        "input": arguments if isinstance(arguments, dict) else {},
    }


def _id(given: object) -> str:
    """The id in the letters that Messages takes; a conversation may come from elsewhere."""
    return _FOREIGN_ID.sub("_", str(given or "")) or "unnamed"


def _parts(parts: Sequence[Part]) -> list[JsonObject]:
    shaped = (_part(part) for part in parts)
    return [part for part in shaped if part.get("text") is None or str(part["text"]).strip()]


def _part(part: Part) -> JsonObject:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart(url="", media_type=media_type) if media_type not in _IMAGE_TYPES:
            return {"type": "text", "text": f"[an image of type {media_type}, not shown]"}
        case ImagePart(url=""):
            source: JsonObject = {
                "type": "base64",
                "media_type": part.media_type,
                "data": part.data,
            }
            return {"type": "image", "source": source}
        case ImagePart():
            return {"type": "image", "source": {"type": "url", "url": part.url}}
        case OtherPart():
            return _other(part.part)


def _other(part: JsonObject) -> JsonObject:
    if part.get("type") in {"document", "search_result"}:
        return part
    return {"type": "text", "text": f"[content of type {part.get('type')}, not shown]"}


def _tool_choice(choice: object, names: NameMap) -> JsonObject:
    if isinstance(choice, dict):
        return {"type": "tool", "name": names.to_provider(chosen_tool(choice))}
    return {"type": {"required": "any", "none": "none"}.get(str(choice), "auto")}


def _may_think(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each call of the turn that is going on has its thinking: it must be sent with it."""
    for message in reversed(messages):
        if message.get("role") == "user":
            return True
        if message.get("role") == "assistant" and message.get("tool_calls"):
            blocks = message.get("thinking_blocks") or ()
            return any(block.get("type") in _THINKING for block in blocks)
    return True


def _thinking(model: str, settings: GenerationSettings, *, possible: bool) -> JsonObject:
    effort = settings.reasoning_effort or ""
    if _BUDGET_MODELS.match(model) is None:
        effort = _EFFORTS.get(effort, effort)
        if not effort:
            return {}
        thinking: JsonObject = {"thinking": {"type": "adaptive"}} if possible else {}
        return {"output_config": {"effort": effort}, **thinking}
    limit = settings.max_tokens or DEFAULT_MAX_TOKENS
    budget = min(_BUDGETS.get(effort, _LARGEST_BUDGET), limit // 2)
    if not possible or effort in {"", "none"} or budget < _BUDGETS["minimal"]:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def read_messages(answer: Mapping[str, Any], names: NameMap) -> LLMResponse:
    """The answer of a whole body, or of a joined stream.

    Raises:
        ValueError: it has no content, or stopped for an unknown reason with calls in it.
    """
    content = answer.get("content")
    if not isinstance(content, list):
        raise ValueError("no content in the answer")  # noqa: TRY004  # a fault of the data
    blocks = [block for block in content if isinstance(block, dict)]
    calls = [_read_call(block, names) for block in blocks if block.get("type") == "tool_use"]
    text = "".join(str(b.get("text") or "") for b in blocks if b.get("type") == "text")
    reason = _reason(answer.get("stop_reason"), has_calls=bool(calls))
    if reason == "content_filter" and not text:
        text = _REFUSED
    thinking = [block for block in blocks if block.get("type") in _THINKING]
    return LLMResponse(
        content=text or None,
        tool_calls=with_own_ids(calls),
        finish_reason=reason,
        usage=anthropic_usage(answer.get("usage")),
        reasoning_content="\n\n".join(_texts_of_thinking(thinking)) or None,
        thinking_blocks=thinking or None,
    )


def _read_call(block: Mapping[str, Any], names: NameMap) -> ToolCallRequest:
    return ToolCallRequest(
        id=str(block.get("id") or ""),
        name=names.from_provider(str(block.get("name") or "")),
        arguments=read_arguments(block.get("input")),
    )


def _texts_of_thinking(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(block["thinking"]) for block in blocks if block.get("thinking")]


def _reason(given: object, *, has_calls: bool) -> str:
    reason = _REASONS.get(str(given or "end_turn"))
    if reason is None:
        if has_calls:
            raise ValueError(f"calls with the unknown stop reason {given!r}")
        return "stop"
    return "tool_calls" if has_calls and reason == "stop" else reason


__all__ = ["DEFAULT_MAX_TOKENS", "anthropic_turns", "messages_body", "read_messages"]
