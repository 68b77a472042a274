"""A message list that every provider accepts: each result directly after its call.

Messages are in the form of Chat Completions. A history that was interrupted, trimmed or written by
another program may hold a result without its call, a call without its result, an id given twice or
arguments that are no JSON; a provider then refuses every later request, and the session is dead
(CASES.md A11, B11, H1). `shape` mends such a list; it is pure, and doing it twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from nanobot.surrogates import mend_value

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue

Message: TypeAlias = "JsonObject"

INTERRUPTED = "[no result: the run was interrupted]"
"""What stands for the result of a call that never had one."""

UNNAMED = "unnamed"
"""What stands for a tool's name that a model left out."""


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refused)
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_NO_OUTPUT = "(no output)"
_NO_TEXT = "(empty message)"


@dataclass(slots=True)
class _Call:
    """A call of an assistant message, mended, with the result that belongs to it."""

    request: Message
    name: str
    result: Message | None = None


@dataclass(slots=True)
class _Entry:
    """A message that is no result, with its calls in their order."""

    message: Message
    calls: list[_Call] = field(default_factory=list)


def shape(messages: Iterable[object]) -> list[Message]:
    """The messages, so that every provider accepts them.

    - Each call has exactly one result, directly after its message and in the order of the calls; a
      missing one reads `INTERRUPTED`, one without a call is left out.
    - Ids of calls are unique and not empty: of two with the same id the later one is renamed, with
      its result. Names are not empty.
    - The arguments of a call are the text of a JSON object; what is none becomes `{}`.
    - No lone surrogates, no unknown roles, no blank messages (a blank user message says so).

    The input is never changed; a message that needs no mending is the same object in the answer.
    """
    entries: list[_Entry] = []
    unanswered: dict[str, list[_Call]] = {}
    for raw in messages:
        message = _mended(raw)
        if message is None:
            continue
        if message["role"] == "tool":
            _attach(message, unanswered)
        elif (entry := _entry(message, unanswered)) is not None:
            entries.append(entry)
    return _flat(entries)


def own_id(wanted: object, taken: set[str]) -> str:
    """An id that is not in `taken`: the wanted one where it can be; it is added to `taken`."""
    base = wanted if isinstance(wanted, str) and wanted.strip() else "call"
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def call_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls in a shaped history."""
    found: set[str] = set()
    for message in messages:
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            found.update(str(call["id"]) for call in calls if isinstance(call, dict))
    return found


def result_message(call_id: str, name: str, content: str | Sequence[JsonObject]) -> Message:
    """The message that answers one call."""
    told: JsonValue = content if isinstance(content, str) else [*content]
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": told}


def _mended(raw: object) -> Message | None:
    """One message by itself: its role known, its content not blank, its text encodable."""
    if not isinstance(raw, Mapping):
        return None
    role = raw.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        return None
    message: Message = mend_value(raw if isinstance(raw, dict) else dict(raw))
    old = message.get("content")
    content = _content(old)
    if _is_blank(content):
        if role in {"system", "developer"}:
            return None
        if role != "assistant":
            content = _NO_TEXT if role == "user" else _NO_OUTPUT
    return message if content is old else {**message, "content": content}


def _content(content: JsonValue) -> JsonValue:
    """Text, a list of content blocks, or None; anything else becomes its JSON text."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False, default=str)
    if all(isinstance(part, dict) for part in content):
        return content
    blocks = (_block(part) for part in content)
    return [block for block in blocks if block is not None]


def _block(part: JsonValue) -> JsonValue:
    return {"type": "text", "text": part} if isinstance(part, str) else _if_object(part)


def _if_object(part: JsonValue) -> JsonValue:
    return part if isinstance(part, dict) else None


def _is_blank(content: JsonValue) -> bool:
    if isinstance(content, list):
        return all(_is_blank_part(part) for part in content)
    return not (isinstance(content, str) and content.strip())


def _is_blank_part(part: JsonValue) -> bool:
    if not isinstance(part, dict) or part.get("type", "text") != "text":
        return False
    text = part.get("text")
    return not (isinstance(text, str) and text.strip())


