"""Globs mean what ripgrep's mean."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.errors import ToolError
from nanobot.workspace.globs import Glob
from nanobot.workspace.ripgrep import search_program

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = (
    "a",
    "a.py",
    "b.ts",
    "ab/a.py",
    "ab/b/a.ts",
    "ab/b/b.py",
    "lib/ab/a.py",
    "lib/a/b/c/d.md",
    "a-b_c.py",
)
_PIECES = ["*", "?", "a", "b", "ab", "lib", "/", "/**/", "**/", ".py", ".ts", "[ab]", "\\*"]
_FORMS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join)
_INNER = re.compile(r"[^/]\*\*|\*\*[^/]")
"""Two stars beside something else: for git, and here, one star; for ripgrep any folders too.
(And a negated set takes a slash there, which it does not for git.)"""
_BRACES = st.lists(st.sampled_from(["*", "a", "b", "ab", "a.py"]), min_size=2, max_size=3).map(
    lambda forms: f"{{{','.join(forms)}}}"
)
_GLOBS = st.one_of(_FORMS, st.tuples(_BRACES, _FORMS).map("".join)).filter(
    lambda glob: not glob.endswith("/") and "//" not in glob and not _INNER.search(glob)
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for name in _NAMES:
        place = folder / (f"{name}.d" if name == "a" else name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return folder


def _by_ripgrep(glob: str, tree: Path) -> set[str]:
    command = [*search_program().command, "--no-config", "--files", f"--glob={glob}", "./"]
    found = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert found.returncode in (0, 1), found.stderr
    return {name.removeprefix("./") for name in found.stdout.splitlines()}


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(glob=_GLOBS)
def test_a_glob_means_what_it_means_to_ripgrep(glob: str, tree: Path) -> None:
    names = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    judge = Glob(glob)

    assert {name for name in names if judge.matches(name)} == _by_ripgrep(glob, tree)


@pytest.mark.parametrize(
    ("glob", "path", "meant"),
    [
        ("*.py", "a/b.py", True),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("src/**", "srcs/a", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "lib/src/a.py", False),
        ("src/", "src/a", True),
        ("**/a", "a", True),
        ("!*.log", "a.log", False),
        ("!*.log", "a.txt", True),
        ("a\\*", "a*", True),
        ("[!x].c", "y.c", True),
        ("a[!x]b", "a/b", False),
        ("{src/a,lib/b}.py", "lib/b.py", True),
    ],
)
def test_a_glob_means(glob: str, path: str, *, meant: bool) -> None:
    assert Glob(glob).matches(path) is meant


@pytest.mark.parametrize("glob", ["", "!", "[", "{a", "a\nb", "{a,b}" * 9])
def test_a_broken_glob_is_refused(glob: str) -> None:
    with pytest.raises(ToolError, match="can't be used"):
        Glob(glob)


@pytest.mark.parametrize(
    ("glob", "lasts", "alone", "folder"),
    [
        ("*.py", ["*.py"], True, []),
        ("**/*.py", ["*.py"], True, []),
        ("src/app/*.py", ["*.py"], False, ["src", "app"]),
        ("src/*/a.py", ["a.py"], False, ["src"]),
        ("{src,lib}/*.py", ["*.py"], False, []),
        ("{a,b}.py", ["a.py", "b.py"], True, []),
        ("src/**", None, False, ["src"]),
        ("!*.py", None, False, []),
    ],
)
def test_what_a_search_can_be_narrowed_to(
    glob: str, lasts: list[str] | None, folder: list[str], *, alone: bool
) -> None:
    made = Glob(glob)

    assert made.last_names == lasts
    assert made.by_last_name is alone
    assert list(made.folder) == folder
