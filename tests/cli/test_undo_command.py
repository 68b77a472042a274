"""`nanobot undo`, as a person uses it after a model's work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.program import run_nanobot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def written(project: Path) -> Path:
    """The project after two calls: an edit of README.md, and a new file."""
    for words in (
        ("edit_file", "path=README.md", "old_text=TODO", "new_text=DONE"),
        ("write_file", "path=docs/new.md", "content=new\n"),
    ):
        done = run_nanobot("tools", "call", *words, "--yes", cwd=project)
        assert done.returncode == 0, done.stdout
    return project


def test_the_list_names_each_write_newest_first(written: Path) -> None:
    done = run_nanobot("undo", "list", cwd=written)

    rows = [re.split(r" {2,}", line) for line in done.stdout.splitlines()]
    assert rows[0] == ["id", "time", "by", "files"]
    assert [[row[0], *row[2:]] for row in rows[1:]] == [
        ["2", "write_file", "docs/new.md (new)"],
        ["1", "edit_file", "README.md"],
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", rows[1][1])


def test_the_list_is_as_long_as_asked(written: Path) -> None:
    done = run_nanobot("undo", "list", "--limit", "1", cwd=written)

    assert len(done.stdout.splitlines()) == 3
    assert done.stdout.splitlines()[-1] == "there are more: --limit 2, or 0 for all"


def test_without_writes_the_list_says_so(project: Path) -> None:
    done = run_nanobot("undo", "list", cwd=project)

    assert (done.returncode, done.stdout) == (0, "no writes\n")
    assert not (project / ".nanobot").exists()


def test_what_a_write_changed_is_shown(written: Path) -> None:
    done = run_nanobot("undo", "show", "1", cwd=written)

    assert "-Some text with TODO." in done.stdout
    assert "+Some text with DONE." in done.stdout


def test_a_write_is_taken_back_and_that_too(written: Path) -> None:
    done = run_nanobot("undo", "restore", "2", cwd=written)

    assert done.stdout == "undone: write 2, 1 file\n  docs/new.md\n"
    assert not (written / "docs").exists()

    run_nanobot("undo", "restore", "3", cwd=written)

    assert (written / "docs/new.md").read_text() == "new\n"


def test_a_file_changed_since_is_kept_unless_forced(written: Path) -> None:
    (written / "README.md").write_text("mine\n")

    refused = run_nanobot("undo", "restore", "1", cwd=written)

    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.splitlines() == [
        "nanobot: 'README.md' is no longer what write 1 left; nothing was changed",
        "Compare with `nanobot undo show 1`; --force overwrites it.",
    ]
    assert (written / "README.md").read_text() == "mine\n"

    forced = run_nanobot("undo", "restore", "1", "--force", cwd=written)

    assert forced.returncode == 0
    assert "TODO" in (written / "README.md").read_text()


@pytest.mark.parametrize("command", ["show", "restore"])
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        ("9", 1, "nanobot: There is no write 9 in the journal"),
        ("x", 2, "nanobot: Invalid value for 'ID'"),
        ("0", 2, "nanobot: Invalid value for 'ID'"),
    ],
)
def test_a_wrong_number_is_one_line(
    command: str, number: str, status: int, said: str, project: Path
) -> None:
    done = run_nanobot("undo", command, number, cwd=project)

    assert done.returncode == status
    assert done.stderr.startswith(said)


def test_a_name_that_drives_terminals_is_shown_escaped(project: Path) -> None:
    path = "a\x1b[31m.txt"
    run_nanobot("tools", "call", "write_file", f"path={path}", "content=x", "--yes", cwd=project)

    for command in (("list",), ("show", "1"), ("restore", "1")):
        done = run_nanobot("undo", *command, cwd=project)
        assert "\x1b" not in done.stdout
        assert "a\\x1b[31m.txt" in done.stdout
