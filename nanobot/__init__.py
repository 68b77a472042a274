"""nanobot: the tool system of an agent.

    import nanobot

    result = nanobot.run("What is in README.md?", workspace=".", model="openai/gpt-5.5")
    print(result.final_content)

The public names are loaded when they are first used; `import nanobot` itself loads nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.agent.hook import AgentHook, CompositeHook
    from nanobot.agent.run import arun, run
    from nanobot.agent.runner import AgentRunner, AgentRunResult, AgentRunSpec
    from nanobot.agent.tools.base import Tool
    from nanobot.agent.tools.function import tool
    from nanobot.agent.tools.registry import ToolRegistry
    from nanobot.agent.tools.result import ToolResult
    from nanobot.errors import (
        ConfigError,
        NanobotError,
        ProviderError,
        ToolError,
        ToolSetupError,
    )

    __version__: str

_HOMES = {
    "AgentHook": "nanobot.agent.hook",
    "AgentRunResult": "nanobot.agent.runner",
    "AgentRunSpec": "nanobot.agent.runner",
    "AgentRunner": "nanobot.agent.runner",
    "CompositeHook": "nanobot.agent.hook",
    "ConfigError": "nanobot.errors",
    "NanobotError": "nanobot.errors",
    "ProviderError": "nanobot.errors",
    "Tool": "nanobot.agent.tools.base",
    "ToolError": "nanobot.errors",
    "ToolRegistry": "nanobot.agent.tools.registry",
    "ToolResult": "nanobot.agent.tools.result",
    "ToolSetupError": "nanobot.errors",
    "arun": "nanobot.agent.run",
    "run": "nanobot.agent.run",
    "tool": "nanobot.agent.tools.function",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = _version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'nanobot' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # slow to import

    try:
        return version("nanobot-tools")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"


__all__ = [
    "AgentHook",
    "AgentRunResult",
    "AgentRunSpec",
    "AgentRunner",
    "CompositeHook",
    "ConfigError",
    "NanobotError",
    "ProviderError",
    "Tool",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "ToolSetupError",
    "__version__",
    "arun",
    "run",
    "tool",
]
