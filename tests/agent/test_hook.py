from __future__ import annotations

import logging

import pytest

from nanobot.agent.hook import AgentHook, AgentHookContext, AgentRunHookContext, CompositeHook
from tests.fakes import RecordingHook


class _Broken(AgentHook):
    def wants_streaming(self) -> bool:
        raise RuntimeError("streaming")

    async def before_iteration(self, context: AgentHookContext) -> None:
        raise RuntimeError("iteration")

    def finalize_content(self, context: AgentHookContext, content: str | None) -> str | None:
        raise RuntimeError("content")


class _Adding(AgentHook):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def finalize_content(self, context: AgentHookContext, content: str | None) -> str | None:
        return f"{content}{self._text}"


@pytest.fixture
def context() -> AgentHookContext:
    return AgentHookContext(0, [])


async def test_every_station_reaches_every_member(context: AgentHookContext) -> None:
    members = [RecordingHook(), RecordingHook(streaming=True)]
    hook = CompositeHook(members)
    run = AgentRunHookContext([])

    await hook.before_run(run)
    await hook.before_iteration(context)
    await hook.on_stream(context, "hi")
    await hook.on_stream_end(context, resuming=True)
    await hook.emit_reasoning("hm")
    await hook.emit_reasoning_end()
    await hook.before_execute_tools(context)
    await hook.after_iteration(context)
    await hook.on_error(run)
    await hook.after_run(run)
    await hook.on_finally(run)

    assert hook.wants_streaming()
    for member in members:
        assert (member.deltas, member.ends, member.reasoning) == (["hi"], [True], ["hm", "END"])
        assert member.stations == [
            "before_run",
            "before_iteration",
            "before_execute_tools",
            "after_iteration",
            "on_error",
            "after_run",
            "on_finally",
        ]


async def test_a_failing_member_is_logged_and_the_others_go_on(
    context: AgentHookContext, caplog: pytest.LogCaptureFixture
) -> None:
    after = RecordingHook()

    with caplog.at_level(logging.ERROR):
        await CompositeHook([_Broken(), after]).before_iteration(context)

    assert after.stations == ["before_iteration"]
    assert "_Broken" in caplog.text


@pytest.mark.parametrize(
    "hook",
    [CompositeHook([_Broken(reraise=True)]), CompositeHook([_Broken()], reraise=True)],
    ids=["member", "composite"],
)
async def test_reraise_lets_the_exception_through(
    hook: CompositeHook, context: AgentHookContext
) -> None:
    with pytest.raises(RuntimeError, match="iteration"):
        await hook.before_iteration(context)
    with pytest.raises(RuntimeError, match="streaming"):
        hook.wants_streaming()


def test_a_member_that_fails_to_say_does_not_want_streaming() -> None:
    assert not CompositeHook([_Broken()]).wants_streaming()


def test_finalize_content_is_a_pipeline(context: AgentHookContext) -> None:
    hook = CompositeHook([_Adding("b"), _Adding("c")])

    assert hook.finalize_content(context, "a") == "abc"


def test_finalize_content_is_not_isolated(context: AgentHookContext) -> None:
    with pytest.raises(RuntimeError, match="content"):
        CompositeHook([_Broken()]).finalize_content(context, "a")
