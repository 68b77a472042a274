"""Annotations that pydantic can read: before Python 3.12 it refuses `typing.TypedDict`.

It wants the one of `typing_extensions`, since `typing`'s forgets what a base class declared. The
class's own type hints and key sets tell enough to build that one.
"""

from __future__ import annotations

import operator
import sys
import types
from functools import reduce
from typing import (
    Annotated,
    Any,
    NotRequired,
    Required,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import typing_extensions

_NEEDED = sys.version_info < (3, 12)


class _Probe(TypedDict):
    """Tells the class of `typing`'s typed dicts, which has no public name."""


_TYPING_META = type(_Probe)


def readable_type(hint: Any) -> Any:
    """The annotation with each `typing.TypedDict` in it rebuilt; anything else stays as it is.

    One inside a model or a dataclass is theirs to change; one that refers to itself is left, and
    pydantic's refusal says what to import instead.
    """
    return _rebuilt(hint, ()) if _NEEDED else hint


def _rebuilt(hint: Any, inside: tuple[Any, ...]) -> Any:
    if isinstance(hint, _TYPING_META):
        return hint if hint in inside else _typed_dict(hint, (*inside, hint))
    origin, args = get_origin(hint), get_args(hint)
    if origin is None or not args:
        return hint
    if origin is Annotated:
        return Annotated[(_rebuilt(args[0], inside), *args[1:])]
    parts = tuple(_rebuilt(arg, inside) for arg in args)
    if all(part is arg for part, arg in zip(parts, args, strict=True)):
        return hint
    if origin in {Union, types.UnionType}:
        return reduce(operator.or_, parts)
    return origin[parts if len(parts) > 1 else parts[0]]


def _typed_dict(hint: Any, inside: tuple[Any, ...]) -> Any:
    fields: dict[str, Any] = {}
    for key, kind in get_type_hints(hint, include_extras=True).items():
        marked = get_origin(kind) in {Required, NotRequired}
        rebuilt = _rebuilt(get_args(kind)[0] if marked else kind, inside)
        fields[key] = NotRequired[rebuilt] if _may_be_missing(hint, key, kind) else rebuilt
    make: Any = typing_extensions.TypedDict
    made = make(hint.__name__, fields)
    made.__doc__ = hint.__doc__
    made.__module__ = hint.__module__
    return made


def _may_be_missing(hint: Any, key: str, kind: Any) -> bool:
    """A mark speaks first: under postponed annotations the key sets don't know of it."""
    origin = get_origin(kind)
    return origin is NotRequired or (origin is not Required and key in hint.__optional_keys__)


__all__ = ["readable_type"]
