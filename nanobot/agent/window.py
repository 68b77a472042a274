"""The part of a history that fits the model's context window.

Sizes are estimated: a quarter of a token for each character of the message's JSON (`ensure_ascii`,
so that a letter outside ASCII counts 1.5 tokens), four tokens for each message, and 1,600 for each
image, whatever its bytes. Definitions of tools are part of the request and are counted too
(CASES.md I3). `fitted` expects a shaped history and gives one back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nanobot.agent.history import shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.history import Message
    from nanobot.jsonvalue import JsonObject, JsonValue

_CHARS_PER_TOKEN = 4
_MESSAGE_TOKENS = 4
_IMAGE_TOKENS = 1600
_IMAGE_TYPES = frozenset({"image_url", "image", "input_image"})
_ANSWER_TOKENS = 4096
_RULING_ROLES = frozenset({"system", "developer"})


def estimated_tokens(messages: Sequence[Message], tools: Sequence[JsonObject] = ()) -> int:
    """How many tokens a request of these messages and tool definitions takes, about."""
    definitions = len(json.dumps(list(tools), default=str)) // _CHARS_PER_TOKEN if tools else 0
    return definitions + sum(map(_message_tokens, messages))


def prompt_budget(
    window: int | None, limit: int | None = None, answer_tokens: int | None = None
) -> int | None:
    """The tokens a request may take; None: no bound.

    `limit` (the spec's `context_block_limit`) goes before what is derived from the window: all of
    it but the room for the answer (`answer_tokens`, else 4,096 or an eighth of a small window) and
    two percent for the estimate's error.
    """
    if limit is not None:
        return max(limit, 0)
    if window is None:
        return None
    answer = answer_tokens or min(_ANSWER_TOKENS, window // 8)
    return max(window - min(answer, window // 2) - window // 50, 0)


def fitted(
    messages: Sequence[Message], tools: Sequence[JsonObject], budget: int | None
) -> list[Message]:
    """The messages, trimmed until they and the tools take at most `budget` tokens.

    The oldest blocks go first (a block is one message, or one with calls and all its results).
    System messages, the last user message and the newest block always stay. Where these alone are
    too much, the newest results are shortened in proportion to their length; where that isn't
    enough either, the request stays too long and the provider says so.
    """
    if budget is None or estimated_tokens(messages, tools) <= budget:
        return list(messages)
    room = budget - estimated_tokens((), tools)
    blocks = _blocks(messages)
    kept = _kept_always(blocks)
    needed = sum(_block_tokens(blocks[index]) for index in kept)
    if needed > room:
        blocks[-1] = _shortened(blocks[-1], needed - room)
        needed = sum(_block_tokens(blocks[index]) for index in kept)
    for index in range(len(blocks) - 1, -1, -1):
        if index in kept:
            continue
        needed += _block_tokens(blocks[index])
        if needed > room:
            break
        kept.add(index)
    return shape(message for index in sorted(kept) for message in blocks[index])


def _blocks(messages: Sequence[Message]) -> list[list[Message]]:
    blocks: list[list[Message]] = []
    for message in messages:
        if message.get("role") == "tool" and blocks:
            blocks[-1].append(message)
        else:
            blocks.append([message])
    return blocks


def _kept_always(blocks: list[list[Message]]) -> set[int]:
    kept = {i for i, block in enumerate(blocks) if block[0].get("role") in _RULING_ROLES}
    asked = [i for i, block in enumerate(blocks) if block[0].get("role") == "user"]
    return kept | set(asked[-1:]) | {len(blocks) - 1}


def _block_tokens(block: list[Message]) -> int:
    return sum(map(_message_tokens, block))


def _message_tokens(message: Message) -> int:
    content = message.get("content")
    images = 0
    if isinstance(content, list):
        text_parts = [part for part in content if not _is_image(part)]
        images = len(content) - len(text_parts)
        message = {**message, "content": text_parts}
    size = len(json.dumps(message, default=str))
    return size // _CHARS_PER_TOKEN + _MESSAGE_TOKENS + images * _IMAGE_TOKENS


def _is_image(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") in _IMAGE_TYPES


def _shortened(block: list[Message], excess_tokens: int) -> list[Message]:
    """The results of the block, each cut by the same share, at least `excess_tokens` in all."""
    results = [message for message in block if message.get("role") == "tool"]
    total = sum(_text_tokens(message) for message in results)
    notes = sum(len(json.dumps(_note(10**9, 10**9))) for _ in results) // _CHARS_PER_TOKEN
    if not total:
        return block
    share = max(0.0, (total - excess_tokens - notes) / total)
    return [
        _cut_result(message, share) if message.get("role") == "tool" else message
        for message in block
    ]


def _text_tokens(message: Message) -> int:
    return sum(len(json.dumps(text)) for text in _texts(message.get("content"))) // _CHARS_PER_TOKEN


def _texts(content: JsonValue) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    found = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in found if isinstance(text, str)]


def _cut_result(message: Message, share: float) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": _cut(content, share)}
    parts = content if isinstance(content, list) else []
    blocks: list[JsonValue] = [_cut_part(part, share) for part in parts]
    return {**message, "content": blocks}


def _cut_part(part: JsonValue, share: float) -> JsonValue:
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(text, str):
        return part
    return {**part, "text": _cut(text, share)}


def _cut(text: str, share: float) -> str:
    """The first part of the text, by its share of the JSON's length, with a note what is missing.

    Escapes make some characters longer than others, so the cut is found by halving.
    """
    size = len(json.dumps(text))
    allowed = int(size * share)
    if size <= allowed + len(_note(len(text), len(text))):
        return text
    low, high = 0, min(len(text), allowed)
    while low < high:
        middle = (low + high + 1) // 2
        if len(json.dumps(text[:middle])) <= allowed:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _note(low, len(text))


def _note(shown: int, total: int) -> str:
    return f"\n[shortened to fit the context window: {shown} of {total} characters shown]"


__all__ = ["estimated_tokens", "fitted", "prompt_budget"]
