"""Where in a call's arguments something is: `edits[0].path`, and `parameter` for the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_KEY = 80


def subpath(path: str, key: str) -> str:
    """The path of a property. Keys come from a model: long ones are cut, odd ones escaped."""
    name = visible_line(key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…")
    return f"{path}.{name}" if path else name


def item_path(path: str, at: int) -> str:
    """The path of an item, counted from 0."""
    return f"{path}[{at}]"


def joined(path: str, steps: Iterable[str | int]) -> str:
    """The path after these steps down."""
    for step in steps:
        path = item_path(path, step) if isinstance(step, int) else subpath(path, step)
    return path


def label(path: str) -> str:
    """What a message calls this place."""
    return path or "parameter"


__all__ = ["item_path", "joined", "label", "subpath"]
