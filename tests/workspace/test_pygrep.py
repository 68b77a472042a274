"""ripgrep's stand-in gives what ripgrep gives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.agent.tools.builtin import FindFilesTool, GrepTool
from nanobot.errors import ToolError
from nanobot.workspace.ripgrep import Bounds, Ripgrep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FILES = {
    "README.md": "# Title\nTODO: more\n\nlast TODO TODO",
    "src/app.py": "def main():\n    return 1\n# TODO é\n" + "x\n" * 5 + "# TODO\n",
    "src/-n": "TODO dash\n",
    "src/a\nb.txt": "TODO newline in the name\n",
    "src/.hidden": "TODO hidden\n",
    "build/out.txt": "TODO ignored\n",
    "deep/a/b/c.rs": "fn todo() {}\r\n// TODO\r\n",
    "long.txt": "é" * 600 + "TODO" + "y" * 600 + "\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    (folder / ".gitignore").write_text("build/\n*.log\n!keep.log\n", encoding="utf-8")
    (folder / "deep/.gitignore").write_text("/a/b/d.rs\n", encoding="utf-8")
    for name in ("x.log", "keep.log", "deep/a/b/d.rs"):
        (folder / name).write_text("TODO\n", encoding="utf-8")
    (folder / "wide.txt").write_bytes("TODO wide\n".encode("utf-16"))
    (folder / "binary.bin").write_bytes(b"TODO\0TODO\n")
    (folder / "link").symlink_to("README.md")
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "fifo")
    return folder


async def _both(
    tool: type[GrepTool | FindFilesTool], tree: Path, arguments: dict[str, object]
) -> list[str]:
    answers: list[str] = []
    for python in (False, True):
        made = tool(tree)
        made.python = python
        answers.append(str(await made.execute(**arguments)))  # type: ignore[arg-type]  # by name
    return answers


_SEARCHES: dict[str, dict[str, object]] = {
    "names": {"pattern": "TODO"},
    "count": {"pattern": "TODO", "output_mode": "count"},
    "content": {"pattern": "TODO", "output_mode": "content"},
    "context": {
        "pattern": "TODO",
        "output_mode": "content",
        "context_before": 1,
        "context_after": 2,
    },
    "without case": {"pattern": "todo", "case_insensitive": True, "output_mode": "content"},
    "fixed": {"pattern": "main():", "fixed_strings": True},
    "a dash": {"pattern": "-n", "fixed_strings": True, "include_ignored": True},
    "ignored too": {"pattern": "TODO", "include_ignored": True},
    "a type": {"pattern": "TODO", "type": "rust", "output_mode": "content"},
    "a glob": {"pattern": "TODO", "glob": "src/**", "output_mode": "count"},
    "over lines": {"pattern": r"main\(\):\n\s+return", "multiline": True, "output_mode": "content"},
    "one file": {"pattern": "TODO", "path": "README.md", "output_mode": "content"},
    "classes": {"pattern": r"[[:upper:]]{4} \x{e9}", "output_mode": "content"},
    "the end of a line": {"pattern": "TODO$", "output_mode": "content"},
    "nothing": {"pattern": "no such text"},
}


@pytest.mark.parametrize("arguments", _SEARCHES.values(), ids=_SEARCHES.keys())
async def test_a_search_answers_the_same(tree: Path, arguments: dict[str, object]) -> None:
    ours, theirs = await _both(GrepTool, tree, arguments)

    assert ours == theirs


_LISTINGS: dict[str, dict[str, object]] = {
    "all": {},
    "ignored too": {"include_ignored": True},
    "a type": {"type": "py"},
    "a glob": {"glob": "*.{rs,md}"},
    "folders": {"include_dirs": True},
    "newest": {"sort": "modified"},
}


@pytest.mark.parametrize("arguments", _LISTINGS.values(), ids=_LISTINGS.keys())
async def test_a_listing_answers_the_same(tree: Path, arguments: dict[str, object]) -> None:
    ours, theirs = await _both(FindFilesTool, tree, arguments)

    assert ours == theirs


_RULES = st.lists(
    st.sampled_from(
        [
            "a",
            "/a",
            "a/",
            "*.x",
            "!b.x",
            "**/c",
            "a/**",
            "[ab]",
            "b?",
            "!a",
            r"\!d",
            "c ",
            "#e",
            "a/b",
        ]
    ),
    max_size=4,
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rules=_RULES, deeper=_RULES)
async def test_any_rules_leave_the_same_files_out(
    tmp_path_factory: pytest.TempPathFactory, rules: list[str], deeper: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("rules")
    for name in ("a/a", "a/b.x", "b.x", "c/a/b/a.x", "a/c", "!d", "c/#e", "b/d.x", "c/c/c"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            (folder / name).write_text("x", encoding="utf-8")
    (folder / ".gitignore").write_text("\n".join(rules), encoding="utf-8")
    (folder / "c/.gitignore").write_text("\n".join(deeper), encoding="utf-8")

    ours, theirs = await _both(FindFilesTool, folder, {})

    assert ours == theirs


def _run(folder: Path, arguments: Sequence[str], **bounds: float) -> Ripgrep:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        run = Ripgrep(
            arguments,
            descriptor,
            ignore=[],
            bounds=Bounds(roots=[str(folder)], python=True, **bounds),  # type: ignore[arg-type]
        )
        list(run.records())
        return run
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$"])
def test_a_pattern_that_never_ends_is_killed_at_the_deadline(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.txt").write_text("a" * 60 + "!\n", encoding="utf-8")

    run = _run(tmp_path, ["--files-with-matches", "--null", "-e", pattern], deadline_s=1.0)

    assert run.late


def test_an_unknown_flag_is_an_error(tmp_path: Path) -> None:
    assert "unrecognized arguments: --nope" in _run(tmp_path, ["--nope"]).errors[0]


async def test_what_python_cannot_search_for_is_one_line(tree: Path) -> None:
    tool = GrepTool(tree)
    tool.python = True

    with pytest.raises(ToolError, match=r"\\p can't be used here, since ripgrep is not installed"):
        await tool.execute(r"\p{Greek}")
