"""How one tool's arguments are made ready: chosen once, when the tool registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.arguments import CompiledArguments, parse_arguments
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.faults import unexpected_parameters
from nanobot.agent.tools.signature import wrongly_optional
from nanobot.errors import InvalidArguments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nanobot.agent.tools.definition import Definition

    _Prepare = Callable[[object], dict[str, Any]]


def preparer(tool: Tool, definition: Definition) -> _Prepare:
    """A function from raw arguments to those that `execute` gets; raises `InvalidArguments`.

    Most tools take the compiled path. One that overrides `cast_params` or `validate_params` is
    asked through them. What `execute` can't take, or can't do without, is refused in the same
    words instead of ending in a `TypeError`.
    """
    signature = definition.signature
    accepted = None if signature.takes_any else signature.names
    if _has_own_rules(type(tool)):
        prepare = _own_rules(tool, definition, accepted)
    else:
        prepare = CompiledArguments(definition.name, definition.compiled, accepted=accepted).prepare
    needed = wrongly_optional(definition.parameters, signature)
    return _needing(prepare, definition.name, needed) if needed else prepare


def _has_own_rules(kind: type[Tool]) -> bool:
    return (
        kind.cast_params is not Tool.cast_params or kind.validate_params is not Tool.validate_params
    )


def _own_rules(tool: Tool, definition: Definition, accepted: frozenset[str] | None) -> _Prepare:
    name = definition.name
    unwrap = not definition.compiled.declares("arguments")

    def prepare(params: object) -> dict[str, Any]:
        arguments = tool.cast_params(parse_arguments(params, name=name, unwrap=unwrap))
        faults = list(tool.validate_params(arguments))
        if accepted is not None:
            extra = [key for key in arguments if key not in accepted]
            faults += unexpected_parameters(extra, sorted(accepted))
        if faults:
            raise InvalidArguments.of(name, list(dict.fromkeys(faults)))
        return arguments

    return prepare


def _needing(prepare: _Prepare, name: str, needed: Sequence[str]) -> _Prepare:
    """The same for an `execute` that requires what its schema calls optional (CASES.md A7)."""

    def checked(params: object) -> dict[str, Any]:
        arguments = prepare(params)
        missing = [f"missing required {key}" for key in needed if key not in arguments]
        if missing:
            raise InvalidArguments.of(name, missing)
        return arguments

    return checked


__all__ = ["preparer"]
