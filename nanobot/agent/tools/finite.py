"""Arguments as JSON can say them: finite numbers, sound text, plain containers, bounded depth.

The validator reads a non-finite number as null and stumbles over a lone surrogate, so both are
dealt with before it sees them (CASES.md A4, B11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    """Whether `mended` would find nothing to mend."""
    return _is_plain(value, 0)


def _is_plain(value: object, depth: int) -> bool:
    kind = type(value)
    if kind is str:
        return mend_text(value) is value  # type: ignore[arg-type]  # narrowed by its exact type
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]
    if kind is int:
        return int.bit_length(value) <= _MOST_BITS  # type: ignore[arg-type]
    if kind is dict:
        return depth < _DEEPEST and _is_plain_object(value, depth)  # type: ignore[arg-type]
    if kind is list:
        return depth < _DEEPEST and all(_is_plain(item, depth + 1) for item in value)  # type: ignore[attr-defined]
    return value is None or kind is bool


def _is_plain_object(value: dict[object, object], depth: int) -> bool:
    for key, item in value.items():
        if type(key) is not str or mend_text(key) is not key or not _is_plain(item, depth + 1):
            return False
    return True


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
