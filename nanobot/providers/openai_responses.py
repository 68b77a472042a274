"""OpenAI's Responses API: messages → request body, answer → `LLMResponse`. Pure.

Nothing is stored at the server (`store: false`); reasoning comes encrypted and goes back before
the item it belongs to. A reasoning item in `thinking_blocks` keeps, under `before`, the id of the
call that followed it, or "message".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.shapes import openai_responses_tools
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

_MESSAGE = "message"
_SENT_BACK = ("type", "id", "summary", "content", "encrypted_content")
_FILTERED = "(The provider's content filter stopped this answer.)"


def responses_body(
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    names: NameMap,
    *,
    model: str,
    settings: GenerationSettings,
    reasoning: bool,
    tool_choice: object = None,
) -> JsonObject:
    """The body of a request, without `stream`. `reasoning` says whether the model reasons."""
    body: JsonObject = {
        "model": model,
        "input": [*responses_input(messages, names)],
        "store": False,
    }
    if tools and (shaped := openai_responses_tools(tools, names)):
        body["tools"] = [*shaped]
        if tool_choice is not None:
            body["tool_choice"] = _tool_choice(tool_choice, names)
    if settings.max_tokens is not None:
        body["max_output_tokens"] = settings.max_tokens
    if reasoning:
        body["include"] = ["reasoning.encrypted_content"]
        if settings.reasoning_effort:
            body["reasoning"] = {"effort": settings.reasoning_effort}
    elif settings.temperature is not None:
        body["temperature"] = settings.temperature
    return body


def responses_input(messages: Sequence[Mapping[str, Any]], names: NameMap) -> list[JsonObject]:
    """The messages as input items."""
    items: list[JsonObject] = []
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            items.extend(_assistant_items(message, names))
        elif role == "tool":
            items.append(_output_item(message))
        else:
            content = [_part(part) for part in parts_of(message.get("content"))]
            items.append({"role": str(role or "user"), "content": content or ""})
    return items


def _assistant_items(message: Mapping[str, Any], names: NameMap) -> list[JsonObject]:
    calls = calls_in(message)
    text = text_of(message.get("content"))
    if not calls and not text:
        return []  # reasoning alone is refused
    known = {str(call.get("id")) for call in calls}
    blocks = [block for block in message.get("thinking_blocks") or () if _is_reasoning(block)]
    items = [_reasoning_item(block) for block in blocks if block.get("before") not in known]
    if text:
        items.append({"role": "assistant", "content": [{"type": "output_text", "text": text}]})
    for call in calls:
        items.extend(_reasoning_item(b) for b in blocks if b.get("before") == str(call.get("id")))
        items.append(_call_item(call, names))
    return items


def _is_reasoning(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "reasoning" and bool(block.get("encrypted_content"))


def _reasoning_item(block: Mapping[str, Any]) -> JsonObject:
    item: JsonObject = {key: block[key] for key in _SENT_BACK if block.get(key) is not None}
    item.setdefault("summary", [])
    return item


def _call_item(call: Mapping[str, Any], names: NameMap) -> JsonObject:
    function = call["function"]
    request = ToolCallRequest(
        id=str(call.get("id") or ""),
        name=names.to_provider(str(function.get("name") or "unnamed")),
        arguments=function.get("arguments"),
    )
    shaped = request.to_openai_tool_call()
    return {"type": "function_call", "call_id": shaped["id"], **shaped["function"]}


def _output_item(message: Mapping[str, Any]) -> JsonObject:
    parts = parts_of(message.get("content"))
    call_id = str(message.get("tool_call_id") or "")
    output: JsonValue = [_part(part) for part in parts]
    if all(isinstance(part, TextPart) for part in parts):
        output = text_of(message.get("content")) or "(no text)"
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def _part(part: Part) -> JsonValue:
    match part:
        case TextPart():
            return {"type": "input_text", "text": part.text}
        case ImagePart():
            return {
                "type": "input_image",
                "image_url": part.address,
                "detail": part.detail or "auto",
            }
        case OtherPart():
            return _file(part.part)


def _file(part: JsonObject) -> JsonValue:
    """A file of Chat Completions as one of Responses; anything else as it is."""
    held = part.get("file")
    return {"type": "input_file", **held} if isinstance(held, dict) else part


def _tool_choice(choice: object, names: NameMap) -> JsonValue:
    if isinstance(choice, dict):
        return {"type": "function", "name": names.to_provider(chosen_tool(choice))}
    return str(choice)


def read_responses(answer: Mapping[str, Any], names: NameMap) -> LLMResponse:
    """The answer of a whole body, or of the last event of a stream.

    Raises:
        ValueError: it is no response, or it did not end.
    """
    output = answer.get("output")
    status = answer.get("status") or "completed"
    if not isinstance(output, list) or status not in {"completed", "incomplete"}:
        raise ValueError(f"a response of status {status!r}")
    items = [item for item in output if isinstance(item, dict)]
    raw_calls = [item for item in items if item.get("type") == "function_call"]
    content = _text_in(items, "message", "content")
    reason = _reason(answer, has_calls=bool(raw_calls))
    if reason == "content_filter" and not content:
        content = _FILTERED
    return LLMResponse(
        content=content or None,
        tool_calls=with_own_ids(_read_call(item, names) for item in raw_calls),
        finish_reason=reason,
        usage=openai_usage(answer.get("usage")),
        reasoning_content=_text_in(items, "reasoning", "summary", "content") or None,
        thinking_blocks=_reasoning_blocks(items) or None,
    )


def _read_call(item: Mapping[str, Any], names: NameMap) -> ToolCallRequest:
    return ToolCallRequest(
        id=str(item.get("call_id") or item.get("id") or ""),
        name=names.from_provider(str(item.get("name") or "")),
        arguments=read_arguments(item.get("arguments")),
    )


def _reason(answer: Mapping[str, Any], *, has_calls: bool) -> str:
    if answer.get("status") != "incomplete":
        return "tool_calls" if has_calls else "stop"
    details = answer.get("incomplete_details")
    why = details.get("reason") if isinstance(details, dict) else None
    return "content_filter" if why == "content_filter" else "length"


def _text_in(items: Sequence[Mapping[str, Any]], kind: str, *keys: str) -> str:
    """The texts, refusals too, in the parts of all items of that kind."""
    parts = (
        part
        for item in items
        if item.get("type") == kind
        for key in keys
        for part in item.get(key) or ()
        if isinstance(part, dict)
    )
    texts = (str(part.get("text") or part.get("refusal") or "") for part in parts)
    return "\n\n".join(text for text in texts if text)


def _reasoning_blocks(items: Sequence[JsonObject]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        if item.get("type") != "reasoning":
            continue
        followers = (after for after in items[index + 1 :] if after.get("type") != "reasoning")
        follower = next(followers, {})
        before = follower.get("call_id") if follower.get("type") == "function_call" else _MESSAGE
        blocks.append({**item, "before": before})
    return blocks


__all__ = ["read_responses", "responses_body", "responses_input"]
