"""The tools that look around: `list_dir`, `find_files`, `grep`."""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.builtin import FindFilesTool, GrepTool, ListDirTool
from nanobot.errors import OutsideWorkspace, ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "README.md": "# Title\nTODO: more\n",
        "src/app.py": "def main():\n    return 1\n# TODO\n",
        "src/util.py": "VALUE = 1\n",
        "build/out.txt": "TODO in ignored\n",
        ".gitignore": "build/\n",
        ".hidden": "TODO hidden\n",
        ".env": "TODO=secret\n",
        "key.pem": "TODO secret\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


async def test_a_folder_is_listed_with_kinds_and_sizes(project: Path) -> None:
    rows = (await ListDirTool(project).execute(".")).splitlines()

    assert "src/" in rows
    assert "README.md (19 bytes)" in rows


async def test_a_listing_stops_at_its_limit_and_says_so(project: Path) -> None:
    rows = (await ListDirTool(project).execute(".", recursive=True, max_entries=2)).splitlines()

    assert len(rows) == 3
    assert rows[-1].startswith("(More entries: only the first 2 are shown.")


async def test_a_recursive_listing_follows_no_link(project: Path) -> None:
    (project / "loop").symlink_to("..")

    text = await ListDirTool(project).execute(".", recursive=True)

    assert "loop (link)" in text
    assert "loop/" not in text


@pytest.mark.parametrize("path", ["README.md", "nope"])
async def test_what_is_no_folder_is_refused(path: str, project: Path) -> None:
    with pytest.raises(ToolError, match=path):
        await ListDirTool(project).execute(path)


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


async def test_a_name_with_a_line_end_is_shown_on_one_line(project: Path) -> None:
    (project / "a\nb:12:.txt").write_text("TODO\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", glob="*.txt", output_mode="content")

    assert text.splitlines()[0] == "a\\nb:12:.txt:1:TODO"


async def test_grep_shows_lines_with_their_place(project: Path) -> None:
    text = await GrepTool(project).execute("TODO", output_mode="content")

    assert text.splitlines()[:2] == ["README.md:2:TODO: more", "src/app.py:3:# TODO"]


async def test_grep_skips_and_counts_what_usually_holds_secrets(project: Path) -> None:
    text = await GrepTool(project).execute("TODO")

    assert "key.pem" not in text.splitlines()
    assert "2 files were left out: they usually hold secrets" in text


@pytest.mark.parametrize("name", ["key.pem", "ID_RSA", ".ssh/config"])
async def test_no_gitignore_and_no_case_shows_what_usually_holds_secrets(
    name: str, project: Path
) -> None:
    (project / ".gitignore").write_text("!*.pem\n!ID_RSA\n!.ssh/\n!.ssh/*\n", encoding="utf-8")
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("TODO secret\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", output_mode="content", include_ignored=True)
    kept = await GrepTool(project).execute("TODO", output_mode="content")

    assert "secret" not in text.partition("(")[0]
    assert "secret" not in kept.partition("(")[0]
    assert "they usually hold secrets" in text


async def test_a_folder_of_keys_is_not_searched_by_naming_it(project: Path) -> None:
    (project / ".ssh").mkdir()
    (project / ".ssh" / "config").write_text("TODO\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", path=".ssh", output_mode="content")

    assert "config:1" not in text


async def test_groups_are_parted_only_where_rows_stand_on_both_sides(project: Path) -> None:
    (project / "a.md").write_text("TODO\n" + "x\n" * 9 + "TODO\n", encoding="utf-8")

    text = await GrepTool(project).execute(
        "TODO", glob="src/*.py", output_mode="content", context_before=1
    )

    assert text.splitlines()[0] == "src/app.py-2-    return 1"


async def test_grep_shows_context_apart_from_matches(project: Path) -> None:
    text = await GrepTool(project).execute(
        "return", path="src", output_mode="content", context_before=1
    )

    assert text.splitlines()[:2] == ["src/app.py-1-def main():", "src/app.py:2:    return 1"]


async def test_grep_counts_matches_in_each_file(project: Path) -> None:
    text = await GrepTool(project).execute("TODO", output_mode="count")

    assert text.splitlines()[:2] == ["README.md:1", "src/app.py:1"]


