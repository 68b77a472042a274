"""The `find_files` tool."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.agent.tools.builtin import FindFilesTool
from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace.globs import Glob
from tests.deep import deep_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _names(text: object) -> list[str]:
    """The rows of an answer without its notes."""
    return [row for row in str(text).splitlines() if not row.startswith(("(", "No files"))]


def _make(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


async def test_files_are_found_by_glob_without_ignored_and_hidden(project: Path) -> None:
    text = await FindFilesTool(project).execute(glob="*.{py,txt}")

    assert text.splitlines()[:3] == ["src/app.py", "src/util.py", "(2 found.)"]


async def test_ignored_and_hidden_files_are_found_on_request(project: Path) -> None:
    text = await FindFilesTool(project).execute(include_ignored=True)

    assert "build/out.txt" in text
    assert ".hidden" in text


async def test_words_are_looked_for_in_the_whole_path(project: Path) -> None:
    text = await FindFilesTool(project).execute(query="SRC util")

    assert text.splitlines()[0] == "src/util.py"


async def test_the_newest_comes_first_on_request(project: Path) -> None:
    os.utime(project / "src/util.py", (2_000_000_000, 2_000_000_000))

    text = await FindFilesTool(project).execute(sort="modified", head_limit=1)

    assert text.splitlines()[0] == "src/util.py"


async def test_pages_fit_together(project: Path) -> None:
    tool = FindFilesTool(project)
    whole = (await tool.execute()).splitlines()[:-1]

    pages = [(await tool.execute(head_limit=1, offset=n)).splitlines()[0] for n in range(3)]

    assert pages == whole[:3]


async def test_nothing_found_says_what_was_left_out(project: Path) -> None:
    text = await FindFilesTool(project).execute(glob="*.nope")

    assert text.startswith("No files found.\n(Hidden files and what .gitignore names were left out")


@pytest.mark.parametrize("glob", ["[", "{a", "!"])
async def test_a_broken_glob_is_one_clear_line(glob: str, project: Path) -> None:
    with pytest.raises(ToolError, match="can't be used"):
        await FindFilesTool(project).execute(glob=glob)


async def test_a_search_outside_the_workspace_is_refused(project: Path) -> None:
    with pytest.raises(OutsideWorkspace):
        await FindFilesTool(project / "src").execute(path="..")


@pytest.mark.parametrize("arguments", [{"glob": "*.py"}, {"type": "py"}, {"glob": ".hid/*.py"}])
async def test_hidden_files_stay_hidden_whatever_is_looked_for(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    _make(tmp_path, ["a.py", ".b.py", ".hid/c.py"])
    tool = FindFilesTool(tmp_path)

    assert not [name for name in _names(await tool.execute(**arguments)) if "." in name[:1]]
    assert ".hid/c.py" in _names(await tool.execute(**arguments, include_ignored=True))


@pytest.mark.parametrize("arguments", [{}, {"glob": "*.txt"}, {"include_ignored": True}])
async def test_no_gitignore_opens_the_folders_of_git_and_ours(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    _make(tmp_path, ["a.txt", ".git/b.txt", "sub/.nanobot/c.txt", "x.git/d.txt"])
    (tmp_path / ".gitignore").write_text("!.*\n!.git/\n!.nanobot/\n", encoding="utf-8")

    names = _names(await FindFilesTool(tmp_path).execute(**arguments))

    assert {"a.txt", "x.git/d.txt"} <= set(names) <= {"a.txt", "x.git/d.txt", ".gitignore"}


async def test_folders_are_found_too_on_request(tmp_path: Path) -> None:
    _make(tmp_path, ["src/a.py", "srcs/deep/b.txt", "other/src.md"])
    tool = FindFilesTool(tmp_path)

    by_glob = await tool.execute(glob="src*", include_dirs=True)
    by_word = await tool.execute(query="deep", include_dirs=True)

    assert _names(by_glob) == ["other/src.md", "src/", "srcs/"]
    assert _names(by_word) == ["srcs/deep/", "srcs/deep/b.txt"]


async def test_words_are_looked_for_without_case_beyond_ascii_too(tmp_path: Path) -> None:
    _make(tmp_path, ["Grün/STRASSE.txt", "grün/weg.txt", "a.txt"])

    assert _names(await FindFilesTool(tmp_path).execute(query="straße GRÜN")) == [
        "Grün/STRASSE.txt"
    ]


async def test_names_that_look_like_options_are_data(tmp_path: Path) -> None:
    _make(tmp_path, ["-n", "--help", "--/x"])

    assert _names(await FindFilesTool(tmp_path).execute()) == ["--/x", "--help", "-n"]
    assert _names(await FindFilesTool(tmp_path).execute(path="--")) == ["--/x"]
    assert _names(await FindFilesTool(tmp_path).execute(glob="--h*")) == ["--help"]


async def test_names_that_act_are_spelled_out(tmp_path: Path) -> None:
    _make(tmp_path, ["a\u202egpj.exe", "b\nc\x1b[31m"])

    rows = _names(await FindFilesTool(tmp_path).execute())

    assert rows == ["a\\u202egpj.exe", "b\\nc\\x1b[31m"]


async def test_a_name_that_is_no_utf8_is_found(tmp_path: Path) -> None:
    _make(tmp_path, [os.fsdecode(b"caf\xe9.txt")])

    assert _names(await FindFilesTool(tmp_path).execute(glob="caf*.txt")) == ["caf\\udce9.txt"]


async def test_no_limit_shows_all(tmp_path: Path) -> None:
    _make(tmp_path, [f"{number:04}.txt" for number in range(1_500)])

    text = await FindFilesTool(tmp_path).execute(head_limit=0)

    assert _names(text) == [f"{number:04}.txt" for number in range(1_500)]


async def test_what_paths_can_t_say_is_counted_and_ends_nothing(tmp_path: Path) -> None:
    with deep_folder(tmp_path):
        text = await FindFilesTool(tmp_path).execute(query="nothing")

    assert text.startswith("No files found.")
    assert "can't be read." in text


async def test_a_broken_line_in_a_gitignore_hinders_nothing(tmp_path: Path) -> None:
    _make(tmp_path, ["a.txt", "b.log"])
    (tmp_path / ".gitignore").write_text("[\na{b\n*.log\n", encoding="utf-8")

    assert _names(await FindFilesTool(tmp_path).execute()) == ["a.txt"]


async def test_a_loop_of_links_ends(project: Path) -> None:
    (project / "src/loop").symlink_to("..")

    text = await FindFilesTool(project).execute(glob="*.py")

    assert _names(text) == ["src/app.py", "src/util.py"]


_GLOBBED = (
    "a.py",
    "b.ts",
    "src/a.py",
    "src/b/a.ts",
    "src/b/c.py",
    "lib/src/a.py",
    "lib/x-y_z.py",
    "lib/a/b/c/d.md",
    "a/a/a",
    "no ending",
    "{a}.py",
    "b}.py",
    "src/[x].py",
)
_PIECES = ["*", "**", "?", "a", "b", "src", "lib", "/", "/**/", ".py", ".ts", "[ab]", "[!a]", "\\*"]
_FORMS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map("".join)
_GLOBS = st.one_of(
    _FORMS,
    st.tuples(_FORMS, _FORMS, _FORMS).map(lambda forms: "{{{},{}}}{}".format(*forms)),
    _FORMS.map("!".__add__),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(glob=_GLOBS)
async def test_a_glob_finds_what_it_means_however_ripgrep_is_told(
    glob: str, tmp_path: Path
) -> None:
    _make(tmp_path, _GLOBBED)
    judge = Glob(glob)

    found = _names(await FindFilesTool(tmp_path).execute(glob=glob))

    assert found == sorted(name for name in _GLOBBED if judge.matches(name))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    times=st.lists(st.integers(min_value=-5, max_value=5), min_size=1, max_size=12),
    size=st.integers(min_value=1, max_value=5),
    newest=st.booleans(),
)
async def test_pages_of_any_size_are_the_whole(
    times: list[int], size: int, newest: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pages")
    names = [f"{'ab'[number % 2]}/{number}" for number in range(len(times))]
    _make(folder, names)
    age = dict(zip(names, times, strict=True))
    for name, at in age.items():
        os.utime(folder / name, (at, at))
    tool = FindFilesTool(folder)
    sort = "modified" if newest else "path"

    pages = [
        name
        for offset in range(0, len(names), size)
        for name in _names(await tool.execute(sort=sort, head_limit=size, offset=offset))
    ]

    assert pages == sorted(names, key=lambda name: (-age[name] * newest, name))
