"""A tool's definition, read once and checked: what the model will see of it.

A tool's properties are foreign code and may answer anything, or something else each time. The
registry keeps what they answered once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.defaults import refused_defaults
from nanobot.agent.tools.portable import as_object
from nanobot.agent.tools.signature import ExecuteSignature, contradictions, wrongly_optional
from nanobot.agent.tools.validation import CompiledSchema, compile_schema
from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_SHOWN_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What one tool said of itself."""

    name: str
    description: str
    parameters: JsonObject
    schema: JsonObject
    """The definition in the form of Chat Completions, as `to_schema` gives it."""
    compiled: CompiledSchema
    signature: ExecuteSignature


def read_definition(tool: Tool) -> Definition:
    """The definition of a tool.

    Raises:
        ToolSetupError: it can't be used; the place names the tool and the part.
    """
    if not isinstance(tool, Tool):
        kind = tool.__name__ if isinstance(tool, type) else type(tool).__name__
        raise ToolSetupError(f"a tool is an instance of Tool, not {kind}", place="register")
    name = _name(tool)
    schema = _shown(tool, name)
    function = as_object(schema["function"])
    parameters = as_object(function["parameters"])
    compiled = _compiled(parameters, name)
    signature = ExecuteSignature.of(tool.execute)
    for parameter, fault in contradictions(parameters, signature):
        raise ToolSetupError(fault, place=f"{name}, parameter '{parameter}'")
    _check_timeout(tool, name)
    return Definition(
        name=name,
        description=str(function["description"]),
        parameters=parameters,
        schema=schema,
        compiled=compiled,
        signature=signature,
    )


def definition_warnings(tool: Tool) -> list[str]:
    """What a usable definition still does badly, for the author."""
    definition = read_definition(tool)
    names = wrongly_optional(definition.parameters, definition.signature)
    place = f"{_short(definition.name)}, parameter"
    faults = [f"{place} '{n}': execute requires it, the schema calls it optional" for n in names]
    faults.extend(
        f"{place} '{path}': {fault}" for path, fault in refused_defaults(definition.parameters)
    )
    properties = as_object(definition.parameters.get("properties"))
    faults.extend(
        f"{place} '{name}': no description, so the model has to guess"
        for name, schema in properties.items()
        if not as_object(schema).get("description")
    )
    return faults


def _name(tool: Tool) -> str:
    place = type(tool).__name__
    try:
        name: object = tool.name
    except Exception as error:
        raise ToolSetupError(f"its name raises {_told(error)}", place=place) from error
    if not isinstance(name, str) or not name.strip():
        raise ToolSetupError(f"a name is non-empty text, got {name!r}", place=f"{place}.name")
    return name


def _shown(tool: Tool, name: str) -> JsonObject:
    """`to_schema()`, checked part by part."""
    try:
        shown: object = tool.to_schema()
    except (Exception, RecursionError) as error:
        raise ToolSetupError(f"its definition raises {_told(error)}", place=_short(name)) from error
    function = shown.get("function") if isinstance(shown, dict) else None
    if not isinstance(shown, dict) or not isinstance(function, dict):
        raise ToolSetupError("to_schema() must return a function definition", place=_short(name))
    description = function.get("description")
    if not isinstance(description, str) or not description.strip():
        raise ToolSetupError(
            "no description, so a model can't know what it is for",
            place=f"{_short(name)}.description",
        )
    if not isinstance(function.get("parameters"), dict):
        kind = type(function.get("parameters")).__name__
        raise ToolSetupError(
            f"parameters must be a JSON Schema of type object, got {kind}",
            place=f"{_short(name)}.parameters",
        )
    return shown


def _compiled(parameters: JsonObject, name: str) -> CompiledSchema:
    place = f"{_short(name)}.parameters"
    try:
        compiled = compile_schema(parameters)
    except ToolSetupError as error:
        raise ToolSetupError(error.message, place=place, hint=error.hint) from error
    kind = parameters.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise ToolSetupError(f"the root must be of type object, got {kind!r}", place=place)
    return compiled


def _check_timeout(tool: Tool, name: str) -> None:
    seconds: object = tool.timeout_s
    if seconds is None:
        return
    numeric = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not numeric or math.isnan(float(seconds)) or float(seconds) <= 0:  # type: ignore[arg-type]
        raise ToolSetupError(
            f"a deadline is a positive number of seconds, got {seconds!r}",
            place=f"{_short(name)}.timeout_s",
        )


def _short(name: str) -> str:
    return name if len(name) <= _SHOWN_NAME else f"{name[:_SHOWN_NAME]}…"


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


__all__ = ["Definition", "definition_warnings", "read_definition"]
