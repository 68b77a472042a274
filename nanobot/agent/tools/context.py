"""Two contexts: what a tool is built from, and what request it is called in."""

from __future__ import annotations

from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot.workspace import Workspace


@dataclass(slots=True)
class ToolContext:
    """What the loader hands to `Tool.enabled` and `Tool.create`.

    `workspace` is its path as text; `fence` the object that opens files inside it. Services that
    the host does not offer are None; a tool that needs one says so in `enabled`.
    """

    config: Any = None
    workspace: str = ""
    bus: Any = None
    subagent_manager: Any = None
    cron_service: Any = None
    sessions: Any = None
    file_state_store: Any = None
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


__all__ = [
    "RequestContext",
    "ToolContext",
    "bind_request_context",
    "current_request_context",
    "reset_request_context",
]
