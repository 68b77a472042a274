r"""Text from tools and models made safe to show: what can't be seen, or acts, is spelled out.

Escape sequences, C0 and C1 controls, bidirectional controls and invisible characters can drive a
terminal or hide a part of a text (CASES.md, hostile inputs 14). `visible` shows each as an escape
such as `\x1b` or `\u202e`; tabs and line ends stay. A joiner or an emoji selector stays where it
shapes the characters around it. No character means anything to a terminal only together with one
that came before it in another piece: each acting character is replaced by itself.
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_HIDDEN_LETTERS = frozenset(
    "\u115f\u1160\u3164\uffa0\u034f\u2800\u17b4\u17b5\u180b\u180c\u180d\u180f"
)
_JOINERS = frozenset("\u200c\u200d")
_EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")
_KEYCAPS = frozenset("0123456789#*")
_LAST_OF_ONE_BYTE = 0xFF
_LAST_OF_TWO_BYTES = 0xFFFF
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*\Z")
_SUSPECT = re.compile(r"[^\t\n\x20-\x7e]")


def visible(text: str) -> str:
    """The text with every acting or invisible character as an escape. Plain ASCII stays fast."""
    if _PLAIN.match(text):
        return text
    return _SUSPECT.sub(_shown, text)


def visible_line(text: str) -> str:
    """The same on one line: line ends and tabs are escaped too."""
    if text.isascii() and text.isprintable():
        return text
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _shown(found: re.Match[str]) -> str:
    char = found[0]
    if _is_seen(char) or _shapes(char, found.string, found.start()):
        return char
    code = ord(char)
    if code <= _LAST_OF_ONE_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _LAST_OF_TWO_BYTES else f"\\U{code:08x}"


def _is_seen(char: str) -> bool:
    return not (
        unicodedata.category(char) in _HIDDEN_CATEGORIES
        or char in _HIDDEN_LETTERS
        or char in _JOINERS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def _shapes(char: str, text: str, place: int) -> bool:
    """Whether a joiner or selector does its work: beside characters that have more than one form."""
    before = text[place - 1] if place else ""
    if char in _EMOJI_SELECTORS:
        return before in _KEYCAPS or (before > "\x7f" and unicodedata.category(before)[0] == "S")
    if char not in _JOINERS:
        return False
    after = text[place + 1 : place + 2]
    return _joins(before) and _joins(after)


def _joins(char: str) -> bool:
    """Whether a character may stand beside a joiner: a letter, mark or symbol beyond ASCII."""
    if char in _EMOJI_SELECTORS:
        return True
    return char > "\x7f" and unicodedata.category(char)[0] in "LMS" and _is_seen(char)


__all__ = ["visible", "visible_line"]
