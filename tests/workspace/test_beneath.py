"""Opening below a folder: by the kernel in one step, and component by component."""

from __future__ import annotations

import errno
import gc
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nanobot.workspace.beneath import (
    ESCAPES,
    Opener,
    open_anywhere,
    open_beneath,
    open_real,
    walk_beneath,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

openers = pytest.mark.parametrize("opener", [open_beneath, walk_beneath], ids=["openat2", "walk"])


@contextmanager
def _root(tmp_path: Path) -> Iterator[int]:
    """A folder `ws` with a file, a link that leads on inside and links that lead out."""
    (tmp_path / "ws/sub").mkdir(parents=True)
    (tmp_path / "ws/sub/f").write_bytes(b"in")
    (tmp_path / "secret").write_bytes(b"out")
    (tmp_path / "ws/inner").symlink_to("sub")
    (tmp_path / "ws/out").symlink_to("..")
    (tmp_path / "ws/absolute").symlink_to(tmp_path / "ws/sub")
    descriptor = os.open(tmp_path / "ws", os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open_count() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _inode(descriptor: int) -> int:
    try:
        return os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)


@openers
@pytest.mark.parametrize("path", ["sub/f", "./sub//f", "sub/./f"])
def test_a_plain_path_is_opened(tmp_path: Path, opener: Opener, path: str) -> None:
    with _root(tmp_path) as root:
        assert _inode(opener(root, path)) == (tmp_path / "ws/sub/f").stat().st_ino


@openers
@pytest.mark.parametrize("path", [".", "", "./"])
def test_the_folder_itself_is_opened(tmp_path: Path, opener: Opener, path: str) -> None:
    with _root(tmp_path) as root:
        assert _inode(opener(root, path)) == (tmp_path / "ws").stat().st_ino


@openers
@pytest.mark.parametrize(
    "path", ["..", "../secret", "out/secret", "absolute/f", "sub/../../secret"]
)
def test_what_may_lead_out_is_an_escape(tmp_path: Path, opener: Opener, path: str) -> None:
    with _root(tmp_path) as root, pytest.raises(OSError, match=r".") as caught:
        opener(root, path)

    assert caught.value.errno in ESCAPES


@openers
@pytest.mark.parametrize("path", ["inner", "inner/f", "out"])
def test_without_links_none_is_followed(tmp_path: Path, opener: Opener, path: str) -> None:
    with _root(tmp_path) as root, pytest.raises(OSError, match=r".") as caught:
        opener(root, path, links=False)

    assert caught.value.errno == errno.ELOOP


@openers
@pytest.mark.parametrize(
    ("path", "code"),
    [("no", errno.ENOENT), ("sub/f/x", errno.ENOTDIR), ("x" * 300, errno.ENAMETOOLONG)],
)
def test_what_is_not_there_keeps_its_number(
    tmp_path: Path, opener: Opener, path: str, code: int
) -> None:
    with _root(tmp_path) as root, pytest.raises(OSError, match=r".") as caught:
        opener(root, path)

    assert caught.value.errno == code


@openers
def test_a_refusal_leaves_no_descriptor_open(tmp_path: Path, opener: Opener) -> None:
    with _root(tmp_path) as root:
        gc.collect()
        before = _open_count()
        for path in ("no/f", "out/secret", "sub/f/x", "sub/no", ".."):
            with pytest.raises(OSError, match=r"."):
                opener(root, path)

        assert _open_count() <= before


@openers
def test_a_real_folder_with_a_link_on_its_way_is_not_opened(tmp_path: Path, opener: Opener) -> None:
    with _root(tmp_path):
        assert _inode(open_real(tmp_path / "ws/sub", opener)) == (tmp_path / "ws/sub").stat().st_ino
        for path in ("ws/inner", "ws/out/ws"):
            with pytest.raises(OSError, match="symbolic links"):
                open_real(tmp_path / path, opener)


def test_unfenced_every_link_is_followed_but_those_of_the_kernel(tmp_path: Path) -> None:
    with _root(tmp_path) as root:
        assert (
            _inode(open_anywhere(f"{tmp_path}/ws/out/secret"))
            == (tmp_path / "secret").stat().st_ino
        )
        with pytest.raises(OSError, match="symbolic links"):
            open_anywhere(f"/proc/self/fd/{root}")
