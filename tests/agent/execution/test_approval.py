"""Policies, and what the call path makes of their decisions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.execution.approval import (
    Allow,
    AllowEverything,
    AllowForRun,
    ApprovalRequest,
    Ask,
    AskBeforeChanges,
    Deny,
    Edit,
)
from nanobot.agent.execution.call import run_call
from nanobot.agent.execution.outcome import HINT
from nanobot.errors import CallDenied
from nanobot.events import ApprovalAsked, ApprovalDecided, Event, EventStream
from tests.calls import FunctionTool, request, state_of
from tests.fakes import CountingTool, EchoTool

if TYPE_CHECKING:
    from nanobot.agent.execution.approval import Answer, Decision


class _Policy:
    """Decides what it was made with, or raises it."""

    def __init__(self, decision: Any) -> None:
        self._decision = decision

    async def decide(self, request: ApprovalRequest, /) -> Decision:
        if isinstance(self._decision, Exception):
            raise self._decision
        decision: Decision = self._decision
        return decision


class _Person:
    """Answers from a list, and notes what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []
        self.at_once = 0

    async def __call__(self, request: ApprovalRequest, ask: Ask) -> Answer:
        assert self.at_once == 0
        self.at_once += 1
        await asyncio.sleep(0)
        self.at_once -= 1
        self.asked.append(ask.reason)
        return self._answers.pop(0)


async def _count(approval: Any, value: int = 1, **options: Any) -> tuple[Any, CountingTool]:
    tool = CountingTool()
    state = state_of(tool, approval=approval, **options)
    return await run_call(request("count", {"value": value}), state), tool


async def test_without_a_policy_every_call_runs() -> None:
    outcome, tool = await _count(None)

    assert outcome.status == "ok"
    assert tool.seen == [1]


@pytest.mark.parametrize(
    "decision",
    [Deny("not today"), Ask("it counts"), RuntimeError("broken policy"), None, True],
    ids=repr,
)
async def test_whatever_is_no_allowance_never_runs_the_call(decision: Any) -> None:
    outcome, tool = await _count(_Policy(decision))

    assert tool.seen == []
    assert isinstance(outcome.error, CallDenied)
    assert outcome.content.startswith("Error: The call of 'count' was denied: ")
    assert outcome.content.endswith(HINT)


async def test_a_failing_policy_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    await _count(_Policy(RuntimeError("broken policy")))

    assert "broken policy" in caplog.text


async def test_an_edit_is_prepared_anew() -> None:
    outcome, tool = await _count(_Policy(Edit({"value": "7"})))

    assert outcome.status == "ok"
    assert tool.seen == [7]


async def test_an_edit_that_does_not_fit_is_refused() -> None:
    outcome, tool = await _count(_Policy(Edit({"value": "many"})))

    assert tool.seen == []
    assert "value should be integer" in outcome.content


async def test_an_invalid_call_is_never_put_to_the_policy() -> None:
    person = _Person()

    outcome = await run_call(
        request("count", {}), state_of(CountingTool(), approval=AskBeforeChanges(person))
    )

    assert "missing required value" in str(outcome.content)
    assert person.asked == []


async def test_what_only_reads_runs_unasked() -> None:
    state = state_of(EchoTool(), approval=AskBeforeChanges())

    assert (await run_call(request("echo", {"text": "hi"}), state)).content == "hi"


async def test_without_a_person_a_change_is_denied_with_the_way_to_allow_it() -> None:
    outcome, tool = await _count(AskBeforeChanges())

    assert tool.seen == []
    assert "--allow count or --yes" in outcome.content


@pytest.mark.parametrize(
    "policy",
    [AllowEverything(), AskBeforeChanges(allow_all=True), AskBeforeChanges(allow=["count"])],
    ids=["everything", "allow_all", "by name"],
)
async def test_an_allowed_tool_runs_unasked(policy: Any) -> None:
    _, tool = await _count(policy)

    assert tool.seen == [1]


async def test_a_reading_tool_with_a_question_asks_it() -> None:
    async def read() -> str:
        return "secret"

    tool = FunctionTool(read, read_only=True, question=lambda params: "it reads a private key")
    person = _Person(Deny("no"))

    outcome = await run_call(request(), state_of(tool, approval=AskBeforeChanges(person)))

    assert person.asked == ["it reads a private key"]
    assert outcome.status == "error"


async def test_a_yes_holds_once_an_always_holds_for_the_run_and_tool() -> None:
    person = _Person(Allow(), AllowForRun(), Deny("another run"))
    policy = AskBeforeChanges(person)
    tool = CountingTool()
    state = state_of(tool, approval=policy)
    for value in range(4):
        await run_call(request("count", {"value": value}), state)
    state.run_id = "another"

    outcome = await run_call(request("count", {"value": 9}), state)

    assert tool.seen == [0, 1, 2, 3]
    assert len(person.asked) == 3
    assert "another run" in str(outcome.content)


async def test_questions_come_one_after_another() -> None:
    person = _Person(Allow(), Allow(), Allow())
    state = state_of(CountingTool(), approval=AskBeforeChanges(person))

    async with asyncio.TaskGroup() as group:
        for value in range(3):
            group.create_task(run_call(request("count", {"value": value}), state))

    assert len(person.asked) == 3


async def test_the_events_tell_what_was_asked_and_decided() -> None:
    events: list[Event] = []
    await _count(AskBeforeChanges(_Person(Deny("no"))), events=EventStream(events.append))

    told = [event for event in events if isinstance(event, (ApprovalAsked, ApprovalDecided))]
    assert [type(event) for event in told] == [ApprovalAsked, ApprovalDecided]
    assert told[1].reason == "no"
    assert told[0].call_id == told[1].call_id == "c1"


class _OnlyExecutes:
    """A host's own source of tools: no `prepare_call`, no `get`."""

    def get_definitions(self) -> list[dict[str, Any]]:
        return []

    async def execute(self, name: str, params: Any, /) -> str:
        return "executed"


@pytest.mark.parametrize(
    ("answer", "content"), [(Allow(), "executed"), (Deny("no"), "denied")], ids=["yes", "no"]
)
async def test_a_foreign_sources_call_is_asked_about_by_its_name(
    answer: Answer, content: str
) -> None:
    state = state_of(approval=AskBeforeChanges(_Person(answer)))
    state.tools = _OnlyExecutes()

    outcome = await run_call(request("theirs"), state)

    assert content in str(outcome.content)
