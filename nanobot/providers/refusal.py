"""Which tool a server refuses, by what it says: one odd schema never spoils the list. Pure.

OpenAI writes `Invalid schema for function 'x'` or `tools[3].function.parameters`, Anthropic
`tools.3.custom.input_schema`, Gemini `function_declarations[3]` (CASES.md G8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import as_object

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue

_BY_INDEX = re.compile(r"(?:\btools|function_declarations)(?:\.(\d+)|\[(\d+)\])")
_BY_NAME = re.compile(r"function ['\"`]([\w-]+)['\"`]")


def refused_tool(text: str, body: JsonObject) -> str | None:
    """The provider's name of the tool that `text` refuses, of those in `body`; None if of none."""
    tools = body.get("tools")
    names = [_name(tool) for tool in tools] if isinstance(tools, list) else []
    by_index = _BY_INDEX.search(text)
    if by_index is not None:
        index = int(by_index.group(1) or by_index.group(2))
        return names[index] if index < len(names) else None
    by_name = _BY_NAME.search(text) if "schema" in text.lower() else None
    return by_name.group(1) if by_name is not None and by_name.group(1) in names else None


def _name(tool: JsonValue) -> str:
    """The name in a definition of any of the three shapes."""
    shaped = as_object(tool)
    return str(as_object(shaped.get("function")).get("name") or shaped.get("name") or "")


__all__ = ["refused_tool"]