def _entry(message: Message, unanswered: dict[str, list[_Call]]) -> _Entry | None:
    """The message with its calls, which now wait for results; None where nothing is left."""
    if "tool_calls" not in message:
        blank = message["role"] == "assistant" and _is_blank(message.get("content"))
        return None if blank else _Entry(message)
    requests = message["tool_calls"] if message["role"] == "assistant" else None
    calls = _calls(requests, unanswered)
    if calls:
        return _Entry(message, calls)
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    return _entry(rest, unanswered)


def _calls(requests: JsonValue, unanswered: dict[str, list[_Call]]) -> list[_Call]:
    calls: list[_Call] = []
    by_id: dict[str, list[_Call]] = {}
    for request in requests if isinstance(requests, list) else ():
        call = _call(request)
        if call is not None:
            calls.append(call)
            by_id.setdefault(_key(call.request.get("id")), []).append(call)
    for key, group in by_id.items():  # a result belongs to the nearest message that asked
        unanswered[key] = group + unanswered.get(key, [])
    return calls


def _call(request: JsonValue) -> _Call | None:
    if not isinstance(request, dict):
        return None
    function = request.get("function")
    if not isinstance(function, dict):
        return None
    given = function.get("name")
    name = given if isinstance(given, str) and given.strip() else UNNAMED
    arguments = arguments_text(function.get("arguments"))
    if name is not given or arguments is not function.get("arguments"):
        function = {**function, "name": name, "arguments": arguments}
    if request.get("type") != "function" or function is not request["function"]:
        request = {**request, "type": "function", "function": function}
    return _Call(request, name)


def arguments_text(raw: object) -> str:
    """The text of a JSON object, for replay: `{}` for what is none, such as a cut text."""
    try:
        if isinstance(raw, str):
            parsed = _STRICT.decode(raw)
            if not isinstance(parsed, dict):
                return "{}"
            if "\\ud" not in raw and "\\uD" not in raw:
                return raw
        else:
            parsed = raw if isinstance(raw, dict) else {}
        return json.dumps(mend_value(parsed), ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return "{}"


def _key(call_id: JsonValue) -> str:
    """What matches a result with its call; a missing id matches a missing id."""
    return "" if call_id is None else str(call_id)


def _attach(result: Message, unanswered: dict[str, list[_Call]]) -> None:
    """Give the result to the call it answers; without one it is left out."""
    waiting = unanswered.get(_key(result.get("tool_call_id")))
    if waiting:
        waiting.pop(0).result = result


def _flat(entries: list[_Entry]) -> list[Message]:
    shaped: list[Message] = []
    taken: set[str] = set()
    for entry in entries:
        if not entry.calls:
            shaped.append(entry.message)
            continue
        ids = [own_id(call.request.get("id"), taken) for call in entry.calls]
        pairs = list(zip(entry.calls, ids, strict=True))
        shaped.append(_asking(entry.message, pairs))
        shaped.extend(_answer(call, call_id) for call, call_id in pairs)
    return shaped


def _asking(message: Message, pairs: list[tuple[_Call, str]]) -> Message:
    requests: list[JsonValue] = [
        call.request if call.request.get("id") == call_id else {**call.request, "id": call_id}
        for call, call_id in pairs
    ]
    old = message["tool_calls"]
    same = isinstance(old, list) and len(old) == len(requests)
    if same and all(new is known for new, known in zip(requests, old, strict=True)):  # type: ignore[arg-type]  # a list, see `same`
        return message
    return {**message, "tool_calls": requests}


def _answer(call: _Call, call_id: str) -> Message:
    result = call.result
    if result is None:
        return result_message(call_id, call.name, INTERRUPTED)
    if result.get("tool_call_id") == call_id and result.get("name") == call.name:
        return result
    return {**result, "tool_call_id": call_id, "name": call.name}


__all__ = [
    "INTERRUPTED",
    "UNNAMED",
    "Message",
    "arguments_text",
    "call_ids",
    "own_id",
    "result_message",
    "shape",
]
