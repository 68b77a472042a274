"""Content or exception becomes an `Outcome`: after it, success is a field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Content: TypeAlias = "str | list[dict[str, Any]]"
"""What goes back to the model: text, or content blocks."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How one call ended.

    `content` is what the model gets, hint included. `detail` is the event's one line. A failure
    holds its exception in `error` (for text failures a `ToolError` made of the text). `soft` marks
    a boundary violation, after which the run goes on even with `fail_on_tool_error`.
    """

    call_id: str
    name: str
    content: Content
    detail: str
    status: Literal["ok", "error"] = "ok"
    error: BaseException | None = None
    soft: bool = False
    structured: object = None
    metadata: Mapping[str, object] = field(default_factory=dict)
