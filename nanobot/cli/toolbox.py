"""`nanobot tools list`, `show` and `check`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nanobot.agent.tools.source import check_source
from nanobot.cli.failure import Failed
from nanobot.cli.screen import Screen, stdout_console
from nanobot.cli.session import open_session
from nanobot.cli.table import print_rows
from nanobot.cli.wording import counted
from nanobot.errors import UnknownTool
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from nanobot.agent.tools.base import Tool
    from nanobot.agent.tools.source import SourceFault
    from nanobot.cli.session import SessionOptions


def print_tools(options: SessionOptions) -> None:
    """A table: name, scopes, flags, source."""
    registry = open_session(options).registry
    rows = []
    for name in sorted(registry.tool_names):
        tool = registry.get(name)
        if tool is not None:
            rows.append((name, _scopes(tool), flags(tool), registry.source(name)))
    print_rows(Screen(stdout_console()), ("name", "scope", "flags", "source"), rows)


def print_tool(name: str, options: SessionOptions) -> None:
    """A tool's manual and schema.

    Raises:
        UnknownTool: there is none of that name.
    """
    registry = open_session(options).registry
    tool = registry.get(name)
    if tool is None:
        registry.prepare(name, None)
        raise UnknownTool(f"Tool '{name}' not found.", name=name)
    screen = Screen(stdout_console())
    screen.line((visible_line(name), "bold"), f"  {tool.title}" if tool.title else "")
    screen.line((f"scope {_scopes(tool)} · {flags(tool)} · {registry.source(name)}", "dim"))
    screen.line()
    screen.plain(tool.description)
    screen.line()
    screen.plain(json.dumps(tool.parameters, indent=2, ensure_ascii=False))
    if tool.output_schema is not None:
        screen.line()
        screen.line(("output", "dim"))
        screen.plain(json.dumps(tool.output_schema, indent=2, ensure_ascii=False))


def check_tools(source: str) -> None:
    """What the loader finds in a source, and each fault with its line.

    Raises:
        Failed: a fault makes a tool unusable, or there is no tool.
    """
    report = check_source(source)
    screen = Screen(stdout_console())
    for tool in report.tools:
        facts = ", ".join([*tool.scopes, *(["read_only"] if tool.read_only else [])])
        screen.line(("✓ ", "green"), f"{_place(source, tool.line)}: {tool.name} ({facts})")
    for fault in report.faults:
        _print_fault(screen, source, fault)
    fatal = sum(fault.fatal for fault in report.faults)
    warnings = len(report.faults) - fatal
    parts = [counted(len(report.tools), "tool"), counted(fatal, "fault")]
    parts += [counted(warnings, "warning")] if warnings else []
    screen.line((" · ".join(parts), "dim"))
    if not report.usable:
        raise Failed


def flags(tool: Tool) -> str:
    """What a person should know before it runs: `read_only`, `asks`, hints."""
    found = [
        name
        for name in ("read_only", "exclusive", "destructive", "idempotent", "open_world")
        if getattr(tool, name)
    ]
    return ", ".join(found if tool.read_only else ["asks", *found])


def _scopes(tool: Tool) -> str:
    return ", ".join(sorted(tool._scopes))  # noqa: SLF001  # the contract's name


def _place(source: str, line: int | None) -> str:
    return f"{source}:{line}" if line is not None else source


def _print_fault(screen: Screen, source: str, fault: SourceFault) -> None:
    mark = ("✗ ", "red") if fault.fatal else ("! ", "yellow")
    screen.line(mark, f"{_place(source, fault.line)}: {fault.message}")
    if fault.hint:
        screen.line((f"  {fault.hint}", "dim"))


__all__ = ["check_tools", "flags", "print_tool", "print_tools"]
