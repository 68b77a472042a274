"""A real model file, SmolLM2 135M, through the provider. What it picks is not judged."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.errors import ConfigError, ProviderError
from nanobot.providers.base import LLMProvider, LLMResponse
from nanobot.providers.local import LocalProvider
from nanobot.providers.local.server import ModelServer
from nanobot.workspace import Workspace
from tests.calls import registry_of
from tests.fakes import schema
from tests.local_model import smollm2
from tests.needs import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.agent.spec import AgentRunResult

_READERS = ("list_dir", "read_file")
_ENDS = {"completed", "max_iterations", "empty_final_response"}


@pytest.fixture(scope="session")
def model_file() -> Path:
    if find_spec("xllamacpp") is None:
        missing("the extra local (xllamacpp)")
    return smollm2()


@pytest.fixture(scope="module")
def model(model_file: Path) -> Iterator[LocalProvider]:
    provider = LocalProvider(model_file, context_tokens=2048)
    yield provider
    asyncio.run(provider.aclose())


@pytest.fixture
def registry(tmp_path: Path) -> ToolRegistry:
    (tmp_path / "notes.txt").write_text("buy milk\n")
    (tmp_path / "src").mkdir()
    tools = ToolRegistry()
    context = ToolContext(config=None, workspace=str(tmp_path), fence=Workspace(tmp_path))
    ToolLoader().load(context, tools)
    for name in set(tools.tool_names) - set(_READERS):
        tools.unregister(name)
    return tools


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _tool(name: str, parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


class _Calling(LLMProvider):
    """The model, asked for a call in every turn."""

    def __init__(self, model: LocalProvider) -> None:
        super().__init__()
        self._model = model

    async def chat(self, *args: Any, **options: Any) -> LLMResponse:
        return await self._model.chat(*args, **options, tool_choice="required")

    def get_default_model(self) -> str:
        return self._model.get_default_model()


async def _run(model: LLMProvider, registry: ToolRegistry) -> AgentRunResult:
    spec = AgentRunSpec(
        initial_messages=[_user("List the files here.")],
        tools=registry,
        model="local",
        max_iterations=2,
        max_tool_result_chars=600,
        max_tokens=72,
        temperature=0,
    )
    return await AgentRunner(model).run(spec)


def _results(result: AgentRunResult) -> list[str]:
    return [str(message["content"]) for message in result.messages if message["role"] == "tool"]


def _refused(results: list[str]) -> list[str]:
    return [text for text in results if "Invalid parameters" in text or "not found" in text]


@pytest.mark.slow
async def test_a_run_ends_and_no_call_is_invalid(
    model: LocalProvider, registry: ToolRegistry
) -> None:
    result = await _run(model, registry)

    assert result.stop_reason in _ENDS, result.error
    assert not _refused(_results(result))


@pytest.mark.slow
async def test_a_run_of_nothing_but_calls_ends(
    model: LocalProvider, registry: ToolRegistry
) -> None:
    result = await _run(_Calling(model), registry)

    assert result.stop_reason in _ENDS, result.error
    assert _results(result)
    assert not _refused(_results(result))


class _PickyTool(Tool):
    """Each of its parameters has bounds, so that every call of it ends."""

    name = "pick"
    description = "Pick values."
    parameters = schema(
        size={"type": "integer", "minimum": 3, "maximum": 40},
        kind={"enum": ["a", "b", 7]},
        words={"type": "array", "items": {"type": "string", "maxLength": 8}, "maxItems": 3},
        deep=schema(on={"type": "boolean"}),
    )
    read_only = True

    async def execute(self, size: int, kind: object, words: list[str], deep: object) -> str:
        return f"{size} {kind} {words} {deep}"


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.0, 2.0])
async def test_a_call_fits_its_schema_whatever_is_picked(
    model: LocalProvider, temperature: float
) -> None:
    registry = registry_of(_PickyTool())
    tools = registry.get_definitions()

    response = await model.chat(
        [_user("Go.")], tools, tool_choice="required", max_tokens=400, temperature=temperature
    )

    (call,) = response.tool_calls
    assert response.should_execute_tools
    assert registry.prepare_call(call.name, call.arguments)[2] is None


@pytest.mark.slow
async def test_an_answer_cut_at_its_limit_never_runs(
    model: LocalProvider, registry: ToolRegistry
) -> None:
    tools = registry.get_definitions()

    response = await model.chat([_user("Look.")], tools, tool_choice="required", max_tokens=12)

    assert response.finish_reason == "length"
    assert not response.should_execute_tools


@pytest.mark.slow
async def test_odd_schemas_do_not_spoil_a_request(model: LocalProvider) -> None:
    text = {"type": "string"}
    schemas: list[Any] = [
        {},
        {"type": "object", "properties": {"x": {"type": "string", "pattern": "(?=a)[\\p{L}"}}},
        {"type": "object", "properties": {"x": {"$ref": "#/nowhere"}}, "required": ["x", "z"]},
        {"$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"},
        {"type": "object", "properties": {f"p{number}": text for number in range(12)}},
        {"type": "object", "properties": {'quo"te\\ \n☀': {"enum": ['"', "\\", "\n", None, 1.5]}}},
        {"type": "object", "properties": {"x": {"type": "integer", "minimum": 5, "maximum": 1}}},
        {"type": "object", "properties": {"x": {"not": {}, "format": "odd"}}, "maxProperties": 0},
    ]
    tools = [_tool(f"tool_{number}", schema) for number, schema in enumerate(schemas)]

    response = await model.chat([_user("Go.")], tools, tool_choice="required", max_tokens=24)

    assert [call.name for call in response.tool_calls][:1] != []
    assert {call.name for call in response.tool_calls} <= {f"tool_{n}" for n in range(8)}


@pytest.mark.slow
async def test_a_conversation_that_is_too_long_is_said(model: LocalProvider) -> None:
    response = await model.chat_with_retry([_user("1 2 3 4 " * 4000)])

    assert response.finish_reason == "error"
    assert "too long for the model's context of 2,048 tokens" in str(response.content)


@pytest.mark.slow
async def test_a_cancelled_answer_makes_room_for_the_next(model: LocalProvider) -> None:
    await model.chat([_user("Hi.")], max_tokens=1)
    asking = asyncio.create_task(model.chat([_user("Tell a long story.")], max_tokens=1000))
    await asyncio.wait({asking}, timeout=0.5)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    async with asyncio.timeout(5):
        response = await model.chat([_user("Hi.")], max_tokens=2)

    assert response.usage["completion_tokens"] == 2


@pytest.mark.slow
async def test_a_late_answer_is_a_timeout(model_file: Path) -> None:
    provider = LocalProvider(model_file, context_tokens=512, answer_timeout_s=0.05)
    try:
        with pytest.raises(ProviderError, match=r"did not answer within 0\.05 s"):
            await provider.chat([_user("Tell a story.")])
    finally:
        await provider.aclose()


@pytest.mark.slow
def test_closing_frees_the_port_and_it_can_be_started_again(model_file: Path) -> None:
    server = ModelServer(model_file, context_tokens=512, load_timeout_s=60)
    try:
        url = urlsplit(server.start().url)
        assert url.hostname == "127.0.0.1"
        server.close()
        server.close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((url.hostname, url.port or 0), timeout=2)
        again = server.start()
        assert again == server.start()
    finally:
        server.close()
    assert server.ended


@pytest.mark.slow
def test_nobody_without_the_key_may_ask(model_file: Path) -> None:
    server = ModelServer(model_file, context_tokens=512, load_timeout_s=60)
    try:
        url = f"{server.start().url}/v1/chat/completions"
        request = urllib.request.Request(url, b'{"messages": []}')  # noqa: S310  # loopback
        with pytest.raises(urllib.error.HTTPError, match="401") as raised:
            urllib.request.urlopen(request, timeout=5)  # noqa: S310  # loopback
        raised.value.close()
    finally:
        server.close()


_QUIET = """
import asyncio, sys
from nanobot.providers.base import LLMProvider, LLMResponse
from nanobot.providers.local import LocalProvider
async def ask():
    provider = LocalProvider(sys.argv[1], context_tokens=512)
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object",
        "properties": {"x": {"type": "string", "pattern": "(?=a)b"}}}}}]
    response = await provider.chat([{"role": "user", "content": "Hi"}], tools, max_tokens=5)
    print("asked", response.usage["completion_tokens"])
    return provider
