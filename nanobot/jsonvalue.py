"""JSON as Python values: the two type names the rest of the package uses."""

from __future__ import annotations

from typing import TypeAlias

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
"""Whatever `json.loads` returns."""

JsonObject: TypeAlias = "dict[str, JsonValue]"
"""A JSON object: call arguments, a schema, a message."""

__all__ = ["JsonObject", "JsonValue"]
