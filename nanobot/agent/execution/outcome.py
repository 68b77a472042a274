"""Content or exception becomes an `Outcome`: after it, success is a field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nanobot.agent.execution.blocks import are_blocks, mended_blocks, shown_blocks, text_block
from nanobot.agent.execution.jsontext import bytes_text, json_data, json_text
from nanobot.agent.tools.result import ToolResult
from nanobot.errors import NanobotError, ToolError
from nanobot.surrogates import mend_text, mend_value

if TYPE_CHECKING:
    from collections.abc import Mapping

Content: TypeAlias = "str | list[dict[str, Any]]"
"""What goes back to the model: text, or content blocks."""

HINT = "\n\n[Analyze the error above and try a different approach.]"
"""What every failure ends with, once."""

_DETAIL_CHARS = 120
_ERROR_PREFIX = "Error"
_NO_METADATA: Mapping[str, object] = {}


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How one call ended.

    `content` is what the model gets, hint included. `detail` is the event's one line. A failure
    holds its exception in `error` (for text failures a `ToolError` made of the text). `soft` marks
    a boundary violation, after which the run goes on even with `fail_on_tool_error`. `ran` is
    False where the tool was never called.
    """

    call_id: str
    name: str
    content: Content
    detail: str
    status: Literal["ok", "error"] = "ok"
    error: BaseException | None = None
    soft: bool = False
    ran: bool = True
    structured: object = None
    metadata: Mapping[str, object] = field(default_factory=dict)


def returned(call_id: str, name: str, value: object) -> Outcome:
    """The outcome of a tool that returned `value`, classified on that very object.

    A `ToolResult` says itself whether it is a failure; a plain `str` is one when it begins with
    `Error`. Blocks go on as they are. Any other value becomes its JSON text, with the data in
    `structured`. Lone surrogates are mended everywhere (CASES.md B11).

    Raises:
        ToolError: the value can't be shown.
    """
    kind = type(value)
    if kind is str or not isinstance(value, ToolResult):
        return _returned_plain(call_id, name, value)
    content: Content = mended_blocks(value.blocks) if value.blocks else mend_text(str(value))
    if value.is_error:
        return failure(call_id, name, content, structured=value.structured, metadata=value.metadata)
    outcome = _success(call_id, name, content)
    outcome.structured = mend_value(value.structured)
    outcome.metadata = value.metadata
    return outcome


def _returned_plain(call_id: str, name: str, value: object) -> Outcome:
    if isinstance(value, str):
        text = mend_text(value)
        failed = text.startswith(_ERROR_PREFIX)
        return failure(call_id, name, text) if failed else _success(call_id, name, text)
    if isinstance(value, bytes | bytearray | memoryview):
        return _success(call_id, name, bytes_text(value))
    if value is None or (isinstance(value, list | tuple) and not value):
        return _success(call_id, name, "")
    if isinstance(value, list | tuple) and are_blocks(value):
        return _success(call_id, name, mended_blocks(value))
    text = mend_text(json_text(value))
    outcome = _success(call_id, name, text)
    outcome.structured = json_data(text)
    return outcome


def _success(call_id: str, name: str, content: Content) -> Outcome:
    text = content if isinstance(content, str) else shown_blocks(content)
    if not text or text.isspace():
        content = f"({mend_text(name)} completed with no output)"
    return Outcome(
        call_id=call_id,
        name=name,
        content=content,
        detail=one_line(text),
        metadata=_NO_METADATA,
    )


def failure(
    call_id: str,
    name: str,
    content: Content,
    *,
    error: BaseException | None = None,
    detail: str = "",
    structured: object = None,
    metadata: Mapping[str, object] = _NO_METADATA,
) -> Outcome:
    """A failure that reads as `content`, which gets the hint at its end, once."""
    text = content if isinstance(content, str) else shown_blocks(content)
    return Outcome(
        call_id=call_id,
        name=name,
        content=_with_hint(name, content),
        detail=one_line(detail or text),
        status="error",
        error=error or ToolError(without_hint(text) or f"{name} failed without a word"),
        structured=mend_value(structured),
        metadata=metadata,
    )


def raised(call_id: str, name: str, error: BaseException) -> Outcome:
    """The failure of a tool that raised: its message, its hint where it has one, our hint."""
    cause = _sole(error)
    message = message_of(cause)
    text = f"Error executing {name}: {message}"
    if isinstance(cause, NanobotError) and cause.hint:
        text = f"{text}\n{cause.hint}"
    return failure(call_id, name, mend_text(text), error=cause, detail=mend_text(message))


def refused(call_id: str, name: str, error: ToolError) -> Outcome:
    """The failure of a call whose tool was never run: unknown, invalid, denied, repeated."""
    text = f"Error: {error.message}"
    if error.hint:
        text = f"{text}\n{error.hint}"
    outcome = failure(call_id, name, mend_text(text), error=error, detail=mend_text(error.message))
    outcome.ran = False
    return outcome


def not_run(call_id: str, name: str, reason: str) -> Outcome:
    """The result of a call that never began, for example because an earlier one failed."""
    text = mend_text(f"Error: {name} was not run: {reason}")
    return Outcome(
        call_id=call_id,
        name=name,
        content=text,
        detail=one_line(f"not run: {reason}"),
        status="error",
        error=ToolError(text.removeprefix("Error: ")),
        ran=False,
    )


def message_of(error: BaseException) -> str:
    """An exception's own words; its type's name where it has none, or where they say nothing."""
    try:
        text = str(error).strip()
    except Exception:  # noqa: BLE001  # a foreign exception's own __str__
        text = ""
    name = type(error).__name__
    if not text:
        return name
    return f"{name}: {text}" if isinstance(error, LookupError) and _is_bare(error) else text


def one_line(text: str) -> str:
    """The text on one line: at most 120 characters and `...`; `(empty)` when blank."""
    if len(text) <= _DETAIL_CHARS and text.isprintable() and text and text.strip() == text:
        return text
    line = " ".join(text.strip()[: 20 * _DETAIL_CHARS].split())
    if not line:
        return "(empty)"
    return line if len(line) <= _DETAIL_CHARS else f"{line[:_DETAIL_CHARS]}..."


def shown_text(content: Content) -> str:
    """Content as text: blocks that are no text are named in brackets."""
    return content if isinstance(content, str) else shown_blocks(content)


def without_hint(text: str) -> str:
    """The text of a failure without the hint at its end."""
    return text.rstrip().removesuffix(HINT.strip()).rstrip()


def _with_hint(name: str, content: Content) -> Content:
    if isinstance(content, str):
        if content.rstrip().endswith(HINT.strip()):
            return content
        return f"{content or f'Error: {name} failed without a word.'}{HINT}"
    if shown_blocks(content).rstrip().endswith(HINT.strip()):
        return content
    return [*content, text_block(HINT.strip())]


def _is_bare(error: LookupError) -> bool:
    """Whether the message is only the missing key."""
    return isinstance(error, KeyError) and len(error.args) == 1


def _sole(error: BaseException) -> BaseException:
    """The one exception inside groups of one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


__all__ = [
    "HINT",
    "Content",
    "Outcome",
    "failure",
    "message_of",
    "not_run",
    "one_line",
    "raised",
    "refused",
    "returned",
    "shown_text",
    "without_hint",
]
