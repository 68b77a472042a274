"""`ToolRegistry`: the tools of one agent, by name; their definitions; calls made ready."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.definition import read_definition
from nanobot.agent.tools.nearness import available_names, near_names
from nanobot.agent.tools.preparation import preparer
from nanobot.agent.tools.readonly import read_only
from nanobot.errors import InvalidArguments, UnknownTool

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanobot.agent.execution.approval import Approval
    from nanobot.agent.tools.base import Tool
    from nanobot.jsonvalue import JsonObject

_MCP_PREFIX = "mcp_"
_SHOWN_NAME = 200


@dataclass(slots=True)
class Prepared:
    """A call that may run: the tool, its arguments (parsed, cast, valid), how to await it.

    Not frozen, because one is made for each call and freezing triples its cost.
    """

    tool: Tool
    arguments: dict[str, Any]
    is_async: bool
    """Whether `tool.execute` is `async def`; a plain one runs in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    tool: Tool
    prepare: Callable[[object], dict[str, Any]]
    is_async: bool
    shown: JsonObject
    source: str


class ToolRegistry:
    """The tools of one agent.

    Args:
        approval: the policy that `execute` asks before each call; None allows every call.
    """

    def __init__(self, approval: Approval | None = None) -> None:
        self.approval = approval
        self._entries: dict[str, _Entry] = {}
        self._keys: list[tuple[bool, str]] = []
        self._definitions: list[JsonObject] = []
        self._pending: dict[str, _Entry] = {}

    def register(self, tool: Tool, *, source: str = "") -> None:
        """Add a tool, or replace the one of the same name. Its definition is read once, here.

        Args:
            tool: the instance.
            source: where it comes from, for a person: `built-in`, a plugin, a file.

        Raises:
            ToolSetupError: its definition can't be used; the place says which part.
        """
        definition = read_definition(tool)
        name = definition.name
        entry = _Entry(
            tool=tool,
            prepare=preparer(tool, definition),
            is_async=definition.signature.is_async,
            shown=definition.schema,
            source=source,
        )
        self._forget_definition(name)
        self._entries[name] = entry
        self._pending[name] = entry

    def unregister(self, name: str) -> None:
        """Remove a tool. A name that is not there is no fault."""
        if self._entries.pop(name, None) is not None:
            self._forget_definition(name)

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name, or None."""
        entry = self._entries.get(name)
        return None if entry is None else entry.tool

    def has(self, name: str) -> bool:
        """Whether a tool has exactly this name."""
        return name in self._entries

    def source(self, name: str) -> str:
        """Where the tool came from, as its registration said; "" if it did not."""
        entry = self._entries.get(name)
        return "" if entry is None else entry.source

    @property
    def tool_names(self) -> list[str]:
        """The names in order of registration."""
        return list(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get_definitions(self) -> list[dict[str, Any]]:
        """Every definition in the form of Chat Completions.

        Names without the prefix `mcp_` come first, then those with it, each group sorted: a stable
        beginning keeps a provider's prompt cache warm. The list is the caller's own; the
        definitions in it are shared and read-only (a `copy.deepcopy` of one is plain).
        """
        for key in sorted(map(_order, self._pending)):
            place = bisect_left(self._keys, key)
            self._keys.insert(place, key)
            self._definitions.insert(place, read_only(self._pending[key[1]].shown))
        self._pending.clear()
        return self._definitions.copy()

    def prepare(self, name: str, params: object) -> Prepared:
        """A call made ready: its tool found, its arguments parsed, cast where needed, and valid.

        Args:
            name: the exact name; a near one is never taken for it.
            params: an object, JSON text of one, None or blank text (both mean no arguments).

        Raises:
            UnknownTool: with the nearest name, if one is near, and names that exist.
            InvalidArguments: with each fault and its place.
        """
        try:
            entry = self._entries[name]
        except (KeyError, TypeError):  # a model's name may be null or worse
            raise self._unknown(name) from None
        return Prepared(entry.tool, entry.prepare(params), entry.is_async)

    def prepare_call(
        self, name: str, params: Any
    ) -> tuple[Tool | None, dict[str, Any], str | None]:
        """`prepare` in text form: the tool, the arguments, and None or what is wrong.

        Arguments that are refused come back as they were given.
        """
        try:
            prepared = self.prepare(name, params)
        except UnknownTool as error:
            return None, params, f"Error: {error.message}"
        except InvalidArguments as error:
            return self.get(name), params, f"Error: {error.message}"
        return prepared.tool, prepared.arguments, None

    async def execute(self, name: str, params: Any) -> str | list[dict[str, Any]]:
        """Run one call through the call path with a fresh state: no repeat counts, no budget.

        Never raises for what a model or a tool did: a failure is text that says so, with a hint.
        """
        from nanobot.agent.execution.call import execute_once  # noqa: PLC0415  # DESIGN.md, Layout

        return await execute_once(self, name, params)

    def _forget_definition(self, name: str) -> None:
        if self._pending.pop(name, None) is not None:
            return
        key = _order(name)
        place = bisect_left(self._keys, key)
        if place < len(self._keys) and self._keys[place] == key:
            del self._keys[place], self._definitions[place]

    def _unknown(self, name: object) -> UnknownTool:
        wanted = name if isinstance(name, str) else str(name)
        near = near_names(wanted, self._entries)
        shown = wanted if len(wanted) <= _SHOWN_NAME else f"{wanted[:_SHOWN_NAME]}…"
        message = f"Tool '{shown}' not found."
        if near:
            message += f" Did you mean '{near[0]}'? Tool names must match exactly."
        message += f" Available: {available_names(near, self._entries)}"
        return UnknownTool(message, name=wanted, near=near[0] if near else None)


def _order(name: str) -> tuple[bool, str]:
    return name.startswith(_MCP_PREFIX), name


__all__ = ["Prepared", "ToolRegistry"]
