"""The events of a Messages stream, joined to what the same answer is without streaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.providers.chat_stream import Delta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue


class MessagesStream:
    """Joins events. `complete` is false until the last event arrived."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._usage: JsonObject = {}
        self._stop_reason: JsonValue = None
        self._ended = False
        self._whole: JsonObject | None = None

    @property
    def complete(self) -> bool:
        """Whether the message ended: before that, nothing of it may run."""
        return self._whole is not None or (self._ended and self._stop_reason is not None)

    def add(self, event: Mapping[str, Any]) -> Delta:
        """Take one event; what it adds to show comes back."""
        match event.get("type"):
            case "message_start":
                self._add_usage(_object(event.get("message")).get("usage"))
            case "content_block_start":
                block = _Block(_object(event.get("content_block")))
                self._blocks[_index(event)] = block
                return block.opening
            case "content_block_delta":
                block = self._blocks.setdefault(_index(event), _Block({}))
                return block.add(_object(event.get("delta")))
            case "message_delta":
                self._add_usage(event.get("usage"))
                reason = _object(event.get("delta")).get("stop_reason")
                self._stop_reason = reason or self._stop_reason
            case "message_stop":
                self._ended = True
            case "message":  # a server that does not stream
                self._whole = dict(event)
            case _:
                pass  # pings, and what comes to be
        return Delta()

    def answer(self) -> JsonObject:
        """The joined answer, in the form of one that was not streamed."""
        if self._whole is not None:
            return self._whole
        content = [block.whole() for _, block in sorted(self._blocks.items())]
        return {"content": [*content], "stop_reason": self._stop_reason, "usage": self._usage}

    def _add_usage(self, usage: object) -> None:
        self._usage.update(
            {key: value for key, value in _object(usage).items() if value is not None}
        )


class _Block:
    """One content block, growing."""

    __slots__ = ("_start", "_texts")

    def __init__(self, start: JsonObject) -> None:
        self._start = start
        self._texts: dict[str, list[str]] = {}

    @property
    def opening(self) -> Delta:
        return Delta(_text(self._start.get("text")), _text(self._start.get("thinking")))

    def add(self, delta: JsonObject) -> Delta:
        for key in ("text", "thinking", "signature", "partial_json"):
            if isinstance(delta.get(key), str):
                self._texts.setdefault(key, []).append(_text(delta[key]))
        return Delta(_text(delta.get("text")), _text(delta.get("thinking")))

    def whole(self) -> JsonObject:
        block = dict(self._start)
        for key, pieces in self._texts.items():
            joined = "".join(pieces)
            if key != "partial_json":
                block[key] = _text(block.get(key)) + joined
            elif joined.strip():
                block["input"] = joined
        return block


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


__all__ = ["MessagesStream"]
