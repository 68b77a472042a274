"""The offline provider in a conversation: calls, then an answer made of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanobot.agent.execution.outcome import HINT
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.offline import OfflineProvider
from nanobot.providers.offline.answer import CONNECT
from tests.fakes import CountingTool, EchoTool
from tests.providers.offline_definitions import DEFINITIONS

if TYPE_CHECKING:
    from nanobot.providers.base import LLMResponse

_READERS = {"read_file", "list_dir", "find_files", "grep"}
_MEASURED = "1| x\n\n(Showing lines 1-1 of 40. Use offset=2 to continue.)"


class _Talk:
    """A conversation with the provider, its tools played by the test."""

    def __init__(self, prompt: str, *before: dict[str, Any]) -> None:
        self.messages = [*before, {"role": "user", "content": prompt}]

    async def ask(self, *results: str) -> LLMResponse:
        """The next answer, after these results of the calls before."""
        calls = self.messages[-1].get("tool_calls", [])
        for call, text in zip(calls, results, strict=True):
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        answer = await OfflineProvider().chat(self.messages, DEFINITIONS)
        self.messages.append(
            {
                "role": "assistant",
                "content": answer.content,
                "tool_calls": [call.to_openai_tool_call() for call in answer.tool_calls],
            }
        )
        return answer


async def test_calls_come_first_then_their_results() -> None:
    talk = _Talk("list docs and read a.md")

    first = await talk.ask()
    last = await talk.ask("b.md", "1| # A")

    assert [call.name for call in first.tool_calls] == ["list_dir", "read_file"]
    assert first.content == "Understood as:\n\n    /ls docs\n    /read a.md"
    assert last.tool_calls == []
    assert last.content == (
        "`/ls docs`\n\n```text\nb.md\n```\n\n`/read a.md`\n\n```text\n1| # A\n```"
    )


async def test_an_exact_command_needs_no_explanation() -> None:
    talk = _Talk("/read a.md")

    first = await talk.ask()
    last = await talk.ask("1| # A")

    assert first.content is None
    assert last.content == "```text\n1| # A\n```"


async def test_the_end_of_a_file_takes_two_reads() -> None:
    talk = _Talk("last 3 lines of a.md")

    first = await talk.ask()
    second = await talk.ask(_MEASURED)
    last = await talk.ask("38| end")

    assert first.tool_calls[0].arguments == {"path": "a.md", "limit": 1}
    assert second.tool_calls[0].arguments == {
        "path": "a.md",
        "offset": 38,
        "limit": 3,
        "force": True,
    }
    assert (second.content, last.content) == (None, "```text\n38| end\n```")


@pytest.mark.parametrize(
    ("prompt", "result", "headline"),
    [
        ("how many lines has a.md", _MEASURED, "a.md: 40 lines"),
        ("how long is a.md", "1| x\n\n(End of file — 1 lines total)", "a.md: 1 line"),
        ("how many files are here", "a.md\n(Showing 1-1 of 7. Use offset=1.)", "7 files"),
        ("how many files are here", "a.md\n(1 found.)", "1 file"),
        ("how many files are here", "No files found. Hidden ones are left out.", "0 files"),
        ("how many TODOs are there", "a.py:3\nb:c.py:4", "7 matching lines"),
        ("how many TODOs are there", "No matches.", "0 matching lines"),
    ],
)
async def test_what_is_counted_stands_above_the_result(
    prompt: str, result: str, headline: str
) -> None:
    talk = _Talk(prompt)
    await talk.ask()

    last = await talk.ask(result)

    assert last.content == f"**{headline}**\n\n```text\n{result}\n```"


@pytest.mark.parametrize(
    "result", ["1| x\n\n(Showing lines 1-1 of more than 1, 5 MB. Use offset=2.)", "[an image]"]
)
async def test_the_end_of_a_file_of_unknown_length_is_not_guessed(result: str) -> None:
    talk = _Talk("tail a.log")
    await talk.ask()

    last = await talk.ask(result)

    assert last.tool_calls == []
    assert "is not known" in str(last.content)
    assert result in str(last.content)


async def test_a_line_of_the_file_is_not_taken_for_its_length() -> None:
    talk = _Talk("how long is a.md")
    await talk.ask()

    last = await talk.ask(f"1| (End of file — 9 lines total)\n\n{_MEASURED[6:]}")

    assert "a.md: 40 lines" in str(last.content)


async def test_a_read_that_says_only_unchanged_is_asked_again() -> None:
    talk = _Talk("tail -n 2 a.md")
    await talk.ask()

    again = await talk.ask("[File unchanged since last read: a.md]")
    tail = await talk.ask(_MEASURED)

    assert again.tool_calls[0].arguments == {"path": "a.md", "limit": 1, "force": True}
    assert tail.tool_calls[0].arguments["offset"] == 39


async def test_a_failure_is_shown_and_counted() -> None:
    talk = _Talk("read a.md and read b.md")
    await talk.ask()

    last = await talk.ask("1| A", f"Error executing read_file: 'b.md' does not exist{HINT}")

    assert "Error executing read_file: 'b.md' does not exist\n```" in str(last.content)
    assert "**Failed: 1 of 2**: `/read b.md`" in str(last.content)
    assert HINT.strip() not in str(last.content)


async def test_a_failed_measure_ends_the_request() -> None:
    talk = _Talk("tail a.md")
    await talk.ask()

    last = await talk.ask(f"Error: (End of file — 3 lines total){HINT}")

    assert last.tool_calls == []
    assert "**Failed: 1 of 1**" in str(last.content)


async def test_commands_go_together_in_their_order() -> None:
    answer = await _Talk("/ls; /write a.md x; /read a.md").ask()

    assert [call.name for call in answer.tool_calls] == ["list_dir", "write_file", "read_file"]


async def test_a_write_behind_a_tail_comes_after_it() -> None:
    talk = _Talk("/ls\ntail -n 1 a.md\n/write a.md x")

    names = [
        [call.name for call in (await talk.ask(*results)).tool_calls]
        for results in ([], ["a.md", _MEASURED], ["40| y"], ["Wrote a.md"])
    ]

    assert names == [["list_dir", "read_file"], ["read_file"], ["write_file"], []]


async def test_a_fence_inside_a_result_does_not_end_its_block() -> None:
    talk = _Talk("/read a.md")
    await talk.ask()

    last = await talk.ask("````\ncode\n````")

    assert str(last.content).startswith("`````text\n")


async def test_ids_are_new_in_a_long_conversation() -> None:
    talk = _Talk("/ls; /ls docs")
    first = await talk.ask()
    await talk.ask("a", "b")
    talk.messages.append({"role": "user", "content": "/ls src"})

    second = await talk.ask()

    ids = [call.id for call in (*first.tool_calls, *second.tool_calls)]
    assert ids == ["offline_1", "offline_2", "offline_3"]


async def test_the_prompt_may_come_in_blocks() -> None:
    blocks = [{"type": "text", "text": "/read a.md"}, {"type": "image_url", "image_url": {}}]
    prompt = {"role": "user", "content": blocks[:1]}

    answer = await OfflineProvider().chat([prompt], DEFINITIONS)

    assert [call.name for call in answer.tool_calls] == ["read_file"]


@pytest.mark.parametrize("prompt", ["explain this code", "", "   ", "delete a.md", "/write a.md"])
async def test_what_does_not_run_says_how_to_go_on(prompt: str) -> None:
    answer = await _Talk(prompt).ask()

    text = str(answer.content)
    assert (answer.tool_calls, answer.finish_reason) == ([], "stop")
    assert CONNECT in text or "Usage: `/write PATH CONTENT`" in text
    assert "/read PATH" in text or "Usage" in text


async def test_a_refused_change_names_the_exact_command() -> None:
    answers = {
        prompt: str((await _Talk(prompt).ask()).content)
        for prompt in ("edit a.md", "create b.md", "delete c.md")
    }

    assert "`/edit PATH OLD_TEXT NEW_TEXT`" in answers["edit a.md"]
    assert "`/write PATH CONTENT`" in answers["create b.md"]
    assert "`/run COMMAND`" in answers["delete c.md"]


async def test_help_shows_every_command_and_how_one_is_written() -> None:
    every = str((await _Talk("/help").ask()).content)
    one = str((await _Talk("/help weather.now").ask()).content)

    assert all(f"`/{word}" in every for word in ("ls", "read", "edit", "weather.now", "call"))
    assert one.startswith("`/weather.now CITY [days=N] [tags=JSON]`")


async def test_the_registry_says_what_only_reads() -> None:
    registry = ToolRegistry()
    registry.register(EchoTool())
    registry.register(CountingTool())
    ask = OfflineProvider(tools=registry).chat

    inside = await ask([{"role": "user", "content": "hello\n/echo hi\n/count 1"}])
    first = await ask([{"role": "user", "content": "/count 1"}])

    assert [call.name for call in inside.tool_calls] == ["echo"]
    assert [call.name for call in first.tool_calls] == ["count"]


_PIECES = st.sampled_from(
    [
        *("list", "read", "show me", "find", "search for", "how many", "lines", "the", "files"),
        *("write", "delete", "run", "and", "then", ", ", "; ", "\n", ". ", "'", '"', "`", "in"),
        *("README.md", "src", "TODO", "10", "first", "last", "of", "is", "where", "contain"),
        *("/write a b", "/exec ls", "/call exec {}", "/edit", "\ue000", "’", "\\", "$'", "{", ":="),
    ]
)
_PROMPTS = st.text() | st.lists(_PIECES).map(" ".join) | st.lists(_PIECES).map("".join)


@given(prompt=_PROMPTS)
@settings(max_examples=400, deadline=None)
@example(prompt="list files\n/exec 'rm -rf /'")
async def test_no_prompt_raises_and_none_but_a_command_changes(prompt: str) -> None:
    answer = await OfflineProvider().chat([{"role": "user", "content": prompt}], DEFINITIONS)

    names = {call.name for call in answer.tool_calls}
    assert answer.content or names
    if not prompt.lstrip().startswith("/"):
        assert names <= _READERS


_HUGE = {
    "one word": "a" * 100_000,
    "many clauses": "list " + "and list " * 20_000,
    "open quotes": "'" * 20_000,
    "many quotes": "'a' " * 20_000,
    "semicolons": "a;" * 50_000,
    "blank parts": ",;" * 50_000,
    "lines": "no request\n" * 20_000,
    "brackets": "/grep " + "[" * 50_000,
    "unknown commands": "/x\n" * 20_000,
    "commands": "/ls\n" * 2_000,
}


@pytest.mark.parametrize("prompt", _HUGE.values(), ids=_HUGE)
@pytest.mark.timeout(10)
async def test_a_huge_prompt_is_answered(prompt: str) -> None:
    answer = await OfflineProvider().chat([{"role": "user", "content": prompt}], DEFINITIONS)

    assert len(answer.content or "") < 30_000


_ODD = st.none() | st.integers() | st.text(max_size=3) | st.just({"a": None}) | st.just([1])
_ODD_FUNCTIONS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.just("list_dir") | _ODD,
        "description": _ODD,
        "parameters": _ODD
        | st.fixed_dictionaries({}, optional={"properties": _ODD, "required": _ODD}),
    },
)


@given(functions=st.lists(_ODD_FUNCTIONS | _ODD, max_size=3))
@settings(max_examples=50, deadline=None)
async def test_odd_definitions_do_no_harm(functions: list[Any]) -> None:
    prompt = {"role": "user", "content": "/help; /tools; list files; /list_dir a"}

    answer = await OfflineProvider().chat([prompt], [{"function": f} for f in functions])

    assert answer.content or answer.tool_calls
