"""The tools a prompt may name: each with the command made from its definition."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nanobot.jsonvalue import JsonObject, JsonValue

ALIASES: Mapping[str, str] = {
    "ls": "list_dir",
    "read": "read_file",
    "cat": "read_file",
    "find": "find_files",
    "grep": "grep",
    "write": "write_file",
    "edit": "edit_file",
    "patch": "apply_patch",
    "run": "exec",
    "fetch": "web_fetch",
    "web": "web_search",
    "stdin": "write_stdin",
    "sessions": "list_exec_sessions",
}
"""Short commands for built-in tools. A tool that really has such a name goes first."""

_EXTRA_POSITIONS: Mapping[str, Sequence[str]] = {
    "read_file": ("offset", "limit"),
    "find_files": ("query", "path"),
    "grep": ("path",),
    "apply_patch": ("patch",),
    "write_stdin": ("chars",),
}
_DEFAULTS: Mapping[str, JsonObject] = {"list_dir": {"path": "."}}
_PLAIN_READERS = frozenset({"read_file", "list_dir", "find_files", "grep"})


class ToolLookup(Protocol):
    """What is needed of a registry: definitions, and each tool for its flags."""

    def get_definitions(self) -> Sequence[JsonObject]:
        """The tools in the form of Chat Completions."""

    def get(self, name: str, /) -> object | None:
        """The tool of that name, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandShape:
    """What a command takes: made from a tool's definition.

    `positions` are the parameters that values without a name fill, in order; `options` the others.
    `open_ended` says that names outside the schema are taken too.
    """

    tool: str
    command: str
    summary: str
    properties: Mapping[str, JsonObject]
    required: Sequence[str]
    positions: Sequence[str]
    defaults: JsonObject = field(default_factory=dict)
    open_ended: bool = False

    @property
    def options(self) -> Sequence[str]:
        """The parameters that only a name reaches."""
        return [name for name in self.properties if name not in self.positions]

    @property
    def usage(self) -> str:
        """`/grep PATTERN [PATH] [glob=TEXT] …`, on one line."""
        parts = ["/" + self.command]
        parts += [self._position(name) for name in self.positions]
        parts += [self._option(name) for name in self.options]
        return " ".join(parts)

    @property
    def brief(self) -> str:
        """The same without the options."""
        return " ".join(["/" + self.command, *map(self._position, self.positions)])

    def _position(self, name: str) -> str:
        needed = name in self.required and name not in self.defaults
        return name.upper() if needed else f"[{name.upper()}]"

    def _option(self, name: str) -> str:
        text = f"{name}={_kind(self.properties[name])}"
        return text if name in self.required else f"[{text}]"


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The definitions of one request, and which of their tools only read."""

    shapes: Mapping[str, CommandShape]
    readers: frozenset[str]

    def find(self, word: str) -> CommandShape | None:
        """The command that `word` names: a tool's own name, else a short one."""
        return self.shapes.get(word) or self.shapes.get(ALIASES.get(word, ""))

    def reads(self, tool: str) -> bool:
        """Whether the tool is here and only reads."""
        return tool in self.readers

    def takes(self, tool: str, arguments: Iterable[str]) -> bool:
        """Whether the tool is here, only reads and knows these parameters."""
        shape = self.shapes.get(tool)
        return shape is not None and self.reads(tool) and set(arguments) <= set(shape.properties)

    @property
    def words(self) -> list[str]:
        """Every word that begins a command, short ones first."""
        return [*(word for word in ALIASES if self.find(word)), *self.shapes]


def open_toolbox(definitions: Sequence[JsonObject] | None, tools: ToolLookup | None) -> Toolbox:
    """The toolbox of one request.

    `definitions` are those of the request; without them the registry's own. Without a registry
    only the four plain readers among the built-in tools count as read-only.
    """
    if definitions is None:
        definitions = tools.get_definitions() if tools is not None else ()
    functions = [_object(definition.get("function")) for definition in definitions]
    shapes = [_shape(function) for function in functions if isinstance(function.get("name"), str)]
    names = {shape.tool for shape in shapes}
    readers = frozenset(shape.tool for shape in shapes if _only_reads(shape.tool, tools))
    return Toolbox(
        {shape.tool: _with_short_name(shape, names) for shape in shapes},
        readers,
    )


def _only_reads(name: str, tools: ToolLookup | None) -> bool:
    if tools is None:
        return name in _PLAIN_READERS
    return getattr(tools.get(name), "read_only", False) is True


def _shape(function: JsonObject) -> CommandShape:
    name = str(function["name"])
    schema = _object(function.get("parameters"))
    properties = {key: _object(value) for key, value in _object(schema.get("properties")).items()}
    listed = schema.get("required")
    required = [str(key) for key in listed] if isinstance(listed, list) else []
    extra = _EXTRA_POSITIONS.get(name, ())
    positions = dict.fromkeys(key for key in (*required, *extra) if key in properties)
    return CommandShape(
        tool=name,
        command=name,
        summary=_first_sentence(function.get("description")),
        properties=properties,
        required=required,
        positions=tuple(positions),
        defaults={k: v for k, v in _DEFAULTS.get(name, {}).items() if k in properties},
        open_ended=schema.get("additionalProperties", True) is not False,
    )


def _with_short_name(shape: CommandShape, taken: set[str]) -> CommandShape:
    for short, tool in ALIASES.items():
        if tool == shape.tool and short not in taken:
            return replace(shape, command=short)
    return shape


def _kind(schema: JsonObject) -> str:
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return "|".join(str(choice) for choice in choices)
    kinds = schema.get("type")
    first = next(iter(kinds), None) if isinstance(kinds, list) else kinds
    names = {"integer": "N", "number": "N", "boolean": "true", "array": "JSON", "object": "JSON"}
    return names.get(str(first), "TEXT")


def _first_sentence(text: JsonValue) -> str:
    line = next(iter(str(text or "").strip().splitlines()), "")
    return line.partition(". ")[0].rstrip(".") + "." if line else ""


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


__all__ = ["ALIASES", "CommandShape", "ToolLookup", "Toolbox", "open_toolbox"]