@pytest.mark.parametrize("pattern", ["--regexp", "-v", "-e foo", "--help"])
async def test_a_pattern_that_begins_with_a_dash_is_data(pattern: str, project: Path) -> None:
    (project / "dash.txt").write_text(f"x {pattern} y\n", encoding="utf-8")

    text = await GrepTool(project).execute(pattern, fixed_strings=True)

    assert text.splitlines()[0] == "dash.txt"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": "("}, r"The pattern '\(' can't be used"),
        ({"pattern": "x", "type": "nope"}, "The type 'nope' is not known"),
        ({"pattern": "x", "path": "nope"}, "'nope' does not exist"),
        ({"pattern": "a\0b"}, "holds a NUL character"),
        ({"pattern": "a\nb"}, "The pattern spans lines"),
        ({"pattern": "x" * 70_000}, "has 70,000 characters, too many"),
        ({"pattern": "x", "head_limit": 1001}, "head_limit must be <= 1000"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_search_that_can_t_be_is_one_clear_line(
    arguments: dict[str, Any], said: str, project: Path
) -> None:
    with pytest.raises(ToolError, match=said):
        await GrepTool(project).execute(**arguments)


async def test_a_search_outside_the_workspace_is_refused(project: Path) -> None:
    with pytest.raises(OutsideWorkspace):
        await GrepTool(project / "src").execute("x", path="..")
    with pytest.raises(OutsideWorkspace):
        await FindFilesTool(project / "src").execute(path="..")


async def test_a_catastrophic_pattern_and_a_fifo_hold_nothing_up(project: Path) -> None:
    (project / "a.txt").write_text("a" * 35 + "!", encoding="utf-8")
    os.mkfifo(project / "pipe")

    text = await GrepTool(project).execute("(a+)+$")

    assert "a.txt" not in text.splitlines()


async def test_a_long_line_is_cut(project: Path) -> None:
    (project / "long.txt").write_text("x" * 5_000 + "TODO\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", glob="long.txt", output_mode="content")

    assert len(text) < 1_000


async def test_a_pattern_may_span_lines_on_request(project: Path) -> None:
    tool = GrepTool(project)

    assert "src/app.py" in await tool.execute(r"main\(\):\n\s+return", multiline=True)
    assert "src/app.py" not in (await tool.execute("main.*return")).splitlines()


async def test_a_line_longer_than_the_memory_is_named_and_the_rest_is_found(project: Path) -> None:
    (project / "big.txt").write_text("TODO " * 20_000_000, encoding="utf-8")
    tool = GrepTool(project)
    tool.memory = 64 * 1024 * 1024

    names = (await tool.execute("TODO")).splitlines()
    lines = (await tool.execute("TODO", output_mode="content")).splitlines()

    assert names[:2] == ["README.md", "src/app.py"]
    assert any(
        line.startswith("Not searched, since a line") and "big.txt" in line for line in names
    )
    assert lines[:2] == ["README.md:2:TODO: more", "src/app.py:3:# TODO"]


async def test_a_long_line_shows_the_part_around_its_match_and_its_length(project: Path) -> None:
    (project / "long.txt").write_text("é" * 3_000 + " TODO " + "y" * 3_000 + "\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", glob="long.txt", output_mode="content")

    row = text.splitlines()[0]
    assert " TODO yyy" in row
    assert row.endswith("… (9,006 bytes long, match at byte 6,002)")
    assert "\ufffd" not in row


@pytest.mark.parametrize("mode", ["files_with_matches", "content", "count"])
async def test_pages_of_a_search_fit_together(mode: str, project: Path) -> None:
    for number in range(12):
        (project / f"many{number}.md").write_text("TODO a\nx\nTODO b\n", encoding="utf-8")
    tool = GrepTool(project)
    whole = (await tool.execute("TODO", output_mode=mode)).splitlines()

    pages: list[str] = []
    for offset in range(0, 14, 2):
        page = await tool.execute("TODO", output_mode=mode, head_limit=2, offset=offset)
        pages += page.splitlines()[:2]

    assert pages[:14] == whole[:14]


async def test_text_with_a_byte_order_mark_is_found_and_shown(project: Path) -> None:
    (project / "wide.txt").write_bytes("hé TODO\n".encode("utf-16"))

    text = await GrepTool(project).execute("TODO", glob="wide.txt", output_mode="content")

    assert text.splitlines()[0] == "wide.txt:1:hé TODO"


async def test_a_deep_folder_is_listed_as_far_as_paths_go(tmp_path: Path) -> None:
    with _deep_folder(tmp_path):
        tool = ListDirTool(tmp_path)
        rows = (await tool.execute(".", recursive=True, max_entries=5_000)).splitlines()

    assert len(rows) > 500
    assert "could not be read" in rows[-1]


@contextmanager
def _deep_folder(folder: Path) -> Iterator[None]:
    """2,000 folders in one another, removed by a program that doesn't recurse."""
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("deep", dir_fd=descriptor)
        below = os.open("deep", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", folder / "deep"], check=True)


async def test_a_cancelled_search_leaves_no_process(project: Path) -> None:
    (project / "README.md").write_text("a" * 60 + "!\n", encoding="utf-8")
    tool = GrepTool(project)
    tool.python = True  # its patterns can take for ever
    task = asyncio.create_task(tool.execute("(a+)+$"))
    await _until(_searches)

    task.cancel()

    await _until(lambda: not _searches())


def _searches() -> bool:
    """Whether a child of this process is a search."""
    pid = os.getpid()
    below = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for file in below for child in file.read_text(encoding="ascii").split()]
    commands = [Path(f"/proc/{child}/cmdline") for child in children]
    return any(b"pygrep" in file.read_bytes() for file in commands if file.exists())


async def _until(fact: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not fact():  # noqa: ASYNC110  # other processes set no event
            await asyncio.sleep(0.01)


async def test_links_that_lead_nowhere_are_counted_when_little_is_found(project: Path) -> None:
    (project / "src/dangling").symlink_to("nowhere")
    (project / "src/fine").symlink_to("app.py")

    assert "nowhere" not in await FindFilesTool(project).execute()
    assert "(1 link leads nowhere.)" in await GrepTool(project).execute("no such text")
