"""File-edit events: what a call changed, for whoever listens."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.execution.call import run_call
from nanobot.agent.execution.edits import EditListener, edited_paths
from nanobot.errors import ToolError
from nanobot.events import Event, EventStream, FileEdited
from nanobot.workspace import Workspace
from tests.calls import FunctionTool, request, state_of

if TYPE_CHECKING:
    from pathlib import Path


class _Host:
    """Hears progress, and notes the records of file edits."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    async def __call__(self, text: str, *, file_edit_events: list[dict[str, Any]]) -> None:
        self.records += file_edit_events

    @property
    def phases(self) -> list[str]:
        return [str(record["phase"]) for record in self.records]


def _writer(workspace: Path, name: str = "write_file", **rest: Any) -> FunctionTool:
    async def write(path: str, content: str) -> str:
        (workspace / path).write_text(content)
        return "written"

    return FunctionTool(write, name, **rest)


async def _write(workspace: Path, host: Any, content: str = "a\nb\n", **options: Any) -> Any:
    state = state_of(_writer(workspace), workspace=workspace, progress_callback=host, **options)
    return await run_call(request("write_file", {"path": "a.txt", "content": content}), state)


async def test_a_new_file_is_told_from_start_to_end(tmp_path: Path) -> None:
    host = _Host()

    await _write(tmp_path, host)

    start, end = host.records
    common = {
        "version": 1,
        "call_id": "c1",
        "tool": "write_file",
        "path": "a.txt",
        "absolute_path": str(tmp_path / "a.txt"),
        "deleted": 0,
        "binary": False,
        "operation": "create",
        "error": None,
    }
    assert start == {
        **common,
        "phase": "start",
        "status": "editing",
        "added": 0,
        "approximate": True,
    }
    assert end == {**common, "phase": "end", "status": "done", "added": 2, "approximate": False}


async def test_a_changed_file_counts_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nold\nc\n")
    host = _Host()

    await _write(tmp_path, host, "a\nnew\nnewer\nc\n")

    end = host.records[-1]
    assert (end["added"], end["deleted"], end["operation"]) == (2, 1, "edit")


async def test_a_failed_call_tells_the_error(tmp_path: Path) -> None:
    async def write(path: str) -> str:
        raise ToolError("the disk is full")

    host = _Host()
    state = state_of(FunctionTool(write, "write_file"), workspace=tmp_path, progress_callback=host)

    await run_call(request("write_file", {"path": "a.txt"}), state)

    assert host.phases == ["start", "error"]
    assert host.records[1]["status"] == "error"
    assert host.records[1]["error"] == "the disk is full"


