"""Defaults that their own schema refuses: what a model would read and could not send.

Schemas from elsewhere often have some (`"default": "false"` for a boolean). They are usable, so
only the author of a tool is told: by `@tool` and by `nanobot tools check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import LITERALS, SCHEMA_MAPS, as_object
from nanobot.agent.tools.validation import compile_schema
from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue

_SHARED = ("$schema", "$defs", "definitions")


def refused_defaults(parameters: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Pairs of a parameter's path and what is wrong with its default.

    Looks into properties and list items, not through references. The schema has been compiled
    before, so that its depth is bounded.
    """
    shared = {key: parameters[key] for key in _SHARED if key in parameters}
    faults: list[tuple[str, str]] = []
    for path, schema in _with_defaults(parameters, ""):
        try:
            found = compile_schema({**shared, **schema}).faults(schema["default"], path)
        except ToolSetupError:
            continue  # it has a reference that only resolves from the root
        if found:
            faults.append((path, f"its default is refused by its own schema: {found[0]}"))
    return faults


def _with_defaults(schema: Mapping[str, JsonValue], path: str) -> Iterator[tuple[str, JsonObject]]:
    """Every subschema that has a default, with the path of the argument it stands for."""
    if "default" in schema:
        yield path or "parameter", dict(schema)
    for key, value in schema.items():
        if key in LITERALS or not isinstance(value, dict):
            continue
        if key in SCHEMA_MAPS:
            for name, sub in value.items():
                yield from _with_defaults(as_object(sub), f"{path}.{name}" if path else name)
        elif key == "items":
            yield from _with_defaults(value, f"{path}[]")


__all__ = ["refused_defaults"]
