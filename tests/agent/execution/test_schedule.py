"""Batches of calls: what goes at once, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.execution.schedule import partition, run_batch
from nanobot.errors import OutsideWorkspace
from tests.calls import FunctionTool, request, state_of
from tests.fakes import CountingTool, EchoTool, FailingTool, SlowTool


@given(st.lists(st.booleans(), max_size=30))
def test_a_partition_keeps_the_order_and_joins_only_safe_neighbours(safe: list[bool]) -> None:
    groups = partition(safe)

    assert [place for group in groups for place in group] == list(range(len(safe)))
    assert all(len(group) == 1 or all(safe[place] for place in group) for group in groups)
    assert not any(
        safe[left.start] and safe[right.start] for left, right in itertools.pairwise(groups)
    )


async def _batch(calls: list[Any], state: Any, **options: Any) -> list[Any]:
    options = {"concurrent": True, "fail_on_tool_error": False, **options}
    return await run_batch(calls, state, **options)


async def test_results_come_in_the_order_of_the_calls() -> None:
    calls = [request("echo", {"text": str(n)}, f"c{n}") for n in range(40)]

    outcomes = await _batch(calls, state_of(EchoTool()))

    assert [outcome.content for outcome in outcomes] == [str(n) for n in range(40)]
    assert [outcome.call_id for outcome in outcomes] == [call.id for call in calls]


@pytest.mark.parametrize(
    ("concurrent", "limit", "most"), [(True, 16, 5), (True, 2, 2), (True, 0, 1), (False, 16, 1)]
)
async def test_safe_calls_go_at_once_up_to_the_limit(
    limit: int, most: int, *, concurrent: bool
) -> None:
    slow = SlowTool()
    calls = [request("slow", call_id=f"c{n}") for n in range(5)]
    batch = asyncio.create_task(_batch(calls, state_of(slow), concurrent=concurrent, limit=limit))
    await slow.started.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    slow.release.set()
    await batch

    assert slow.most_running == most


async def test_a_write_stays_in_its_place_between_reads() -> None:
    log: list[str] = []

    async def note(text: str) -> str:
        log.append(f"{text} begins")
        await asyncio.sleep(0)
        log.append(f"{text} ends")
        return text

    state = state_of(FunctionTool(note, "read", read_only=True), FunctionTool(note, "write"))
    calls = [("read", "1"), ("read", "2"), ("write", "3"), ("write", "4"), ("read", "5")]

    await _batch([request(name, {"text": text}) for name, text in calls], state)

    assert log[:4] == ["1 begins", "2 begins", "1 ends", "2 ends"]
    assert log[4:] == ["3 begins", "3 ends", "4 begins", "4 ends", "5 begins", "5 ends"]


async def test_an_exclusive_reader_goes_alone() -> None:
    slow = SlowTool()
    slow.release.set()

    class Exclusive(FunctionTool):
        @property
        def exclusive(self) -> bool:
            return True

    state = state_of(Exclusive(slow.execute, "alone", read_only=True))
    await _batch([request("alone"), request("alone")], state)

    assert slow.most_running == 1


async def test_two_calls_of_one_id_both_run() -> None:
    counting = CountingTool()
    calls = [request("count", {"value": 1}), request("count", {"value": 2})]

    outcomes = await _batch(calls, state_of(counting))

    assert counting.seen == [1, 2]
    assert [outcome.content for outcome in outcomes] == ["call 1", "call 2"]


async def test_a_failure_lets_the_others_run() -> None:
    calls = [request("fail"), request("echo", {"text": "on"})]

    outcomes = await _batch(calls, state_of(FailingTool(), EchoTool()))

    assert [outcome.status for outcome in outcomes] == ["error", "ok"]


@pytest.mark.parametrize("concurrent", [True, False])
async def test_no_call_begins_after_a_failure_that_ends_the_run(*, concurrent: bool) -> None:
    counting = CountingTool()
    calls = [request("fail", call_id="a"), request("count", {"value": 1}, "b")]

    outcomes = await _batch(
        calls, state_of(FailingTool(), counting), concurrent=concurrent, fail_on_tool_error=True
    )

    assert counting.seen == []
    assert outcomes[1].call_id == "b"
    assert not outcomes[1].ran
    assert "count was not run: an earlier call failed" in outcomes[1].content


async def test_a_failure_among_safe_calls_stops_those_that_have_not_begun() -> None:
    tried: list[int] = []

    async def fail(n: int) -> str:
        tried.append(n)
        return "Error: no"

    state = state_of(FunctionTool(fail, read_only=True))
    calls = [request(arguments={"n": n}) for n in range(50)]

    outcomes = await _batch(calls, state, fail_on_tool_error=True)

    assert tried == [0]
    assert [outcome.ran for outcome in outcomes] == [True] + [False] * 49


async def test_a_violation_is_soft() -> None:
    async def leave() -> str:
        raise OutsideWorkspace("/outside/a")

    counting = CountingTool()
    calls = [request("leave"), request("count", {"value": 1})]
    state = state_of(FunctionTool(leave, "leave"), counting)

    await _batch(calls, state, fail_on_tool_error=True)

    assert counting.seen == [1]


async def _cancelled(slow: SlowTool, calls: list[Any], state: Any) -> asyncio.Task[Any]:
    task = asyncio.create_task(_batch(calls, state))
    await slow.started.wait()
    for _ in range(3):
        await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return task


async def test_cancelling_ends_every_sibling_and_waits_for_them() -> None:
    slow = SlowTool()

    task = await _cancelled(slow, [request("slow") for _ in range(5)], state_of(slow))

    assert task.cancelled()
    assert slow.ended == ["cancelled"] * 5
    assert slow.running == 0


async def test_what_ended_before_the_cancellation_is_kept() -> None:
    slow = SlowTool()
    state = state_of(slow, EchoTool(), CountingTool())
    calls = [
        request("count", {"value": 1}),
        request("slow"),
        request("echo", {"text": "quick"}),
        request("slow"),
        request("count", {"value": 2}),
    ]

    await _cancelled(slow, calls, state)

    assert {place: outcome.content for place, outcome in state.completed.items()} == {
        0: "call 1",
        2: "quick",
    }


async def test_a_tool_that_cancels_its_own_task_ends_the_batch() -> None:
    slow = SlowTool()

    async def stop() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    state = state_of(slow, FunctionTool(stop, "stop", read_only=True))

    with pytest.raises(asyncio.CancelledError):
        await _batch([request("slow"), request("stop")], state)
    assert slow.ended == ["cancelled"]


async def test_a_new_batch_forgets_the_last() -> None:
    state = state_of(EchoTool())
    await _batch([request("echo", {"text": "a"}), request("echo", {"text": "b"})], state)
    await _batch([request("echo", {"text": "c"})], state)

    assert [outcome.content for outcome in state.completed.values()] == ["c"]


async def test_no_calls_are_no_outcomes() -> None:
    assert await _batch([], state_of()) == []


async def test_a_source_that_can_not_tell_goes_one_by_one() -> None:
    class Source:
        running = most = 0

        def get(self, name: str) -> Any:
            raise LookupError(name)

        def get_definitions(self) -> list[dict[str, Any]]:
            return []

        async def execute(self, name: str, params: Any, /) -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            await asyncio.sleep(0)
            self.running -= 1
            return name

    state = state_of()
    state.tools = source = Source()

    outcomes = await _batch([request("a"), request("b")], state)

    assert [outcome.content for outcome in outcomes] == ["a", "b"]
    assert source.most == 1
