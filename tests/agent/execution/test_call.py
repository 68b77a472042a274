"""One call, from request to outcome."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from contextvars import copy_context
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.execution.call import RunState, run_call
from nanobot.agent.execution.outcome import HINT, shown_text
from nanobot.agent.tools.context import report_progress
from nanobot.agent.tools.function import tool as tool_from
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.agent.tools.result import ToolResult
from nanobot.errors import InvalidArguments, ToolTimeout, UnknownTool
from nanobot.events import CallFinished, CallProgress, CallStarted, Event, EventStream
from nanobot.threads import in_thread
from tests.calls import FunctionTool, call, registry_of, request, state_of
from tests.fakes import EchoTool, FailingTool, SlowTool, SyncTool

if TYPE_CHECKING:
    from collections.abc import Callable


async def _never() -> None:
    await asyncio.Event().wait()


async def test_the_registrys_door_gives_the_content_alone() -> None:
    registry = registry_of(EchoTool(), FailingTool())

    assert await registry.execute("echo", '{"text": "hi"}') == "hi"
    assert await registry.execute("fail", {}) == f"Error executing fail: boom{HINT}"


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "says"),
    [
        ("ecco", {}, UnknownTool, "Error: Tool 'ecco' not found. Did you mean 'echo'?"),
        ("echo", {}, InvalidArguments, "Error: Invalid parameters for tool 'echo': missing"),
        ("echo", ["x"], InvalidArguments, "Error: Tool 'echo' parameters must be a JSON object"),
        ("echo", '{"text": "x', InvalidArguments, "Error: Tool 'echo' parameters must be"),
    ],
    ids=["unknown", "invalid", "list", "cut"],
)
async def test_a_call_that_can_not_run_is_a_typed_failure(
    name: str, arguments: object, kind: type[Exception], says: str
) -> None:
    outcome = await run_call(request(name, arguments), state_of(EchoTool()))

    assert shown_text(outcome.content).startswith(says)
    assert shown_text(outcome.content).count(HINT) == 1
    assert isinstance(outcome.error, kind)
    assert not outcome.ran


async def test_a_bad_name_with_half_a_character_is_mended() -> None:
    outcome = await run_call(request("x\ud83d"), state_of(EchoTool()))

    shown_text(outcome.content).encode()


async def test_a_tool_that_hangs_ends_at_its_own_deadline() -> None:
    outcome = await run_call(request("slow"), state_of(SlowTool(timeout_s=0.01)))

    assert isinstance(outcome.error, ToolTimeout)
    assert outcome.detail == "'slow' did not answer within 0.01 s and was stopped"
    assert outcome.status == "error"


async def test_the_run_sets_the_deadline_where_the_tool_does_not() -> None:
    outcome = await run_call(request("slow"), state_of(SlowTool(), tool_timeout_s=0.01))

    assert isinstance(outcome.error, ToolTimeout)


async def test_a_tool_without_deadline_outlives_the_runs() -> None:
    slow = SlowTool(timeout_s=math.inf)
    task = asyncio.create_task(run_call(request("slow"), state_of(slow, tool_timeout_s=0.001)))
    await slow.started.wait()
    asyncio.get_running_loop().call_later(0.02, slow.release.set)

    assert (await task).content == "released"


async def test_a_timeout_error_of_the_tool_is_an_ordinary_failure() -> None:
    async def fetch() -> None:
        raise TimeoutError("the server is slow")

    outcome = await call(fetch)

    assert outcome.detail == "the server is slow"
    assert type(outcome.error) is TimeoutError


async def test_a_leaked_cancellation_is_a_failure_of_the_tool() -> None:
    async def leak() -> None:
        raise asyncio.CancelledError

    async def leak_later() -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    for tool in (leak, leak_later):
        outcome = await call(tool)
        assert outcome.detail == "its work was cancelled from within"
        assert outcome.status == "error"


async def test_a_real_cancellation_passes() -> None:
    slow = SlowTool()
    task = asyncio.create_task(run_call(request("slow"), state_of(slow)))
    await slow.started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.ended == ["cancelled"]


async def test_a_cancellation_by_an_observer_reaches_the_tool() -> None:
    def stop(event: Event) -> None:
        task = asyncio.current_task()
        if isinstance(event, CallStarted) and task is not None:
            task.cancel()

    state = state_of(SlowTool(), events=EventStream(stop))

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(run_call(request("slow"), state))


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupts_pass(interrupt: type[BaseException]) -> None:
    async def main() -> None:
        await run_call(request("fail"), state_of(FailingTool(interrupt())))

    with pytest.raises(interrupt):
        asyncio.run(main())


async def test_a_panic_of_an_extension_is_a_failure_of_the_tool() -> None:
    class Panic(BaseException):  # as pyo3 raises it
        pass

    async def panic() -> None:
        raise Panic("index out of range")

    assert (await call(panic)).detail == "index out of range"


async def test_a_plain_function_never_blocks_the_loop() -> None:
    beats = 0
    ended = asyncio.Event()

    async def heart() -> None:
        nonlocal beats
        while not ended.is_set():
            beats += 1
            await asyncio.sleep(0.01)

    heartbeat = asyncio.create_task(heart())
    outcome = await run_call(request("block", {"seconds": 0.1}), state_of(SyncTool()))
    ended.set()
    await heartbeat

    assert outcome.content == "in a worker thread"
    assert beats > 3


async def test_a_plain_function_stuck_past_its_deadline_is_left_behind() -> None:
    release = threading.Event()

    def stuck() -> None:
        release.wait()

    outcome = await run_call(request(), state_of(FunctionTool(stuck, timeout_s=0.01)))
    release.set()

    assert isinstance(outcome.error, ToolTimeout)


async def test_a_plain_function_may_return_an_awaitable() -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    assert (await call(later)).content == "later"


async def test_a_tool_made_of_a_function_runs_the_same_way() -> None:
    @tool_from
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    outcome = await run_call(request("add", {"a": "1", "b": 2}), state_of(add))

    assert outcome.content == "3"
    assert outcome.structured == 3


async def test_a_result_that_can_not_be_shown_is_a_failure() -> None:
    async def strange() -> object:
        loop: list[object] = []
        loop.append(loop)
        return loop

    outcome = await call(strange)

    assert outcome.detail == "its result, a list, can't be written as JSON"


async def test_data_that_does_not_fit_the_output_schema_is_dropped_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def count() -> object:
        return {"rows": "three"}

    schema = {"type": "object", "properties": {"rows": {"type": "integer"}}}
    outcome = await run_call(request(), state_of(FunctionTool(count, output_schema=schema)))

    assert (outcome.status, outcome.structured) == ("ok", None)
    assert outcome.content == '{"rows": "three"}'
    assert "result.rows should be integer" in caplog.text


async def test_a_failures_data_is_never_held_to_the_schema() -> None:
    async def refuse() -> object:
        return ToolResult("db refused", is_error=True, structured={"answer": 42})

    tool = FunctionTool(refuse, output_schema={"type": "object", "required": ["rows"]})
    outcome = await run_call(request(), state_of(tool))

    assert outcome.structured == {"answer": 42}
    assert shown_text(outcome.content) == f"db refused{HINT}"


async def _observed(execute: Callable[..., Any]) -> list[Event]:
    events: list[Event] = []
    state = state_of(FunctionTool(execute), events=EventStream(events.append))
    await run_call(request(), state)
    return events


async def test_a_call_is_told_from_start_to_finish() -> None:
    async def work() -> object:
        report_progress("halfway")
        return [{"type": "image_url", "image_url": {"url": "x"}}]

    started, progress, finished = await _observed(work)

    assert isinstance(started, CallStarted)
    assert isinstance(progress, CallProgress)
    assert isinstance(finished, CallFinished)
    assert progress.text == "halfway"
    assert finished.content == "[image]"
    assert finished.at >= started.at
    assert {e.call_id for e in (started, progress, finished)} == {"c1"}


async def test_progress_from_a_thread_arrives_on_the_loop() -> None:
    loop_thread = threading.get_ident()
    heard: list[int] = []

    def observer(event: Event) -> None:
        if isinstance(event, CallProgress):
            heard.append(threading.get_ident())

    async def work() -> str:
        await in_thread(report_progress, "from a thread")
        return "done"

    await run_call(request(), state_of(FunctionTool(work), events=EventStream(observer)))

    assert heard == [loop_thread]


async def test_progress_after_the_end_is_dropped() -> None:
    later: list[Callable[[], None]] = []

    async def work() -> str:
        context = copy_context()
        later.append(lambda: context.run(report_progress, "too late"))
        return "done"

    events = await _observed(work)
    later[0]()

    assert [type(event) for event in events] == [CallStarted, CallFinished]


def test_progress_that_nobody_follows_is_nothing() -> None:
    report_progress("nobody hears")


class _Source:
    """A host's own source; `prepare_call` and more as given."""

    def __init__(self, **more: Any) -> None:
        self.executed: list[tuple[str, Any]] = []
        for key, value in more.items():
            setattr(self, key, value)

    def get_definitions(self) -> list[dict[str, Any]]:
        return []

    async def execute(self, name: str, params: Any, /) -> Any:
        self.executed.append((name, params))
        return "Error: from execute" + HINT


