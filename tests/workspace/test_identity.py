"""What tells that a file changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.workspace.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _replaced(path: Path) -> None:
    path.with_name("new").write_bytes(b"a")
    path.with_name("new").replace(path)


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        (lambda path: None, True),
        (lambda path: path.chmod(0o600), True),
        (lambda path: path.with_name("second").hardlink_to(path), True),
        (lambda path: path.write_bytes(b"ab"), False),
        (_replaced, False),
    ],
    ids=["nothing", "mode", "hard link", "content", "another file"],
)
def test_content_makes_another_state_and_a_mode_does_not(
    tmp_path: Path, change: Callable[[Path], object], alike: bool
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a")
    before = Identity.of(path.stat())

    change(path)

    assert before.alike(Identity.of(path.stat())) is alike


def test_nothing_is_like_no_file(tmp_path: Path) -> None:
    assert not Identity.of(tmp_path.stat()).alike(None)
