"""The call path over the real file tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.execution.call import RunState, run_call
from nanobot.agent.execution.outcome import shown_text
from nanobot.agent.execution.schedule import run_batch
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.workspace import Workspace
from tests.calls import FunctionTool, registry_of, request

if TYPE_CHECKING:
    from pathlib import Path

_WHOLE = "".join(f"row {number}\n" for number in range(2_000)) + "MARKER AT THE END"


async def _long() -> str:
    return _WHOLE


@pytest.fixture
def run(tmp_path: Path) -> RunState:
    fence = Workspace(tmp_path)
    tools = registry_of(FunctionTool(_long, "long"))
    ToolLoader().load(ToolContext(workspace=str(tmp_path), fence=fence), tools)
    return RunState.for_run(tools, run_id="r1", workspace=fence, max_tool_result_chars=2048)


async def _batch(run: RunState, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    requests = [request(name, arguments, f"c{n}") for n, (name, arguments) in enumerate(calls)]
    outcomes = await run_batch(requests, run, concurrent=True, fail_on_tool_error=False)
    return [shown_text(outcome.content) for outcome in outcomes]


async def test_read_file_is_the_way_back_to_a_saved_result(run: RunState) -> None:
    (shown,) = await _batch(run, ("long", {}))
    place = re.search(r'"path": "([^"]+)"', shown)
    assert place is not None
    assert "MARKER" not in shown

    (rest,) = await _batch(run, ("read_file", {"path": place[1], "offset": 1000}))

    assert "MARKER AT THE END" in rest
    assert "Too long to show" not in rest


async def test_a_read_after_a_write_in_one_turn_sees_it(run: RunState) -> None:
    results = await _batch(
        run,
        ("write_file", {"path": "a.txt", "content": "one\n"}),
        ("read_file", {"path": "a.txt"}),
        ("edit_file", {"path": "a.txt", "old_text": "one", "new_text": "two"}),
        ("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "three"}),
        ("read_file", {"path": "a.txt"}),
    )

    assert "one" in results[1]
    assert "three" in results[4]


async def test_the_third_read_of_one_file_outside_is_final(run: RunState, tmp_path: Path) -> None:
    outside = tmp_path.parent / "outside.txt"
    (tmp_path / "x").mkdir()
    details = [
        (await run_call(request("read_file", {"path": path}), run)).detail.split(":")[0]
        for path in (str(outside), "../outside.txt", f"x/../../{outside.name}")
    ]

    assert details == ["workspace_violation"] * 2 + ["workspace_violation_escalated"]


@pytest.mark.parametrize("content", ["half \ud83d", "\udcff"], ids=ascii)
async def test_half_a_character_is_written_and_read_mended(content: str, run: RunState) -> None:
    results = await _batch(
        run,
        ("write_file", {"path": "a.txt", "content": content}),
        ("read_file", {"path": "a.txt"}),
    )

    assert "\ufffd" in results[1]
    "".join(results).encode()


async def test_edits_tell_their_lines_to_the_host(run: RunState, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = []

    def host(text: str, *, file_edit_events: list[dict[str, Any]]) -> None:
        records.extend(file_edit_events)

    state = RunState.for_run(run.tools, run_id="r2", workspace=tmp_path, progress_callback=host)
    (tmp_path / "a.txt").write_text("a\nb\nc\n")
    await _batch(state, ("edit_file", {"path": "a.txt", "old_text": "b\n", "new_text": "x\ny\n"}))

    assert [(r["phase"], r["path"], r["added"], r["deleted"]) for r in records] == [
        ("start", "a.txt", 0, 0),
        ("end", "a.txt", 2, 1),
    ]
