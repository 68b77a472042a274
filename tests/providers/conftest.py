"""Fixtures for the tests of providers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes_aimock import aimock_server

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "greet"},
        "response": {
            "content": "Hello there, how are you?",
            "usage": {
                "prompt_tokens": 12,
                "completion_tokens": 7,
                "input_tokens": 12,
                "output_tokens": 7,
            },
        },
    },
    {
        "match": {"userMessage": "one call", "hasToolResult": False},
        "response": {"toolCalls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]},
    },
    {
        "match": {"userMessage": "two calls", "hasToolResult": False},
        "response": {
            "content": "I look twice.",
            "toolCalls": [
                {"id": "call_a", "name": "get_weather", "arguments": {"city": "Oslo"}},
                {"id": "call_b", "name": "get_weather", "arguments": {"city": "Rome ☀"}},
            ],
        },
    },
    {
        "match": {"userMessage": "cut off"},
        "response": {
            "toolCalls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}],
            "finishReason": "length",
        },
    },
    {"match": {"hasToolResult": True}, "response": {"content": "It is sunny."}},
    {
        "match": {"userMessage": "too often"},
        "response": {
            "error": {"message": "Rate limited", "type": "rate_limit_error"},
            "status": 429,
        },
    },
]


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The origin of an aimock server with the fixtures above."""
    file = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    file.write_text(json.dumps({"fixtures": _FIXTURES}))
    with aimock_server(file) as origin:
        yield origin


@pytest.fixture
def weather_tool() -> dict[str, Any]:
    """A definition as the registry hands it out."""
    return {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
