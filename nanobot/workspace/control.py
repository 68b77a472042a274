"""Files that steer programs: no tool may write them, also when they don't exist yet.

Who can write a git hook, a shell's start-up file or our own configuration can run code outside
every fence later. Pure: names in, a reason out. Names are compared without case, since some disks
ignore it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELL_START = frozenset(
    {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
        ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".login",
        ".logout", ".kshrc", ".mkshrc", ".shrc", ".envrc", ".inputrc", ".xprofile", ".xinitrc",
        ".xsession", ".xsessionrc", ".pam_environment",
    }
)  # fmt: skip
_GIT_FREE = frozenset({"commit_editmsg", "merge_msg", "squash_msg", "tag_editmsg", "description"})
_MCP_FOLDERS = frozenset({".cursor", ".vscode", ".claude", ".kiro", ".roo", ".gemini"})
_CONFIG_FOLDERS = frozenset({".config", "application support", "appdata", "roaming", "local"})


def control_reason(parts: Sequence[str]) -> str:
    """Why the file with these path components may not be written; "" when it may.

    `parts` are relative to the workspace, or to the file system's root outside of one.
    """
    names = [part.casefold().rstrip(". ") or part for part in parts if part not in ("", ".")]
    if not names:
        return ""
    return _of_ours(names) or _of_git(names) or _of_the_shell(names) or _of_mcp(names)


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
    fish = any(pair == (".config", "fish") for pair in pairwise(names))
    return "a shell runs it when it starts" if fish else ""


def _of_mcp(names: Sequence[str]) -> str:
    listed = names[-1] == ".mcp.json" or (
        names[-1] == "mcp.json" and len(names) > 1 and names[-2] in _MCP_FOLDERS
    )
    return "it lists programs that agents start (MCP servers)" if listed else ""


__all__ = ["control_reason"]
