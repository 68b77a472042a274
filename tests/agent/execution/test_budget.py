"""Results that are too long: saved, shown in part, readable again."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.execution.budget import clip
from nanobot.agent.execution.call import run_call
from nanobot.agent.execution.outcome import HINT, shown_text
from nanobot.agent.tools.result import ToolResult
from tests.calls import FunctionTool, request, state_of

if TYPE_CHECKING:
    from pathlib import Path

_LONG = "".join(f"line {number}\n" for number in range(2000)) + "MARKER"
_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


async def _fitted(value: object, workspace: Path | None, most: int = 2048, **ids: str) -> Any:
    async def produce() -> object:
        return value

    tool = FunctionTool(produce, ids.get("name", "tool"))
    state = state_of(tool, workspace=workspace, max_tool_result_chars=most)
    return await run_call(request(tool.name, call_id=ids.get("call_id", "call_1")), state)


def _saved(workspace: Path) -> list[Path]:
    return sorted((workspace / ".nanobot" / "results").rglob("*.txt"))


async def test_a_long_result_is_saved_and_shown_in_part(tmp_path: Path) -> None:
    outcome = await _fitted(_LONG, tmp_path)

    assert _saved(tmp_path)[0].read_text() == _LONG
    assert len(outcome.content) <= 2048
    assert f"{len(_LONG):,} characters in 2,001 lines" in outcome.content
    assert '"path": ".nanobot/results/r1/tool-call_1.txt"' in outcome.content
    assert "line 0\nline 1\n" in outcome.content
    assert "MARKER" not in outcome.content


async def test_what_is_saved_is_for_its_owner_and_ignored_by_git(tmp_path: Path) -> None:
    await _fitted(_LONG, tmp_path)

    assert stat.S_IMODE(_saved(tmp_path)[0].stat().st_mode) == 0o600
    assert (tmp_path / ".nanobot" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("most", [None, 0, -1, len(_LONG)])
async def test_what_fits_stays(most: int, tmp_path: Path) -> None:
    outcome = await _fitted(_LONG, tmp_path, most)

    assert outcome.content == _LONG
    assert not (tmp_path / ".nanobot").exists()


async def test_read_file_is_never_saved_again(tmp_path: Path) -> None:
    outcome = await _fitted(_LONG, tmp_path, name="read_file")

    assert outcome.content == _LONG


async def test_a_long_failure_keeps_its_hint(tmp_path: Path) -> None:
    outcome = await _fitted(ToolResult.error(_LONG), tmp_path)

    assert outcome.content.endswith(HINT)
    assert len(outcome.content) <= 2048
    assert _saved(tmp_path)[0].read_text() == _LONG


async def test_long_text_in_blocks_leaves_the_other_blocks(tmp_path: Path) -> None:
    outcome = await _fitted([{"type": "text", "text": _LONG}, _IMAGE], tmp_path)

    assert outcome.content[1] == _IMAGE
    assert "Too long to show" in outcome.content[0]["text"]
    assert len(outcome.content[0]["text"]) <= 2048


async def test_without_a_workspace_the_model_is_told_that_the_rest_is_lost() -> None:
    outcome = await _fitted(_LONG, None)

    assert "not kept" in outcome.content
    assert len(outcome.content) <= 2048


async def test_what_can_not_be_saved_is_still_shown_in_part(tmp_path: Path) -> None:
    (tmp_path / ".nanobot").write_text("a file in the way")

    assert "not kept" in (await _fitted(_LONG, tmp_path)).content


async def test_a_link_in_the_way_does_not_lead_out(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "ws"
    outside.mkdir()
    (workspace / ".nanobot").mkdir(parents=True)
    (workspace / ".nanobot" / "results").symlink_to(outside)

    outcome = await _fitted(_LONG, workspace)

    assert "not kept" in outcome.content
    assert list(outside.rglob("*.txt")) == []


@pytest.mark.parametrize("call_id", ["../../evil", "a/b", "", "..", "x" * 500, "ü\x00", "\udcff"])
async def test_no_call_id_leads_out_of_the_folder(call_id: str, tmp_path: Path) -> None:
    await _fitted(_LONG, tmp_path, call_id=call_id)

    (path,) = _saved(tmp_path)
    assert path.parent == tmp_path / ".nanobot" / "results" / "r1"
    assert path.name.startswith("tool-")


async def test_two_calls_of_one_id_keep_a_result_each(tmp_path: Path) -> None:
    for letter in "ab":
        await _fitted(letter * 3000, tmp_path)

    assert {path.read_text()[0] for path in _saved(tmp_path)} == {"a", "b"}


async def test_results_of_long_ago_are_dropped(tmp_path: Path) -> None:
    old = tmp_path / ".nanobot" / "results" / "old"
    old.mkdir(parents=True)
    (old / "x.txt").write_text("old")
    os.utime(old, (time.time() - 8 * 86_400,) * 2)

    await _fitted(_LONG, tmp_path)

    assert not old.exists()


@given(text=st.text(), most=st.integers(0, 3000), place=st.sampled_from(["", ".nanobot/x.txt"]))
def test_a_clip_never_exceeds_its_budget(text: str, most: int, place: str) -> None:
    assert len(clip(text, most, place=place)) <= most


@pytest.mark.parametrize("most", [60, 120, 400])
def test_a_tight_budget_still_names_the_place(most: int) -> None:
    assert ".nanobot/x.txt" in clip("x" * 20_000, most, place=".nanobot/x.txt")


async def test_the_details_speak_of_the_result_itself(tmp_path: Path) -> None:
    assert (await _fitted(_LONG, tmp_path)).detail.startswith("line 0 line 1")
    assert "Too long" in shown_text((await _fitted(_LONG, tmp_path)).content)