def _raise(name: str, params: Any) -> Any:
    raise LookupError(name)


async def _coroutine(name: str, params: Any) -> Any:
    return None, params, None


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"prepare_call": None},
        {"prepare_call": "no function"},
        {"prepare_call": _raise},
        {"prepare_call": _coroutine},
        {"prepare_call": lambda name, params: None},
        {"prepare_call": lambda name, params: (params, None)},
        {"prepare_call": lambda name, params: [None, params, None]},
        {"prepare_call": lambda name, params: (None, params, None)},
    ],
    ids=["missing", "none", "text", "raises", "async", "no tuple", "two", "list", "neither"],
)
async def test_a_source_without_a_usable_prepare_call_is_executed(more: dict[str, Any]) -> None:
    source = _Source(**more)

    outcome = await run_call(request("theirs", {"a": 1}), RunState.for_run(source, run_id="r1"))

    assert source.executed == [("theirs", {"a": 1})]
    assert outcome.content == f"Error: from execute{HINT}"
    assert outcome.status == "error"


async def test_a_foreign_refusal_reads_as_it_was_written() -> None:
    source = _Source(prepare_call=lambda name, params: (None, params, "Error: not here"))

    outcome = await run_call(request("theirs"), RunState.for_run(source, run_id="r1"))

    assert outcome.content == f"Error: not here{HINT}"
    assert source.executed == []


