"""Unicode blanks, quotes and dashes as the ASCII that people type for them, one for one."""

from __future__ import annotations

_SINGLE = "\u2018\u2019\u201a\u201b"
_DOUBLE = "\u201c\u201d\u201e\u201f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015"
_BLANKS = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

_TABLE = {
    **{ord(char): "'" for char in _SINGLE},
    **{ord(char): '"' for char in _DOUBLE},
    **{ord(char): "-" for char in _DASHES},
    **{ord(char): " " for char in _BLANKS},
}


def fold(text: str) -> str:
    """The text with each such character replaced; as long as before."""
    return text if text.isascii() else text.translate(_TABLE)


def types_as(typed: str, stands: str) -> bool:
    """Whether `typed` is `stands` with some such characters typed as ASCII."""
    return len(typed) == len(stands) and all(
        one == other or _TABLE.get(ord(other)) == one
        for one, other in zip(typed, stands, strict=True)
    )


__all__ = ["fold", "types_as"]
