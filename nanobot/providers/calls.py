"""Calls as models send them: arguments as text, ids that are missing or given twice."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.base import ToolCallRequest


def calls_in(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The calls of an assistant message, each with its `function`; anything else is left out."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return []
    return [call for call in calls if _is_call(call)]


def chosen_tool(choice: Mapping[str, Any]) -> str:
    """The name in a `tool_choice` that is an object."""
    function = choice.get("function")
    holder = function if isinstance(function, dict) else choice
    return str(holder.get("name") or "")


def _is_call(call: object) -> bool:
    return isinstance(call, dict) and isinstance(call.get("function"), dict)


def read_arguments(raw: object) -> JsonObject | str:
    """The object that `raw` is or spells; any other text stays as it is.

    The call path refuses what is no object, with a message that the model can read.
    """
    if isinstance(raw, dict):
        return raw
    if not isinstance(raw, str):
        return "" if raw is None else json.dumps(raw)
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    return parsed if isinstance(parsed, dict) else raw


def with_own_ids(calls: Iterable[ToolCallRequest]) -> list[ToolCallRequest]:
    """The calls, each with an id that no other of them has (CASES.md H1)."""
    seen: set[str] = set()
    told: list[ToolCallRequest] = []
    for call in calls:
        own = call if call.id and call.id not in seen else replace(call, id=_new_id())
        seen.add(own.id)
        told.append(own)
    return told


def _new_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"


__all__ = ["calls_in", "chosen_tool", "read_arguments", "with_own_ids"]
