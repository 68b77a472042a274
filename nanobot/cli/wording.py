"""Calls, amounts and times in words, safe to show. Pure."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MINUTE = 60.0
_BRIEF = 60


def arguments_line(arguments: object, width: int = 200) -> str:
    """The arguments on one line of at most `width` characters: `path="a.txt" limit=5`."""
    if not arguments:
        return ""
    if not isinstance(arguments, dict):
        return clip(visible_line(str(arguments)), width)
    parts = [
        f"{visible_line(str(key))}={clip(value_text(value), _BRIEF)}"
        for key, value in arguments.items()
    ]
    return clip(" ".join(parts), width)


def value_text(value: object) -> str:
    """One argument as JSON on one line, escaped where it would not be seen."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError):
        text = repr(value)
    return visible_line(text)


def clip(text: str, width: int) -> str:
    """The text, or its beginning and an ellipsis: at most `width` characters."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def duration(seconds: float) -> str:
    """`3 ms`, `1.2 s`, `2 min 05 s`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:02.0f} s"


def counted(number: int, noun: str) -> str:
    """`1 call`, `2 calls`, `1,024 tokens`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def result_size(content: str) -> str:
    """How much a result is: its one short line, or its lines."""
    stripped = content.strip("\n")
    lines = stripped.count("\n") + 1
    if lines > 1:
        return counted(lines, "line")
    return clip(visible_line(stripped), _BRIEF)


def tally(names: Iterable[str]) -> str:
    """`read_file ×2, grep`, in order of the first use."""
    return ", ".join(
        name if number == 1 else f"{name} ×{number}" for name, number in Counter(names).items()
    )


def tokens_text(usage: Mapping[str, int]) -> str:
    """`1,200 tokens (1,000 in, 200 out)`; "" where the provider counted none."""
    sent, made = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    total = usage.get("total_tokens", 0) or sent + made
    return f"{counted(total, 'token')} ({sent:,} in, {made:,} out)" if total else ""


__all__ = [
    "arguments_line",
    "clip",
    "counted",
    "duration",
    "result_size",
    "tally",
    "tokens_text",
    "value_text",
]
