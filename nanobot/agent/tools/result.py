"""What a tool may return: text with a verdict, content blocks, structured content, metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


class ToolResult(str):
    """A tool's text whose success is a field, not its wording.

    It is a `str`, so that whatever takes text takes it; a slice or a sum of it is a plain `str`
    again. Beside the text the model sees it may carry:

    - `structured`: the same as data, checked against the tool's `output_schema` where it has one;
    - `metadata`: for the host (a trace, an interface); the model never sees it;
    - `blocks`: content blocks to send instead of the text (images, files), in the form of
      Chat Completions content parts.
    """

    __slots__ = ("blocks", "is_error", "metadata", "structured")

    is_error: bool
    structured: object
    metadata: Mapping[str, object]
    blocks: list[dict[str, Any]] | None

    def __new__(
        cls,
        text: object = "",
        *,
        is_error: bool = False,
        structured: object = None,
        metadata: Mapping[str, object] | None = None,
        blocks: list[dict[str, Any]] | None = None,
    ) -> Self:
        """The text, and what goes with it."""
        self = super().__new__(cls, text)
        self.is_error = is_error
        self.structured = structured
        self.metadata = metadata or {}
        self.blocks = blocks
        return self

    @classmethod
    def error(cls, text: object) -> Self:
        """A failure that reads as `text`."""
        return cls(text, is_error=True)


__all__ = ["ToolResult"]
