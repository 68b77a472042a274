"""Small definitions of the tools that a prompt may name, for the tests of the offline provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

__all__ = ["DEFINITIONS"]


def _definition(name: str, required: str = "", **properties: str) -> JsonObject:
    parameters: JsonObject = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": [*required.split()],
        "additionalProperties": False,
    }
    function: JsonObject = {
        "name": name,
        "description": f"Do {name}.\nMore.",
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


DEFINITIONS: list[JsonObject] = [
    _definition("apply_patch", edits="array", patch="string", dry_run="boolean"),
    _definition(
        "edit_file",
        "path old_text new_text",
        path="string",
        old_text="string",
        new_text="string",
        replace_all="boolean",
    ),
    _definition("exec", "command", command="string", timeout="integer"),
    _definition(
        "find_files",
        path="string",
        query="string",
        glob="string",
        type="string",
        head_limit="integer",
    ),
    _definition(
        "grep",
        "pattern",
        pattern="string",
        path="string",
        glob="string",
        case_insensitive="boolean",
        fixed_strings="boolean",
        output_mode="string",
        head_limit="integer",
    ),
    _definition("list_dir", "path", path="string", recursive="boolean", max_entries="integer"),
    _definition(
        "read_file",
        "path",
        path="string",
        offset="integer",
        limit="integer",
        pages="string",
        force="boolean",
    ),
    _definition("weather.now", "city", city="string", days="integer", tags="array"),
    _definition("write_file", "path content", path="string", content="string"),
]
