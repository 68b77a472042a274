"""Tools from one file or module that a person named: loaded, or checked fault by fault.

Nothing is imported unasked: both functions run the code of the source they are given.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.definition import definition_warnings
from nanobot.agent.tools.function import collected_refusals
from nanobot.agent.tools.loader import BUILT_IN, ToolLoader, create_tool, found_in
from nanobot.errors import NanobotError, ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from nanobot.agent.tools.loader import Found
    from nanobot.agent.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFault:
    """One thing to mend. `line` counts from 1 in the source, or is None where it has none."""

    message: str
    line: int | None
    hint: str = ""
    fatal: bool = True
    """Whether the tool can't be used; else it works, but badly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTool:
    """A tool that the loader finds and can use. `kind` is `class` or `function`."""

    name: str
    kind: str
    line: int | None
    scopes: tuple[str, ...]
    read_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """What one source holds."""

    source: str
    tools: tuple[CheckedTool, ...]
    faults: tuple[SourceFault, ...]

    @property
    def usable(self) -> bool:
        """Whether it has a tool and no fatal fault."""
        return bool(self.tools) and not any(fault.fatal for fault in self.faults)


def load_source(source: str | Path, ctx: ToolContext, registry: ToolRegistry) -> list[str]:
    """Register the tools of a `.py` file or an importable module, whatever their scope.

    Returns:
        Their names, in order.

    Raises:
        ToolSetupError: it can't be imported, has no tool, or one of its tools can't be used or
            claims the name of a built-in tool.
    """
    module = _imported(source)
    names: list[str] = []
    for found in _tools_in(module):
        if not found.enabled(ctx):
            raise ToolSetupError(f"{_label(found)} is not enabled here", place=str(source))
        tool = create_tool(found, ctx)
        if registry.source(tool.name) == BUILT_IN:
            raise ToolSetupError(f"'{tool.name}' is the name of a built-in tool", place=str(source))
        registry.register(tool, source=str(source))
        names.append(tool.name)
    if not names:
        raise ToolSetupError("no tool in it", place=str(source), hint=_NOTHING_FOUND)
    return names


def check_source(source: str | Path, ctx: ToolContext | None = None) -> SourceReport:
    """What the loader finds in a `.py` file or module, and each fault with its line.

    Never raises for what the source does: an import that fails is a fault too.
    """
    try:
        with collected_refusals() as refused:
            module = _imported(source)
    except ToolSetupError as error:
        fault = _import_fault(error.__cause__ or error, _file_of(source))
        return SourceReport(source=str(source), tools=(), faults=(fault,))
    tools: list[CheckedTool] = []
    faults = [_fault(one.error, _source_line(one.function)) for one in refused]
    faults += _unfinished(module)
    for found in _tools_in(module):
        _check_one(found, ctx or ToolContext(), tools, faults)
    if not tools and not faults:
        faults.append(SourceFault(message="no tool in it", line=None, hint=_NOTHING_FOUND))
    faults.sort(key=lambda fault: fault.line or 0)
    return SourceReport(source=str(source), tools=tuple(tools), faults=tuple(faults))


_NOTHING_FOUND = "A tool is a public subclass of Tool, or a function under @tool."


def _check_one(
    found: Found, ctx: ToolContext, tools: list[CheckedTool], faults: list[SourceFault]
) -> None:
    line = _line(found)
    try:
        tool = create_tool(found, ctx)
        warnings = definition_warnings(tool)
    except Exception as error:  # noqa: BLE001  # foreign code, and ToolSetupError
        faults.append(_fault(error, line))
        return
    clash = _clash(tool.name, tools)
    if clash:
        faults.append(SourceFault(message=f"{tool.name}: {clash}", line=line))
        return
    tools.append(_checked(tool, found, line))
    faults += [SourceFault(message=text, line=line, fatal=False) for text in warnings]


def _clash(name: str, tools: Sequence[CheckedTool]) -> str:
    """Why a tool can't have this name; "" when it can."""
    if name in {known.name for known in tools}:
        return "a second tool of this name"
    built_in = {str(found.name) for found in ToolLoader().discover()}
    return "this is the name of a built-in tool" if name in built_in else ""


def _checked(tool: Tool, found: Found, line: int | None) -> CheckedTool:
    return CheckedTool(
        name=tool.name,
        kind="class" if isinstance(found, type) else "function",
        line=line,
        scopes=tuple(sorted(found._scopes)),  # noqa: SLF001  # the contract's name
        read_only=tool.read_only,
    )


def _imported(source: str | Path) -> ModuleType:
    try:
        path = _file_of(source)
        return import_module(str(source)) if path is None else _from_file(path)
    except (Exception, SystemExit) as error:
        raise ToolSetupError(f"can't be imported: {_told(error)}", place=str(source)) from error


def _file_of(source: str | Path) -> Path | None:
    """The path, if the source is one: a module's name has no separator and no `.py`."""
    text = str(source)
    looks_like_file = text.endswith(".py") or any(mark in text for mark in "/\\")
    return Path(source).resolve() if isinstance(source, Path) or looks_like_file else None


def _from_file(path: Path) -> ModuleType:
    if path.is_dir():
        raise IsADirectoryError(f"{path.name} is a folder; name a file in it, or a module")
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path.name}")
    name = f"nanobot_source_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python source (NAME.py)")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pydantic look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _tools_in(module: ModuleType) -> list[Found]:
    """The module's own public tools, and those it names in `__all__`."""
    listed = getattr(module, "__all__", ())
    return found_in(
        value
        for name, value in vars(module).items()
        if name in listed or (not name.startswith("_") and _belongs(value, module))
    )


def _belongs(value: object, module: ModuleType) -> bool:
    cls = value if isinstance(value, type) else type(value)
    home = str(getattr(value, "__module__", cls.__module__))
    return home == module.__name__ or home.startswith(f"{module.__name__}.")


def _unfinished(module: ModuleType) -> list[SourceFault]:
    """Public abstract tools of which the source has no subclass: something was forgotten."""
    classes = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Tool)
        and not name.startswith("_")
        and _belongs(value, module)
    ]
    return [
        SourceFault(
            message=f"{cls.__name__} lacks {', '.join(sorted(cls.__abstractmethods__))}",
            line=_line(cls),
        )
        for cls in classes
        if inspect.isabstract(cls) and not any(cls in other.__mro__[1:] for other in classes)
    ]


def _label(found: Found) -> str:
    return found.__name__ if isinstance(found, type) else f"'{found.name}'"


def _line(found: Found) -> int | None:
    """Where the class or function begins, decorators included."""
    if isinstance(found, type):
        return _source_line(found)
    return _source_line(getattr(found, "__wrapped__", type(found)))


def _source_line(target: object) -> int | None:
    if not isinstance(target, type) and not inspect.isroutine(target):
        return None
    try:
        return inspect.getsourcelines(target)[1]
    except (OSError, TypeError):
        return None


def _fault(error: BaseException, line: int | None) -> SourceFault:
    hint = error.hint if isinstance(error, NanobotError) else ""
    return SourceFault(message=_told(error), line=line, hint=hint)


def _import_fault(error: BaseException, path: Path | None) -> SourceFault:
    """An import that failed: the last line of the source that took part in it."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    if line is None and path is not None:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
        line = lines[-1] if lines else None
    return _fault(error, line)


def _told(error: BaseException) -> str:
    if isinstance(error, ToolSetupError):
        return str(error)
    return f"{type(error).__name__}: {error}"


__all__ = ["CheckedTool", "SourceFault", "SourceReport", "check_source", "load_source"]
