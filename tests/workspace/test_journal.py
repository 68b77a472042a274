"""The journal: what a write left behind, and how much is kept."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from nanobot.workspace import Workspace
from nanobot.workspace.identity import Identity
from nanobot.workspace.journal import Bounds, Journal
from nanobot.workspace.record import After, Change, Record
from tests.workspace.trees import commit

if TYPE_CHECKING:
    from pathlib import Path

_RECORD = Record(
    operation="x",
    at=time.time(),
    changes=(Change(path="/a", before=None, temporary="t", deletes=False),),
)


def _add(journal: Journal, *, size: int = 0, age_s: float = 0.0) -> None:
    record = Record(operation="x", at=time.time() - age_s, changes=_RECORD.changes)
    with journal.begin(record) as entry:
        entry.image(0).write_bytes(b"x" * size)
        entry.ready([After()])
        entry.finish()


def test_an_entry_names_the_operation_and_each_file_before_and_after(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")

    commit(Workspace(tmp_path), {"a": b"a2", "new": b"n"}, operation="apply_patch")

    (written,) = Workspace(tmp_path).journal.written()
    changes, after = written.record.changes, written.record.after
    assert (written.number, written.record.operation) == (1, "apply_patch")
    assert [change.path for change in changes] == [str(tmp_path / "a"), str(tmp_path / "new")]
    assert [change.before is None for change in changes] == [False, True]
    assert after[0].identity
    assert after[0].identity.alike(Identity.of((tmp_path / "a").stat()))
    assert written.image(0).read_bytes() == b"a1"
    assert not written.image(1).exists()


def test_the_image_is_the_old_file_itself(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    inode = (tmp_path / "a").stat().st_ino

    commit(Workspace(tmp_path), {"a": b"a2"})

    (written,) = Workspace(tmp_path).journal.written()
    assert written.image(0).stat().st_ino == inode
    assert written.image(0).stat().st_nlink == 1


def test_a_file_with_another_name_is_copied_so_that_the_image_stays_what_it_was(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"a1")
    (tmp_path / "a").chmod(0o751)
    (tmp_path / "other").hardlink_to(tmp_path / "a")

    commit(Workspace(tmp_path), {"a": b"a2"})
    (tmp_path / "other").write_bytes(b"changed in place")

    (written,) = Workspace(tmp_path).journal.written()
    assert written.image(0).read_bytes() == b"a1"
    assert written.image(0).stat().st_mode & 0o777 == 0o751
    assert sorted(file.name for file in written.folder.iterdir()) == ["0.before", "record.jsonl"]


def test_the_newest_comes_first_and_numbers_are_never_used_again(tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path)
    for _ in range(3):
        _add(journal)
    with journal.begin(_RECORD) as entry:
        entry.drop()
    (tmp_path / "last").unlink()
    _add(journal)

    assert [written.number for written in journal.written()] == [4, 3, 2, 1]


def test_writers_at_once_get_numbers_of_their_own(tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path)

    def add_ten() -> None:
        for _ in range(10):
            _add(journal)

    threads = [threading.Thread(target=add_ten) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(written.number for written in journal.written()) == list(range(1, 41))


def test_at_most_so_many_writes_are_kept(tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path, Bounds(writes=40))
    most = 0
    for _ in range(70):
        _add(journal)
        most = max(most, len(list(journal.written())))

    assert most <= 40
    assert next(journal.written()).number == 70


def test_at_most_so_many_bytes_are_kept_and_the_newest_always(tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path, Bounds(size=150_000_000))
    for _ in range(4):
        _add(journal, size=10_000_000)

    assert [written.number for written in journal.written()] == [4, 3]

    _add(journal, size=40_000_000)

    assert [written.number for written in journal.written()] == [5]


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path, Bounds(seconds=1_000))
    _add(journal, age_s=2_000)
    for _ in range(15):
        _add(journal)

    assert {written.number for written in journal.written()} == set(range(2, 17))


@pytest.mark.parametrize("text", ["", "{", "[]\n", '{"operation": 1}\n', "\xff\n"])
def test_a_broken_record_is_left_out(text: str, tmp_path: Path) -> None:
    journal = Journal(lambda _: tmp_path)
    _add(journal)
    _add(journal)
    newest = next(journal.written())
    (newest.folder / "record.jsonl").write_text(text, encoding="latin-1")

    assert [written.number for written in journal.written()] == [1]
    assert journal.find(2) is None


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)

    assert list(workspace.journal.written()) == []
    with workspace.changing(["a"]) as change:
        assert change.bytes("a") is None
    assert not list(tmp_path.iterdir())


def test_nobody_else_may_look_into_the_journal(tmp_path: Path) -> None:
    commit(Workspace(tmp_path), {"a": b"secret"})

    assert (tmp_path / ".nanobot").stat().st_mode & 0o077 == 0
    assert (tmp_path / ".nanobot/journal").stat().st_mode & 0o077 == 0
