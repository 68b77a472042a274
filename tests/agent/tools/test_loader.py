"""The loader: what it finds in a package, and what it registers."""

from __future__ import annotations

import itertools
import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.function import FunctionTool
from nanobot.agent.tools.loader import BUILT_IN, ToolLoader
from nanobot.agent.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_numbers = itertools.count()

_CLASS = """
from nanobot.agent.tools.base import Tool

class {name}Tool(Tool):
    name = "{lower}"
    description = "Does {lower}."
    parameters = {{"type": "object", "properties": {{}}}}

    async def execute(self, **kwargs):
        return "{lower}"
"""
_MIXED = (
    """
from abc import abstractmethod
from nanobot.agent.tools import ToolContext, tool
"""
    + _CLASS.format(name="Zoo", lower="zoo")
    + """
class HiddenTool(ZooTool):
    _plugin_discoverable = False

class _PrivateTool(ZooTool):
    pass

class UnfinishedTool(ZooTool):
    @abstractmethod
    def rest(self): ...

AliasTool = ZooTool

@tool
def zeta() -> str:
    '''Say zeta.'''
    return "zeta"

@tool
def where(ctx: ToolContext) -> str:
    '''Say where.'''
    return ctx.workspace

@tool(scopes={"memory"})
def recall() -> str:
    '''Recall.'''
    return "nothing"

_private = zeta
"""
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Writes a package of the given modules and says its name."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def write(**modules: str) -> str:
        name = f"loader_sample_{next(_numbers)}"
        (tmp_path / name).mkdir()
        for module, text in {"__init__": "", **modules}.items():
            (tmp_path / name / f"{module}.py").write_text(text, encoding="utf-8")
        made.append(name)
        return name

    yield write
    for name in [known for known in sys.modules if known.split(".")[0] in made]:
        del sys.modules[name]


def _load(loader: ToolLoader, registry: ToolRegistry | None = None, **options: str) -> list[str]:
    ctx = ToolContext(workspace="/somewhere")
    return loader.load(ctx, registry if registry is not None else ToolRegistry(), **options)


def test_public_finished_classes_are_found_once_and_sorted(package: Callable[..., str]) -> None:
    name = package(
        a=_MIXED,
        b=_CLASS.format(name="Ape", lower="ape")
        + "\nfrom nanobot.agent.tools.function import FunctionTool\n",
    )

    assert [cls.__name__ for cls in ToolLoader(name).discover()] == ["ApeTool", "ZooTool"]


def test_tools_made_of_functions_are_found_by_name(package: Callable[..., str]) -> None:
    found = ToolLoader(package(a=_MIXED)).discover_instances()

    assert [tool.name for tool in found] == ["recall", "where", "zeta"]


async def test_a_scope_gets_its_tools_with_their_context(package: Callable[..., str]) -> None:
    loader, registry = ToolLoader(package(a=_MIXED)), ToolRegistry()

    loaded = _load(loader, registry)

    assert loaded == registry.tool_names == ["zoo", "where", "zeta"]
    assert registry.source("zoo") == BUILT_IN
    where = registry.get("where")
    assert isinstance(where, FunctionTool)
    assert await where.execute() == "/somewhere"
    assert _load(loader, scope="memory") == ["recall"]


def test_a_module_that_fails_to_import_is_logged_with_its_cause(
    package: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    name = package(
        a="raise RuntimeError('no luck')",
        b="import sys; sys.exit(3)",
        c="def :",
        d="from nanobot.agent.tools import tool\n@tool\ndef bare(): ...",
        e=_CLASS.format(name="Ape", lower="ape"),
    )

    with caplog.at_level(logging.WARNING):
        loaded = _load(ToolLoader(name))

    assert loaded == ["ape"]
    for cause in ("RuntimeError: no luck", "SystemExit: 3", "SyntaxError", "no description"):
        assert cause in caplog.text


class _Fake(Tool):
    description = "Does it."
    parameters: dict[str, Any] = {"type": "object", "properties": {}}  # noqa: RUF012  # as tools do

    @property
    def name(self) -> str:
        return "fake"

    async def execute(self, **kwargs: Any) -> str:
        return "done"


class _Off(_Fake):
    @classmethod
    def enabled(cls, ctx: ToolContext) -> bool:
        return False


class _Failing(_Fake):
    @classmethod
    def create(cls, ctx: ToolContext) -> Tool:
        raise OSError("no disk")


class _Unusable(_Fake):
    parameters = {"type": "object", "properties": {"a": {"type": "text"}}}  # noqa: RUF012  # as tools do


class _Sub(_Fake):
    _scopes = {"subagent"}  # noqa: RUF012  # as tools do


def test_test_classes_stand_in_for_the_package_unfiltered() -> None:
    classes: list[type[Tool]] = [_Sub, _Fake, _Fake]

    loader = ToolLoader(test_classes=classes)

    assert loader.discover() == classes
    assert loader.discover_instances() == []


def test_a_tool_that_cannot_work_here_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    registry = ToolRegistry()

    with caplog.at_level(logging.WARNING):
        loaded = _load(ToolLoader(test_classes=[_Off, _Failing, _Unusable, _Sub]), registry)

    assert loaded == registry.tool_names == []
    assert "_Failing (built-in) was skipped: OSError: no disk" in caplog.text
    assert "_Unusable (built-in) was skipped: ToolSetupError: fake.parameters" in caplog.text
    assert "_Off" not in caplog.text


def test_a_clash_overwrites_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    registry = ToolRegistry()
    registry.register(_Fake())

    with caplog.at_level(logging.WARNING):
        loaded = _load(ToolLoader(test_classes=[_Fake]), registry)

    assert loaded == ["fake"]
    assert "'fake' of built-in replaces that of the host" in caplog.text


def test_the_built_in_package_is_the_default() -> None:
    found = ToolLoader().discover()

    assert all(cls.__module__.startswith("nanobot.agent.tools.builtin.") for cls in found)
