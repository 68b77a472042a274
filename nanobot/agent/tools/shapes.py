"""Tool definitions in each provider's shape, made from one: what `get_definitions()` hands out.

Every function takes definitions in the form of Chat Completions and never changes them. A tool
that can't be put into a shape is left out with a logged warning; it never spoils the list. Names
go through the request's `NameMap`; take a call's name back with `names.from_provider`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nanobot.agent.tools.names import NameMap
from nanobot.agent.tools.openapi import openapi_schema
from nanobot.agent.tools.portable import as_object, named_properties, portable_schema
from nanobot.agent.tools.strict import fits_strict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from nanobot.agent.tools.base import Tool
    from nanobot.jsonvalue import JsonObject, JsonValue

_log = logging.getLogger(__name__)


def definition_names(definitions: Iterable[Mapping[str, JsonValue]]) -> list[str]:
    """The names of these definitions, in order: what `NameMap.of` takes."""
    names = (as_object(definition.get("function")).get("name") for definition in definitions)
    return [name for name in names if isinstance(name, str)]


def openai_chat_tools(
    definitions: Sequence[Mapping[str, JsonValue]], names: NameMap, *, strict: bool = True
) -> list[JsonObject]:
    """The `tools` of Chat Completions.

    With `strict`, a tool whose schema fits the strict subset as it is says so; switch it off for
    servers that refuse the key.
    """

    def shaped(function: JsonObject, name: str) -> JsonObject:
        parameters = portable_schema(as_object(function.get("parameters")))
        result: JsonObject = {"name": name, "description": _described(function)}
        result["parameters"] = parameters
        if strict and fits_strict(parameters):
            result["strict"] = True
        return {"type": "function", "function": result}

    return _shaped(definitions, names, shaped)


def openai_responses_tools(
    definitions: Sequence[Mapping[str, JsonValue]], names: NameMap
) -> list[JsonObject]:
    """The `tools` of the Responses API, which takes a missing `strict` for true."""

    def shaped(function: JsonObject, name: str) -> JsonObject:
        parameters = portable_schema(as_object(function.get("parameters")))
        return {
            "type": "function",
            "name": name,
            "description": _described(function),
            "parameters": parameters,
            "strict": fits_strict(parameters),
        }

    return _shaped(definitions, names, shaped)


def anthropic_tools(
    definitions: Sequence[Mapping[str, JsonValue]], names: NameMap
) -> list[JsonObject]:
    """The `tools` of Anthropic's Messages."""

    def shaped(function: JsonObject, name: str) -> JsonObject:
        schema = named_properties(portable_schema(as_object(function.get("parameters"))))
        return {"name": name, "description": _described(function), "input_schema": schema}

    return _shaped(definitions, names, shaped)


def gemini_tools(
    definitions: Sequence[Mapping[str, JsonValue]], names: NameMap
) -> list[JsonObject]:
    """The `tools` of Gemini: one entry with every declaration, none without tools.

    Make the map with `letter_first=True`. A tool without parameters has no `parameters`.
    """

    def shaped(function: JsonObject, name: str) -> JsonObject:
        schema = openapi_schema(portable_schema(as_object(function.get("parameters"))))
        result: JsonObject = {"name": name, "description": _described(function)}
        if schema.get("properties"):
            result["parameters"] = schema
        return result

    declarations = _shaped(definitions, names, shaped)
    return [{"function_declarations": [*declarations]}] if declarations else []


def mcp_tools(tools: Iterable[Tool], names: NameMap | None = None) -> list[JsonObject]:
    """The `tools` of MCP's `tools/list`, with title, output schema and hints.

    An output schema goes along only where its root is an object, as the protocol wants it.
    """
    result: list[JsonObject] = []
    for tool in tools:
        try:
            result.append(_mcp_tool(tool, names))
        except Exception:  # noqa: BLE001  # a foreign tool's properties run here
            _log.warning("The tool %r was left out: no MCP shape", tool, exc_info=True)
    return result


def _mcp_tool(tool: Tool, names: NameMap | None) -> JsonObject:
    name = tool.name
    shape: JsonObject = {"name": names.to_provider(name) if names else name}
    if tool.title:
        shape["title"] = tool.title
    shape["description"] = tool.description
    shape["inputSchema"] = portable_schema(tool.parameters)
    if tool.output_schema is not None:
        output = tool.output_schema
        if output.get("type") == "object":
            shape["outputSchema"] = portable_schema(output)
    hints: dict[str, bool | None] = {
        "readOnlyHint": tool.read_only,
        "destructiveHint": tool.destructive,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.open_world,
    }
    annotations: JsonObject = {key: value for key, value in hints.items() if value is not None}
    if tool.title:
        annotations["title"] = tool.title
    shape["annotations"] = annotations
    return shape


def _described(function: JsonObject) -> str:
    text = function.get("description")
    return text if isinstance(text, str) else ""


def _shaped(
    definitions: Sequence[Mapping[str, JsonValue]],
    names: NameMap,
    shaped: Callable[[JsonObject, str], JsonObject],
) -> list[JsonObject]:
    result: list[JsonObject] = []
    for definition in definitions:
        function = as_object(definition.get("function"))
        name = function.get("name")
        if not isinstance(name, str) or not name:
            _log.warning("A definition without a name was left out")
            continue
        try:
            result.append(shaped(function, names.to_provider(name)))
        except (LookupError, RecursionError, TypeError, ValueError) as error:
            _log.warning("The tool %r was left out of the request: %s", name, error)
    return result


__all__ = [
    "NameMap",
    "anthropic_tools",
    "definition_names",
    "gemini_tools",
    "mcp_tools",
    "openai_chat_tools",
    "openai_responses_tools",
]
