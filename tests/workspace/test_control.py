"""Which files no tool may write, by their names alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.control import control_reason

_KEPT = {
    "nanobot": [
        ".nanobot/journal/1/record",
        ".nanobot/sessions/a.json",
        "sub/.nanobot/x",
        ".NANOBOT/x",
        "nanobo~1/x",
        ".config/nanobot/config.toml",
        "Library/Application Support/nanobot/config.toml",
        "AppData/Roaming/nanobot/x",
    ],
    "git": [
        ".git",
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/worktrees/w/gitdir",
        ".git/info/attributes",
        "sub/module/.git",
        ".gitconfig",
        ".GIT/config",
        ".Git /hooks/x",
        ".git./config",
        ".git. . /config",
        "git~1/config",
        "GIT~1/hooks/x",
        ".git::$INDEX_ALLOCATION/config",
        ".git:x/config",
        ".g\u200cit/config",
        "\u200e.git/config",
        ".git\ufeff/hooks/x",
    ],
    "shell": [
        ".bashrc",
        ".BASHRC",
        ".ba\u017fhrc",
        ".bashrc ",
        ".profile",
        "home/u/.zshenv",
        ".envrc",
        ".config/fish/conf.d/x.fish",
        ".config/fish",
        ".config/powershell/profile.ps1",
        "Documents/PowerShell/Microsoft.PowerShell_profile.ps1",
        "/etc/profile",
        "/etc/profile.d/x.sh",
        "/etc/bash.bashrc",
        "/etc/zsh/zshrc",
        "/etc/environment",
    ],
    "ssh": [".ssh/authorized_keys", ".ssh/config", "home/.ssh/rc"],
    "MCP": [
        ".mcp.json",
        "sub/.mcp.json",
        ".vscode/mcp.json",
        ".cursor/mcp.json",
        ".anything/mcp.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".codeium/windsurf/mcp_config.json",
        "Claude/claude_desktop_config.json",
    ],
}
_ROWS = [(path, word) for word, paths in _KEPT.items() for path in paths]


def _parts(path: str) -> list[str]:
    """The components, with `/` as the first of an absolute path."""
    return [*(["/"] if path.startswith("/") else []), *path.strip("/").split("/")]


@pytest.mark.parametrize(("path", "word"), _ROWS, ids=[ascii(path) for path, _ in _ROWS])
def test_a_file_that_steers_programs_is_known(path: str, word: str) -> None:
    assert word in control_reason(_parts(path))


_FREE = [
    "README.md",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".github/workflows/ci.yml",
    ".git/COMMIT_EDITMSG",
    ".git/info/exclude",
    "git/config",
    ".gitx/config",
    "x.git/config",
    "gitconfig",
    "bashrc",
    ".bashrc.md",
    "docs/.profiles/a",
    "etc/profile",
    "/etc/hosts",
    "/home/u/etc/profile",
    "nanobot/config.toml",
    "src/nanobot/__init__.py",
    "mcp.json",
    "src/mcp.json",
    ".vscode/settings.json",
    "settings.json",
    "fish/config.fish",
    "...",
    "é.txt",
    "a:b",
    ":",
]


@pytest.mark.parametrize("path", _FREE)
def test_an_ordinary_file_may_be_written(path: str) -> None:
    assert control_reason(_parts(path)) == ""


def test_the_workspace_itself_is_no_control_file() -> None:
    assert control_reason([]) == control_reason(["."]) == ""


@given(
    st.lists(st.text(), max_size=3),
    st.sampled_from([".git", ".Git", ".git. ", "GIT~1", ".gi\u200dt"]),
    st.sampled_from(["hooks/x", "config", "HEAD", "modules/m/config"]),
)
def test_nothing_before_a_git_folder_frees_what_is_in_it(
    before: list[str], git: str, inside: str
) -> None:
    assert control_reason([*before, git, *inside.split("/")])
