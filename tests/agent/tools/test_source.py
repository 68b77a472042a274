"""Tools from a file or module that a person named."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.context import ToolContext
from nanobot.agent.tools.loader import ToolLoader
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.agent.tools.source import check_source, load_source
from nanobot.errors import ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_numbers = itertools.count()

_GOOD = '''from nanobot.agent.tools import Tool, ToolContext, tool


@tool(read_only=True)
def shout(text: str) -> str:
    """Say it loud.

    Args:
        text: What to say.
    """
    return text.upper()


class MemoTool(Tool):
    name = "memo"
    description = "Keep a memo."
    parameters = {"type": "object", "properties": {}}
    _scopes = {"memory"}

    def __init__(self, workspace):
        self.workspace = workspace

    @classmethod
    def create(cls, ctx):
        return cls(ctx.workspace)

    async def execute(self):
        return self.workspace
'''
_FAULTY = '''from nanobot.agent.tools import Tool, tool


@tool
def silent(a: int) -> str:
    return "no description"


@tool
def wrong(a: int = "x") -> str:
    """Default to text."""


class HalfTool(Tool):
    name = "half"


class DriftTool(Tool):
    name = "drift"
    description = "Drift."
    parameters = {"type": "object", "properties": {"gone": {"type": "string"}}}

    async def execute(self):
        return ""


@tool
def fine(a: int) -> str:
    """Work, though a parameter lacks its description."""
    return str(a)
'''


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a source and says its path."""

    def write(text: str) -> Path:
        path = tmp_path / f"source_{next(_numbers)}.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _load(source: Path | str, registry: ToolRegistry) -> list[str]:
    return load_source(source, ToolContext(workspace="/ws"), registry)


def test_the_tools_of_a_file_load_whatever_their_scope(written: Callable[[str], Path]) -> None:
    registry, path = ToolRegistry(), written(_GOOD)

    assert _load(path, registry) == ["memo", "shout"]
    assert registry.source("shout") == str(path)


def test_the_tools_of_a_module_load_by_its_name(
    written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(_GOOD)
    monkeypatch.syspath_prepend(path.parent)

    assert _load(path.stem, ToolRegistry()) == ["memo", "shout"]


def test_tools_that_a_file_only_imports_are_not_its_own(written: Callable[[str], Path]) -> None:
    path = written(
        "from nanobot.agent.tools.function import FunctionTool, tool\n"
        "from examples.plugin.nanobot_dice import FlipCoinTool, roll_dice\n"
        "__all__ = ['roll_dice']\n"
    )

    assert _load(path, ToolRegistry()) == ["roll_dice"]


_REFUSED = {
    "no file": ("/nowhere/gone.py", "FileNotFoundError: no such file: gone.py"),
    "no module": ("no_such_module_here", "ModuleNotFoundError"),
    "empty": ("X = 1", "no tool in it"),
    "raises": ("raise OSError('no disk')", "OSError: no disk"),
    "exits": ("raise SystemExit(2)", "SystemExit: 2"),
    "no Python": ("def :", "SyntaxError"),
    "faulty": (_FAULTY, "no description"),
    "off": (
        _GOOD + "\n    @classmethod\n    def enabled(cls, ctx):\n        return False\n",
        "enabled",
    ),
}


@pytest.mark.parametrize(("text", "message"), _REFUSED.values(), ids=_REFUSED.keys())
def test_a_source_that_cannot_be_used_is_refused(
    written: Callable[[str], Path], text: str, message: str
) -> None:
    source = text if text.startswith(("/", "no_such")) else written(text)

    with pytest.raises(ToolSetupError, match=message) as caught:
        _load(source, ToolRegistry())

    assert caught.value.place


def test_a_file_never_replaces_a_built_in_tool(written: Callable[[str], Path]) -> None:
    registry, path = ToolRegistry(), written(_GOOD)
    (memo,) = ToolLoader(test_classes=_classes_of(path)).load(
        ToolContext(), registry, scope="memory"
    )

    with pytest.raises(ToolSetupError, match=f"'{memo}' is the name of a built-in tool"):
        _load(path, registry)


def test_a_check_finds_every_fault_with_its_line(written: Callable[[str], Path]) -> None:
    report = check_source(written(_FAULTY))

    assert [(fault.line, fault.fatal) for fault in report.faults] == [
        (4, True),
        (9, True),
        (14, True),
        (18, True),
        (27, False),
    ]
    messages = [fault.message for fault in report.faults]
    assert messages[0] == "silent.description: no description, so a model can't know what it is for"
    assert "wrong, parameter 'a': its default is refused" in messages[1]
    assert messages[2] == "HalfTool lacks description, execute, parameters"
    assert "drift, parameter 'gone': the schema declares it" in messages[3]
    assert [tool.name for tool in report.tools] == ["fine"]
    assert not report.usable


def test_a_check_says_what_a_good_source_holds(written: Callable[[str], Path]) -> None:
    report = check_source(written(_GOOD))

    assert report.faults == ()
    assert report.usable
    assert [(t.name, t.kind, t.line, t.scopes, t.read_only) for t in report.tools] == [
        ("memo", "class", 14, ("memory",), False),
        ("shout", "function", 4, ("core",), True),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\n\nraise OSError('no disk')\n", 3),
        ("x = 1\ndef :\n", 2),
        ("def f():\n    raise OSError('x')\n\nf()\n", 2),
        ("import no_such_module_here\n", 1),
        ("x = 1\n", None),
    ],
    ids=["raises", "no Python", "raises inside", "imports", "empty"],
)
def test_a_check_of_a_broken_source_says_where(
    written: Callable[[str], Path], text: str, line: int | None
) -> None:
    (fault,) = check_source(written(text)).faults

    assert fault.line == line


def test_a_check_says_what_execute_requires_and_the_schema_does_not(
    written: Callable[[str], Path],
) -> None:
    report = check_source(
        written(
            "from nanobot.agent.tools import Tool\n"
            "class ATool(Tool):\n"
            "    name = 'a'\n"
            "    description = 'A.'\n"
            "    parameters = {'type': 'object', 'properties': {'b': {'description': 'B.'}}}\n"
            "    async def execute(self, b): return b\n"
        )
    )

    assert [fault.message for fault in report.faults] == [
        "a, parameter 'b': execute requires it, the schema calls it optional"
    ]
    assert report.usable


def _classes_of(path: Path) -> list[type]:
    namespace: dict[str, object] = {"__name__": "classes_of"}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), namespace)  # noqa: S102  # our own text
    memo = namespace["MemoTool"]
    assert isinstance(memo, type)
    return [memo]


def test_the_check_names_a_tool_that_is_called_like_a_built_in_one(
    written: Callable[[str], Path],
) -> None:
    report = check_source(written(_GOOD.replace("shout", "read_file")))

    (fault,) = report.faults
    assert fault.message == "read_file: this is the name of a built-in tool"
    assert not report.usable
