"""The `edit_file` tool: one piece of text replaced by another, the rest kept byte for byte."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.schema import (
    BooleanSchema,
    IntegerSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.errors import NanobotError, ToolError
from nanobot.surrogates import mend_text
from nanobot.threads import in_thread
from nanobot.visible import visible_line
from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.editing import Edit, Edited, EditRefused, apply_edit, edit_ascii
from nanobot.workspace.encoding import encoded
from nanobot.workspace.revision import Revision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nanobot.jsonvalue import JsonObject


@tool_parameters(
    tool_parameters_schema(
        path=StringSchema("File to edit, relative to the workspace or absolute", min_length=1),
        old_text=StringSchema(
            "The text to replace, exactly as it stands in the file, without line numbers; "
            "empty only to create a file"
        ),
        new_text=StringSchema("The text to put there; empty deletes"),
        replace_all=BooleanSchema(description="Replace every place", default=False),
        occurrence=IntegerSchema(
            description="Which place, counted from 1, when there are several", minimum=1
        ),
        line_hint=IntegerSchema(
            description="A line that the place must cover, counted from 1", minimum=1
        ),
        expected_replacements=IntegerSchema(
            description="How many replacements there must be; otherwise nothing is changed",
            minimum=1,
        ),
        required=["path", "old_text", "new_text"],
        additional_properties=False,
    )
)
class EditFileTool(FileTool):
    """Replace text where it stands, by the rules of `nanobot.workspace.editing`."""

    name = "edit_file"
    title = "Edit a file"
    description = (
        "Replace a piece of text in a file; everything else stays byte for byte. Read the file "
        "first and copy old_text exactly as it stands, without the 'N| ' in front of lines, with "
        "enough lines around the change to be unique. If it stands in several places, nothing is "
        "changed unless you say which: occurrence, line_hint (a line it covers) or replace_all. "
        "If it stands nowhere exactly, one place that differs only in blanks at line ends, in the "
        "indentation of the whole block, or in typographic quotes, dashes and blanks is taken, and "
        "the answer says so. new_text is written literally, with the file's own line ends. An "
        "empty new_text deletes whole lines with their line ends. An empty old_text creates a "
        "file. To replace a whole file use write_file. Example: {'path': 'app.py', "
        "'old_text': 'timeout = 5', 'new_text': 'timeout = 30'}."
    )
    destructive = True
    _scopes: ClassVar[set[str]] = {"core", "subagent", "memory"}

    def changed_paths(self, params: JsonObject) -> list[str]:
        """The file that is edited."""
        path = params.get("path")
        return [path] if isinstance(path, str) else []

    async def preview(self, params: JsonObject) -> str:
        """The change as a unified diff, bounded; "" when the edit would be refused."""
        try:
            return await in_thread(self._preview, params)
        except (NanobotError, TypeError):
            return ""

    def _preview(self, params: Mapping[str, Any]) -> str:
        path = str(params["path"])
        edit = Edit(**{key: value for key, value in params.items() if key != "path"})
        with self.workspace.target(path) as target:
            old = Revision(target, self.file_states, self.session()).text()[0]
        return bounded_diff(
            old, apply_edit(old, edit).text, visible_line(self.workspace.display(path))
        )

    async def execute(
        self,
        path: str,
        old_text: str,
        new_text: str,
        replace_all: bool = False,
        occurrence: int | None = None,
        line_hint: int | None = None,
        expected_replacements: int | None = None,
    ) -> ToolResult:
        """Make the edit, or refuse it with nothing changed; where it was made and how."""
        self.in_bounds("occurrence", occurrence, 1)
        self.in_bounds("line_hint", line_hint, 1)
        self.in_bounds("expected_replacements", expected_replacements, 1)
        edit = Edit(
            old_text=mend_text(old_text),
            new_text=mend_text(new_text),
            replace_all=replace_all,
            occurrence=occurrence,
            line_hint=line_hint,
            expected_replacements=expected_replacements,
        )
        return ToolResult(await in_thread(self._edit, path, edit))

    def _edit(self, path: str, edit: Edit) -> str:
        creates = not edit.old_text and bool(edit.new_text)
        with self.workspace.target(path, operation=self.name) as target:
            new_file = target.identity is None
            if new_file and not creates:
                raise ToolError(
                    f"'{visible_line(path)}' does not exist",
                    hint="Find it with find_files, or create it with write_file.",
                )
            revision = Revision(target, self.file_states, self.session())
            revision.refuse_changed()
            with _naming(path):
                plain = edit_ascii(revision.data(), edit)
                if plain is not None:
                    edited, data = plain.edited, plain.data
                else:
                    text, encoding = revision.text()
                    edited = apply_edit(text, edit)
                    data = encoded(edited.text, encoding)
            revision.write(data)
        return _told(path, edited, new_file=new_file)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """A refusal says which file it is about."""
    try:
        yield
    except EditRefused as refused:
        raise EditRefused(
            f"{visible_line(path)}: {refused.message}", hint=refused.hint
        ) from refused


def _told(path: str, edited: Edited, *, new_file: bool) -> str:
    shown = visible_line(path)
    if new_file:
        return f"Created {shown}"
    count = edited.count
    lines = ", ".join(str(line) for line in edited.lines)
    more = f" and {count - len(edited.lines)} more" if count > len(edited.lines) else ""
    way = "" if edited.way == "exact" else f". It fitted with other {edited.way}, not exactly"
    return (
        f"Edited {shown}: {count} replacement{'s' * (count != 1)}, "
        f"on line{'s' * (count != 1)} {lines}{more}{way}"
    )


__all__ = ["EditFileTool"]
