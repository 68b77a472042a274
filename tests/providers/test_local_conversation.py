"""A conversation with calls and results as plain chat."""

from __future__ import annotations

from typing import Any

from nanobot.providers.local.conversation import chat_messages, tools_text


def _tool(name: str, description: str = "") -> dict[str, Any]:
    properties = {"path": {"type": "string", "description": "Folder"}, "deep": {"type": "boolean"}}
    parameters = {"type": "object", "properties": properties, "required": ["path"]}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _call(call_id: str, arguments: str = '{"path": "."}') -> dict[str, Any]:
    function = {"name": "list_dir", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def _result(call_id: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "name": "list_dir", "content": content}


_USER: dict[str, Any] = {"role": "user", "content": "List it."}


def test_calls_and_results_become_alternating_turns() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        _USER,
        {"role": "assistant", "content": None, "tool_calls": [_call("1"), _call("2")]},
        _result("1", "a.txt"),
        _result("2", "b.txt"),
        {"role": "assistant", "content": "Two files."},
        {"role": "user", "content": "Thanks."},
    ]

    shown = chat_messages(messages, [_tool("list_dir")], 4000)

    call = '{"tool": "list_dir", "arguments": {"path": "."}}'
    assert str(shown[0]["content"]).startswith("Be brief.\n\nAnswer with one JSON object")
    assert shown[1:] == [
        _USER,
        {"role": "assistant", "content": f"{call}\n{call}"},
        {
            "role": "user",
            "content": "Result of list_dir:\na.txt\n\nResult of list_dir:\nb.txt",
        },
        {"role": "assistant", "content": '{"answer": "Two files."}'},
        {"role": "user", "content": "Thanks."},
    ]


def test_without_tools_nothing_is_said_of_a_form() -> None:
    messages: list[dict[str, Any]] = [_USER, {"role": "assistant", "content": "Yes."}, _USER]

    assert chat_messages(messages, [], 4000) == messages


def test_an_image_is_named() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    content: list[Any] = [{"type": "text", "text": "See:"}, image]

    shown = chat_messages([{"role": "user", "content": content}], [], 4000)

    assert shown == [{"role": "user", "content": "See:\n[an image, which you can't see]"}]


def test_the_oldest_messages_go_first_and_the_question_stays() -> None:
    old: list[dict[str, Any]] = [{"role": "user", "content": "old " * 400}]
    messages = [*old, {"role": "assistant", "content": "y"}, _USER]

    assert chat_messages(messages, [], 100)[-1] == _USER
    assert "old" not in str(chat_messages(messages, [], 100))


def test_a_long_result_is_shortened_to_the_budget() -> None:
    calling = {"role": "assistant", "content": None, "tool_calls": [_call("1")]}
    messages = [_USER, calling, _result("1", "word " * 9000)]

    shown = chat_messages(messages, [_tool("list_dir")], 1000)

    assert len(str(shown)) < 4000
    assert "word" in str(shown[-1]["content"])


def test_a_tool_is_one_line_with_its_parameters() -> None:
    text = tools_text([_tool("list_dir", "Lists a folder. Sorted by name.")], 1000)

    line = "- list_dir(path: string (Folder), deep?: boolean): Lists a folder. Sorted by name."
    assert text.splitlines()[-1] == line


def test_many_tools_are_described_in_fewer_words() -> None:
    tools = [_tool(f"tool_{number}", "It does a thing. " * 30) for number in range(40)]

    whole, brief = tools_text(tools, 10_000), tools_text(tools, 900)

    assert "It does a thing." in whole
    assert "It does a thing." not in brief
    assert all(f"- tool_{number}(path: string" in brief for number in range(40))
