"""A tool that a server refuses is left out, and the request goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nanobot.errors import RequestRefused
from nanobot.providers.openai import OpenAIProvider
from nanobot.providers.refusal import refused_tool
from tests.fakes_http import chat_message, fake_model_server, json_answer

if TYPE_CHECKING:
    from tests.fakes_http import Answer

USER = [{"role": "user", "content": "x"}]
CHAT: Any = {"tools": [{"type": "function", "function": {"name": n}} for n in ("good", "odd")]}
MESSAGES: Any = {"tools": [{"name": "good"}, {"name": "odd"}]}

TEXTS: dict[str, tuple[str, Any, str | None]] = {
    "openai_name": ("Invalid schema for function 'odd': In context=()", CHAT, "odd"),
    "openai_index": ("Invalid 'tools[1].function.parameters'", CHAT, "odd"),
    "anthropic": ("tools.1.custom.input_schema.type: Field required", MESSAGES, "odd"),
    "gemini": ("function_declarations[1].parameters.properties: bad", CHAT, "odd"),
    "another_matter": ("Invalid value for temperature", CHAT, None),
    "another_function": ("Invalid schema for function 'else'", CHAT, None),
    "out_of_range": ("tools[7] is odd", CHAT, None),
    "no_tools": ("tools[0] is odd", {}, None),
}


@pytest.mark.parametrize(("text", "body", "name"), TEXTS.values(), ids=TEXTS)
def test_the_refused_tool_is_found(text: str, body: Any, name: str | None) -> None:
    assert refused_tool(text, body) == name


def _tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def _refusing(text: str) -> Answer:
    return json_answer({"error": {"message": text}}, status=400)


async def test_the_request_goes_on_without_it_and_so_do_later_ones() -> None:
    refusal = _refusing("Invalid schema for function 'odd': bad")
    answers = [json_answer(chat_message("fine")) for _ in range(2)]
    with fake_model_server(refusal, *answers) as server:
        provider = OpenAIProvider(model="m", base_url=server.url)
        tools = [_tool("good"), _tool("odd")]

        first = await provider.chat(USER, tools)
        second = await provider.chat(USER, tools)
        await provider.aclose()

    sent = [[tool["function"]["name"] for tool in asked.body["tools"]] for asked in server.requests]
    assert first.content == second.content == "fine"
    assert sent == [["good", "odd"], ["good"], ["good"]]


async def test_another_refusal_is_raised() -> None:
    with fake_model_server(_refusing("No such thing")) as server:
        provider = OpenAIProvider(model="m", base_url=server.url)

        with pytest.raises(RequestRefused, match="No such thing"):
            await provider.chat(USER, [_tool("good")])
        await provider.aclose()
