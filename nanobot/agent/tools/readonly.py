"""JSON that many may hold and nobody can damage: what the registry hands out as definitions.

The containers are `dict` and `list` to everything that reads: `json.dumps`, `isinstance`, `==`. A
change raises `TypeError`. A copy of any kind (`copy.copy`, `copy.deepcopy`, pickle, `dict(...)`,
`{**...}`, `|`, a slice) is plain and may be changed.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NoReturn

from nanobot.jsonvalue import JsonObject, JsonValue

if TYPE_CHECKING:
    from collections.abc import Mapping

_REFUSAL = "a tool definition is read-only; change a copy.deepcopy() of it"


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:  # noqa: ARG001  # any call
    raise TypeError(_REFUSAL)


class ReadOnlyDict(dict[str, JsonValue]):
    """A `dict` that refuses every change."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> JsonObject:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, object]) -> JsonObject:
        return {key: copy.deepcopy(value, memo) for key, value in self.items()}

    def __reduce__(self) -> tuple[type[JsonObject], tuple[JsonObject]]:
        return dict, (dict(self),)


class ReadOnlyList(list[JsonValue]):
    """A `list` that refuses every change."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = _refuse
    remove = reverse = sort = _refuse

    def __copy__(self) -> list[JsonValue]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, object]) -> list[JsonValue]:
        return [copy.deepcopy(item, memo) for item in self]

    def __reduce__(self) -> tuple[type[list[JsonValue]], tuple[list[JsonValue]]]:
        return list, (list(self),)


def read_only(value: Mapping[str, JsonValue]) -> ReadOnlyDict:
    """A deep read-only copy. Tuples become lists, as in JSON."""
    return ReadOnlyDict([(key, _frozen(item)) for key, item in value.items()])


def _frozen(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ReadOnlyDict([(key, _frozen(item)) for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return ReadOnlyList([_frozen(item) for item in value])
    return value


__all__ = ["ReadOnlyDict", "ReadOnlyList", "read_only"]
