"""How one tool's arguments are made ready: chosen once, when the tool registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.arguments import CompiledArguments, parse_arguments
from nanobot.agent.tools.base import Tool
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
    kind = type(tool)
    own = kind.cast_params is not Tool.cast_params
    own = own or kind.validate_params is not Tool.validate_params
    prepare = _own_rules(tool, definition) if own else _compiled(definition)
    signature = definition.signature
    required = wrongly_optional(definition.parameters, signature)
    if signature.takes_any and not required:
        return prepare
    names, takes_any = signature.names, signature.takes_any

    def checked(params: object) -> dict[str, Any]:
        arguments = prepare(params)
        if (takes_any or names.issuperset(arguments)) and not required:
            return arguments
        faults = [f"missing required {name}" for name in required if name not in arguments]
        if not takes_any:
            faults += [f"unexpected parameter {name}" for name in arguments if name not in names]
        if faults:
            raise _invalid(definition.name, faults)
        return arguments

    return checked


def _compiled(definition: Definition) -> _Prepare:
    return CompiledArguments(definition.name, definition.compiled).prepare


def _own_rules(tool: Tool, definition: Definition) -> _Prepare:
    name = definition.name

    def prepare(params: object) -> dict[str, Any]:
        arguments = tool.cast_params(parse_arguments(params, name=name))
        faults = tool.validate_params(arguments)
        if faults:
            raise _invalid(name, faults)
        return arguments

    return prepare


def _invalid(name: str, faults: Sequence[str]) -> InvalidArguments:
    message = f"Invalid parameters for tool '{name}': {'; '.join(faults)}"
    return InvalidArguments(message, name=name, faults=faults)


__all__ = ["preparer"]
