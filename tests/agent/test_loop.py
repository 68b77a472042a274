"""How the loop goes on after each kind of answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.runner import AgentRunner
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import shown_results
from nanobot.errors import RequestTooLong
from nanobot.providers.base import LLMResponse, ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider, Step
from tests.fakes import CountingTool, EchoTool, RecordingHook, SlowTool, schema
from tests.runs import play, results, spec

if TYPE_CHECKING:
    from nanobot.events import Event


def cut(content: str | None, *calls: ToolCallRequest) -> LLMResponse:
    return LLMResponse(content=content, tool_calls=list(calls), finish_reason="length")


async def test_a_text_answer_completes_the_run() -> None:
    result = await play(["done"])

    assert (result.final_content, result.stop_reason, result.error) == ("done", "completed", None)
    assert result.messages == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "done"},
    ]


async def test_each_call_has_its_result_in_the_order_of_the_calls() -> None:
    result = await play(
        [[("echo", {"text": "a"}), ("count", {"value": 1})], "done"], EchoTool(), CountingTool()
    )

    assert [m["role"] for m in result.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert result.messages[2] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "name": "echo",
        "content": "a",
    }
    assert results(result) == ["a", "call 1"]
    assert result.tools_used == ["echo", "count"]
    assert [event["status"] for event in result.tool_events] == ["ok", "ok"]


async def test_two_calls_with_one_id_both_run() -> None:
    tool = CountingTool()
    calls = [ToolCallRequest("t1", "count", {"value": n}) for n in (1, 2)]

    result = await play([calls, "done"], tool)

    assert tool.seen == [1, 2]
    assert [m["tool_call_id"] for m in result.messages if m["role"] == "tool"] == ["t1", "t1_2"]


@pytest.mark.parametrize("name", ["", None], ids=["empty", "null"])
async def test_a_call_without_a_name_is_answered_and_the_run_goes_on(name: Any) -> None:
    result = await play([ToolCallRequest("a", name, {}), "done"], EchoTool())

    assert "not found" in results(result)[0]
    assert result.messages[1]["tool_calls"][0]["function"]["name"] == "unnamed"
    assert result.final_content == "done"


async def test_cut_arguments_are_refused_once_and_replayed_as_an_object() -> None:
    with ScriptedProvider([ToolCallRequest("a", "echo", '{"text": "a'), "done"]) as model:
        result = await AgentRunner(model).run(spec(EchoTool()))

    sent = model.requests[1].messages
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert [m["content"].startswith("Error") for m in sent if m["role"] == "tool"] == [True]
    assert result.stop_reason == "completed"


async def test_a_damaged_history_heals_at_the_start() -> None:
    history = [
        {"role": "tool", "tool_call_id": "B", "content": "lost"},
        {"role": "user", "content": "half \ud83d"},
    ]

    result = await play(["done"], initial_messages=history)

    assert result.messages[0] == {"role": "user", "content": "half \ufffd"}
    assert history[1]["content"] == "half \ud83d"


async def test_a_cut_call_never_runs_and_the_model_is_told() -> None:
    tool = CountingTool()

    result = await play([cut("so", ToolCallRequest("a", "count", {"value": 1})), "done"], tool)

    assert tool.seen == []
    assert "cut by the answer's length limit and was not run" in results(result)[0]
    assert result.tool_events[0]["status"] == "error"
    assert result.final_content == "done"


async def test_a_cut_text_goes_on_and_is_joined() -> None:
    result = await play([cut("one "), cut("two "), "three"])

    assert (result.final_content, result.stop_reason) == ("one two three", "completed")
    assert [m["role"] for m in result.messages] == ["user", *["assistant", "user"] * 2, "assistant"]


@pytest.mark.parametrize(
    ("limit", "text"),
    [(6, "one two three"), (2, "one two ")],
    ids=["too often", "at the turn limit"],
)
async def test_a_text_that_is_cut_for_the_last_time_says_so(limit: int, text: str) -> None:
    steps: list[Step] = [cut("one "), cut("two "), cut("three")]

    result = await play(steps[:limit], max_iterations=limit)

    assert result.final_content == f"{text}\n\n[The answer was cut by the model's length limit.]"


async def test_calls_under_another_finish_reason_never_run() -> None:
    tool = CountingTool()
    answer = LLMResponse(
        content="no",
        tool_calls=[ToolCallRequest("a", "count", {"value": 1})],
        finish_reason="content_filter",
    )

    result = await play([answer], tool)

    assert tool.seen == []
    assert result.final_content == "no"


async def test_a_blank_answer_is_asked_for_again() -> None:
    with ScriptedProvider(["", " \n", "at last"]) as model:
        result = await AgentRunner(model).run(spec())

    assert result.final_content == "at last"
    assert "Your last answer was empty" in model.requests[1].messages[-1]["content"]
    assert [m["role"] for m in result.messages] == ["user", "assistant"]


@pytest.mark.parametrize(("limit", "asked"), [(6, 3), (2, 2)], ids=["thrice", "at the turn limit"])
async def test_blank_answers_end_as_empty_final_response(limit: int, asked: int) -> None:
    result = await play([""] * asked, max_iterations=limit)

    assert result.stop_reason == "empty_final_response"
    assert result.error == result.final_content
    assert result.error


@pytest.mark.parametrize(
    ("message", "final"),
    [(None, "too long"), ("Sorry.", "Sorry.")],
    ids=["default", "error_message"],
)
async def test_a_model_failure_is_a_soft_error(message: str | None, final: str) -> None:
    result = await play([RequestTooLong("too long")], error_message=message)

    assert (result.stop_reason, result.error, result.final_content) == ("error", "too long", final)


async def test_a_model_that_never_answers_is_a_soft_error() -> None:
    async def hang(messages: Any, tools: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    result = await AgentRunner(ScriptedProvider(hang)).run(spec(llm_timeout_s=0.02))

    assert result.stop_reason == "error"
    assert result.error == "The model did not answer within 0.02 s."


@pytest.mark.parametrize(
    ("message", "final"),
    [(None, "I stopped after 2 turns"), ("{max_iterations} {x}", "2 {x}")],
    ids=["default", "max_iterations_message"],
)
async def test_the_turn_limit_ends_the_run(message: str | None, final: str) -> None:
    steps: list[Step] = [("echo", {"text": "a"}), ("echo", {"text": "b"})]

    result = await play(steps, EchoTool(), max_iterations=2, max_iterations_message=message)

    assert result.stop_reason == "max_iterations"
    assert str(result.final_content).startswith(final)
    assert results(result) == ["a", "b"]


async def test_usage_is_summed() -> None:
    first = LLMResponse(
        tool_calls=[ToolCallRequest("a", "echo", {"text": "x"})],
        finish_reason="tool_calls",
        usage={"prompt_tokens": 5, "completion_tokens": 2},
    )
    last = LLMResponse(content="done", usage={"prompt_tokens": 9, "cached_tokens": 4})

    result = await play([first, last], EchoTool())

    assert result.usage == {"prompt_tokens": 14, "completion_tokens": 2, "cached_tokens": 4}


async def test_the_request_fits_the_window() -> None:
    steps: list[Step] = [("echo", {"text": "x" * 100_000}), "done"]
    with ScriptedProvider(steps) as model:
        result = await AgentRunner(model).run(
            spec(EchoTool(), context_window_tokens=32_000, max_tool_result_chars=None)
        )

    sent = model.requests[1].messages
    assert sum(len(str(message)) for message in sent) < 32_000 * 4
    assert "shortened to fit the context window" in sent[-1]["content"]
    assert results(result) == ["x" * 100_000]


class _Mailbox:
    """Gives its letters one batch at a time."""

    def __init__(self, *batches: list[Any]) -> None:
        self._batches = list(batches)

    async def __call__(self, *, limit: int) -> list[Any]:
        return self._batches.pop(0)[:limit] if self._batches else []


async def test_messages_that_arrive_during_calls_reach_the_next_request() -> None:
    box = _Mailbox(["stop that", {"role": "user", "content": "please"}])
    with ScriptedProvider([("echo", {"text": "a"}), "stopped"]) as model:
        result = await AgentRunner(model).run(spec(EchoTool(), injection_callback=box))

    assert [m["content"] for m in model.requests[1].messages[-2:]] == ["stop that", "please"]
    assert result.had_injections


async def test_a_message_that_arrives_with_the_answer_keeps_the_run_going() -> None:
    result = await play(["first", "second"], injection_callback=_Mailbox(["and?"]))

    assert [m["content"] for m in result.messages] == ["go", "first", "and?", "second"]
    assert result.final_content == "second"


async def test_at_the_last_turn_nothing_is_taken_from_the_mailbox() -> None:
    box = _Mailbox(["later"])

    result = await play(["first"], injection_callback=box, max_iterations=1)

    assert result.stop_reason == "completed"
    assert await box(limit=5) == ["later"]


async def test_cancelling_ends_the_calls_and_the_checkpoint_knows_each_result() -> None:
    slow, hook = SlowTool(), RecordingHook()
    payloads: list[dict[str, Any]] = []
    events: list[Event] = []
    calls: list[Step] = [[("count", {"value": 1}), ("slow", {}), ("count", {"value": 2})]]
    run = spec(
        CountingTool(),
        slow,
        hook=hook,
        checkpoint_callback=payloads.append,
        observers=(events.append,),
    )
    task = asyncio.create_task(AgentRunner(ScriptedProvider(calls)).run(run))
    await slow.started.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert slow.ended == ["cancelled"]
    assert payloads[-1]["phase"] == "tools_completed"
    contents = [m["content"] for m in payloads[-1]["completed_tool_results"]]
    assert contents[0] == "call 1"
    assert len(contents) == 3
    assert "interrupted" in contents[2]
    assert hook.stations == ["before_run", "before_iteration", "before_execute_tools", "on_finally"]
    assert type(events[-1]).__name__ == "RunFinished"
    assert getattr(events[-1], "stop_reason", "") == "cancelled"


class _LookingBack(Tool):
    name = "look_back"
    description = "Count the results that the model still sees."
    parameters = schema()

    async def execute(self) -> str:
        seen = shown_results()
        return "unknown" if seen is None else f"sees {list(seen)}"


async def test_a_tool_learns_which_results_the_model_still_sees() -> None:
    result = await play([("look_back", {}), ("look_back", {}), "done"], _LookingBack())

    assert results(result) == ["sees []", "sees ['sees []']"]
    assert shown_results() is None
