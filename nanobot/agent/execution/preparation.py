"""A call made ready: by our registry, or by any object that stands in for one."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from nanobot.agent.tools.registry import Prepared, ToolRegistry
from nanobot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence


class ToolSource(Protocol):
    """What a run calls tools through: a `ToolRegistry`, or any object with these two."""

    def get_definitions(self) -> Sequence[dict[str, Any]]:
        """The definitions for the model."""

    def execute(self, name: str, params: Any, /) -> Awaitable[Any]:
        """Run one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unprepared:
    """A call that only `execute` of a foreign source can make, with these arguments."""

    arguments: object


class RefusedCall(ToolError):  # named for the condition
    """A foreign source's own words for why a call can't run."""


def prepared(
    source: ToolSource, name: str, arguments: object, *, inside_execute: bool = False
) -> Prepared | Unprepared:
    """The call made ready.

    Where a foreign source has no usable `prepare_call` (missing, not callable, raising, or
    answering something else than a tool or an error in a tuple of three), the call is `Unprepared`.
    Not so for a `ToolRegistry` whose `execute` is ours, or which is `inside_execute` already: that
    would lead back here, so it prepares by itself.

    Raises:
        ToolError: it can't run; the message says why.
    """
    if isinstance(source, ToolRegistry) and _is_plain(source):
        return source.prepare(name, arguments)
    tool, given, error = _asked(source, name, arguments) or (None, _as_object(arguments), None)
    if error:
        raise RefusedCall(str(error).removeprefix("Error: "))
    if tool is None or not isinstance(given, dict):
        if isinstance(source, ToolRegistry) and (inside_execute or _has_our_execute(source)):
            return source.prepare(name, arguments)
        return Unprepared(arguments=given)
    return Prepared(tool, given, inspect.iscoroutinefunction(tool.execute))


def tool_of(source: ToolSource, name: str) -> object | None:
    """The tool of that name, where the source can tell."""
    get = getattr(source, "get", None)
    if not callable(get):
        return None
    try:
        tool: object = get(name)
    except Exception:  # noqa: BLE001  # a foreign source; not knowing is an answer
        return None
    return tool


def _is_plain(source: ToolRegistry) -> bool:
    """Whether its `prepare_call` is ours, so that `prepare` says the same with types."""
    is_ours = type(source).prepare_call is ToolRegistry.prepare_call
    return is_ours and "prepare_call" not in source.__dict__


def _has_our_execute(source: ToolRegistry) -> bool:
    return type(source).execute is ToolRegistry.execute and "execute" not in source.__dict__


def _asked(source: ToolSource, name: str, arguments: object) -> tuple[Any, Any, Any] | None:
    """What `prepare_call` answers, if it answers in the form of the contract."""
    prepare = getattr(source, "prepare_call", None)
    if not callable(prepare):
        return None
    try:
        answer = prepare(name, arguments)
    except Exception:  # noqa: BLE001  # foreign; its execute is asked instead
        return None
    if inspect.iscoroutine(answer):
        answer.close()
    if not isinstance(answer, tuple) or len(answer) != 3:  # noqa: PLR2004  # the contract's three
        return None
    return answer


def _as_object(arguments: object) -> object:
    """JSON text of an object as that object; anything else as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments
    return parsed if isinstance(parsed, dict) else arguments


__all__ = ["RefusedCall", "ToolSource", "Unprepared", "prepared", "tool_of"]
