"""Prints `docs/tools.md`: what the model is told of each built-in tool, from the registry.

Run: `python scripts/tools_page.py > docs/tools.md`. A test holds the page to this output.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.agent.tools import ToolContext, ToolLoader, ToolRegistry

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject


def page() -> str:
    """The whole page."""
    registry = ToolRegistry()
    for kind in ToolLoader().discover():
        registry.register(kind.create(ToolContext(workspace=str(Path.cwd()))))
    parts = [
        "# Built-in tools",
        (
            "Made by `scripts/tools_page.py` from the definitions that a model gets. `*` marks what is "
            "required; every tool refuses parameters that it does not know."
        ),
    ]
    for definition in registry.get_definitions():
        function = definition["function"]
        tool = registry.get(function["name"])
        if tool is not None:
            flags = "read-only" if tool.read_only else "asks before it runs"
            scopes = ", ".join(sorted(type(tool)._scopes))  # noqa: SLF001  # the contract's name
            parts += [
                f"## {function['name']}",
                f"{flags} · scopes: {scopes}",
                function["description"],
                _parameters(function["parameters"]),
            ]
    return "\n\n".join(parts) + "\n"


def _parameters(schema: JsonObject) -> str:
    required, properties = schema.get("required", []), schema["properties"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    rows = ["| parameter | type | meaning |", "|---|---|---|"]
    for name, sub in properties.items():
        assert isinstance(sub, dict)
        star = "*" if name in required else ""
        rows.append(f"| `{name}`{star} | {_type(sub)} | {sub.get('description', '')} |")
    return "\n".join(rows)


def _type(schema: JsonObject) -> str:
    kind = schema["type"]
    words = [" or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        words.append(f"{low}–{high}")
    elif low is not None:
        words.append(f"≥ {low}")
    if "enum" in schema:
        options = schema["enum"]
        assert isinstance(options, list)
        words.append(" / ".join(f"`{option}`" for option in options))
    if "default" in schema:
        words.append(f"({schema['default']})")
    return " ".join(words).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())
