"""Files inside a fence: resolve, open without following links out, write atomically."""

from nanobot.workspace.states import FileStates
from nanobot.workspace.workspace import Workspace

__all__ = ["FileStates", "Workspace"]
