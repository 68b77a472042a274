"""A file that changed since a session last read it: what passes, what is refused and shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.builtin import EditFileTool, ReadFileTool, WriteFileTool
from nanobot.errors import ToolError
from nanobot.workspace import FileStates
from nanobot.workspace.editing import EditRefused
from nanobot.workspace.revision import FileChanged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TEXT = "".join(f"line {number}\n" for number in range(1, 101))


class _Here:
    """A file of a hundred lines, and the three tools of one session over its folder."""

    def __init__(self, file: Path, states: FileStates | None = None) -> None:
        shared = FileStates() if states is None else states
        self.file = file
        self.states = shared
        self.read = ReadFileTool(file.parent, file_states=shared)
        self.write = WriteFileTool(file.parent, file_states=shared)
        self.edit = EditFileTool(file.parent, file_states=shared)


@pytest.fixture
def here(tmp_path: Path) -> _Here:
    file = tmp_path / "a.txt"
    file.write_text(_TEXT, encoding="utf-8")
    return _Here(file)


def _touch(file: Path) -> None:
    os.utime(file, ns=(1, 1))


def _rewrite(file: Path) -> None:
    file.write_bytes(file.read_bytes())


def _replace(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(file.read_bytes())
    other.replace(file)


def _change_elsewhere(file: Path) -> None:
    file.write_text(_TEXT.replace("line 90\n", "line ninety\n"), encoding="utf-8")


def _append(file: Path) -> None:
    file.write_text(_TEXT + "more\n", encoding="utf-8")


@pytest.mark.parametrize("act", [_touch, _rewrite, _replace, _change_elsewhere, _append])
async def test_an_edit_passes_when_the_lines_shown_are_the_same(
    here: _Here, act: Callable[[Path], None]
) -> None:
    await here.read.execute("a.txt", offset=1, limit=20)
    act(here.file)
    expected = here.file.read_text(encoding="utf-8").replace("line 5\n", "LINE 5\n")

    await here.edit.execute("a.txt", "line 5\n", "LINE 5\n")

    assert here.file.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("act", [_touch, _rewrite, _replace])
async def test_a_whole_file_that_was_shown_may_be_rewritten_when_its_bytes_are_the_same(
    here: _Here, act: Callable[[Path], None]
) -> None:
    await here.read.execute("a.txt")
    act(here.file)

    await here.write.execute("a.txt", "new\n")

    assert here.file.read_text(encoding="utf-8") == "new\n"


@pytest.mark.parametrize("act", [_touch, _change_elsewhere, _append])
async def test_a_file_shown_in_part_is_not_rewritten_after_a_change(
    here: _Here, act: Callable[[Path], None]
) -> None:
    await here.read.execute("a.txt", offset=1, limit=20)
    act(here.file)
    before = here.file.read_bytes()

    with pytest.raises(FileChanged):
        await here.write.execute("a.txt", "new\n")

    assert here.file.read_bytes() == before


async def test_a_line_added_after_the_whole_that_was_shown_refuses_a_rewrite(here: _Here) -> None:
    await here.read.execute("a.txt")
    _append(here.file)

    with pytest.raises(FileChanged) as caught:
        await here.write.execute("a.txt", "new\n")

    assert caught.value.path == str(here.file)


async def test_a_change_in_the_lines_shown_refuses_the_edit_and_shows_what_changed(
    here: _Here,
) -> None:
    await here.read.execute("a.txt", offset=41, limit=20)
    here.file.write_text(_TEXT.replace("line 50\n", "line fifty\n"), encoding="utf-8")
    before = here.file.read_bytes()

    with pytest.raises(FileChanged) as caught:
        await here.edit.execute("a.txt", "line 5\n", "LINE 5\n")

    assert here.file.read_bytes() == before
    assert caught.value.diff.splitlines()[2:] == [
        "@@ -47,7 +47,7 @@",
        *(f" line {number}" for number in (47, 48, 49)),
        "-line 50",
        "+line fifty",
        *(f" line {number}" for number in (51, 52, 53)),
    ]
    assert caught.value.diff in caught.value.message


async def test_the_diff_is_bounded_whatever_changed(here: _Here) -> None:
    here.file.write_text("x\n" * 2_000, encoding="utf-8")
    await here.read.execute("a.txt")
    here.file.write_text("y\n" * 2_000, encoding="utf-8")

    with pytest.raises(FileChanged) as caught:
        await here.write.execute("a.txt", "new\n")

    assert 10 < caught.value.diff.count("\n") < 70


async def test_what_the_session_wrote_itself_is_known_and_a_later_change_is_shown(
    here: _Here,
) -> None:
    await here.write.execute("a.txt", "x = 1\n")
    await here.write.execute("a.txt", "x=2\n")
    here.file.write_text("x = 2\n", encoding="utf-8")

    with pytest.raises(FileChanged) as caught:
        await here.write.execute("a.txt", "x=3\n")

    assert caught.value.diff.splitlines()[2:] == ["@@ -1 +1 @@", "-x=2", "+x = 2"]


async def test_what_changed_in_utf_16_text_is_shown_as_text(here: _Here) -> None:
    here.file.write_bytes("x = 1\n".encode("utf-16"))
    await here.write.execute("a.txt", "x=2\n")
    here.file.write_bytes("x = 2\n".encode("utf-16"))

    with pytest.raises(FileChanged) as caught:
        await here.write.execute("a.txt", "x=3\n")

    assert caught.value.diff.splitlines()[2:] == ["@@ -1 +1 @@", "-x=2", "+x = 2"]


async def test_lines_shown_before_an_edit_of_ones_own_are_still_watched(here: _Here) -> None:
    await here.read.execute("a.txt", offset=1, limit=60)
    await here.edit.execute("a.txt", "line 5\n", "LINE 5\nand more\n")
    text = here.file.read_text(encoding="utf-8")
    here.file.write_text(text.replace("line 50\n", "line fifty\n"), encoding="utf-8")

    with pytest.raises(FileChanged) as caught:
        await here.edit.execute("a.txt", "line 7\n", "LINE 7\n")

    assert caught.value.diff.splitlines()[2] == "@@ -48,7 +48,7 @@"
    assert "LINE 5" not in caught.value.diff


async def test_after_reading_again_the_write_goes_through(here: _Here) -> None:
    await here.read.execute("a.txt")
    _change_elsewhere(here.file)
    with pytest.raises(FileChanged):
        await here.write.execute("a.txt", "new\n")

    await here.read.execute("a.txt")
    await here.write.execute("a.txt", "new\n")

    assert here.file.read_text(encoding="utf-8") == "new\n"


async def test_a_file_deleted_since_may_be_written_anew(here: _Here) -> None:
    await here.read.execute("a.txt")
    here.file.unlink()

    await here.write.execute("a.txt", "new\n")

    assert here.file.read_text(encoding="utf-8") == "new\n"


async def test_a_read_that_failed_leaves_no_state(here: _Here) -> None:
    with pytest.raises(ToolError, match="beyond the end"):
        await here.read.execute("a.txt", offset=1_000)
    _change_elsewhere(here.file)

    await here.write.execute("a.txt", "new\n")

    assert here.file.read_text(encoding="utf-8") == "new\n"


async def test_saved_states_still_show_what_changed(here: _Here) -> None:
    await here.read.execute("a.txt")
    here.states.save(here.file.with_name("states.json"))
    _change_elsewhere(here.file)
    later = _Here(here.file, FileStates.load(here.file.with_name("states.json")))

    with pytest.raises(FileChanged) as caught:
        await later.write.execute("a.txt", "new\n")

    assert "+line ninety" in caught.value.diff


async def test_old_and_new_text_alike_are_refused_and_nothing_is_written(here: _Here) -> None:
    before = here.file.stat()

    with pytest.raises(EditRefused, match="equal"):
        await here.edit.execute("a.txt", "line 5\n", "line 5\n")

    after = here.file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
