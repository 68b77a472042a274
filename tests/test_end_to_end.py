"""A scripted model over HTTP does a read–search–edit task, in each of the three protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.anthropic import AnthropicProvider
from nanobot.providers.openai import OpenAIProvider
from nanobot.workspace import Workspace
from tests.fakes_http import FakeModelServer, fake_model_server, model_turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nanobot.providers.base import LLMProvider

BEFORE = "def greet():\n    return 'helo'\n"
AFTER = "def greet():\n    return 'hello'\n"
ANSWER = "I mended the greeting in app.py."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(BEFORE)
    (tmp_path / "README.md").write_text("# An app\n")
    return tmp_path


@pytest.fixture
def tools(project: Path) -> ToolRegistry:
    registry = ToolRegistry()
    context = ToolContext(workspace=str(project), fence=Workspace(project))
    ToolLoader().load(context, registry)
    return registry


@pytest.fixture
def server() -> Iterator[FakeModelServer]:
    edit = {"path": "app.py", "old_text": "'helo'", "new_text": "'hello'"}
    with fake_model_server(
        model_turn(
            "I look around.",
            ("call_1", "read_file", {"path": "app.py"}),
            ("call_2", "grep", {"pattern": "helo", "output_mode": "content"}),
        ),
        model_turn("", ("call_3", "edit_file", edit)),
        model_turn(ANSWER),
    ) as running:
        yield running


@pytest.fixture(params=["chat", "responses", "messages"])
def provider(request: pytest.FixtureRequest, server: FakeModelServer) -> LLMProvider:
    if request.param == "messages":
        return AnthropicProvider(model="claude-sonnet-5-5", base_url=server.origin)
    return OpenAIProvider(model="gpt-5.5", base_url=server.url, api=request.param)


async def test_a_model_reads_searches_and_edits(
    provider: LLMProvider, server: FakeModelServer, tools: ToolRegistry, project: Path
) -> None:
    spec = AgentRunSpec(
        initial_messages=[{"role": "user", "content": "Mend the greeting."}],
        tools=tools,
        model=provider.get_default_model(),
        max_iterations=10,
        max_tool_result_chars=10_000,
        concurrent_tools=True,
        workspace=project,
    )

    result = await AgentRunner(provider).run(spec)
    await provider.aclose()

    assert result.final_content == ANSWER
    assert result.stop_reason == "completed"
    assert [event["status"] for event in result.tool_events] == ["ok", "ok", "ok"]
    assert result.tools_used == ["read_file", "grep", "edit_file"]
    assert (project / "app.py").read_text() == AFTER
    assert len(server.requests) == 3
    assert server.script == []
    assert "return 'helo'" in _results(server.requests[1].body)["call_1"]
    assert "app.py" in _results(server.requests[1].body)["call_2"]


def _results(body: Any) -> dict[str, str]:
    """The results in a request, by their call, whatever the protocol."""
    found: dict[str, str] = {}
    for message in body.get("messages") or body["input"]:
        if message.get("role") == "tool":
            found[message["tool_call_id"]] = message["content"]
        elif message.get("type") == "function_call_output":
            found[message["call_id"]] = message["output"]
        for block in message["content"] if isinstance(message.get("content"), list) else ():
            if block.get("type") == "tool_result":
                found[block["tool_use_id"]] = str(block["content"])
    return found
