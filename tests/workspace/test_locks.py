"""Locks of paths: between threads, between processes, and where they lie."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.workspace.locks import locked
from nanobot.workspace.userstate import user_state

if TYPE_CHECKING:
    from pathlib import Path

_HOLDER = """
import sys
from pathlib import Path
from nanobot.workspace.locks import locked
with locked([Path(sys.argv[1])]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_thread_waits_until_the_first_is_done(tmp_path: Path) -> None:
    order: list[str] = []
    entered = threading.Event()

    def second() -> None:
        entered.set()
        with locked([tmp_path / "a"]):
            order.append("second")

    with locked([tmp_path / "a"]):
        thread = threading.Thread(target=second)
        thread.start()
        entered.wait(10)
        order.append("first")
    thread.join(10)

    assert order == ["first", "second"]


def test_another_process_keeps_us_out_until_it_ends(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path / "a")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(ToolError, match="has been writing 'a'"),
            locked([tmp_path / "a"], wait_s=0),
        ):
            pass
        holder.kill()
        holder.wait(10)

        with locked([tmp_path / "a"], wait_s=5):
            pass


def test_paths_in_any_order_and_twice_do_not_lock_each_other_out(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(40)]
    done: list[int] = []

    def take(order: list[Path]) -> None:
        for _ in range(20):
            with locked([*order, order[0]]):
                done.append(1)

    threads = [threading.Thread(target=take, args=[order]) for order in (paths, paths[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(done) == 40


def test_the_number_of_lock_files_is_bounded_whatever_the_paths(tmp_path: Path) -> None:
    for number in range(300):
        with locked([tmp_path / f"{number}"]):
            pass

    names = {file.name for file in user_state("locks").iterdir()}
    assert all(len(name) == len("fff.lock") for name in names)


def test_without_a_state_directory_locks_lie_with_the_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with locked([tmp_path / "a"]):
        pass

    folders = [file for file in tmp_path.iterdir() if file.name.startswith("nanobot-")]
    assert [len(list((folder / "locks").iterdir())) for folder in folders] == [1]


def test_a_folder_that_others_may_write_holds_no_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = user_state("locks").parent
    made.chmod(0o777)

    with pytest.raises(ToolError, match="somebody else may write there"):
        user_state("locks")