async def main():
    await (await ask()).aclose()
    await ask()
asyncio.run(main())
"""


@pytest.mark.slow
def test_the_native_library_prints_nothing(model_file: Path) -> None:
    command = [sys.executable, "-c", _QUIET, str(model_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == "asked 5\n" * 2
    assert done.stderr == ""


@pytest.mark.slow
async def test_a_model_that_dies_is_said_and_loaded_again(model_file: Path) -> None:
    provider = LocalProvider(model_file, context_tokens=512)
    before = _children()
    try:
        await provider.chat([_user("Hi.")], max_tokens=1)
        asking = asyncio.create_task(provider.chat([_user("Tell a story.")], max_tokens=200))
        await asyncio.wait({asking}, timeout=0.5)
        (child,) = _children() - before
        os.kill(child, signal.SIGKILL)
        with pytest.raises(ProviderError, match="process ended while it answered"):
            await asking
        assert (await provider.chat([_user("Hi.")], max_tokens=1)).usage["completion_tokens"] == 1
    finally:
        await provider.aclose()
    assert _children() == before


def _children() -> set[int]:
    """The process ids of our children (Linux: proc(5))."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(child) for task in tasks for child in task.read_text().split()}


@pytest.mark.slow
async def test_a_file_that_can_not_be_loaded_is_one_line(tmp_path: Path, model_file: Path) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(56))
    provider = LocalProvider(path)

    with pytest.raises(
        ConfigError, match=r"odd\.gguf could not be loaded: .*architecture"
    ) as raised:
        await provider.chat([_user("Hi.")])
    await provider.aclose()

    assert "\n" not in raised.value.message


@pytest.mark.slow
def test_a_load_that_takes_too_long_is_ended(model_file: Path) -> None:
    server = ModelServer(model_file, context_tokens=512, load_timeout_s=0.01)

    with pytest.raises(ConfigError, match=r"took longer than 0\.01 s"):
        server.start()

    assert server.ended


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(ConfigError) as raised:
        LocalProvider(tmp_path / "m.gguf")

    assert "nanobot-tools[local]" in raised.value.hint


def test_a_missing_file_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    if find_spec("xllamacpp") is None:
        missing("the extra local (xllamacpp)")

    with pytest.raises(ConfigError, match="There is no model file"):
        LocalProvider(tmp_path / "m.gguf")
