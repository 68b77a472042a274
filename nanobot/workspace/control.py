"""Files that steer programs: no tool may write them, also when they don't exist yet.

Who can write a git hook, a shell's start-up file or our own configuration can run code outside
every fence later. Pure: names in, a reason out. Names are compared without what some disk ignores
(case, trailing dots and blanks, invisible characters, a stream after a colon), on every disk: what
is checked out here may be written there (git's own rules after CVE-2014-9390 and CVE-2019-1352).
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELL_START = frozenset(
    {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
        ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".login",
        ".logout", ".kshrc", ".mkshrc", ".shrc", ".envrc", ".inputrc", ".xprofile", ".xinitrc",
        ".xsession", ".xsessionrc", ".pam_environment", ".xonshrc",
        "microsoft.powershell_profile.ps1",
    }
)  # fmt: skip
_SHELL_FOLDERS = frozenset({"fish", "nushell", "elvish", "xonsh", "powershell", "environment.d"})
_SYSTEM_START = ("profile", "bash", "zsh", "csh", "fish", "environment", "ksh", "inputrc")
_GIT_FREE = frozenset({"commit_editmsg", "merge_msg", "squash_msg", "tag_editmsg", "description"})
_MCP_LISTS = frozenset(
    {
        ".mcp.json", ".claude.json", "mcp_config.json", "mcp_settings.json",
        "cline_mcp_settings.json", "claude_desktop_config.json",
    }
)  # fmt: skip
_AGENT_SETTINGS = frozenset(
    {
        (".claude", "settings.json"), (".claude", "settings.local.json"),
        (".codex", "config.toml"), (".gemini", "settings.json"),
    }
)  # fmt: skip
_SHORT_NAMES = {"git~1": ".git", "nanobo~1": ".nanobot"}
_CONFIG_FOLDERS = frozenset({".config", "application support", "appdata", "roaming", "local"})


def control_reason(parts: Sequence[str]) -> str:
    """Why the file with these path components may not be written; "" when it may.

    `parts` are relative to the workspace; outside of one they are absolute and begin with `/`.
    """
    names = plain_names(parts)
    if not names:
        return ""
    return _of_ours(names) or _of_git(names) or _of_the_shell(names) or _of_mcp(names)


def plain_names(parts: Sequence[str]) -> list[str]:
    """The components of a path as the least exact disk would compare them."""
    return [_plain(part) for part in parts if part not in ("", ".")]


def _plain(part: str) -> str:
    if not part.isascii():
        part = "".join(char for char in part if unicodedata.category(char) != "Cf")
    name = part.partition(":")[0].casefold().rstrip(". ") or part
    return _SHORT_NAMES.get(name, name)


def _of_ours(names: Sequence[str]) -> str:
    if ".nanobot" in names:
        return "it holds nanobot's own state"
    ours = any(name == "nanobot" and before in _CONFIG_FOLDERS for before, name in pairwise(names))
    return "it is nanobot's own configuration" if ours else ""


def _of_git(names: Sequence[str]) -> str:
    if names[-1] == ".gitconfig":
        return "git takes programs to run from it"
    if ".git" not in names:
        return ""
    inside = names[names.index(".git") + 1 :]
    if inside[:2] == ["info", "exclude"] or (len(inside) == 1 and inside[0] in _GIT_FREE):
        return ""
    return "it belongs to git, which runs hooks and settings from there"


def _of_the_shell(names: Sequence[str]) -> str:
    if names[-1] in _SHELL_START:
        return "a shell runs it when it starts"
    if ".ssh" in names:
        return "ssh takes keys and programs from it"
    own = any(one == ".config" and name in _SHELL_FOLDERS for one, name in pairwise(names))
    system = names[:2] == ["/", "etc"] and names[2:] and names[2].startswith(_SYSTEM_START)
    return "a shell runs it when it starts" if own or system else ""


def _of_mcp(names: Sequence[str]) -> str:
    last = tuple(names[-2:])
    listed = (
        names[-1] in _MCP_LISTS
        or last in _AGENT_SETTINGS
        or (last[-1] == "mcp.json" and last[0].startswith("."))
    )
    return "it lists programs that agents start (MCP servers)" if listed else ""


__all__ = ["control_reason", "plain_names"]
