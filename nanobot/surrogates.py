r"""Lone surrogates mended: half a character from `json.loads('"\ud83d"')` or from a file name.

Such text can't be encoded, so that one of it in a conversation makes every later request fail
(CASES.md B11). Halves of one pair are joined; a lone half becomes U+FFFD.
"""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def mend_text(text: str) -> str:
    """The text with pairs joined and lone halves replaced; sound text comes back as it is."""
    if text.isascii() or _is_sound(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mend_value(value: _T) -> _T:
    """The same for every text inside lists and dicts, keys included. Never changes its input.

    A value without a lone surrogate comes back itself, not a copy. No depth is too deep.
    """
    if _all_sound(value):
        return value
    root = _level(value)
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            node.update({key: _level(item) for key, item in node.items()})
            todo.extend(node.values())
        elif isinstance(node, list):
            node[:] = map(_level, node)
            todo.extend(node)
    return root  # type: ignore[return-value]  # of the same type as the value that went in


def _level(item: object) -> object:
    """One level of it mended and copied."""
    if isinstance(item, str):
        return mend_text(item)
    if isinstance(item, list):
        return list(item)
    if isinstance(item, dict):
        return {mend_text(k) if isinstance(k, str) else k: v for k, v in item.items()}
    return item


def _all_sound(value: object) -> bool:
    """Whether no text in it has a lone half. Runs over whole histories, so it is kept quick."""
    todo: list[object] = [value]
    for item in todo:  # grows while it is walked
        if isinstance(item, str):
            if not (item.isascii() or _is_sound(item)):
                return False
        elif isinstance(item, dict):
            for key in item:
                if isinstance(key, str) and not (key.isascii() or _is_sound(key)):
                    return False
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return True


def _is_sound(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


__all__ = ["mend_text", "mend_value"]
