"""What a tool's `execute` takes by name, and where that contradicts its schema."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nanobot.jsonvalue import JsonValue

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_OPEN_ROOT = frozenset(
    {"$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteSignature:
    """The parameters of one `execute`, without `self`."""

    names: frozenset[str]
    required: frozenset[str]
    takes_any: bool
    """Whether it has `**kwargs`."""
    is_async: bool
    """Whether it is `async def`; a plain one runs in a thread."""

    @classmethod
    def of(cls, execute: Callable[..., object]) -> ExecuteSignature:
        """The signature of a bound `execute`. One that Python can't tell takes anything."""
        is_async = inspect.iscoroutinefunction(inspect.unwrap(execute))
        try:
            parameters = inspect.signature(execute).parameters.values()
        except (TypeError, ValueError):
            return cls(names=frozenset(), required=frozenset(), takes_any=True, is_async=is_async)
        named = [p for p in parameters if p.kind in _BY_NAME]
        return cls(
            names=frozenset(p.name for p in named),
            required=frozenset(p.name for p in named if p.default is p.empty),
            takes_any=any(p.kind is p.VAR_KEYWORD for p in parameters),
            is_async=is_async,
        )


def contradictions(
    schema: Mapping[str, JsonValue], signature: ExecuteSignature
) -> list[tuple[str, str]]:
    """Pairs of a parameter and what is wrong with it, for calls that could only fail.

    Where the root of the schema is more than a plain list of properties nothing is said.
    """
    declared = as_object(schema.get("properties"))
    faults: list[tuple[str, str]] = []
    if not signature.takes_any:
        faults.extend(
            (name, "the schema declares it, but execute can't take it by name")
            for name in declared
            if name not in signature.names
        )
    if not _OPEN_ROOT.intersection(schema):
        faults.extend(
            (name, "execute requires it, but the schema doesn't declare it")
            for name in sorted(signature.required.difference(declared))
        )
    return faults


def wrongly_optional(schema: Mapping[str, JsonValue], signature: ExecuteSignature) -> list[str]:
    """Parameters that execute requires though the schema calls them optional (CASES.md A7)."""
    required = as_list(schema.get("required"))
    declared = as_object(schema.get("properties"))
    return sorted(n for n in signature.required if n in declared and n not in required)


__all__ = ["ExecuteSignature", "contradictions", "wrongly_optional"]
