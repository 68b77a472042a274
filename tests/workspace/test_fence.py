"""The fence: what a path may open, however it is spelled and whatever stands in the way."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from nanobot.errors import OutsideWorkspace, ToolError
from nanobot.workspace.fence import Fence, Root

if TYPE_CHECKING:
    from pathlib import Path

_SECRET = b"outside"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A workspace with files and links, and folders beside it that must stay out of reach."""
    for name in ("ws/sub/deep", "ws-evil", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ws/in.txt").write_bytes(b"in")
    (tmp_path / "ws/sub/in.txt").write_bytes(b"sub")
    for name in ("outside/secret", "ws-evil/secret"):
        (tmp_path / name).write_bytes(_SECRET)
    links: dict[str, str | Path] = {
        "out": tmp_path / "outside",
        "out.txt": tmp_path / "outside/secret",
        "up": "..",
        "relative": "../outside/secret",
        "within": "sub/in.txt",
        "absolute": tmp_path / "ws/sub/in.txt",
        "chain": "out.txt",
        "loop": "loop",
        "dangling": "nowhere",
        "zero": "/dev/zero",
    }
    for name, target in links.items():
        (tmp_path / "ws" / name).symlink_to(target)
    return tmp_path


def _fence(tree: Path, *, kernel: bool) -> Fence:
    root = Root(path=tree / "ws", writable=True)
    return Fence(tree / "ws", [root], restrict=True, kernel=kernel)


def _read(fence: Fence, path: str) -> bytes:
    with fence.open_file(path) as opened:
        return os.read(opened.descriptor, 100)


both_ways = pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])

_INSIDE = {
    "in.txt": b"in",
    "./in.txt": b"in",
    "sub//in.txt": b"sub",
    "sub/../in.txt": b"in",
    "sub/deep/../../in.txt": b"in",
    "{ws}/sub/in.txt": b"sub",
    "{ws}/../ws/in.txt": b"in",
    "/{ws}/in.txt": b"in",
    "within": b"sub",
    "absolute": b"sub",
    "up/ws/in.txt": b"in",
    "sub/./././in.txt": b"sub",
    "{ws}//sub/.//in.txt": b"sub",
}


@both_ways
@pytest.mark.parametrize(("path", "data"), _INSIDE.items(), ids=_INSIDE.keys())
def test_every_spelling_of_a_path_inside_opens_it(
    tree: Path, path: str, data: bytes, kernel: bool
) -> None:
    assert _read(_fence(tree, kernel=kernel), path.replace("{ws}", str(tree / "ws"))) == data


_OUTSIDE = [
    "out/secret",
    "out.txt",
    "relative",
    "chain",
    "up/outside/secret",
    "../outside/secret",
    "sub/../../outside/secret",
    "{ws}/../outside/secret",
    "{ws}-evil/secret",
    "../ws-evil/secret",
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "..",
    "~/.ssh/id_rsa",
    "~",
    "file:///etc/passwd",
    "C:\\x",
    "c:/x",
    "..\\outside\\a",
    "sub\\..\\..\\outside",
    "\\\\server\\share\\x",
    "\\outside",
    "sub/..\\..\\outside",
    "FILE:/etc/passwd",
    "/proc/self/environ",
    "/dev/stdin",
    "out/new\nline",
    "{ws}/../WS/in.txt",
    "up/outside/../outside/secret",
]


@both_ways
@pytest.mark.parametrize("path", _OUTSIDE)
def test_every_way_out_is_refused(tree: Path, path: str, kernel: bool) -> None:
    fence = _fence(tree, kernel=kernel)
    spelled = path.replace("{ws}", str(tree / "ws"))

    with pytest.raises(OutsideWorkspace) as caught, fence.open_file(spelled):
        pass

    assert caught.value.target
    assert "\n" not in caught.value.message
    assert caught.value.hint


@both_ways
@pytest.mark.parametrize(
    "path",
    [
        "out/secret",
        "out.txt",
        "relative",
        "chain",
        "../outside/secret",
        "{base}/outside/secret",
        "{base}/ws/out/secret",
        "//{base}//outside/./secret",
        "sub/../up/outside/secret",
        "file://{base}/outside/secret",
        "file://localhost{base}/ws/../outside/%73ecret",
    ],
)
def test_every_spelling_of_one_place_outside_has_the_same_target(
    tree: Path, path: str, kernel: bool
) -> None:
    with (
        pytest.raises(OutsideWorkspace) as caught,
        _fence(tree, kernel=kernel).look(path.replace("{base}", str(tree))),
    ):
        pass

    assert caught.value.target == str(tree / "outside/secret")


