"""Arguments as JSON can say them: finite numbers, sound text, plain containers, bounded depth.

The validator reads a non-finite number as null and stumbles over a lone surrogate, so both are
dealt with before it sees them (CASES.md A4, B11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.faultpath import item_path, label, subpath
from nanobot.surrogates import mend_text

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonValue

_DEEPEST = 200
_MOST_BITS = 14_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A value with sound text and plain types, and what in it JSON can't say at all."""

    value: JsonValue
    faults: tuple[str, ...]


def mended(value: object, path: str = "") -> Mended:
    """The value as JSON can say it. One that is sound already comes back itself, not a copy.

    Lone surrogates are replaced, halves of a pair joined, subclasses and tuples made plain. Faults:
    a number that is not finite or has over 4,200 digits, a type that JSON lacks, a key that isn't
    text, more than 200 levels (a cycle too).
    """
    if is_plain(value):
        return Mended(value=value, faults=())  # type: ignore[arg-type]  # is_plain has seen to it
    mender = _Mender()
    copy = mender.copy(value, path, 0)
    return Mended(value=copy, faults=tuple(mender.faults))


def is_plain(value: object) -> bool:
    """Whether `mended` would find nothing to mend. Every call pays for it, so it is kept quick."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST + 1):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str:
                if not item.isascii() and mend_text(item) is not item:
                    return False
            elif kind is dict:
                if not all(map(_is_plain_key, item)):
                    return False
                below += item.values()
            elif kind is list:
                below += item
            elif not _is_plain_scalar(item):
                return False
        if not below:
            return True
        level = below
    return False


def _is_plain_key(key: object) -> bool:
    return type(key) is str and (key.isascii() or mend_text(key) is key)


def _is_plain_scalar(item: object) -> bool:
    kind = type(item)
    if kind is float:
        return math.isfinite(item)  # type: ignore[arg-type]  # narrowed by its exact type, as below
    if kind is int:
        return int.bit_length(item) <= _MOST_BITS  # type: ignore[arg-type]
    return item is None or kind is bool


class _Mender:
    def __init__(self) -> None:
        self.faults: list[str] = []

    def copy(  # noqa: PLR0911  # one return a type
        self, value: object, path: str, depth: int
    ) -> JsonValue:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return mend_text(str.__str__(value))
        if isinstance(value, int):
            return self._integer(int(value), path)
        if isinstance(value, float):
            return self._float(float(value), path)
        if not isinstance(value, dict | list | tuple):
            return self._fault(f"{label(path)} must be a JSON value, got {type(value).__name__}")
        if depth >= _DEEPEST:
            return self._fault(f"{label(path)} is nested deeper than {_DEEPEST} levels")
        if isinstance(value, dict):
            return self._object(value, path, depth)
        return [self.copy(item, item_path(path, at), depth + 1) for at, item in enumerate(value)]

    def _object(self, value: dict[object, object], path: str, depth: int) -> JsonValue:
        copy: dict[str, JsonValue] = {}
        for key, item in value.items():
            if isinstance(key, str):
                name = mend_text(str.__str__(key))
                copy[name] = self.copy(item, subpath(path, name), depth + 1)
            else:
                self._fault(f"{label(path)} has a key that isn't text: {str(key)[:40]}")
        return copy

    def _integer(self, number: int, path: str) -> JsonValue:
        if number.bit_length() > _MOST_BITS:
            return self._fault(f"{label(path)} has too many digits")
        return number

    def _float(self, number: float, path: str) -> JsonValue:
        if not math.isfinite(number):
            return self._fault(f"{label(path)} must be finite")
        return number

    def _fault(self, text: str) -> JsonValue:
        self.faults.append(text)
        return None


__all__ = ["Mended", "is_plain", "mended"]
