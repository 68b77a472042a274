"""The events of a Responses stream, joined to what the same answer is without streaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.providers.chat_stream import Delta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.jsonvalue import JsonObject

_ENDINGS = frozenset({"response.completed", "response.incomplete"})
_SHOWN = frozenset({"response.output_text.delta", "response.refusal.delta"})
_REASONED = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


class ResponsesStream:
    """Joins events. The last one holds the whole answer; `complete` is false until it arrived."""

    def __init__(self) -> None:
        self._items: list[JsonObject] = []
        self._final: JsonObject | None = None

    @property
    def complete(self) -> bool:
        """Whether the response ended: before that, nothing of it may run."""
        return self._final is not None

    def add(self, event: Mapping[str, Any]) -> Delta:
        """Take one event; what it adds to show comes back."""
        kind = event.get("type")
        if kind in _SHOWN:
            return Delta(content=str(event.get("delta") or ""))
        if kind in _REASONED:
            return Delta(reasoning=str(event.get("delta") or ""))
        if kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            self._items.append(event["item"])
        elif kind in _ENDINGS and isinstance(event.get("response"), dict):
            self._final = event["response"]
        elif event.get("object") == "response":  # a server that does not stream
            self._final = dict(event)
        return Delta()

    def answer(self) -> JsonObject:
        """The answer; where its last event leaves the items out, those that came before."""
        final = self._final or {}
        return final if final.get("output") else {**final, "output": [*self._items]}


__all__ = ["ResponsesStream"]
