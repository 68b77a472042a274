"""`nanobot.run` and `nanobot.arun`: one prompt, some tools, one answer.

```python
def rain(city: str) -> str:
    '''Say how much it rained in a city today.'''
    return f"{city}: 3 mm"


result = nanobot.run("Did it rain in Bergen?", tools=[rain], model="openai/gpt-5.5")
print(result.final_content)
```
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from nanobot.agent.instructions import system_text
from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.hook import AgentHook
    from nanobot.agent.spec import AgentRunResult
    from nanobot.events import Observer
    from nanobot.workspace import Workspace

AnyTool: TypeAlias = "Tool | type[Tool] | Callable[..., Any]"
"""A tool, its class, or a typed function that becomes one (`nanobot.tool`)."""

_MAX_TURNS = 50
_MAX_RESULT_CHARS = 20_000


class RunOptions(TypedDict, total=False):
    """What `run` and `arun` take beside the prompt. All of it may be left out.

    - `tools`: tools, classes of tools, or functions; or a `ToolRegistry`, whose own approval
      policy holds unless one is given here.
    - `model`: `"provider/name"`; or an `LLMProvider`, which stays open. Left out: the provider
      whose key is in the environment, else a model server on this machine, else `offline`.
    - `workspace`: a folder. The built-in tools and those of installed plugins are loaded, fenced
      into it; without one there are only the tools given.
    - `approval`: the policy over each call. None allows all, also changes of files: give
      `AskBeforeChanges(...)` where a person should have a word.
    - `system`: the system text, "" for none. Left out: one that names the workspace, the date and
      the rules of the tools, unless `history` begins with its own.
    - `history`: earlier messages, such as `messages` of an earlier result.
    - `observers`: functions that get each event (`nanobot.events`).
    - `max_turns`: how often the model is asked at most (50).
    - `concurrent_tools`: calls that only read run at once (True).
    - `max_tool_result_chars`: longer results are saved under the workspace and shown in part
      (20,000).
    - `session_key`, `hook`, `temperature`, `max_tokens`, `reasoning_effort`,
      `context_window_tokens`, `llm_timeout_s`, `tool_timeout_s`: as in `AgentRunSpec`.
    """

    tools: Iterable[AnyTool] | ToolRegistry
    model: object
    workspace: Path | str | Workspace | None
    approval: Approval | None
    system: str | None
    history: Sequence[Mapping[str, Any]]
    observers: Sequence[Observer]
    max_turns: int
    concurrent_tools: bool
    max_tool_result_chars: int
    session_key: str | None
    hook: AgentHook | None
    temperature: float | None
    max_tokens: int | None
    reasoning_effort: str | None
    context_window_tokens: int | None
    llm_timeout_s: float | None
    tool_timeout_s: float


_PASSED_ON = frozenset(
    {
        "session_key",
        "hook",
        "temperature",
        "max_tokens",
        "reasoning_effort",
        "context_window_tokens",
        "llm_timeout_s",
        "tool_timeout_s",
    }
)


def run(prompt: str | list[dict[str, Any]], **options: Unpack[RunOptions]) -> AgentRunResult:
    """Let a model work on a prompt until it answers; see `RunOptions` for what can be set.

    Args:
        prompt: text, or content blocks (with images).
        options: `tools`, `model`, `workspace`, ….

    Returns:
        The result: `final_content`, `messages`, `stop_reason`, ….

    Raises:
        RuntimeError: called inside a running event loop; there, `await nanobot.arun(...)`.
        ConfigError: the model's name is none, or its key is missing.
        ToolSetupError: a fault in the definition of a tool.
    """
    _refuse_running_loop("run", "arun")
    return asyncio.run(arun(prompt, **options))


async def arun(prompt: str | list[dict[str, Any]], **options: Unpack[RunOptions]) -> AgentRunResult:
    """`run` for async code: the same options, the same result, the same errors."""
    unknown = sorted(set(options) - set(RunOptions.__annotations__))
    if unknown:
        raise TypeError(f"run() got unknown options: {', '.join(unknown)}")
    workspace = _workspace(options.get("workspace"))
    registry = await in_thread(gathered, options.get("tools", ()), workspace)
    async with _provider(options.get("model"), registry) as (provider, model):
        spec = AgentRunSpec(
            initial_messages=_messages(prompt, options, workspace, has_tools=len(registry) > 0),
            tools=registry,
            model=model,
            max_iterations=options.get("max_turns", _MAX_TURNS),
            max_tool_result_chars=options.get("max_tool_result_chars", _MAX_RESULT_CHARS),
            concurrent_tools=options.get("concurrent_tools", True),
            workspace=workspace,
            approval=options.get("approval") or registry.approval,
            observers=tuple(options.get("observers", ())),
        )
        for name, value in options.items():
            if name in _PASSED_ON:
                setattr(spec, name, value)
        return await AgentRunner(provider).run(spec)


def gathered(
    tools: Iterable[AnyTool] | ToolRegistry, workspace: Workspace | None = None
) -> ToolRegistry:
    """A new registry: the built-in tools where there is a workspace, then the tools given.

    A tool given replaces a built-in one of the same name.

    Raises:
        ToolSetupError: a fault in the definition of a tool.
        TypeError: something is neither a tool nor a function.
    """
    registry = ToolRegistry(tools.approval if isinstance(tools, ToolRegistry) else None)
    context = ToolContext(workspace=str(workspace.root) if workspace else "", fence=workspace)
    if workspace is not None:
        from nanobot.agent.tools.loader import ToolLoader  # noqa: PLC0415  # only where it is used

        ToolLoader().load(context, registry)
    for item in _items(tools):
        registry.register(as_tool(item, context))
    return registry


def _items(tools: Iterable[AnyTool] | ToolRegistry) -> list[object]:
    if isinstance(tools, ToolRegistry):
        return [tools.get(name) for name in tools.tool_names]
    return list(tools)


def as_tool(item: object, context: ToolContext | None = None) -> Tool:
    """The tool that `item` is, creates in this context, or becomes by `@tool`.

    Raises:
        ToolSetupError: a fault in the definition.
        TypeError: it is neither a tool nor a function.
    """
    from nanobot.agent.tools.function import FunctionTool, tool  # noqa: PLC0415  # only on use

    if isinstance(item, FunctionTool):
        return item.bound(context) if context is not None else item
    if isinstance(item, Tool):
        return item
    if isinstance(item, type) and issubclass(item, Tool):
        return item.create(context or ToolContext())
    if callable(item) and not isinstance(item, type):
        return as_tool(tool(item), context)
    raise TypeError(f"A tool is a Tool, its class or a function, got {item!r}")


def _refuse_running_loop(name: str, twin: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(
        f"nanobot.{name}() can't run inside a running event loop; use `await nanobot.{twin}(...)`"
    )


def _workspace(given: Path | str | Workspace | None) -> Workspace | None:
    if given is None or not isinstance(given, (str, Path)):
        return given
    from nanobot.workspace import Workspace  # noqa: PLC0415  # only where there is one

    return Workspace(Path(given))


def _messages(
    prompt: str | list[dict[str, Any]],
    options: RunOptions,
    workspace: Workspace | None,
    *,
    has_tools: bool,
) -> list[dict[str, Any]]:
    history: list[dict[str, Any]] = [dict(message) for message in options.get("history", ())]
    system = options.get("system")
    if system is None and not any(message.get("role") == "system" for message in history):
        today = date.today()  # noqa: DTZ011  # the person's own day
        root = str(workspace.root) if workspace else ""
        system = system_text(today=today, workspace=root, has_tools=has_tools)
    elif system is not None:
        history = [message for message in history if message.get("role") != "system"]
    first = [{"role": "system", "content": system}] if system else []
    return [*first, *history, {"role": "user", "content": prompt}]


@asynccontextmanager
async def _provider(
    model: object, registry: ToolRegistry
) -> AsyncIterator[tuple[object, str | None]]:
    """The provider to ask, and the model's name for it; one that was opened here is closed."""
    if model is not None and not isinstance(model, str):
        yield model, None
        return
    from nanobot.providers.choice import choose_model  # noqa: PLC0415  # only where one is chosen

    choice = await in_thread(choose_model, model, tools=registry)
    try:
        yield choice.provider, choice.model
    finally:
        await choice.provider.aclose()


__all__ = ["AnyTool", "RunOptions", "arun", "as_tool", "gathered", "run"]
