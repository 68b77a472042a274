"""A kill at any moment of a write leaves old or new, and no litter after the next start."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from typing import TYPE_CHECKING

import pytest

from nanobot.workspace import Workspace
from tests.workspace.killed import Nursery
from tests.workspace.trees import commit, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHANCE = random.SystemRandom()
_OLD = {"kept": b"k", "a": b"a1", "b": b"b1", "sub": None, "sub/c": b"c1", "gone": b"g1"}
_CHANGES = {"a": "a2", "b": "b2", "sub/c": "c2", "gone": None, "new/er/d": "d2", "new/e": "e2"}
_NEW = {
    "kept": b"k",
    "a": b"a2",
    "b": b"b2",
    "sub": None,
    "sub/c": b"c2",
    "new": None,
    "new/er": None,
    "new/er/d": b"d2",
    "new/e": b"e2",
}


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as running:
        yield running


def _plant(root: Path) -> None:
    """The old files; `b` has a second name, outside of the tree."""
    shutil.rmtree(root, ignore_errors=True)
    _other(root).unlink(missing_ok=True)
    (root / "sub").mkdir(parents=True)
    for path, data in _OLD.items():
        if data is not None:
            (root / path).write_bytes(data)
    (root / "b").chmod(0o604)
    _other(root).hardlink_to(root / "b")


def _other(root: Path) -> Path:
    return root.with_name(f"{root.name}-b")


def _reopen(root: Path) -> None:
    with Workspace(root).changing(["any"]):
        pass


def _unfinished(root: Path) -> list[Path]:
    running = root / ".nanobot" / "journal" / "running"
    return list(running.iterdir()) if running.is_dir() else []


@pytest.mark.slow
def test_a_kill_at_each_step_leaves_all_or_nothing(nursery: Nursery, tmp_path: Path) -> None:
    root, ends, step = tmp_path / "ws", set(), 0
    killed = True
    while killed:
        step += 1
        _plant(root)
        nursery.start(root, _CHANGES, die_at=step)
        killed = nursery.was_killed()

        _reopen(root)

        found = tree(root)
        assert found in (_OLD, _NEW), f"a mixture after a kill at step {step}"
        assert not _unfinished(root)
        assert _other(root).read_bytes() == b"b1"
        assert _other(root).samefile(root / "b") == (found == _OLD)
        ends.add(found == _NEW)
    assert step > 50
    assert ends == {False, True}
    assert (root / "b").stat().st_mode & 0o777 == 0o604


def test_a_kill_at_each_step_of_a_single_write_leaves_old_or_new(
    nursery: Nursery, tmp_path: Path
) -> None:
    killed, step = True, 0
    while killed:
        step += 1
        root = tmp_path / str(step)
        root.mkdir()
        (root / "a").write_bytes(b"a1")
        nursery.start(root, {"a": "a2"}, die_at=step)
        killed = nursery.was_killed()

        _reopen(root)

        assert tree(root) in ({"a": b"a1"}, {"a": b"a2"})
        assert not _unfinished(root)
    assert step > 15


@pytest.mark.slow
@pytest.mark.parametrize("first", [50, 65, 75, 83, 90, 96])
def test_a_kill_while_a_kill_is_put_right_still_leaves_all_or_nothing(
    first: int, nursery: Nursery, tmp_path: Path
) -> None:
    root, step, killed = tmp_path / "ws", 0, True
    while killed:
        step += 1
        _plant(root)
        nursery.start(root, _CHANGES, die_at=first)
        assert nursery.was_killed()
        nursery.start(root, {}, die_at=step)
        killed = nursery.was_killed()

        _reopen(root)

        assert tree(root) in (_OLD, _NEW), f"a mixture after kills at {first} and {step}"
        assert not _unfinished(root)


def test_a_kill_at_any_moment_of_many_transactions_leaves_one_version(
    nursery: Nursery, tmp_path: Path
) -> None:
    changes: dict[str, str | None] = {f"f{number}": "{}" for number in range(15)}
    changes |= {f"v{{}}/{number}": "{}" for number in range(5)}
    for attempt in range(20):
        root = tmp_path / str(attempt)
        root.mkdir()
        writer = nursery.start(root, changes, versions=10_000)
        time.sleep(_CHANCE.uniform(0, 0.15))
        os.kill(writer, signal.SIGKILL)
        assert nursery.was_killed()

        _reopen(root)

        found = tree(root)
        version = int(found.get("f0") or b"0")
        assert found == _version(version)
        assert not _unfinished(root)


def _version(last: int) -> dict[str, bytes | None]:
    """The whole tree after this many transactions."""
    expected: dict[str, bytes | None] = {}
    if last:
        expected |= {f"f{number}": str(last).encode() for number in range(15)}
    for version in range(1, last + 1):
        expected[f"v{version}"] = None
        expected |= {f"v{version}/{number}": str(version).encode() for number in range(5)}
    return expected


def test_a_kill_at_any_moment_of_a_write_of_50_mb_leaves_old_or_new(
    nursery: Nursery, tmp_path: Path
) -> None:
    size = 50 * 1024 * 1024 // 8
    for attempt in range(6):
        root = tmp_path / str(attempt)
        root.mkdir()
        (root / "big").write_bytes(b"old")
        writer = nursery.start(root, {"big": "{:08d}"}, versions=1_000, size=size)
        time.sleep(_CHANCE.uniform(0, 0.5))
        os.kill(writer, signal.SIGKILL)
        assert nursery.was_killed()

        _reopen(root)

        found = tree(root)
        data = found.pop("big") or b""
        assert not found
        assert data == b"old" or data == data[:8] * size
        shutil.rmtree(root)


def test_the_work_of_a_living_process_is_not_touched(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with workspace.changing(["a"]) as change:
        change.write("a", b"a1")
        change.commit()
    with workspace.journal.begin(next(workspace.journal.written()).record) as entry:
        _reopen(tmp_path)

        assert entry.folder.is_dir()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["a", "sub/c"])
def test_what_somebody_wrote_after_the_kill_stays(
    path: str, nursery: Nursery, tmp_path: Path
) -> None:
    step, killed = 0, True
    while killed:
        step += 1
        root = tmp_path / str(step)
        _plant(root)
        nursery.start(root, _CHANGES, die_at=step)
        killed = nursery.was_killed()
        (root / path).write_bytes(b"theirs, later")

        _reopen(root)

        found = tree(root)
        assert found in ({**_OLD, path: b"theirs, later"}, {**_NEW, path: b"theirs, later"})
        assert _other(root).read_bytes() == b"b1"
        assert _other(root).samefile(root / "b") == (found["b"] == b"b1")
        assert not _unfinished(root)


@pytest.mark.slow
def test_a_failure_of_any_step_leaves_all_or_nothing_at_once(
    nursery: Nursery, tmp_path: Path
) -> None:
    ends = set()
    for step in range(1, 110):
        root = tmp_path / str(step)
        _plant(root)
        nursery.start(root, _CHANGES, fail_at=step)
        assert not nursery.was_killed()

        found = tree(root)
        assert found in (_OLD, _NEW), f"a mixture after a failure at step {step}"
        ends.add(found == _NEW)
        _reopen(root)
        assert tree(root) == found
        assert not _unfinished(root)
    assert ends == {False, True}


def test_a_finished_write_can_be_undone_after_a_kill(nursery: Nursery, tmp_path: Path) -> None:
    numbers = set()
    for step in range(30, 120, 3):
        root = tmp_path / str(step)
        _plant(root)
        nursery.start(root, _CHANGES, die_at=step)
        nursery.was_killed()

        _reopen(root)

        written = list(Workspace(root).journal.written())
        numbers.add(len(written))
        assert bool(written) == (tree(root) == _NEW)
    assert numbers == {0, 1}


def test_writing_goes_on_after_the_next_start(nursery: Nursery, tmp_path: Path) -> None:
    _plant(tmp_path / "ws")
    nursery.start(tmp_path / "ws", _CHANGES, die_at=60)
    assert nursery.was_killed()

    commit(Workspace(tmp_path / "ws"), {"a": b"a3"})

    assert tree(tmp_path / "ws") in ({**_OLD, "a": b"a3"}, {**_NEW, "a": b"a3"})
