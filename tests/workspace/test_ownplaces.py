"""Our own settings and state, wherever the environment puts them, are not written by a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.errors import ToolError
from nanobot.workspace import Workspace
from nanobot.workspace.ownplaces import OwnPlaces

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose folders for settings and state have names of their own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


_OURS = ["settings/nanobot/config.toml", "state/nanobot/locks/0a1.lock", "state/nanobot/history"]


@pytest.mark.parametrize("path", [*_OURS, "SETTINGS/Nanobot/config.toml", "mine.toml"])
def test_what_is_ours_has_a_reason(home: Path, path: str) -> None:
    assert "nanobot's own" in OwnPlaces(home, [home / "mine.toml"]).reason(home / path)


@pytest.mark.parametrize("path", ["settings/other/config.toml", "state/x", "mine.toml.md", "a"])
def test_the_rest_has_none(home: Path, path: str) -> None:
    assert OwnPlaces(home, [home / "mine.toml"]).reason(home / path) == ""


def test_a_workspace_in_a_folder_of_ours_is_its_owners_choice(home: Path) -> None:
    inside = home / "state/nanobot/ws"

    assert OwnPlaces(inside, []).reason(inside / "a.txt") == ""


@pytest.mark.parametrize("path", [*_OURS, "mine.toml", "link/config.toml", "sub/../mine.toml"])
def test_a_tool_does_not_write_what_is_ours(home: Path, path: str) -> None:
    (home / "sub").mkdir()
    (home / "link").symlink_to(home / "settings/nanobot")
    workspace = Workspace(home, protected=[home / "mine.toml"])

    with pytest.raises(ToolError, match=r"may not be written by a tool: it .* nanobot's own"):
        workspace.write_bytes(path, b"x")

    assert not (home / "settings").exists()
    assert not (home / "mine.toml").exists()