async def test_a_cancelled_call_tells_that_it_was_stopped(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def write(path: str) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    host = _Host()
    state = state_of(FunctionTool(write, "write_file"), workspace=tmp_path, progress_callback=host)
    task = asyncio.create_task(run_call(request("write_file", {"path": "a.txt"}), state))
    await started.wait()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task

    assert host.phases == ["start", "error"]
    assert host.records[1]["error"] == "stopped"


@pytest.mark.parametrize(
    ("before", "after", "binary", "approximate"),
    [
        (b"a\n", b"\x00\xff", True, False),
        (b"\xff\xfe", b"text\n", True, False),
        (b"", b"x\n" * 3_000_000, False, True),
    ],
    ids=["becomes binary", "was binary", "too large"],
)
async def test_what_is_no_text_or_too_large_is_not_counted(
    before: bytes, after: bytes, tmp_path: Path, *, binary: bool, approximate: bool
) -> None:
    (tmp_path / "a.txt").write_bytes(before)

    async def write(path: str) -> str:
        (tmp_path / path).write_bytes(after)
        return "written"

    host = _Host()
    tool = FunctionTool(write, "write_file")
    state = state_of(tool, workspace=tmp_path, progress_callback=host)
    await run_call(request("write_file", {"path": "a.txt"}), state)

    end = host.records[-1]
    assert (end["added"], end["deleted"]) == (0, 0)
    assert (end["binary"], end["approximate"]) == (binary, approximate)


async def test_a_deleted_file_is_a_deletion(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nb\n")

    async def remove(name: str) -> str:
        (tmp_path / name).unlink()
        return "removed"

    host = _Host()
    tool = FunctionTool(remove, "remove", changed_paths=lambda params: [params["name"]])
    state = state_of(tool, workspace=tmp_path, progress_callback=host)
    await run_call(request("remove", {"name": "a.txt"}), state)

    assert (host.records[-1]["operation"], host.records[-1]["deleted"]) == ("delete", 2)


async def test_a_plain_callback_and_one_with_any_keyword_hear_it_too(tmp_path: Path) -> None:
    heard: list[str] = []

    def plain(text: str, **more: Any) -> None:
        heard.extend(record["phase"] for record in more["file_edit_events"])

    await _write(tmp_path, plain)

    assert heard == ["start", "end"]


async def test_a_callback_without_the_keyword_is_left_alone(tmp_path: Path) -> None:
    heard: list[str] = []

    outcome = await _write(tmp_path, heard.append)

    assert outcome.status == "ok"
    assert heard == []


async def test_a_callback_that_fails_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(text: str, *, file_edit_events: object) -> None:
        raise ValueError("broken host")

    assert (await _write(tmp_path, broken)).status == "ok"
    assert "broken host" in caplog.text


async def test_observers_hear_it_as_events(tmp_path: Path) -> None:
    events: list[Event] = []

    await _write(tmp_path, None, events=EventStream(events.append))

    edits = [event for event in events if isinstance(event, FileEdited)]
    assert [(e.phase, e.path, e.added) for e in edits] == [
        ("start", "a.txt", 0),
        ("end", "a.txt", 2),
    ]


async def test_a_refused_call_tells_of_no_edit(tmp_path: Path) -> None:
    host = _Host()
    state = state_of(_writer(tmp_path), workspace=tmp_path, progress_callback=host)

    await run_call(request("write_file", {"path": "a.txt"}), state)

    assert host.records == []


async def test_a_file_outside_is_told_but_never_read(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("a\nb\n")
    host = _Host()
    tool = FunctionTool(_fine, "theirs", changed_paths=lambda params: ["../secret.txt"])
    state = state_of(tool, workspace=workspace, progress_callback=host)

    await run_call(request("theirs"), state)

    assert host.records[-1]["absolute_path"] == str(tmp_path / "secret.txt")
    assert host.records[-1]["approximate"]


async def _fine() -> str:
    return "fine"


@pytest.mark.parametrize(
    ("name", "arguments", "paths"),
    [
        ("write_file", {"path": "a"}, ["a"]),
        ("edit_file", {"path": "a", "old_text": "x"}, ["a"]),
        ("write_file", {"path": 3}, []),
        ("read_file", {"path": "a"}, []),
        ("apply_patch", {"edits": [{"path": "a"}, {"path": "b"}, {"path": "a"}]}, ["a", "b"]),
        ("apply_patch", {"edits": [{"path": "a"}], "dry_run": True}, []),
        ("apply_patch", {"edits": "no list"}, []),
        (
            "apply_patch",
            {"patch": "*** Begin Patch\n*** Update File: a b\n*** Add File: c\n*** Delete File: d"},
            ["a b", "c", "d"],
        ),
        ("apply_patch", {"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@"}, ["x"]),
    ],
    ids=str,
)
def test_the_files_of_known_tools_are_known(
    name: str, arguments: dict[str, Any], paths: list[str]
) -> None:
    assert edited_paths(name, None, arguments) == paths


def test_a_tools_own_word_goes_first() -> None:
    tool = FunctionTool(_fine, changed_paths=lambda params: ["mine"])

    assert edited_paths("write_file", tool, {"path": "theirs"}) == ["mine"]


def test_a_tool_that_fails_to_say_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    tool = FunctionTool(_fine, changed_paths=lambda params: params["missing"])

    assert edited_paths("write_file", tool, {"path": "a"}) == ["a"]
    assert "changed_paths" in caplog.text


def test_nobody_listens_without_observers_or_callback(tmp_path: Path) -> None:
    assert not EditListener(EventStream(), None, Workspace(tmp_path), "r1")
    assert EditListener(None, _Host(), None, "r1")
