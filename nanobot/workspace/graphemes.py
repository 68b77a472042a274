"""Where a text may be cut without splitting what people see as one character.

A cut goes back over combining marks, joiners, variation selectors, skin tones, half flags, Hangul
syllables in parts, and the line feed of a CRLF: the rules GB3 to GB13 of UAX #29, without the
rarer prepended marks.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_FARTHEST = 256


def cut_before(text: str, most: int) -> int:
    """The largest cut of at most `most` characters that splits no grapheme; at least 1.

    A grapheme longer than 256 characters is cut all the same, so that a reader gets on.
    """
    most = max(1, most)
    if most >= len(text):
        return len(text)
    for at in range(most, max(0, most - _FARTHEST), -1):
        if not _joined(text, at):
            return at
    return most


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and after `at` belong together."""
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    return (
        _extends(after)
        or before == _JOINER
        or (_flag_half(before) and _flag_half(after) and _odd_flags(text, at))
        or _hangul_goes_on(before, after)
    )


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in {"Mn", "Mc", "Me"}
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _odd_flags(text: str, at: int) -> bool:
    run = 0
    while run < at and _flag_half(text[at - 1 - run]):
        run += 1
    return run % 2 == 1


def _hangul_goes_on(before: str, after: str) -> bool:
    lead, vowel, tail = "\u1100" <= before <= "\u115f", "\u1160" <= after <= "\u11a7", False
    tail = "\u11a8" <= after <= "\u11ff"
    syllable = "\uac00" <= before <= "\ud7a3"
    open_syllable = syllable and (ord(before) - 0xAC00) % 28 == 0
    if lead:
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    if open_syllable or "\u1160" <= before <= "\u11a7":
        return vowel or tail
    return tail and (syllable or "\u11a8" <= before <= "\u11ff")


__all__ = ["cut_before"]
