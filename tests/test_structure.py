"""The structure of the package, held to DESIGN.md and STYLE.md."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGE = _ROOT / "nanobot"

_ORDER = (
    "nanobot",
    "nanobot.errors",
    "nanobot.jsonvalue",
    "nanobot.keywords",
    "nanobot.threads",
    "nanobot.turns",
    "nanobot.visible",
    "nanobot.surrogates",
    "nanobot.events",
    "nanobot.workspace",
    "nanobot.network",
    "nanobot.processes",
    "nanobot.documents",
    "nanobot.config",
    "nanobot.providers",
    "nanobot.providers.base",
    "nanobot.agent",
    "nanobot.agent.tools",
    "nanobot.agent.tools.result",
    "nanobot.agent.tools.context",
    "nanobot.agent.tools.casting",
    "nanobot.agent.tools.validation",
    "nanobot.agent.tools.defaults",
    "nanobot.agent.tools.base",
    "nanobot.agent.tools.schema",
    "nanobot.agent.tools.parameters",
    "nanobot.agent.tools.definition",
    "nanobot.agent.tools.function",
    "nanobot.agent.tools.arguments",
    "nanobot.agent.tools.preparation",
    "nanobot.agent.tools.shapes",
    "nanobot.agent.tools.registry",
    "nanobot.agent.tools.loader",
    "nanobot.agent.tools.source",
    "nanobot.agent.tools.filetool",
    "nanobot.agent.tools.paging",
    "nanobot.agent.tools.documentview",
    "nanobot.agent.tools.smallest",
    "nanobot.agent.tools.searching",
    "nanobot.agent.tools.collection",
    "nanobot.agent.tools.leftout",
    "nanobot.agent.tools.hits",
    "nanobot.agent.tools.searchtool",
    "nanobot.agent.tools.builtin",
    "nanobot.agent.execution",
    "nanobot.agent.history",
    "nanobot.agent.window",
    "nanobot.agent.hook",
    "nanobot.agent.spec",
    "nanobot.agent.request",
    "nanobot.agent.calls",
    "nanobot.agent.host",
    "nanobot.agent.stream",
    "nanobot.agent.tally",
    "nanobot.agent.checkpoint",
    "nanobot.agent.round",
    "nanobot.agent.loop",
    "nanobot.agent.runner",
    "nanobot.agent.subagent",
    "nanobot.providers.*",
    "nanobot.mcp",
    "nanobot.agent.instructions",
    "nanobot.agent.run",
    "nanobot.testing",
    "nanobot.cli",
    "nanobot.__main__",
)
"""A module may import what stands above it. Longer names win over their packages."""

_UPWARD_EXCEPTIONS = {
    ("nanobot.agent.tools.registry", "nanobot.agent.execution.call"): "one call path, two doors",
    ("nanobot.agent.tools.registry", "nanobot.agent.execution.approval"): "the type of a field",
}
_HEAVY = ("pydantic", "openai", "anthropic", "typer", "rich", "httpx", "prompt_toolkit")


@cache
def _modules() -> dict[str, Path]:
    found = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        if "sample" in path.relative_to(_PACKAGE).parts:
            continue
        parts = path.relative_to(_ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse(_modules()[name].read_text(encoding="utf-8"))


def _rank(name: str) -> tuple[int, str]:
    wild = name.startswith("nanobot.providers.") and not name.startswith("nanobot.providers.base")
    if wild:
        return _ORDER.index("nanobot.providers.*"), "nanobot.providers.*"
    best = max((known for known in _ORDER if _is_under(name, known)), key=len)
    return _ORDER.index(best), best


def _is_under(name: str, package: str) -> bool:
    return name == package or (package != "nanobot" and name.startswith(package + "."))


def _imports(name: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in _modules() else node.module)
    return {found for found in names if found.split(".")[0] == "nanobot"}


def _lazy_package(name: str) -> bool:
    """An `__init__` re-exports from inside its own package."""
    return _modules()[name].name == "__init__.py"


@pytest.mark.parametrize("name", _modules())
def test_a_module_imports_only_what_stands_above_it(name: str) -> None:
    wrong = [
        other
        for other in _imports(name)
        if _rank(other)[0] > _rank(name)[0]
        and (name, other) not in _UPWARD_EXCEPTIONS
        and not (_lazy_package(name) and _is_under(other, name))
        and name != "nanobot"
    ]

    assert not wrong, f"{name} imports what stands below it: {wrong}"


@pytest.mark.parametrize("name", [n for n in _modules() if n.startswith("nanobot.agent.execution")])
def test_execution_imports_no_builtin_tool(name: str) -> None:
    assert not [other for other in _imports(name) if ".builtin" in other]


@pytest.mark.parametrize(
    "name", [n for n in _modules() if n.startswith("nanobot.agent.tools.builtin.")]
)
def test_a_builtin_tool_imports_no_other_and_not_the_registry(name: str) -> None:
    wrong = [
        other
        for other in _imports(name)
        if other.startswith("nanobot.agent.tools.builtin") or other.endswith(".registry")
    ]

    assert not wrong


@pytest.mark.parametrize("name", [n for n in _modules() if not n.startswith("nanobot.cli")])
def test_only_the_command_line_prints(name: str) -> None:
    calls = [
        node.lineno
        for node in ast.walk(_tree(name))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"print", "input"}
    ]

    assert not calls, f"{name} prints on lines {calls}"


@pytest.mark.parametrize(
    "path", [*_PACKAGE.rglob("*.py"), *(_ROOT / "tests").rglob("*.py")], ids=str
)
def test_nobody_imports_a_private_name(path: Path) -> None:
    private = [
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("nanobot", "tests"))
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]

    assert not private


@pytest.mark.parametrize("name", [n for n in _modules() if n.rsplit(".", 1)[-1] != "__main__"])
def test_all_is_what_a_module_makes_public(name: str) -> None:
    module = importlib.import_module(name)
    if not hasattr(module, "__all__"):
        assert not _definitions(name), f"{name} has no __all__"
        return

    assert _definitions(name) <= set(module.__all__), "a public name is missing from __all__"
    assert all(hasattr(module, public) for public in module.__all__)


def _definitions(name: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {
        node.name
        for node in _tree(name).body
        if isinstance(node, kinds) and not node.name.startswith("_")
    }


@pytest.mark.parametrize("name", _modules())
def test_every_public_class_and_function_has_a_docstring(name: str) -> None:
    module = importlib.import_module(name)
    bare = [public for public in _definitions(name) if not inspect.getdoc(getattr(module, public))]

    assert not bare


@pytest.mark.parametrize(
    "module", ["nanobot", "nanobot.agent.tools", "nanobot.agent.execution.call"]
)
def test_importing_the_core_pulls_in_nothing_heavy(module: str) -> None:
    script = f"import {module}, sys; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not set(_HEAVY) & set(loaded)


_LONGEST = 400
_LONGEST_FUNCTION = 60


@pytest.mark.parametrize("name", _modules())
def test_modules_and_functions_stay_short(name: str) -> None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    long_functions = [
        f"{node.name} ({node.end_lineno - node.lineno + 1})"
        for node in ast.walk(_tree(name))
        if isinstance(node, kinds)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= _LONGEST_FUNCTION
    ]

    assert not long_functions
    assert len(_modules()[name].read_text(encoding="utf-8").splitlines()) <= _LONGEST