@both_ways
@pytest.mark.parametrize("path", ["", "  ", "a\0b", "sub/\0", "\ud800"], ids=ascii)
def test_what_is_no_path_is_one_line(tree: Path, path: str, kernel: bool) -> None:
    with pytest.raises(ToolError), _fence(tree, kernel=kernel).open_file(path):
        pass


_NAMES_OF_THEIR_OWN = ["a.txt:stream", "in.txt ", "in.txt.", "IN.TXT", "~root", "a\\b", "-x", "*"]


@both_ways
@pytest.mark.parametrize(
    "name", [*_NAMES_OF_THEIR_OWN, "é", "e\u0301", "\udc80", "x" * 255], ids=ascii
)
def test_a_name_is_taken_as_it_is(tree: Path, name: str, kernel: bool) -> None:
    (tree / "ws" / name).write_bytes(b"own")

    assert _read(_fence(tree, kernel=kernel), name) == b"own"
    assert (tree / "ws/in.txt").read_bytes() == b"in"


@both_ways
@pytest.mark.parametrize("path", ["loop", "dangling", "nope", "in.txt/x", "x" * 300, "a/" * 3000])
def test_what_is_not_there_is_an_error_of_the_system(tree: Path, path: str, kernel: bool) -> None:
    with pytest.raises((OSError, ToolError)), _fence(tree, kernel=kernel).open_file(path):
        pass


@both_ways
def test_links_that_go_on_for_ever_are_an_error_of_the_system(tree: Path, kernel: bool) -> None:
    for number in range(2000):
        (tree / f"ws/{number}").symlink_to(str(number + 1))

    with pytest.raises(OSError, match="symbolic links"), _fence(tree, kernel=kernel).look("0"):
        pass


@both_ways
@pytest.mark.parametrize("kind", ["fifo", "socket", "zero", "sub"])
def test_only_regular_files_are_read_and_nothing_is_waited_for(
    tree: Path, kind: str, kernel: bool
) -> None:
    if kind == "fifo":
        os.mkfifo(tree / "ws/fifo")
    if kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(tree / "ws/socket"))
    with (
        pytest.raises((ToolError, IsADirectoryError)),
        _fence(tree, kernel=kernel).open_file(kind),
    ):
        pass


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"]
)
def test_files_that_the_kernel_makes_up_are_refused_also_without_a_fence(path: str) -> None:
    with (
        pytest.raises(ToolError, match="made up by the kernel"),
        Fence(None, [], restrict=False).open_file(path),
    ):
        pass


@pytest.mark.parametrize("path", ["/proc", "/proc/self/net", "/sys/kernel"])
def test_folders_that_the_kernel_makes_up_are_refused_too(path: str) -> None:
    with (
        pytest.raises(ToolError, match="made up by the kernel"),
        Fence(None, [], restrict=False).open_folder(path),
    ):
        pass


@pytest.mark.parametrize("path", ["/proc/self/fd/0", "/proc/self/cwd", "/proc/self/root/etc"])
def test_links_that_only_the_kernel_makes_are_not_followed(path: str) -> None:
    with pytest.raises(OSError, match="symbolic links"), Fence(None, [], restrict=False).look(path):
        pass


def test_a_hard_link_can_be_read(tree: Path) -> None:
    os.link(tree / "ws/in.txt", tree / "ws/second")

    assert _read(_fence(tree, kernel=True), "second") == b"in"


def test_of_nested_roots_the_innermost_counts(tree: Path) -> None:
    roots = [
        Root(path=tree / "ws", writable=True),
        Root(path=tree / "ws/sub", writable=False),
    ]
    fence = Fence(tree / "ws", roots, restrict=True)

    with fence.open_file("sub/in.txt") as inner, fence.open_file("in.txt") as outer:
        assert inner.root == roots[1]
        assert outer.root == roots[0]


@both_ways
def test_a_root_that_a_link_takes_the_place_of_is_left_by_no_path(tree: Path, kernel: bool) -> None:
    inner = Root(path=tree / "ws/sub", writable=True)
    fence = Fence(
        tree / "ws", [Root(path=tree / "ws", writable=True), inner], restrict=True, kernel=kernel
    )
    (tree / "ws/sub").rename(tree / "ws/moved")
    (tree / "ws/sub").symlink_to(tree / "outside")

    with pytest.raises(OutsideWorkspace), fence.open_file("sub/secret"):
        pass
