"""A pattern of ripgrep as a Python one, and where it stands. What can't be translated is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.workspace.pygrep.wish import BadUsage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.workspace.pygrep.wish import Wish

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_TRANSLATED = re.compile(
    r"\\z|\\x\{(?P<code>[0-9A-Fa-f]+)\}|\(\?<(?P<name>[A-Za-z_]\w*)>|\[:(?P<posix>[a-z]+):\]"
    r"|(?P<no>\\[pPX]|\\b\{|&&\[)|\\.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a match begins and ends, in characters."""

    start: int
    end: int


def compiled(wish: Wish) -> re.Pattern[str]:
    """The pattern.

    Raises:
        BadUsage: it is broken, or means something that Python's patterns can't.
    """
    flags = re.MULTILINE | (re.IGNORECASE if wish.ignore_case else 0)
    flags |= re.DOTALL if wish.multiline else 0
    if wish.fixed:
        return re.compile(re.escape(wish.pattern), flags)
    if not wish.multiline and re.search(r"(?<!\\)(?:\\\\)*(?:\\n|\n)", wish.pattern):
        raise BadUsage('error: the literal "\\n" is not allowed in a pattern without multiline')
    try:
        return re.compile(_TRANSLATED.sub(_translation, wish.pattern), flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadUsage(f"error: {error}") from error


def _translation(found: re.Match[str]) -> str:
    if found["no"]:
        raise BadUsage(f"error: {found['no']} can't be used here, since ripgrep is not installed")
    if found["code"]:
        return re.escape(chr(int(found["code"], 16)))
    if found["name"]:
        return f"(?P<{found['name']}>"
    if found["posix"]:
        return _POSIX.get(found["posix"], found[0])
    return "\\Z" if found[0] == "\\z" else found[0]


def places(pattern: re.Pattern[str], text: str) -> Iterator[Place]:
    """Every match in a text, from left to right."""
    for found in pattern.finditer(text):
        yield Place(found.start(), found.end())


__all__ = ["Place", "compiled", "places"]
