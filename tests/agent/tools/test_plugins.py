"""The example plugins, installed into a fresh environment and found by their entry points."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.needs import missing

_ROOT = Path(__file__).resolve().parents[3]
_EXAMPLES = ("plugin", "plugin_broken", "plugin_clash")
_SCRIPT = """
import asyncio, json, logging, sys

logging.basicConfig(format="%(levelname)s %(message)s", stream=sys.stderr)
from nanobot.agent.tools import Tool, ToolContext, ToolLoader, ToolRegistry

class ReadFileTool(Tool):
    name = "read_file"
    description = "Read a file."
    parameters = {"type": "object", "properties": {}}
    async def execute(self, **kwargs):
        return "the real one"

registry = ToolRegistry()
loaded = ToolLoader(test_classes=[ReadFileTool]).load(ToolContext(), registry)
prepared = registry.prepare("roll_dice", '{"count": "2", "sides": 1}')
print(json.dumps({
    "loaded": loaded,
    "sources": {name: registry.source(name) for name in loaded},
    "read_file": type(registry.get("read_file")).__name__,
    "rolled": asyncio.run(prepared.tool.execute(**prepared.arguments)),
    "bad_bet": registry.prepare_call("flip_coin", {"call": "edge"})[2],
}))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the three examples; it sees this one's packages by a `.pth` file."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(_ROOT / ".uv" / "bin"))
    if uv is None:
        missing("uv (scripts/check puts it beside the project)")
    base = tmp_path_factory.mktemp("plugins")
    sources = [shutil.copytree(_ROOT / "examples" / name, base / name) for name in _EXAMPLES]
    python = base / "venv" / "bin" / "python"
    _run(uv, "venv", "--offline", "--python", sys.executable, str(base / "venv"))
    _run(
        uv, "pip", "install", "--offline", "--no-deps", "--python", str(python), *map(str, sources)
    )
    site = Path(sysconfig.get_path("purelib", vars={"base": str(base / "venv")}))
    shared = f"{sysconfig.get_path('purelib')}\n{_ROOT}\n"
    (site / "shared.pth").write_text(shared, encoding="utf-8")
    return python


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False
    )  # our own words
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def answer(environment: Path) -> tuple[dict[str, Any], str]:
    """What the loader made of the plugins there, and what it logged."""
    done = _run(str(environment), "-c", _SCRIPT)
    return json.loads(done.stdout), done.stderr


def test_an_installed_plugin_is_found_and_called(answer: tuple[dict[str, Any], str]) -> None:
    found, _ = answer

    assert found["loaded"] == ["read_file", "flip_coin", "roll_dice"]
    assert found["sources"]["roll_dice"] == "plugin nanobot-dice"
    assert found["rolled"] == "1 + 1 = 2"
    assert found["bad_bet"] == (
        "Error: Invalid parameters for tool 'flip_coin': call must be one of ['heads', 'tails']"
    )


def test_a_plugin_that_fails_is_logged_with_its_cause_and_skipped(
    answer: tuple[dict[str, Any], str],
) -> None:
    _, log = answer

    assert (
        "WARNING The plugin nanobot-broken was skipped: RuntimeError: the dice are missing" in log
    )


def test_a_plugin_never_replaces_a_built_in_tool(answer: tuple[dict[str, Any], str]) -> None:
    found, log = answer

    assert found["read_file"] == "ReadFileTool"
    assert "WARNING The plugin nanobot-clash may not replace the built-in tool 'read_file'" in log
