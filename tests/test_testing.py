from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nanobot
from nanobot.errors import InvalidArguments, ToolTimeout
from nanobot.testing import UnusedSteps, acall_tool, call_tool, script
from nanobot.workspace import Workspace
from tests.fakes import EchoTool, FailingTool, SlowTool

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.events import Event


def double(number: int) -> int:
    """Double a number.

    Args:
        number: What to double.
    """
    return 2 * number


@pytest.mark.parametrize(
    "arguments",
    [{"number": 21}, '{"number": 21}', {"number": "21"}],
    ids=["object", "text", "cast"],
)
def test_a_call_goes_through_the_whole_path(arguments: dict[str, object] | str) -> None:
    outcome = call_tool(double, arguments)  # type: ignore[arg-type]  # a narrower object

    assert (outcome.status, outcome.content, outcome.structured) == ("ok", "42", 42)


def test_a_refused_call_says_why() -> None:
    outcome = call_tool(double, {})

    assert outcome.status == "error"
    assert "missing required number" in outcome.content
    assert isinstance(outcome.error, InvalidArguments)


def test_an_exception_is_an_outcome() -> None:
    error = ValueError("bad")

    assert call_tool(FailingTool(error)).error is error


def test_a_class_is_created_for_the_call() -> None:
    assert call_tool(EchoTool, {"text": "hi"}).content == "hi"


async def test_the_deadline_can_be_set() -> None:
    outcome = await acall_tool(SlowTool(), timeout_s=0.02)

    assert isinstance(outcome.error, ToolTimeout)


async def test_observers_see_the_call() -> None:
    events: list[Event] = []

    await acall_tool(EchoTool(), {"text": "hi"}, observers=[events.append])

    assert [type(event).__name__ for event in events] == ["CallStarted", "CallFinished"]


async def test_a_long_result_is_saved_under_the_workspace(tmp_path: Path) -> None:
    outcome = await acall_tool(
        EchoTool(), {"text": "x" * 5000}, workspace=Workspace(tmp_path), max_result_chars=1000
    )

    assert len(outcome.content) < 5000
    assert list((tmp_path / ".nanobot").rglob("*"))


async def test_inside_a_running_loop_the_async_form_is_named() -> None:
    with pytest.raises(RuntimeError, match="acall_tool"):
        call_tool(double, {"number": 1})


def test_a_script_plays_a_model() -> None:
    with script(("double", {"number": 4}), "eight") as model:
        result = nanobot.run("?", tools=[double], model=model)

    assert result.final_content == "eight"


def test_a_script_that_is_not_played_to_its_end_fails_the_test() -> None:
    with pytest.raises(UnusedSteps), script("never"):
        pass
