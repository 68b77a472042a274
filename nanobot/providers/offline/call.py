"""A call that is understood, and the exact command that says the same."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.providers.offline.toolbox import Toolbox

_PLAIN = re.compile(r"[\w./@%+,*?^()\[\]{}|<>$!#~-]+(?:[:][\w./@-]+)*")
_COMMAND_LIKE = ("--", "{", "$'")


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the tool's name and its arguments."""

    tool: str
    arguments: JsonObject


def command_line(call: Call, toolbox: Toolbox) -> str:
    """The exact command of a call: typed in, it makes the same one."""
    shape = toolbox.shapes.get(call.tool)
    if shape is None:
        return f"/call {quote(call.tool)} {json.dumps(call.arguments, ensure_ascii=False)}"
    words = ["/" + shape.command]
    in_order = True
    for name in shape.positions:
        value = call.arguments.get(name)
        in_order = in_order and isinstance(value, str)
        if in_order:
            words.append(quote(str(value)))
        elif name in call.arguments:
            words.append(_named(name, call.arguments[name]))
    others = [name for name in call.arguments if name not in shape.positions]
    words += [_named(name, call.arguments[name]) for name in others]
    return " ".join(words)


def quote(text: str) -> str:
    """The text as one word of a command."""
    if _PLAIN.fullmatch(text) and not text.startswith(_COMMAND_LIKE):
        return text
    if "\n" not in text and "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"$'{escaped}'"


def _named(name: str, value: JsonValue) -> str:
    if isinstance(value, str):
        return f"{name}={quote(value)}"
    sign = ":=" if value is None or isinstance(value, list | dict) else "="
    return f"{name}{sign}{json.dumps(value)}"


__all__ = ["Call", "command_line", "quote"]
