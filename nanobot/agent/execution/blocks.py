"""Content blocks of a tool's result: told from plain data, mended, and shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.surrogates import mend_value

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEEDS = {
    "text": ("text",),
    "input_text": ("text",),
    "output_text": ("text",),
    "image_url": ("image_url",),
    "input_image": ("image_url", "file_id"),
    "image": ("source", "data"),
    "input_audio": ("input_audio",),
    "audio": ("data",),
    "video_url": ("video_url",),
    "file": ("file",),
    "input_file": ("file_id", "file_data", "file_url"),
    "document": ("source",),
    "resource": ("resource",),
    "resource_link": ("uri",),
}
"""Each type of block in use (Chat Completions, Responses, Messages, MCP); one key it must have."""


def are_blocks(value: Sequence[object]) -> bool:
    """Whether every element is a content block; a list of other objects is plain data."""
    return bool(value) and all(_is_block(item) for item in value)


def mended_blocks(blocks: Sequence[Any]) -> list[dict[str, Any]]:
    """The blocks in a list of their own, lone surrogates mended."""
    return list(mend_value(list(blocks)))


def text_block(text: str) -> dict[str, Any]:
    """A block that is this text."""
    return {"type": "text", "text": text}


def text_of_block(block: dict[str, Any]) -> str | None:
    """A text block's text; None for a block of another type."""
    text = block.get("text")
    return text if isinstance(text, str) else None


def shown_blocks(blocks: Sequence[dict[str, Any]]) -> str:
    """The blocks as text, one a line: a block that is no text is its type in brackets."""
    texts = (text_of_block(block) for block in blocks)
    kinds = (str(block.get("type", "block")).split("_")[0] for block in blocks)
    return "\n".join(
        f"[{kind}]" if text is None else text for text, kind in zip(texts, kinds, strict=True)
    )


def _is_block(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in _NEEDS:
        return False
    if kind.endswith("text"):
        return isinstance(item.get("text"), str)
    return any(key in item for key in _NEEDS[kind])


__all__ = ["are_blocks", "mended_blocks", "shown_blocks", "text_block", "text_of_block"]
