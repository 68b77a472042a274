"""The host's callbacks of a run: each may be a plain or an async function."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from nanobot.keywords import accepts
from nanobot.surrogates import mend_text, mend_value

if TYPE_CHECKING:
    from nanobot.agent.history import Message
    from nanobot.agent.spec import Callback

_log = logging.getLogger(__name__)
_MOST_INJECTED = 10


async def told(callback: Callback | None, *args: object) -> None:
    """Tell the host what it only watches. A callback that fails is logged and changes nothing."""
    if callback is None:
        return
    try:
        answer = callback(*args)
        if inspect.isawaitable(answer):
            await answer
    except Exception:  # noqa: BLE001  # the host's code; it is logged
        _log.exception("A callback of the host failed")


async def injected(callback: Callback | None) -> list[Message]:
    """The messages that arrived meanwhile: texts, messages, or objects with `content`.

    A callback that has the keyword `limit` is asked for at most 10 at once.
    """
    if callback is None:
        return []
    answer = callback(limit=_MOST_INJECTED) if accepts(callback, "limit") else callback()
    items = await answer if inspect.isawaitable(answer) else answer
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        items = [items]
    return [message for item in items if (message := _message(item)) is not None]


def _message(item: object) -> Message | None:
    if isinstance(item, Mapping):
        return mend_value({"role": "user", **item}) if item.get("content") else None
    content = item if isinstance(item, str) else getattr(item, "content", None)
    if isinstance(content, list):
        return {"role": "user", "content": mend_value(content)}
    if isinstance(content, str) and content.strip():
        return {"role": "user", "content": mend_text(content)}
    return None


__all__ = ["injected", "told"]
