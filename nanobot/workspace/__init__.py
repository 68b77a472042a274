"""Files inside a fence: resolve, open without following links out, write atomically."""

from nanobot.workspace.workspace import Workspace

__all__ = ["Workspace"]
