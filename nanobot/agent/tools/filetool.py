"""`FileTool`: what the tools over files share, their fence and what each session has seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import current_request_context
from nanobot.documents.reader import DocumentReader
from nanobot.errors import InvalidArguments
from nanobot.turns import Turns
from nanobot.visible import visible_line
from nanobot.workspace import FileStates, Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.agent.tools.context import ToolContext
    from nanobot.jsonvalue import JsonObject


class FileTool(Tool):
    """A tool that works on files inside a fence.

    Args:
        workspace: the fence, or the folder to fence to.
        allowed_dir: fence to this folder instead; relative paths still start in `workspace`.
        extra_allowed_dirs: folders that may be read too.
        file_states: what sessions have read, to share between tools.

    Without a folder, absolute paths work, unfenced.
    """

    _scopes: ClassVar[set[str]] = {"core", "subagent"}

    def __init__(
        self,
        workspace: Workspace | Path | str | None = None,
        allowed_dir: Path | str | None = None,
        extra_allowed_dirs: Sequence[Path | str] | None = None,
        file_states: FileStates | None = None,
    ) -> None:
        self.workspace = Workspace.for_tool(workspace, allowed_dir, extra_allowed_dirs)
        self.file_states = FileStates() if file_states is None else file_states
        self.turns = Turns()
        self.documents = DocumentReader()

    @classmethod
    def create(cls, ctx: ToolContext) -> Self:
        """A tool in the context's fence; the file tools of one context share what they keep."""
        if not isinstance(ctx.file_state_store, FileStates):
            ctx.file_state_store = FileStates()
        if not isinstance(ctx.documents, DocumentReader):
            ctx.documents = DocumentReader()
        fence = ctx.fence or Workspace(ctx.workspace or Path.cwd())
        tool = cls(fence, file_states=ctx.file_state_store)
        tool.documents = ctx.documents
        return tool

    def session(self) -> str:
        """The session that a call belongs to; "" outside of one."""
        context = current_request_context()
        return (context.session_key or "") if context else ""

    def secret_question(self, params: JsonObject) -> str:
        """Why a person should be asked before `path` is read: what it usually holds; "" if not."""
        path = params.get("path")
        held = self.workspace.secret(path) if isinstance(path, str) and path else ""
        return f"'{visible_line(str(path))}' usually holds {held}" if held else ""

    def in_bounds(self, key: str, value: int | None, least: int, most: int | None = None) -> None:
        """Hold a number to the bounds of its parameter also when the tool is called directly.

        Raises:
            InvalidArguments: it lies outside of them.
        """
        if value is None:
            return
        if value < least:
            fault = f"{key} must be >= {least}"
        elif most is not None and value > most:
            fault = f"{key} must be <= {most}"
        else:
            return
        raise InvalidArguments.of(self.name, [fault])


__all__ = ["FileTool"]
