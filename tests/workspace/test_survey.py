"""A first look below a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nanobot.workspace.survey import Survey, survey
from tests.deep import deep_folder

if TYPE_CHECKING:
    from pathlib import Path


def _seen(folder: Path, *, hidden: bool = False, most: int = 100) -> Survey:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        return survey(descriptor, hidden=hidden, without=(".git",), most=most)
    finally:
        os.close(descriptor)


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/loop").symlink_to("../..")
    (tmp_path / "away").symlink_to("/")

    seen = _seen(tmp_path)

    assert sorted(seen.links) == ["a/b/loop", "away"]
    assert seen.whole


def test_what_is_hidden_is_looked_at_on_request_and_git_never(tmp_path: Path) -> None:
    for folder in (".hidden", ".git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "link").symlink_to("x")

    assert _seen(tmp_path).links == []
    assert _seen(tmp_path, hidden=True).links == [".hidden/link"]


def test_it_stops_at_its_bound(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}").touch()

    assert _seen(tmp_path, most=10).whole
    assert not _seen(tmp_path, most=9).whole


def test_a_folder_whose_place_a_link_took_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/link").symlink_to("x")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/folder").symlink_to("../outside")

    assert _seen(tmp_path / "ws").links == ["folder"]


def test_a_folder_deeper_than_paths_go_is_looked_at_as_far_as_they_do(tmp_path: Path) -> None:
    with deep_folder(tmp_path):
        assert _seen(tmp_path, most=10_000).whole