async def test_a_foreign_tool_need_not_be_ours() -> None:
    async def execute(a: int) -> str:
        return f"got {a}"

    theirs = SimpleNamespace(execute=execute, timeout_s="soon")
    source = _Source(prepare_call=lambda name, params: (theirs, params, None))

    outcome = await run_call(request("theirs", {"a": 1}), RunState.for_run(source, run_id="r1"))

    assert outcome.content == "got 1"


async def test_a_registry_with_a_prepare_call_of_its_own_is_asked_through_it() -> None:
    class Renaming(ToolRegistry):
        def prepare_call(self, name: str, params: Any) -> Any:
            return super().prepare_call("echo", params)

    registry = Renaming()
    registry.register(EchoTool())

    outcome = await run_call(request("other", {"text": "hi"}), RunState(tools=registry))

    assert outcome.content == "hi"


async def test_a_registry_whose_prepare_call_fails_prepares_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = registry_of(EchoTool())
    monkeypatch.setattr(registry, "prepare_call", _raise)

    outcome = await run_call(request("echo", {"text": "hi"}), RunState(tools=registry))

    assert outcome.content == "hi"


async def test_a_registry_with_an_execute_of_its_own_is_executed() -> None:
    class Logging(ToolRegistry):
        def prepare_call(self, name: str, params: Any) -> Any:
            raise LookupError(name)

        async def execute(self, name: str, params: Any) -> Any:
            return f"logged: {await super().execute(name, params)}"

    registry = Logging()
    registry.register(EchoTool())

    outcome = await run_call(request("echo", {"text": "hi"}), RunState(tools=registry))

    assert outcome.content == "logged: hi"


async def test_a_foreign_execute_has_a_deadline_too() -> None:
    class Hanging(_Source):
        async def execute(self, name: str, params: Any, /) -> Any:
            await _never()

    state = RunState.for_run(Hanging(), run_id="r1", tool_timeout_s=0.01)

    assert isinstance((await run_call(request("x"), state)).error, ToolTimeout)


_STUCK = """
import asyncio, threading
from nanobot.agent.execution.call import RunState, run_call
from tests.calls import FunctionTool, request, state_of

def stuck():
    threading.Event().wait()

async def main():
    print((await run_call(request(), state_of(FunctionTool(stuck, timeout_s=0.01)))).detail)

asyncio.run(main())
"""


def test_a_stuck_tool_does_not_hold_the_program_back() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _STUCK], capture_output=True, text=True, timeout=60, check=True
    )

    assert "did not answer within 0.01 s" in ended.stdout
