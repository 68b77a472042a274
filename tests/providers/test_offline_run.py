"""The offline provider through the loop, with the real tools on real files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.agent.execution.approval import AskBeforeChanges
from nanobot.agent.runner import AgentRunner, AgentRunResult, AgentRunSpec
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.offline import OfflineProvider
from nanobot.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.agent.execution.approval import Approval


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("class Engine:\n    pass  # TODO: start\n")
    (tmp_path / "src" / "use.py").write_text("from app import Engine\n\nEngine()  # TODO\n")
    (tmp_path / "notes.txt").write_text("".join(f"note {n}\n" for n in range(1, 31)))
    (tmp_path / "README.md").write_text("# An app\n")
    return tmp_path


async def _run(project: Path, prompt: str, approval: Approval | None = None) -> AgentRunResult:
    registry = ToolRegistry()
    ToolLoader().load(ToolContext(workspace=str(project), fence=Workspace(project)), registry)
    spec = AgentRunSpec(
        initial_messages=[{"role": "user", "content": prompt}],
        tools=registry,
        model=None,
        max_iterations=10,
        max_tool_result_chars=16_000,
        concurrent_tools=True,
        workspace=project,
        approval=approval,
    )
    return await AgentRunner(OfflineProvider(tools=registry)).run(spec)


_SHOWN = {
    "what files are here?": ["README.md", "notes.txt", "src/"],
    "show me the tree": ["app.py", "use.py"],
    "read README.md and list src": ["1| # An app", "app.py"],
    "last 2 lines of notes.txt": ["29| note 29\n30| note 30\n"],
    "tail -n 100 README.md": ["1| # An app"],
    "head -n 2 notes.txt": ["1| note 1\n2| note 2\n"],
    "lines 10-11 of notes.txt": ["10| note 10\n11| note 11\n"],
    "how many lines has notes.txt": ["**notes.txt: 30 lines**"],
    "how many python files are there": ["**2 files**"],
    "how many json files are there": ["**0 files**"],
    "how many TODOs are there in src?": ["**2 matching lines**"],
    "where is Engine defined?": ["src/app.py:1:class Engine:"],
    "who uses Engine?": ["src/use.py:3:Engine()"],
    "which files contain TODO": ["src/app.py", "src/use.py"],
    "search for 'from app' in src/use.py": ["from app import Engine"],
    "find *.md": ["README.md"],
    "/grep TODO src output_mode=count": ["src/app.py:1"],
}


@pytest.mark.parametrize(("prompt", "shown"), _SHOWN.items(), ids=_SHOWN)
async def test_a_plain_request_prints_its_result(
    project: Path, prompt: str, shown: list[str]
) -> None:
    result = await _run(project, prompt, AskBeforeChanges())

    assert result.stop_reason == "completed"
    assert {event["status"] for event in result.tool_events} == {"ok"}
    assert [text for text in shown if text not in str(result.final_content)] == []


async def test_commands_change_files_in_order(project: Path) -> None:
    prompt = "/read README.md; /edit README.md 'An app' 'Our app'; /read README.md"

    result = await _run(project, prompt)

    assert result.tools_used == ["read_file", "edit_file", "read_file"]
    assert (project / "README.md").read_text() == "# Our app\n"
    assert "1| # Our app" in str(result.final_content)


async def test_a_denied_change_is_told_and_the_rest_goes_on(project: Path) -> None:
    result = await _run(project, "/write new.txt x; /read README.md", AskBeforeChanges())

    assert not (project / "new.txt").exists()
    assert "**Failed: 1 of 2**: `/write new.txt x`" in str(result.final_content)
    assert "1| # An app" in str(result.final_content)


async def test_a_wrong_argument_is_shown_as_the_tool_path_says_it(project: Path) -> None:
    result = await _run(project, "/read README.md limit=few")

    assert "limit should be integer" in str(result.final_content)
    assert "**Failed: 1 of 1**" in str(result.final_content)


async def test_a_path_outside_is_refused(project: Path) -> None:
    result = await _run(project, "read ../secret.txt")

    assert "outside the configured workspace" in str(result.final_content)
