"""The chunks of a Chat Completions stream, joined to what the same answer is without streaming."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nanobot.providers.openai_chat import reasoning_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue


class ChatStream:
    """Joins chunks. `complete` is false until the server said why it stopped."""

    def __init__(self) -> None:
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._details: list[JsonObject] = []
        self._calls: list[_Call] = []
        self._finish_reason: str | None = None
        self._usage: JsonValue = None
        self._whole: JsonObject | None = None

    @property
    def complete(self) -> bool:
        """Whether the server said why it stopped: before that, nothing of the answer may run."""
        return self._finish_reason is not None or self._whole is not None

    def add(self, chunk: Mapping[str, Any]) -> Delta:
        """Take one chunk; what it adds to show comes back."""
        if isinstance(chunk.get("usage"), dict):
            self._usage = chunk["usage"]
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return Delta()
        if choice.get("finish_reason"):
            self._finish_reason = str(choice["finish_reason"])
        if isinstance(choice.get("message"), dict):  # a server that does not stream
            self._whole = dict(chunk)
            return Delta(_text(choice["message"].get("content")))
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return Delta()
        for call in _list(delta.get("tool_calls")):
            self._add_call(call)
        self._details.extend(_list(delta.get("reasoning_details")))
        return self._add_text(delta)

    def answer(self) -> JsonObject:
        """The joined answer, in the form of one that was not streamed."""
        if self._whole is not None:
            return self._whole
        message: JsonObject = {
            "content": "".join(self._content),
            "refusal": "".join(self._refusal),
            "reasoning_content": "".join(self._reasoning),
            "reasoning_details": [*_joined_details(self._details)],
            "tool_calls": [call.whole() for call in self._calls],
        }
        choice: JsonObject = {"message": message, "finish_reason": self._finish_reason}
        return {"choices": [choice], "usage": self._usage}

    def _add_text(self, delta: Mapping[str, Any]) -> Delta:
        refusal = _text(delta.get("refusal"))
        content = _text(delta.get("content"))
        reasoning = reasoning_text(delta)
        self._refusal.append(refusal)
        self._content.append(content)
        self._reasoning.append(reasoning)
        return Delta(content=content + refusal, reasoning=reasoning)

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        index, call_id = piece.get("index"), _text(piece.get("id"))
        call = self._call_at(index if isinstance(index, int) else None, call_id)
        if call is None:
            call = _Call(index if isinstance(index, int) else None)
            self._calls.append(call)
        call.add(piece)

    def _call_at(self, index: int | None, call_id: str) -> _Call | None:
        """The call a piece belongs to: by its index, but a new id begins a new call."""
        for call in reversed(self._calls):
            if call_id and call.id == call_id:
                return call
            if call.index == index:
                return None if call_id and call.id else call
        return None


class Delta:
    """What a chunk adds to show."""

    __slots__ = ("content", "reasoning")

    def __init__(self, content: str = "", reasoning: str = "") -> None:
        self.content = content
        self.reasoning = reasoning


class _Call:
    __slots__ = ("_arguments", "_extra", "_name", "id", "index")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id = ""
        self._name = ""
        self._arguments: list[str] = []
        self._extra: JsonValue = None

    def add(self, piece: Mapping[str, Any]) -> None:
        self.id = self.id or _text(piece.get("id"))
        self._extra = piece.get("extra_content") or self._extra
        function = piece.get("function")
        if not isinstance(function, dict):
            return
        name = _text(function.get("name"))
        if name != self._name:  # some servers repeat it in every piece, some split it
            self._name += name
        arguments = function.get("arguments")
        whole = json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments)
        self._arguments.append(whole)

    def whole(self) -> JsonObject:
        function: JsonObject = {"name": self._name, "arguments": "".join(self._arguments)}
        return {"id": self.id, "function": function, "extra_content": self._extra}


def _joined_details(pieces: list[JsonObject]) -> list[JsonObject]:
    """OpenRouter's reasoning blocks from their pieces: those of one index and type are one."""
    joined: list[JsonObject] = []
    for piece in pieces:
        last = joined[-1] if joined else {}
        if (last.get("type"), last.get("index")) != (piece.get("type"), piece.get("index")):
            joined.append(dict(piece))
            continue
        for key, value in piece.items():
            before = last.get(key)
            growing = key in {"text", "summary", "data"} and isinstance(before, str)
            if growing and isinstance(value, str) and isinstance(before, str):
                last[key] = before + value
            elif value is not None:
                last[key] = value
    return joined


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


__all__ = ["ChatStream", "Delta"]
