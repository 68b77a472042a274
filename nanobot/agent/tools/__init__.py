"""The contract of tools, loaded on first use: importing this package costs next to nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.agent.tools.base import Schema, Tool, tool_parameters
    from nanobot.agent.tools.context import (
        RequestContext,
        ToolContext,
        bind_request_context,
        current_request_context,
        reset_request_context,
    )
    from nanobot.agent.tools.function import FunctionTool, tool
    from nanobot.agent.tools.loader import ToolLoader
    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.agent.tools.result import ToolResult
    from nanobot.agent.tools.schema import (
        ArraySchema,
        BooleanSchema,
        IntegerSchema,
        NumberSchema,
        ObjectSchema,
        StringSchema,
        tool_parameters_schema,
    )

_HOMES = {
    "base": ("Schema", "Tool", "tool_parameters"),
    "context": (
        "RequestContext",
        "ToolContext",
        "bind_request_context",
        "current_request_context",
        "reset_request_context",
    ),
    "function": ("FunctionTool", "tool"),
    "loader": ("ToolLoader",),
    "registry": ("ToolRegistry",),
    "result": ("ToolResult",),
    "schema": (
        "ArraySchema",
        "BooleanSchema",
        "IntegerSchema",
        "NumberSchema",
        "ObjectSchema",
        "StringSchema",
        "tool_parameters_schema",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import the module of a public name when the name is first used."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})


__all__ = [
    "ArraySchema",
    "BooleanSchema",
    "FunctionTool",
    "IntegerSchema",
    "NumberSchema",
    "ObjectSchema",
    "RequestContext",
    "Schema",
    "StringSchema",
    "Tool",
    "ToolContext",
    "ToolLoader",
    "ToolRegistry",
    "ToolResult",
    "bind_request_context",
    "current_request_context",
    "reset_request_context",
    "tool",
    "tool_parameters",
    "tool_parameters_schema",
]
