"""The `grep` tool."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.agent.tools.builtin import FindFilesTool, GrepTool
from nanobot.errors import OutsideWorkspace, ToolError
from tests.deep import deep_folder

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_a_name_with_a_line_end_is_shown_on_one_line(project: Path) -> None:
    (project / "a\nb:12:.txt").write_text("TODO\n", encoding="utf-8")

    text = await GrepTool(project).execute("TODO", glob="*.txt", output_mode="content")

    assert text.splitlines()[0] == "a\\nb\\x3a12:.txt:1:TODO"


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


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){20}x", "(x+x+)+y"])
async def test_no_pattern_backtracks_for_ever(pattern: str, project: Path) -> None:
    (project / "a.txt").write_text("a" * 35 + "!" + "x" * 20_000, encoding="utf-8")

    async with asyncio.timeout(20):
        text = await GrepTool(project).execute(pattern)

    assert "a.txt" not in text.splitlines()
    assert not _searches()


@pytest.mark.parametrize("include_ignored", [False, True])
async def test_a_fifo_is_never_opened(include_ignored: bool, project: Path) -> None:
    os.mkfifo(project / "pipe")
    tool = GrepTool(project)

    async with asyncio.timeout(20):
        text = await tool.execute("TODO", include_ignored=include_ignored, output_mode="content")
        with pytest.raises(ToolError, match="a FIFO"):
            await tool.execute("TODO", path="pipe")

    assert "README.md:2:TODO: more" in text


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
    running = [file.read_bytes() for file in commands if file.exists()]
    return any(b"/rg\0" in command or b"pygrep" in command for command in running)


async def _until(fact: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not fact():  # noqa: ASYNC110  # other processes set no event
            await asyncio.sleep(0.01)


async def test_links_that_lead_nowhere_are_counted_when_little_is_found(project: Path) -> None:
    (project / "src/dangling").symlink_to("nowhere")
    (project / "src/fine").symlink_to("app.py")

    assert "nowhere" not in await FindFilesTool(project).execute()
    text = await GrepTool(project).execute("no such text")
    assert "(1 link was not followed: it leads nowhere, or out of the workspace.)" in text


async def test_a_link_out_of_the_workspace_is_counted_and_not_followed(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "f.txt").write_text("TOPSECRET\n", encoding="utf-8")
    (project / "away").symlink_to(outside)
    (project / "src/up").symlink_to("../README.md")

    text = await GrepTool(project).execute("TOPSECRET", output_mode="content")

    assert text.startswith("No matches")
    assert "(1 link was not followed" in text


async def test_hidden_files_stay_hidden_from_a_search_of_one_kind(project: Path) -> None:
    (project / ".b.py").write_text("TODO\n", encoding="utf-8")
    tool = GrepTool(project)

    assert ".b.py" not in (await tool.execute("TODO", type="py")).splitlines()
    assert ".b.py" not in (await tool.execute("TODO", glob="*.py")).splitlines()
    assert ".b.py" in (await tool.execute("TODO", type="py", include_ignored=True)).splitlines()


async def test_secrets_of_one_kind_are_left_out_and_counted(project: Path) -> None:
    (project / "secrets.json").write_text("TODO\n", encoding="utf-8")
    (project / "a.json").write_text("TODO\n", encoding="utf-8")

    rows = (await GrepTool(project).execute("TODO", type="json")).splitlines()

    assert rows[0] == "a.json"
    assert rows[-1].startswith("(1 file was left out: they usually hold secrets.")


async def test_in_a_large_tree_secrets_are_left_out_uncounted(project: Path) -> None:
    for number in range(4_100):
        (project / f"{number}.txt").touch()

    text = await GrepTool(project).execute("TODO")

    assert "key.pem" not in text
    assert "(Files that usually hold secrets were left out, if there are any." in text


@pytest.mark.parametrize("name", ["x:12:y.txt", "x:12", "a\nb:3:c", ":1:"])
async def test_a_row_says_its_line_whatever_the_name_is(name: str, project: Path) -> None:
    (project / name).write_text("one\nneedle: 5\n", encoding="utf-8")

    row = (await GrepTool(project).execute("needle", output_mode="content")).splitlines()[0]

    found = re.match(r"(.*?):(\d+):(.*)", row)
    assert found
    assert found.groups()[1:] == ("2", "needle: 5")


async def test_a_name_with_a_line_end_is_counted_whole(project: Path) -> None:
    (project / "src/a\nb.txt").write_text("x needle\nneedle\n", encoding="utf-8")

    text = await GrepTool(project).execute("needle", output_mode="count")

    assert text.splitlines()[0] == "src/a\\nb.txt:2"


@pytest.mark.parametrize("name", ["-n", "--help", "-e"])
async def test_a_name_that_begins_with_a_dash_is_data(name: str, project: Path) -> None:
    (project / name).write_text("needle\n", encoding="utf-8")
    tool = GrepTool(project)

    assert (await tool.execute("needle", output_mode="content")).startswith(f"{name}:1:needle")
    assert (await tool.execute("needle", path=name)).startswith(name)
    assert (await tool.execute("needle", glob=name)).startswith(name)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8-sig"])
async def test_marked_text_is_found_and_shown_decoded(codec: str, project: Path) -> None:
    mark = "" if codec == "utf-8-sig" else "\ufeff"
    (project / "wide.txt").write_bytes(f"{mark}hé\nTODO é\n".encode(codec))

    text = await GrepTool(project).execute(
        "TODO", glob="wide.txt", output_mode="content", context_before=1
    )

    assert text.splitlines()[:2] == ["wide.txt-1-hé", "wide.txt:2:TODO é"]


async def test_utf_32_is_refused_where_it_is_named(project: Path) -> None:
    (project / "wide.txt").write_bytes("TODO\n".encode("utf-32"))

    with pytest.raises(ToolError, match="is UTF-32 text"):
        await GrepTool(project).execute("TODO", path="wide.txt")


async def test_text_without_its_mark_is_binary(project: Path) -> None:
    (project / "wide.txt").write_bytes("TODO\n".encode("utf-16-le"))

    assert "wide.txt" not in (await GrepTool(project).execute("TODO")).splitlines()


async def test_no_limit_shows_all(project: Path) -> None:
    (project / "many.txt").write_text("needle\n" * 3_000, encoding="utf-8")

    text = await GrepTool(project).execute("needle", output_mode="content", head_limit=0)

    assert [row for row in text.splitlines() if row.startswith("many.txt:")] == [
        f"many.txt:{number}:needle" for number in range(1, 3_001)
    ]


async def test_what_paths_can_t_say_is_counted_and_ends_nothing(tmp_path: Path) -> None:
    with deep_folder(tmp_path):
        text = await GrepTool(tmp_path).execute("nothing")

    assert text.splitlines()[0] == "1 file or folder can't be read."


@pytest.mark.parametrize(
    ("pattern", "said", "hint"),
    [
        ("(?=x)", "look-around", "without look-around"),
        (r"(a)\1", "backreferences are not supported", "without look-around"),
        (r"a\nb", "holds a line end", "multiline=true"),
        ("((a{1000}){1000}){1000}", "size limit", "fixed_strings"),
    ],
)
async def test_a_pattern_that_can_t_be_says_what_to_do(
    pattern: str, said: str, hint: str, project: Path
) -> None:
    with pytest.raises(ToolError, match=said) as raised:
        await GrepTool(project).execute(pattern)

    assert hint in (raised.value.hint or "")


_TEXTS = st.text(alphabet="ab\n", max_size=30)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(_TEXTS, min_size=1, max_size=6),
    size=st.integers(min_value=1, max_value=5),
    mode=st.sampled_from(["content", "files_with_matches", "count"]),
)
async def test_pages_of_any_size_are_the_whole(
    texts: list[str], size: int, mode: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pages")
    for number, text in enumerate(texts):
        (folder / "xy"[number % 2]).mkdir(exist_ok=True)
        (folder / "xy"[number % 2] / f"{number}.txt").write_text(text, encoding="utf-8")
    tool = GrepTool(folder)
    expected = _expected(folder, mode)

    pages = []
    for offset in range(0, len(expected) + 1, size):
        text = await tool.execute("a", output_mode=mode, head_limit=size, offset=offset)
        pages += [row for row in text.splitlines() if re.match(r"[xy]/", row)]

    assert pages == expected


def _expected(folder: Path, mode: str) -> list[str]:
    """What a search for `a` gives, by plain Python."""
    rows: list[str] = []
    for path in sorted(folder.rglob("*.txt")):
        name, text = path.relative_to(folder), path.read_text(encoding="utf-8")
        if "a" in text:
            rows += {
                "content": [
                    f"{name}:{number}:{line}"
                    for number, line in enumerate(text.split("\n"), 1)
                    if "a" in line
                ],
                "files_with_matches": [f"{name}"],
                "count": [f"{name}:{text.count('a')}"],
            }[mode]
    return rows


_FLAT = """
import asyncio, re, sys
from pathlib import Path
from nanobot.agent.tools.builtin import GrepTool

def memory(field):
    return int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

async def main():
    tool = GrepTool(sys.argv[1])
    await tool.execute("nothing here", path="small")
    Path("/proc/self/clear_refs").write_text("5")
    idle = memory("VmRSS")
    for mode in ("files_with_matches", "content", "count"):
        for limit in (0, 250):
            print(len(await tool.execute("e", output_mode=mode, head_limit=limit)))
    print(memory("VmHWM") - idle)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_giant_line_and_a_hundred_thousand_files_leave_memory_flat(tmp_path: Path) -> None:
    for number in range(100_000):
        folder = tmp_path / ("small" if number < 10 else f"folder{number // 1_000}")
        folder.mkdir(exist_ok=True)
        (folder / f"{'n' * 60}{number}").write_bytes(b"some text\n")
    (tmp_path / "line.txt").write_bytes(b"some text " * 20_000_000)

    child = subprocess.run(
        [sys.executable, "-c", _FLAT, tmp_path], capture_output=True, check=True, text=True
    )

    *sizes, above_idle = map(float, child.stdout.split())
    assert above_idle < 30
    assert max(sizes) < 2_010_000
