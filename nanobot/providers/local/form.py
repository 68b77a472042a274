"""The form of an answer, `{"tool": …, "arguments": …}` or `{"answer": …}`: asked for and read. Pure.

The schema goes as `response_format`, which the server enforces; its `tool_choice` it does not.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from nanobot.agent.tools.portable import as_object
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.calls import chosen_tool, with_own_ids
from nanobot.providers.local.grammar import bounded_string, grammar_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nanobot.jsonvalue import JsonObject, JsonValue

_CUT_TOOL = re.compile(r'\s*\{\s*"tool"\s*:\s*"([^"\\]+)"\s*,')
_CUT_ANSWER = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_LONGEST_ESCAPE = 12


def answer_form(tools: Sequence[Mapping[str, JsonValue]], choice: object = None) -> JsonObject:
    """The JSON Schema of an answer. `choice` as Chat Completions' `tool_choice`."""
    functions = [as_object(tool.get("function")) for tool in tools]
    named = chosen_tool(choice) if isinstance(choice, dict) else ""
    if named:
        functions = [each for each in functions if each.get("name") == named] or functions
    calls = [_call_form(function) for function in functions]
    if choice == "none":
        return _answer_only()
    if calls and (named or choice in {"required", "any"}):
        return {"anyOf": [*calls]}
    return {"anyOf": [*calls, _answer_only()]}


def call_text(name: str, arguments: JsonValue) -> str:
    """A call as the model writes it."""
    return json.dumps({"tool": name, "arguments": arguments}, ensure_ascii=False)


def answer_text(text: str) -> str:
    """An answer as the model writes it."""
    return json.dumps({"answer": text}, ensure_ascii=False)


def read_answer(text: str, *, cut: bool) -> LLMResponse:
    """What the model wrote in the form, or partly so where its limit cut it.

    A cut call has `length` as its reason and its raw text as arguments: it is never run. Text that
    is not in the form is the answer itself.
    """
    told = None if cut else _object_in(text)
    if told is not None and isinstance(told.get("tool"), str):
        call = ToolCallRequest("", str(told["tool"]), told.get("arguments"))
        return LLMResponse(tool_calls=with_own_ids([call]), finish_reason="tool_calls")
    if told is not None and isinstance(told.get("answer"), str):
        return LLMResponse(content=str(told["answer"]))
    return _read_cut(text) if cut else LLMResponse(content=text)


def _read_cut(text: str) -> LLMResponse:
    call = _CUT_TOOL.match(text)
    if call is not None:
        cut_call = ToolCallRequest("", call[1], text)
        return LLMResponse(tool_calls=with_own_ids([cut_call]), finish_reason="length")
    answer = _CUT_ANSWER.match(text)
    said = _unquoted(text[answer.end() :]) if answer is not None else ""
    return LLMResponse(content=said or None, finish_reason="length")


def _unquoted(piece: str) -> str:
    """The text of a JSON string without its end, which may be in the middle of an escape."""
    for end in range(len(piece), max(len(piece) - _LONGEST_ESCAPE, 0), -1):
        for tail in ('"', ""):
            try:
                said = json.loads(f'"{piece[:end]}{tail}')
            except ValueError:
                continue
            return str(said).encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return ""


def _object_in(text: str) -> JsonObject | None:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _call_form(function: JsonObject) -> JsonObject:
    return _closed(
        {
            "tool": {"const": str(function.get("name") or "")},
            "arguments": grammar_schema(as_object(function.get("parameters"))),
        }
    )


def _answer_only() -> JsonObject:
    return _closed({"answer": bounded_string({"minLength": 1})})


def _closed(properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


__all__ = ["answer_form", "answer_text", "call_text", "read_answer"]
