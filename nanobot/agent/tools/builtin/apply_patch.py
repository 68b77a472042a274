"""The `apply_patch` tool: several files changed together, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.base import tool_parameters
from nanobot.agent.tools.filetool import FileTool
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.schema import (
    ArraySchema,
    BooleanSchema,
    ObjectSchema,
    StringSchema,
    tool_parameters_schema,
)
from nanobot.errors import InvalidArguments, NanobotError
from nanobot.surrogates import mend_value
from nanobot.threads import in_thread
from nanobot.visible import visible_line
from nanobot.workspace.editing import Edit
from nanobot.workspace.patchset import ReplaceText, staged
from nanobot.workspace.patchtext import (
    AddFile,
    DeleteFile,
    PatchRefused,
    UpdateFile,
    parse_patch,
)
from nanobot.workspace.revision import Revision
from nanobot.workspace.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.patchset import Staged, Step
    from nanobot.workspace.transaction import Transaction

_MOST_EDITS = 20
_MOST_DIFF_ROWS = 400
_ACTIONS = ("replace", "add")
_MORE_THAN_EDITS = (
    "edits replace and add; to delete or move a file give patch, with '*** Delete File: PATH' or "
    "'*** Move to: PATH'"
)


@tool_parameters(
    tool_parameters_schema(
        edits=ArraySchema(
            ObjectSchema(
                path=StringSchema("File, relative to the workspace or absolute", min_length=1),
                action=StringSchema(
                    "replace: old_text by new_text; add: a new file with new_text",
                    enum=list(_ACTIONS),
                ),
                old_text=StringSchema("For replace: the text as it stands in the file"),
                new_text=StringSchema("The text to put there; for add the whole file"),
                required=["path", "action"],
                additional_properties=False,
            ),
            description="The changes, in order; give these or patch",
            min_items=1,
            max_items=_MOST_EDITS,
        ),
        patch=StringSchema(
            "The changes as text from '*** Begin Patch' to '*** End Patch'; give this or edits",
            min_length=1,
        ),
        dry_run=BooleanSchema(
            description="Show what would be changed, and change nothing", default=False
        ),
        additional_properties=False,
    )
)
class ApplyPatchTool(FileTool):
    """Change several files together, by edits or by a patch in text form."""

    name = "apply_patch"
    title = "Apply a patch"
    description = (
        "Change several files together: all of it is done, or nothing. Use it for a change that "
        "spans files, or to move or delete a file; for one place in one file edit_file is simpler. "
        "Give either edits or patch. edits is a list such as [{'path': 'app.py', 'action': "
        "'replace', 'old_text': 'debug = True', 'new_text': 'debug = False'}, {'path': 'NOTES.md', "
        "'action': 'add', 'new_text': 'Debugging is off.\\n'}]; old_text must stand once in its "
        "file. patch is text:\n"
        "*** Begin Patch\n"
        "*** Add File: NOTES.md\n"
        "+Debugging is off.\n"
        "*** Update File: app.py\n"
        "*** Move to: src/app.py\n"
        "@@ def main():\n"
        "     settings = load()\n"
        "-    debug = True\n"
        "+    debug = False\n"
        "*** Delete File: old.py\n"
        "*** End Patch\n"
        "Lines of a hunk begin with a blank (context), '-' (removed) or '+' (added). Context and "
        "removed lines must stand in the file as they are (blanks at line ends aside) and once; "
        "where they stand more often, give more of them, or after '@@' a whole line above them. "
        "Added lines alone go right below the line after '@@', or to the end when the hunk ends "
        "with '*** End of File'. Hunks of a file go from top to bottom; '*** Move to' is optional. "
        "dry_run=true shows the diff and changes nothing."
    )
    destructive = True

    def validate_params(self, params: dict[str, Any]) -> list[str]:
        """What is wrong with the arguments, and of what is close to right, the right form."""
        faults = super().validate_params(params)
        return faults + _corrections(params) if faults and isinstance(params, dict) else faults

    def changed_paths(self, params: JsonObject) -> list[str]:
        """Every file that is added, changed, moved or deleted."""
        try:
            return _paths(_steps(params))
        except (NanobotError, TypeError, KeyError):
            return []

    async def preview(self, params: JsonObject) -> str:
        """The change as a unified diff, bounded; "" when it would be refused."""
        try:
            steps = _steps(params)
            return await in_thread(self._dry, steps)
        except (NanobotError, TypeError, KeyError):
            return ""

    async def execute(
        self,
        edits: Sequence[Mapping[str, str]] | None = None,
        patch: str | None = None,
        dry_run: bool = False,
    ) -> ToolResult:
        """Make the changes, or refuse them with nothing changed; what was done to each file."""
        given = {"edits": edits, "patch": patch}
        steps = _steps({key: mend_value(one) for key, one in given.items() if one is not None})
        if dry_run:
            diff = await in_thread(self._dry, steps)
            return ToolResult(f"Nothing was changed (dry_run). It would be:\n{diff}")
        return ToolResult(await in_thread(self._apply, steps))

    def _apply(self, steps: Sequence[Step]) -> str:
        with self.workspace.changing(_paths(steps), operation=self.name) as files:
            done = self._staged(steps, files)
            self._remember(files, done)
        count = len({one.path for one in done})
        lines = "\n".join(one.line for one in done)
        return f"Changed {count} file{'s' * (count != 1)}:\n{lines}"

    def _dry(self, steps: Sequence[Step]) -> str:
        with self.workspace.changing(_paths(steps), operation=self.name) as files:
            done = self._staged(steps, files)
        room, parts = _MOST_DIFF_ROWS, []
        for one in done:
            diff = one.diff(room) if room > 0 else ""
            room -= diff.count("\n") + 1
            parts.append(f"{one.line}\n{diff}".rstrip())
        return "\n".join(parts)

    def _staged(self, steps: Sequence[Step], files: Transaction) -> list[Staged]:
        for step in steps:
            if isinstance(step, DeleteFile) or (isinstance(step, UpdateFile) and step.move_to):
                self._refuse_link(step.path, files)

        def unchanged(path: str, whole: bool) -> None:
            self._revision(files, path).refuse_changed(whole=whole)

        return staged(steps, files, unchanged)

    def _refuse_link(self, path: str, files: Transaction) -> None:
        """Stop before the file goes that a link leads to, and the link stays."""
        name = Path(path)
        if self.workspace.resolve(name.parent) / name.name == files.path(path):
            return
        raise PatchRefused(
            f"'{visible_line(path)}' is a link to "
            f"'{visible_line(self.workspace.display(files.path(path)))}'",
            hint="A patch deletes and moves files, no links. Name the file itself.",
        )

    def _revision(self, files: Transaction, path: str) -> Revision:
        return Revision(Target(files, path), self.file_states, self.session())

    def _remember(self, files: Transaction, done: Sequence[Staged]) -> None:
        """Commit; the session knows the files as they are now."""
        after: dict[Path, tuple[str, str]] = {}
        for one in done:
            for path, text in ((one.path, ""), (one.moved_to or one.path, one.after)):
                after[files.path(path)] = path, text
        for made in files.commit():
            path, text = after[made.path]
            self._revision(files, path).remember(made, text)


def _steps(params: Mapping[str, object]) -> list[Step]:
    """What the arguments ask for.

    Raises:
        InvalidArguments: neither or both of edits and patch, or an edit that lacks its text.
        PatchRefused: the patch can't be read.
    """
    edits, patch = params.get("edits"), params.get("patch")
    if (edits is None) == (patch is None):
        given = "both are given" if edits is not None else "neither is given"
        raise _invalid(f"give exactly one of edits and patch; {given}")
    if isinstance(patch, str):
        return list(parse_patch(patch))
    if not isinstance(edits, list) or not 1 <= len(edits) <= _MOST_EDITS:
        raise _invalid(f"edits must have 1 to {_MOST_EDITS} items")
    return [_step(number, edit) for number, edit in enumerate(edits)]


def _step(number: int, edit: object) -> Step:
    if not isinstance(edit, Mapping):
        raise _invalid(f"edits[{number}] should be object")
    for key in ("path", "action", "old_text", "new_text"):
        if not isinstance(edit.get(key, ""), str):
            raise _invalid(f"edits[{number}].{key} should be string")
    path, action = edit.get("path"), edit.get("action")
    if not path:
        raise _invalid(f"missing required edits[{number}].path")
    if action not in _ACTIONS:
        raise _invalid(
            f"edits[{number}].action must be one of {list(_ACTIONS)}; {_MORE_THAN_EDITS}"
        )
    if "new_text" not in edit:
        raise _invalid(f"missing required edits[{number}].new_text")
    if action == "add":
        if edit.get("old_text"):
            raise _invalid(f"edits[{number}]: add takes no old_text; replace does")
        return AddFile(path=path, text=edit["new_text"])
    if "old_text" not in edit:
        raise _invalid(f"missing required edits[{number}].old_text")
    return ReplaceText(path=path, edit=Edit(old_text=edit["old_text"], new_text=edit["new_text"]))


def _corrections(params: Mapping[str, object]) -> list[str]:
    """What to give instead, where that can be told."""
    edits, patch = params.get("edits"), params.get("patch")
    if edits is None and patch is None:
        return ["give exactly one of edits and patch; neither is given"]
    if patch is not None and not isinstance(patch, str):
        return ["patch is the text itself, from '*** Begin Patch' to '*** End Patch'"]
    actions = [
        edit["action"]
        for edit in (edits if isinstance(edits, list) else [])
        if isinstance(edit, Mapping) and "action" in edit
    ]
    return [] if all(action in _ACTIONS for action in actions) else [_MORE_THAN_EDITS]


def _paths(steps: Sequence[Step]) -> list[str]:
    paths: dict[str, None] = {}
    for step in steps:
        paths.setdefault(step.path)
        if isinstance(step, UpdateFile) and step.move_to:
            paths.setdefault(step.move_to)
    return list(paths)


def _invalid(fault: str) -> InvalidArguments:
    return InvalidArguments.of(ApplyPatchTool.name, [fault])


__all__ = ["ApplyPatchTool"]
