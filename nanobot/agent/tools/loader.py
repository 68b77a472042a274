"""`ToolLoader`: finds tools in a package and in installed plugins, and registers them."""

from __future__ import annotations

import inspect
import logging
import pkgutil
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.function import FunctionTool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from importlib.metadata import EntryPoint
    from types import ModuleType

    from nanobot.agent.tools.context import ToolContext
    from nanobot.agent.tools.registry import ToolRegistry

_log = logging.getLogger(__name__)

BUILT_IN = "built-in"
"""What `ToolRegistry.source` says of the tools that come with the package."""

PLUGIN_GROUP = "nanobot.tools"
"""The entry point group of plugins."""

Found: TypeAlias = "type[Tool] | Tool"
"""A class that the loader creates a tool from, or a tool as it is."""


@dataclass(frozen=True, slots=True)
class _Plugin:
    name: str
    found: Found


class ToolLoader:
    """Loads the tools of a package, then those of installed plugins.

    Args:
        package: the package whose modules are searched; default: the built-in tools.
        test_classes: these instead of the package's, unfiltered and in their order.
    """

    def __init__(
        self,
        package: ModuleType | str | None = None,
        *,
        test_classes: Sequence[type[Tool]] | None = None,
    ) -> None:
        self._package = package if package is not None else "nanobot.agent.tools.builtin"
        self._test_classes = None if test_classes is None else list(test_classes)

    def discover(self) -> list[type[Tool]]:
        """The tool classes of the package, each once, sorted by class name."""
        if self._test_classes is not None:
            return list(self._test_classes)
        return [found for found in self._packaged() if isinstance(found, type)]

    def discover_instances(self) -> list[Tool]:
        """The tools that stand in the package as instances (what `@tool` makes), by name."""
        if self._test_classes is not None:
            return []
        return [found for found in self._packaged() if isinstance(found, Tool)]

    def load(self, ctx: ToolContext, registry: ToolRegistry, *, scope: str = "core") -> list[str]:
        """Create and register every tool of the scope that can work in this context.

        One that fails is logged with its cause and left out. A plugin never replaces a built-in
        tool; any other clash of names replaces the earlier one. Both are logged.

        Returns:
            The names that were registered, in order.
        """
        loaded: list[str] = []
        own: list[Found] = [*self.discover(), *self.discover_instances()]
        for found in own:
            loaded += _load_one(found, ctx, registry, scope=scope, source=BUILT_IN)
        for plugin in _plugins():
            loaded += _load_one(
                plugin.found, ctx, registry, scope=scope, source=f"plugin {plugin.name}"
            )
        return list(dict.fromkeys(loaded))

    def _packaged(self) -> list[Found]:
        modules = list(_modules(self._package))
        return found_in(value for module in modules for value in _public(module))


def found_in(values: Iterable[object]) -> list[Found]:
    """The tools among these values, each once: classes by their name, then instances by theirs."""
    classes: dict[type[Tool], None] = {}
    instances: dict[int, Tool] = {}
    for value in values:
        if isinstance(value, Tool):
            instances.setdefault(id(value), value)
        elif _is_loadable(value):
            classes.setdefault(value)
    by_class_name = sorted(classes, key=lambda cls: cls.__name__)
    by_name = sorted(instances.values(), key=_instance_order)
    return [*by_class_name, *by_name]


def create_tool(found: Found, ctx: ToolContext) -> Tool:
    """The tool of this context; a function that wants its `ToolContext` gets this one."""
    if isinstance(found, FunctionTool):
        return found.bound(ctx)
    return found if isinstance(found, Tool) else found.create(ctx)


def _is_loadable(value: object) -> TypeGuard[type[Tool]]:
    return (
        isinstance(value, type)
        and issubclass(value, Tool)
        and value is not Tool
        and not inspect.isabstract(value)
        and value._plugin_discoverable  # noqa: SLF001  # the contract's name
    )


def _instance_order(tool: Tool) -> str:
    try:
        return tool.name
    except Exception:  # noqa: BLE001  # a foreign property; registering says what is wrong
        return ""


def _modules(package: ModuleType | str) -> Iterable[ModuleType]:
    """The modules directly in a package; one that fails to import is logged and left out."""
    root = import_module(package) if isinstance(package, str) else package
    if not hasattr(root, "__path__"):
        yield root
        return
    for info in pkgutil.iter_modules(root.__path__):
        name = f"{root.__name__}.{info.name}"
        try:
            yield import_module(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code runs at import
            _log.warning("The module %s was skipped: %s", name, _told(error), exc_info=error)


def _public(module: ModuleType) -> list[object]:
    return [value for name, value in vars(module).items() if not name.startswith("_")]


def _plugins() -> Iterable[_Plugin]:
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow to import

    for point in sorted(entry_points(group=PLUGIN_GROUP), key=_point_order):
        name = _plugin_name(point)
        try:
            value = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a foreign plugin loads
            _log.warning("The plugin %s was skipped: %s", name, _told(error), exc_info=error)
            continue
        found = found_in([value])
        if not found:
            _log.warning("The plugin %s was skipped: %r is no tool", name, value)
        for one in found:
            yield _Plugin(name, one)


def _point_order(point: EntryPoint) -> tuple[str, str]:
    return point.name, point.value


def _plugin_name(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.name


def _load_one(
    found: Found, ctx: ToolContext, registry: ToolRegistry, *, scope: str, source: str
) -> list[str]:
    try:
        if scope not in found._scopes or not found.enabled(ctx):  # noqa: SLF001  # the contract's name
            return []
        tool = create_tool(found, ctx)
        name = tool.name
        if registry.has(name):
            earlier = registry.source(name) or "the host"
            if earlier == BUILT_IN and source != BUILT_IN:
                _log.warning("The %s may not replace the built-in tool %r: refused", source, name)
                return []
            _log.warning("The tool %r of %s replaces that of %s", name, source, earlier)
        registry.register(tool, source=source)
    except Exception as error:  # noqa: BLE001  # foreign code, and ToolSetupError
        label = getattr(found, "__name__", None) or repr(found)
        _log.warning("%s (%s) was skipped: %s", label, source, _told(error), exc_info=error)
        return []
    return [name]


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


__all__ = ["BUILT_IN", "PLUGIN_GROUP", "Found", "ToolLoader", "create_tool", "found_in"]
