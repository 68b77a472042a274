"""The `write_file` tool: a whole file, written in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.schema import StringSchema, tool_parameters_schema
from nanobot.errors import NanobotError
from nanobot.surrogates import mend_text
from nanobot.threads import in_thread
from nanobot.visible import visible_line
from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.revision import Revision, rewritten
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject


@tool_parameters(
    tool_parameters_schema(
        path=StringSchema(
            "File to write, relative to the workspace or absolute; folders are made",
            min_length=1,
        ),
        content=StringSchema("The whole text that the file has afterwards"),
        required=["path", "content"],
        additional_properties=False,
    )
)
class WriteFileTool(FileTool):
    """Create a file or replace all of it, old or new at every moment."""

    name = "write_file"
    title = "Write a file"
    description = (
        "Write a whole text file: create it (missing folders are made) or replace everything in "
        "it. To change a part of a file use edit_file: it is shorter and keeps the rest exactly. "
        "The content is written as given, as UTF-8; a file that had a byte order mark, another "
        "Unicode encoding or CRLF line ends keeps those. A file that changed since you last read "
        "it is not overwritten: read it again first. Example: "
        "{'path': 'docs/notes.md', 'content': '# Notes\\n'}."
    )
    destructive = True
    idempotent = True
    _scopes: ClassVar[set[str]] = {"core", "subagent", "memory"}

    def changed_paths(self, params: JsonObject) -> list[str]:
        """The file that is written."""
        path = params.get("path")
        return [path] if isinstance(path, str) else []

    async def preview(self, params: JsonObject) -> str:
        """The change as a unified diff, bounded."""
        path, content = params.get("path"), params.get("content")
        if not isinstance(path, str) or not isinstance(content, str):
            return ""
        try:
            return await in_thread(self._preview, path, content)
        except NanobotError:
            return ""

    def _preview(self, path: str, content: str) -> str:
        with self.workspace.target(path) as target:
            old = Revision(target, self.file_states, self.session()).text_or_empty()
            return bounded_diff(old, content, visible_line(self.workspace.display(path)))

    async def execute(self, path: str, content: str) -> ToolResult:
        """Write it; how much, and whether the file is new."""
        return ToolResult(await in_thread(self._write, path, mend_text(content)))

    def _write(self, path: str, content: str) -> str:
        with self.workspace.target(path, operation=self.name) as target:
            revision = Revision(target, self.file_states, self.session())
            revision.refuse_changed(whole=True)
            old, new = target.identity, rewritten(revision.bytes_or_none(), content)
            revision.write(new)
        lines = content.count("\n") + (not content.endswith("\n") and bool(content))
        done = "Created" if old is None else "Wrote"
        return (
            f"{done} {visible_line(path)}: {lines} line{'s' * (lines != 1)}, {shown_size(len(new))}"
        )


__all__ = ["WriteFileTool"]
