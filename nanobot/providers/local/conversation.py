"""A conversation as plain chat: `system`, then `user` and `assistant` in turn, text only. Pure.

Chat templates of small models know neither calls nor results, and many refuse two messages of the
same role in a row. So a call is shown as the model writes it, a result as something the user says,
and neighbours of one role are joined.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nanobot.agent.history import shape
from nanobot.agent.tools.portable import as_list, as_object
from nanobot.agent.window import fitted
from nanobot.providers.calls import calls_in, read_arguments
from nanobot.providers.content import ImagePart, TextPart, parts_of
from nanobot.providers.local.form import answer_text, call_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nanobot.jsonvalue import JsonObject, JsonValue

_CHARS_PER_TOKEN = 3
_RULING = frozenset({"system", "developer"})
_DETAILS = (240, 100, 0)
_FORM = """\
Answer with one JSON object and nothing else, in one of two forms.
To call a tool: {"tool": "NAME", "arguments": {…}}. One call at a time; its result comes back to you.
To answer the user: {"answer": "text"}. Do so as soon as the results say what the user wants to know.
"""


def chat_messages(
    messages: Sequence[Mapping[str, JsonValue]],
    tools: Sequence[Mapping[str, JsonValue]],
    budget_tokens: int,
) -> list[JsonObject]:
    """The messages for the model, of about `budget_tokens` at most with the tools explained.

    The oldest messages go first; where the newest alone are too much, their results are shortened.
    """
    explained = tools_text(tools, budget_tokens // 2) if tools else ""
    room = budget_tokens - len(explained) // _CHARS_PER_TOKEN
    kept = fitted(shape(map(_with_text, messages)), (), max(room, 0))
    names = {str(c.get("id")): _name_of(c) for message in kept for c in calls_in(message)}
    system = [str(each["content"]) for each in kept if each.get("role") in _RULING]
    turns = [
        _turn(message, names, in_form=bool(tools))
        for message in kept
        if message.get("role") not in _RULING
    ]
    text = "\n\n".join(filter(None, [*system, explained]))
    opening: list[JsonObject] = [{"role": "system", "content": text}] if text else []
    return [*opening, *_joined(turns)]


def tools_text(tools: Sequence[Mapping[str, JsonValue]], budget_tokens: int) -> str:
    """What the model is told of its tools, with shorter descriptions where they are many."""
    functions = [as_object(tool.get("function")) for tool in tools]
    text = ""
    for longest in _DETAILS:
        lines = [_tool_line(function, longest) for function in functions]
        text = _FORM + "\nTools:\n" + "\n".join(lines)
        if len(text) <= budget_tokens * _CHARS_PER_TOKEN:
            break
    return text


def _tool_line(function: JsonObject, longest: int) -> str:
    parameters = as_object(function.get("parameters"))
    required = as_list(parameters.get("required"))
    properties = as_object(parameters.get("properties"))
    told = [
        _parameter(name, as_object(schema), optional=name not in required, longest=longest // 4)
        for name, schema in properties.items()
    ]
    description = _cut(str(function.get("description") or ""), longest)
    line = f"- {function.get('name')}({', '.join(told)})"
    return f"{line}: {description}" if description else line


def _parameter(name: str, schema: JsonObject, *, optional: bool, longest: int) -> str:
    values = as_list(schema.get("enum"))
    kind = schema.get("type")
    shown = (
        "|".join(map(json.dumps, values)) if values else kind if isinstance(kind, str) else "any"
    )
    line = f"{name}{'?' if optional else ''}: {shown}"
    description = _cut(str(schema.get("description") or ""), longest)
    return f"{line} ({description})" if description and not optional else line


def _cut(text: str, longest: int) -> str:
    """The text on one line, up to the last sentence that fits, or else the last word."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    piece = line[:longest]
    sentence = piece.rfind(". ")
    if sentence > 0:
        return piece[: sentence + 1]
    return f"{piece.rsplit(' ', 1)[0]}…" if longest else ""


def _with_text(message: Mapping[str, JsonValue]) -> JsonObject:
    """The message with its content as text; what is no text is named."""
    told = [_told(part) for part in parts_of(message.get("content"))]
    return {**message, "content": "\n".join(told) or None}


def _told(part: object) -> str:
    if isinstance(part, TextPart):
        return part.text
    return "[an image, which you can't see]" if isinstance(part, ImagePart) else "[a file]"


def _turn(
    message: Mapping[str, JsonValue], names: Mapping[str, str], *, in_form: bool
) -> JsonObject:
    content = str(message.get("content") or "")
    if message.get("role") == "tool":
        name = names.get(str(message.get("tool_call_id")), "the tool")
        return {"role": "user", "content": f"Result of {name}:\n{content}"}
    if message.get("role") != "assistant":
        return {"role": "user", "content": content}
    calls = [_call(call) for call in calls_in(message)]
    said = [*calls] if calls else [answer_text(content) if in_form else content]
    return {"role": "assistant", "content": "\n".join(said)}


def _call(call: Mapping[str, JsonValue]) -> str:
    arguments = read_arguments(as_object(call.get("function")).get("arguments"))
    return call_text(_name_of(call), arguments)


def _name_of(call: Mapping[str, JsonValue]) -> str:
    return str(as_object(call.get("function")).get("name") or "")


def _joined(turns: Iterable[JsonObject]) -> list[JsonObject]:
    """Neighbours of one role as one message; the first is the user's."""
    joined: list[JsonObject] = []
    for turn in turns:
        if joined and joined[-1]["role"] == turn["role"]:
            joined[-1] = {**turn, "content": f"{joined[-1]['content']}\n\n{turn['content']}"}
        elif joined or turn["role"] == "user":
            joined.append(turn)
    return joined or [{"role": "user", "content": "Go on."}]


__all__ = ["chat_messages", "tools_text"]
