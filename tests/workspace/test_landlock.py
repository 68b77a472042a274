"""Landlock: what a thread gives up, and that nobody else loses it."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from nanobot.workspace.landlock import landlock_version, restrict_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
_SYSTEM = ("/bin", "/lib", "/lib64", "/usr", "/etc/ld.so.cache")
_NETWORK_SINCE = 4


def _restricted(readable: list[str], work: Callable[[], object]) -> object:
    """What `work` gives, or the error it raises, in a thread that may read these places alone."""
    results: list[object] = []

    def run() -> None:
        with ExitStack() as held:
            opened = [os.open(path, os.O_PATH) for path in readable if os.path.exists(path)]  # noqa: PTH110
            for descriptor in opened:
                held.callback(os.close, descriptor)
            assert restrict_thread(opened)
        try:
            results.append(work())
        except OSError as error:
            results.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.txt").write_text(name, encoding="utf-8")
    return tmp_path / "inside", tmp_path / "outside"


def test_what_is_given_is_read_and_nothing_else(places: tuple[Path, Path]) -> None:
    inside, outside = places
    (inside / "link").symlink_to(outside / "f.txt")
    given = [str(inside)]

    assert _restricted(given, (inside / "f.txt").read_text) == "inside"
    assert isinstance(_restricted(given, (outside / "f.txt").read_text), PermissionError)
    assert isinstance(_restricted(given, (inside / "link").read_text), PermissionError)
    assert isinstance(_restricted(given, lambda: os.listdir(outside)), PermissionError)  # noqa: PTH208


def test_one_file_is_given_without_its_folder(places: tuple[Path, Path]) -> None:
    inside, _ = places
    (inside / "g.txt").touch()
    given = [str(inside / "f.txt")]

    assert _restricted(given, (inside / "f.txt").read_text) == "inside"
    assert isinstance(_restricted(given, (inside / "g.txt").read_text), PermissionError)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "f.txt").write_text("x"),
        lambda folder: (folder / "new").touch(),
        lambda folder: (folder / "new").mkdir(),
        lambda folder: (folder / "new").symlink_to("f.txt"),
        lambda folder: (folder / "f.txt").unlink(),
        lambda folder: (folder / "f.txt").rename(folder / "g.txt"),
    ],
    ids=["write", "create", "folder", "link", "remove", "rename"],
)
def test_nothing_is_changed(change: Callable[[Path], object], places: tuple[Path, Path]) -> None:
    inside, _ = places

    assert isinstance(_restricted([str(inside)], lambda: change(inside)), PermissionError)
    assert [path.name for path in inside.iterdir()] == ["f.txt"]


def test_a_child_process_is_held_too(places: tuple[Path, Path]) -> None:
    inside, outside = places

    def shown(folder: Path) -> object:
        command = ["/bin/cat", str(folder / "f.txt")]
        return _restricted(
            [*_SYSTEM, str(inside)],
            lambda: subprocess.run(command, capture_output=True, check=False).stdout,
        )

    assert shown(inside) == b"inside"
    assert shown(outside) == b""


def test_other_threads_keep_what_they_may(places: tuple[Path, Path]) -> None:
    inside, outside = places

    _restricted([str(inside)], (inside / "f.txt").read_text)

    assert (outside / "f.txt").read_text(encoding="utf-8") == "outside"
    assert _restricted([str(outside)], (outside / "f.txt").read_text) == "outside"


@pytest.mark.skipif(landlock_version() < _NETWORK_SINCE, reason="this kernel knows no network rule")
def test_no_connection_is_made(places: tuple[Path, Path]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()

        answer = _restricted([str(places[0])], lambda: socket.create_connection(address, 5))

    assert isinstance(answer, PermissionError)
