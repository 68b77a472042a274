"""The form of an answer of a local model: asked for, and read."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.providers.local.form import answer_form, answer_text, call_text, read_answer


def _tool(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


_TOOLS = [_tool("one"), _tool("two")]
_CALLS = {
    "one": {"tool": "one", "arguments": {"x": 1}},
    "two": {"tool": "two", "arguments": {"x": 1}},
}
_ANSWER = {"answer": "Done."}


@pytest.mark.parametrize(
    ("choice", "allowed"),
    [
        pytest.param(None, {"one", "two", "answer"}, id="free"),
        pytest.param("auto", {"one", "two", "answer"}, id="auto"),
        pytest.param("none", {"answer"}, id="none"),
        pytest.param("required", {"one", "two"}, id="required"),
        pytest.param({"type": "function", "function": {"name": "two"}}, {"two"}, id="named"),
    ],
)
def test_the_form_takes_what_the_choice_allows(choice: object, allowed: set[str]) -> None:
    valid = jsonschema.Draft202012Validator(answer_form(_TOOLS, choice)).is_valid
    texts = {**_CALLS, "answer": _ANSWER}

    assert {name for name, text in texts.items() if valid(text)} == allowed


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool": "three", "arguments": {"x": 1}},
        {"tool": "one", "arguments": {}},
        {"tool": "one"},
        {"answer": ""},
        {"answer": "a", "tool": "one"},
    ],
)
def test_the_form_takes_no_other_tool_or_arguments(wrong: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(answer_form(_TOOLS)).is_valid(wrong)


def test_a_call_is_read() -> None:
    response = read_answer(call_text("one", {"x": 1}), cut=False)

    assert response.should_execute_tools
    assert [(call.name, call.arguments) for call in response.tool_calls] == [("one", {"x": 1})]


def test_text_that_is_not_in_the_form_is_the_answer() -> None:
    response = read_answer("Just so.", cut=False)

    assert (response.content, response.finish_reason) == ("Just so.", "stop")


@given(st.integers(0, 60))
def test_a_call_that_was_cut_anywhere_never_runs(end: int) -> None:
    response = read_answer(call_text("one", {"x": 1, "text": "abc" * 20})[:end], cut=True)

    assert response.finish_reason == "length"
    assert not response.should_execute_tools
    assert response.content is None


@given(st.text(min_size=1), st.data())
def test_a_cut_answer_is_a_beginning_of_the_whole(text: str, data: st.DataObject) -> None:
    whole = answer_text(text) if data.draw(st.booleans()) else json.dumps({"answer": text})
    response = read_answer(whole[: data.draw(st.integers(0, len(whole) - 1))], cut=True)

    assert response.finish_reason == "length"
    assert text.startswith(response.content or "")
