"""Characters of symbol fonts (Wingdings, Symbol) as the Unicode characters that they look like."""

from __future__ import annotations

from nanobot.documents.plaintext import one_line

_PRIVATE = 0xF000
_LAST_PRIVATE = 0xF0FF
_WINGDINGS = {
    0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x71: "❑", 0x76: "❖", 0x9F: "•",
    0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔",
    0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_SYMBOL = {
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°",
    0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡",
    0xBB: "≈", 0xC5: "⊕", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xD5: "∏", 0xD6: "√", 0xDE: "⇒",
    0xE5: "∑", 0xF2: "∫",
    **{
        code: letter
        for first, letters in ((0x41, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"), (0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"))
        for code, letter in enumerate(letters, first)
    },
}  # fmt: skip
_FONTS = {"wingdings": _WINGDINGS, "symbol": _SYMBOL}


def symbol(code: str, font: str) -> str:
    """What a `w:sym` shows: `F0FC` of Wingdings is `✓`; an unknown one is named."""
    try:
        number = int(code[:8], 16) & 0xFFFF
    except ValueError:
        return ""
    place = number - _PRIVATE if _PRIVATE <= number <= _LAST_PRIVATE else number
    known = _FONTS.get(font.lower(), {}).get(place)
    if known is not None:
        return known
    if number == place:
        return chr(number) if chr(number).isprintable() else ""
    return f"[symbol {number:04X} of {one_line(font[:40]) or 'a font'}]"


__all__ = ["symbol"]
