"""Text from tools and models made safe to show: what can't be seen, or acts, is spelled out.

Escape sequences, C0 and C1 controls, bidirectional controls and invisible characters can drive a
terminal or hide a part of a text (CASES.md, hostile inputs 14). `visible` shows each as an escape
such as `\\x1b` or `\\u202e`; tabs and line ends stay.
"""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\t\n")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_HIDDEN_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u034f\u2800\u17b4\u17b5")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")


def visible(text: str) -> str:
    """The text with every acting or invisible character as an escape. Pure ASCII stays fast."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def visible_line(text: str) -> str:
    """The same on one line: line ends and tabs are escaped too."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _shown(char: str) -> str:
    if char in _KEPT or char in _JOINERS:
        return char
    if char not in _HIDDEN_LETTERS and unicodedata.category(char) not in _HIDDEN_CATEGORIES:
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


__all__ = ["visible", "visible_line"]
