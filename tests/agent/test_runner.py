"""What the public face promises: hooks, checkpoints, streams, failures, order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.hook import AgentHook, AgentHookContext, CompositeHook
from nanobot.agent.runner import AgentRunner
from nanobot.errors import OutsideWorkspace, ServerFault
from nanobot.events import ModelRetried
from nanobot.providers.base import LLMResponse, RetryPolicy, ToolCallRequest
from nanobot.providers.scripted import ScriptedProvider, Step, UnexpectedRequest
from tests.fakes import CountingTool, EchoTool, FailingTool, RecordingHook, SlowTool
from tests.runs import play, results, spec

if TYPE_CHECKING:
    from nanobot.events import Event

_ECHO: Step = ("echo", {"text": "a"})
_ONE_TURN_OF_CALLS = [
    "before_run",
    "before_iteration",
    "before_execute_tools",
    "after_iteration",
    "before_iteration",
    "finalize_content",
    "after_iteration",
    "after_run",
    "on_finally",
]


async def test_the_order_of_a_run_with_one_turn_of_calls() -> None:
    hook = RecordingHook()

    await play([_ECHO, "done"], EchoTool(), hook=hook)

    assert hook.stations == _ONE_TURN_OF_CALLS


async def test_a_composite_hook_has_the_same_order() -> None:
    hook = RecordingHook()

    await play([_ECHO, "done"], EchoTool(), hook=CompositeHook([hook]))

    assert hook.stations == _ONE_TURN_OF_CALLS


async def test_a_soft_error_adds_on_error_before_after_run() -> None:
    hook = RecordingHook()

    await play([ServerFault("down")], hook=hook)

    assert hook.stations == [
        "before_run",
        "before_iteration",
        "finalize_content",
        "after_iteration",
        "on_error",
        "after_run",
        "on_finally",
    ]
    assert hook.runs[0].error == "down"
    assert hook.runs[0].exception is None


async def test_an_exception_calls_on_error_and_on_finally_and_is_raised_again() -> None:
    hook, error = RecordingHook(), RuntimeError("lost")

    with pytest.raises(RuntimeError) as raised:
        await play([error], hook=hook)

    assert raised.value is error
    assert hook.stations == ["before_run", "before_iteration", "on_error", "on_finally"]
    assert hook.runs[-1].exception is error
    assert hook.runs[-1].error == "RuntimeError: lost"


class _FailingHook(AgentHook):
    async def before_execute_tools(self, context: AgentHookContext) -> None:
        raise RuntimeError("no")


async def test_a_plain_hook_that_raises_ends_the_run_with_each_call_answered() -> None:
    payloads: list[dict[str, Any]] = []
    tool = CountingTool()

    with pytest.raises(RuntimeError, match="no"):
        await play(
            [("count", {"value": 1})],
            tool,
            hook=_FailingHook(),
            checkpoint_callback=payloads.append,
        )

    assert tool.seen == []
    assert [len(payload["completed_tool_results"]) for payload in payloads] == [0, 1]


async def test_a_composite_hook_isolates_a_member() -> None:
    result = await play([_ECHO, "done"], EchoTool(), hook=CompositeHook([_FailingHook()]))

    assert result.final_content == "done"


async def test_the_iteration_context_tells_what_happened() -> None:
    hook = RecordingHook()

    await play([_ECHO, "done"], EchoTool(), hook=hook, session_key="s")

    calls, last = hook.iterations
    assert calls.tool_calls == [ToolCallRequest("call_1", "echo", {"text": "a"})]
    assert calls.tool_results == ["a"]
    assert calls.tool_events == [{"name": "echo", "status": "ok", "detail": "a"}]
    assert (last.iteration, last.final_content, last.stop_reason) == (1, "done", "completed")
    assert calls.session_key == "s"
    assert hook.runs[0].tools_used == ["echo"]


async def test_finalize_content_decides_over_the_answer() -> None:
    class Shouting(AgentHook):
        def finalize_content(self, context: AgentHookContext, content: str | None) -> str | None:
            return (content or "").upper()

    result = await play(["done"], hook=Shouting())

    assert result.final_content == "DONE"
    assert result.messages[-1]["content"] == "DONE"


async def test_a_hook_that_wants_it_gets_the_answer_in_pieces() -> None:
    hook = RecordingHook(streaming=True)
    calls = LLMResponse(
        content="let me look",
        tool_calls=[ToolCallRequest("a", "echo", {"text": "a"})],
        finish_reason="tool_calls",
        reasoning_content="hm hm",
    )

    await play([calls, "all done"], EchoTool(), hook=hook)

    assert hook.deltas == ["let ", "me ", "look", "all ", "done"]
    assert hook.ends == [True, False]
    assert hook.reasoning == ["hm ", "hm", "END"]
    assert [context.streamed_content for context in hook.iterations] == [True, True]


async def test_reasoning_that_does_not_stream_comes_whole_and_is_kept() -> None:
    hook = RecordingHook()

    result = await play([LLMResponse(content="done", reasoning_content="hm hm")], hook=hook)

    assert hook.reasoning == ["hm hm", "END"]
    assert result.messages[-1]["reasoning_content"] == "hm hm"


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
async def test_checkpoints_tell_each_phase(is_async: bool) -> None:
    payloads: list[dict[str, Any]] = []

    async def save(payload: dict[str, Any]) -> None:
        payloads.append(payload)

    callback = save if is_async else payloads.append
    result = await play([_ECHO, "done"], EchoTool(), checkpoint_callback=callback)

    waiting, completed, final = payloads
    assert [p["phase"] for p in payloads] == ["awaiting_tools", "tools_completed", "final_response"]
    assert waiting["assistant_message"] is result.messages[1]
    assert waiting["pending_tool_calls"] == result.messages[1]["tool_calls"]
    assert (waiting["iteration"], waiting["model"]) == (0, "m")
    assert completed["completed_tool_results"] == [result.messages[2]]
    assert completed["pending_tool_calls"] == []
    assert final["assistant_message"] == {"role": "assistant", "content": "done"}


async def test_a_checkpoint_that_fails_ends_the_run() -> None:
    def save(payload: dict[str, Any]) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await play([_ECHO], EchoTool(), checkpoint_callback=save)


async def test_progress_gets_the_text_that_comes_with_calls() -> None:
    told: list[str] = []
    calls = LLMResponse(
        content="let me look",
        tool_calls=[ToolCallRequest("a", "echo", {"text": "a"})],
        finish_reason="tool_calls",
    )

    await play([calls, "done"], EchoTool(), progress_callback=told.append)

    assert told == ["let me look"]


@pytest.mark.parametrize(
    ("wanted", "pieces"), [(True, ["all ", "done"]), (False, [])], ids=["wanted", "not wanted"]
)
async def test_progress_streams_where_the_provider_says_so(wanted: bool, pieces: list[str]) -> None:
    told: list[str] = []
    model = ScriptedProvider(["all done"])
    model.supports_progress_deltas = True  # type: ignore[attr-defined]  # as foreign providers do

    await AgentRunner(model).run(spec(progress_callback=told.append, stream_progress_deltas=wanted))

    assert told == pieces


async def test_a_failing_progress_callback_changes_nothing() -> None:
    def broken(text: str) -> None:
        raise RuntimeError(text)

    result = await play([_ECHO, "done"], EchoTool(), progress_callback=broken)

    assert result.final_content == "done"


async def test_a_wait_before_another_try_is_told() -> None:
    async def no_wait(seconds: float) -> None:
        pass

    lines: list[str] = []
    events: list[Event] = []
    model = ScriptedProvider([ServerFault("down.", retry_after=2), "up"])
    model.retry = RetryPolicy(attempts=2, wait=no_wait)

    result = await AgentRunner(model).run(
        spec(retry_wait_callback=lines.append, observers=(events.append,))
    )

    assert result.final_content == "up"
    assert lines == ["down. Trying again in 2.0 s."]
    (retried,) = [event for event in events if isinstance(event, ModelRetried)]
    assert (retried.reason, retried.wait_s) == ("down.", 2.0)


async def test_observers_get_every_event_in_order() -> None:
    events: list[Event] = []

    await play([_ECHO, "all done"], EchoTool(), observers=(events.append,), run_id="r")

    assert [type(event).__name__ for event in events] == [
        "RunStarted",
        "TurnStarted",
        "ModelRequested",
        "ModelAnswered",
        "CallStarted",
        "CallFinished",
        "TurnFinished",
        "TurnStarted",
        "ModelRequested",
        "TextDelta",
        "TextDelta",
        "ModelAnswered",
        "TurnFinished",
        "RunFinished",
    ]
    assert {event.run_id for event in events} == {"r"}


async def test_a_run_that_raises_is_finished_as_error() -> None:
    events: list[Event] = []

    with pytest.raises(UnexpectedRequest):
        await play([], observers=(events.append,))

    assert getattr(events[-1], "stop_reason", "") == "error"


async def test_a_failure_goes_back_to_the_model() -> None:
    result = await play([("fail", {}), "sorry"], FailingTool())

    assert results(result)[0].startswith("Error executing fail: boom")
    assert result.tool_events == [{"name": "fail", "status": "error", "detail": "boom"}]
    assert result.stop_reason == "completed"


async def test_with_fail_on_tool_error_it_ends_the_run_and_no_later_call_runs() -> None:
    hook, later = RecordingHook(), CountingTool()
    calls: Step = [("fail", {}), ("count", {"value": 1})]

    result = await play([calls], FailingTool(), later, hook=hook, fail_on_tool_error=True)

    assert (result.stop_reason, result.error) == ("tool_error", "Error: RuntimeError: boom")
    assert result.final_content == result.error
    assert later.seen == []
    assert result.tool_events == [{"name": "fail", "status": "error", "detail": "boom"}]
    assert len(results(result)) == 2
    assert hook.stations[-4:] == ["after_iteration", "on_error", "after_run", "on_finally"]


async def test_a_boundary_violation_is_soft_also_with_fail_on_tool_error() -> None:
    tool = FailingTool(OutsideWorkspace("/outside/a"))

    result = await play([("fail", {}), "sorry"], tool, fail_on_tool_error=True)

    assert result.stop_reason == "completed"


@pytest.mark.parametrize("concurrent", [True, False], ids=["at once", "one by one"])
async def test_neighbouring_reads_run_at_once_where_wanted(concurrent: bool) -> None:
    slow = SlowTool()
    slow.release.set()
    calls: Step = [("slow", {}), ("slow", {}), ("count", {"value": 1}), ("slow", {})]

    result = await play([calls, "done"], slow, CountingTool(), concurrent_tools=concurrent)

    assert results(result) == ["released", "released", "call 1", "released"]
    assert slow.most_running == (2 if concurrent else 1)


class _ForeignTools:
    """Only what the contract asks for."""

    def get_definitions(self) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]

    async def execute(self, name: str, params: Any) -> str:
        return f"{name}={sum(params.values())}"


async def test_any_object_with_definitions_and_execute_serves_as_tools() -> None:
    result = await play([("add", {"a": 1, "b": 2}), "done"], tools=_ForeignTools())

    assert results(result) == ["add=3"]


async def test_a_sound_run_is_the_start_of_the_next() -> None:
    first = await play([_ECHO, "done"], EchoTool())

    second = await play(
        ["again"], initial_messages=[*first.messages, {"role": "user", "content": "?"}]
    )

    assert second.messages[:4] == first.messages


async def test_one_runner_serves_many_runs_at_once() -> None:
    def answer(messages: list[dict[str, Any]], tools: Any) -> str:
        return str(messages[-1]["content"])

    runner = AgentRunner(ScriptedProvider(answer))
    texts = [str(number) for number in range(20)]
    runs = (runner.run(spec(initial_messages=[{"role": "user", "content": t}])) for t in texts)

    assert [result.final_content for result in await asyncio.gather(*runs)] == texts
