"""Contexts of a tool: what it is built from, what request it is called in, who follows the call."""

from __future__ import annotations

from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nanobot.workspace import Workspace


@dataclass(slots=True)
class ToolContext:
    """What the loader hands to `Tool.enabled` and `Tool.create`.

    `workspace` is its path as text; `fence` the object that opens files inside it. The file tools
    share `file_state_store` and the reader of `documents`, and put them there if need be. Services that
    the host does not offer are None; a tool that needs one says so in `enabled`.
    """

    config: Any = None
    workspace: str = ""
    bus: Any = None
    subagent_manager: Any = None
    cron_service: Any = None
    sessions: Any = None
    file_state_store: Any = None
    documents: Any = None
    provider: Any = None
    fence: Workspace | None = None
    timezone: str = "UTC"


@dataclass(slots=True)
class RequestContext:
    """The request a call belongs to: where the person is, and which session."""

    channel: str = ""
    chat_id: str = ""
    message_id: str | None = None
    session_key: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


_current: ContextVar[RequestContext | None] = ContextVar("nanobot_request", default=None)


def bind_request_context(context: RequestContext) -> Token[RequestContext | None]:
    """Make `context` the current one; give the token back to `reset_request_context`."""
    return _current.set(context)


def reset_request_context(token: Token[RequestContext | None]) -> None:
    """Bring back the context before the bind that made this token."""
    _current.reset(token)


def current_request_context() -> RequestContext | None:
    """The current request, or None outside one. Arrives in tasks and in worker threads."""
    return _current.get()


ShownResults: TypeAlias = "Callable[[], Iterable[object]]"
"""Gives the contents of the tool results that the model still sees."""

_shown: ContextVar[ShownResults | None] = ContextVar("nanobot_shown", default=None)


def bind_shown_results(results: Callable[[], Iterable[object]]) -> Token[ShownResults | None]:
    """Say which tool results the model still sees, for the calls made from this context on.

    The loop binds it for a run: `results` gives the contents of the tool messages in the request
    that the model just answered. It is asked only when a tool wants
    to refer to an earlier answer instead of repeating it.
    """
    return _shown.set(results)


def reset_shown_results(token: Token[ShownResults | None]) -> None:
    """Bring back what was bound before the bind that made this token."""
    _shown.reset(token)


def shown_results() -> Iterable[object] | None:
    """The contents of the tool results that the model still sees; None when nobody says."""
    results = _shown.get()
    return None if results is None else results()


_follower: ContextVar[Callable[[str], None] | None] = ContextVar("nanobot_progress", default=None)


def report_progress(text: str) -> None:
    """Tell whoever follows the run how far this call is: the last lines, a count, a stage.

    Cheap, and without effect where nobody follows or the call has ended. Works in worker threads.
    """
    follower = _follower.get()
    if follower is not None:
        follower(text)


def bind_progress(follower: Callable[[str], None]) -> Token[Callable[[str], None] | None]:
    """Make `follower` hear `report_progress`; give the token back to `reset_progress`."""
    return _follower.set(follower)


def reset_progress(token: Token[Callable[[str], None] | None]) -> None:
    """Bring back the follower before the bind that made this token."""
    _follower.reset(token)


__all__ = [
    "RequestContext",
    "ShownResults",
    "ToolContext",
    "bind_progress",
    "bind_request_context",
    "bind_shown_results",
    "current_request_context",
    "report_progress",
    "reset_progress",
    "reset_request_context",
    "reset_shown_results",
    "shown_results",
]
