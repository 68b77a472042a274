"""A tree that changes at random: whatever any path opens in it lies inside, outside nothing changes."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from nanobot.errors import ToolError
from nanobot.workspace import Workspace
from nanobot.workspace.fence import Fence, Root

_MADE = st.sampled_from(["a", "b", "c", "a/a", "a/b", "b/c", "c/é"])
_INSIDE = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
_TARGETS = st.sampled_from(
    [
        *("a", "b", "c/a", ".", "..", "../outside", "../../outside/a", "../other", "../ws-b"),
        *("{base}/ws/a", "{base}/ws/c", "{base}/ws/../ws", "{base}/other", "{base}/other/a/b"),
        *("{base}/outside", "{base}/outside/a/b", "{base}/ws-b/b", "{base}", "/", "/dev/zero"),
    ]
)
_WILD = st.lists(
    st.sampled_from(
        ["a", "b", "c", "ws", "ws-b", "outside", "..", ".", "", "e\u0301", ".git", "A"]
    ),
    max_size=5,
).map("/".join)
_ANY_PATH = st.one_of(
    _INSIDE,
    st.builds("{}/../{}".format, _INSIDE, _INSIDE),
    _WILD,
    _WILD.map("{base}/".__add__),
    st.builds("{}/{}".format, st.sampled_from(["{base}/ws", "{base}/other", "/"]), _INSIDE),
    st.text(max_size=12),
)


class _Tree(RuleBasedStateMachine):
    """`ws` may be written, `other` may be read, `outside` and `ws-b` beside them may not be used."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory()
        self.base = Path(self.scratch.name).resolve()
        self.ws, self.other = self.base / "ws", self.base / "other"
        for folder in ("ws", "other/a", "outside/a", "ws-b"):
            (self.base / folder).mkdir(parents=True)
            (self.base / folder / "b").write_bytes(folder.encode())
        roots = [Root(path=self.ws, writable=True), Root(path=self.other, writable=False)]
        self.fences = [
            Fence(self.ws, roots, restrict=True, kernel=kernel) for kernel in (True, False)
        ]
        self.workspace = Workspace(self.ws, read_only_roots=[self.other])
        self.before = self._state("other", "outside", "ws-b")

    def teardown(self) -> None:
        self.scratch.cleanup()

    @initialize(links=st.dictionaries(_MADE, _TARGETS, min_size=2))
    def begin_with_links(self, links: dict[str, str]) -> None:
        for name, to in links.items():
            self._link(name, to)

    @rule(name=_MADE)
    def make_folder(self, name: str) -> None:
        with suppress(OSError):
            self._really(name).mkdir()

    @rule(name=_MADE)
    def make_file(self, name: str) -> None:
        with suppress(OSError), self._really(name).open("xb") as made:  # through no link
            made.write(b"inside")

    @rule(name=_MADE, to=_TARGETS)
    def make_link(self, name: str, to: str) -> None:
        self._link(name, to)

    @rule(name=_MADE, new=_MADE)
    def rename(self, name: str, new: str) -> None:
        with suppress(OSError):
            self._really(name).rename(self._really(new))

    @rule(name=_MADE)
    def remove(self, name: str) -> None:
        with suppress(OSError):
            path = self._really(name)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    @rule(path=_ANY_PATH)
    def open_file(self, path: str) -> None:
        for fence in self.fences:
            with suppress(OSError, ToolError), fence.open_file(self._spelled(path)) as found:
                assert self._lies_inside(found.descriptor)
                assert found.root is not None

    @rule(path=_ANY_PATH)
    def open_folder(self, path: str) -> None:
        for fence in self.fences:
            with suppress(OSError, ToolError), fence.open_folder(self._spelled(path)) as found:
                assert self._lies_inside(found.descriptor)

    @rule(path=_ANY_PATH)
    def both_ways_lead_to_the_same(self, path: str) -> None:
        found = set()
        for fence in self.fences:
            with suppress(OSError, ToolError), fence.look(self._spelled(path)) as seen:
                found.add((seen.identity.dev, seen.identity.ino, seen.path))

        assert len(found) <= 1

    @rule(path=_ANY_PATH)
    def write(self, path: str) -> None:
        with suppress(ToolError):
            self.workspace.write_bytes(self._spelled(path), b"written")
            assert self.workspace.read_bytes(self._spelled(path)) == b"written"

    @invariant()
    def nothing_else_changed(self) -> None:
        assert self._state("other", "outside", "ws-b") == self.before
        assert {path.name for path in self.base.iterdir()} == {"other", "outside", "ws", "ws-b"}

    def _link(self, name: str, to: str) -> None:
        with suppress(OSError):
            self._really(name).symlink_to(self._spelled(to))

    def _state(self, *folders: str) -> dict[str, tuple[int, bytes]]:
        """The inode of all that is in these folders, and the bytes of files."""
        return {
            str(path): (path.lstat().st_ino, path.read_bytes() if path.is_file() else b"")
            for folder in folders
            for path in (self.base / folder, *(self.base / folder).rglob("*"))
        }

    def _lies_inside(self, descriptor: int) -> bool:
        wanted = os.fstat(descriptor).st_ino
        return any(
            wanted in {root.stat().st_ino, *(path.lstat().st_ino for path in root.rglob("*"))}
            for root in (self.ws, self.other)
        )

    def _spelled(self, path: str) -> str:
        return path.replace("{base}", str(self.base))

    def _really(self, name: str) -> Path:
        """The path, if it lies in `ws` really: the machine itself makes nothing elsewhere."""
        path = self.ws / name
        if f"{os.path.realpath(path.parent)}/".startswith(f"{self.ws}/"):
            return path
        raise FileNotFoundError


_Tree.TestCase.settings = settings(
    max_examples=100, stateful_step_count=20, deadline=None, derandomize=True
)
TestTree = _Tree.TestCase
