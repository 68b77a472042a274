"""Tools for `--tools FILE.py` in tests: hostile text, slow and stuck work."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from nanobot.agent.tools.base import Tool

__all__ = ["HostileTool", "SlowTool", "StuckTool", "WriteTool"]

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b2J\u202eevil\u200b [link=http://x]a[/link]"


class HostileTool(Tool):
    """Returns text that would drive a terminal."""

    name = "hostile"
    description = "Return hostile text."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012  # the contract's form
    read_only = True

    async def execute(self, **kwargs: Any) -> str:
        return HOSTILE


class SlowTool(Tool):
    """Takes a minute, and can be cancelled."""

    name = "slow"
    description = "Take a minute."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012  # the contract's form
    read_only = True

    async def execute(self, **kwargs: Any) -> str:
        await asyncio.sleep(60)
        return "done"


class StuckTool(Tool):
    """Blocks its thread for ever."""

    name = "stuck"
    description = "Never end."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012  # the contract's form
    read_only = True
    timeout_s = 0.3

    def execute(self, **kwargs: Any) -> str:  # type: ignore[override]  # a plain one runs in a thread
        threading.Event().wait()
        return ""


class WriteTool(Tool):
    """Asks, since it is not read-only."""

    name = "paint"
    description = "Paint something."
    parameters = {  # noqa: RUF012  # the contract's form
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "required": ["what"],
    }

    async def execute(self, what: str) -> str:
        return f"painted {len(what)}"
