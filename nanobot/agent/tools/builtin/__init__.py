"""The built-in tools, one a file; the loader's scan target. Classes load when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot.agent.tools.builtin.apply_patch import ApplyPatchTool
    from nanobot.agent.tools.builtin.edit_file import EditFileTool
    from nanobot.agent.tools.builtin.find_files import FindFilesTool
    from nanobot.agent.tools.builtin.grep import GrepTool
    from nanobot.agent.tools.builtin.list_dir import ListDirTool
    from nanobot.agent.tools.builtin.read_file import ReadFileTool
    from nanobot.agent.tools.builtin.write_file import WriteFileTool

_HOMES = {
    "ApplyPatchTool": "apply_patch",
    "EditFileTool": "edit_file",
    "FindFilesTool": "find_files",
    "GrepTool": "grep",
    "ListDirTool": "list_dir",
    "ReadFileTool": "read_file",
    "WriteFileTool": "write_file",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = [
    "ApplyPatchTool",
    "EditFileTool",
    "FindFilesTool",
    "GrepTool",
    "ListDirTool",
    "ReadFileTool",
    "WriteFileTool",
]
