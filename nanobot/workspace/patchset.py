"""The sections of a patch staged in a transaction: what becomes of each file, and the diff of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.visible import visible_line
from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.editing import Edit, EditRefused, apply_edit
from nanobot.workspace.encoding import Encoding, NotText, decoded, encoded
from nanobot.workspace.patching import apply_hunks
from nanobot.workspace.patchtext import AddFile, DeleteFile, PatchRefused, Section, UpdateFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nanobot.workspace.transaction import Transaction

LARGEST = 64 * 1024 * 1024
"""Files of more bytes are not patched."""
_UTF8 = Encoding(codec="utf-8", mark=b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceText:
    """A piece of text of one file replaced by another."""

    path: str
    edit: Edit


Step: TypeAlias = Section | ReplaceText
"""What is done to one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """What became of one file: the word for it, its path (and new path), its text before and after.

    `way` is how the old text of a replacement fitted, where that was not exactly.
    """

    done: Literal["Added", "Changed", "Moved", "Deleted"]
    path: str
    moved_to: str = ""
    before: str = ""
    after: str = ""
    way: str = ""

    @property
    def line(self) -> str:
        """The same in a line, for a model."""
        path = visible_line(self.path)
        arrow = f" to {visible_line(self.moved_to)}" if self.moved_to else ""
        way = f" (it fitted with other {self.way}, not exactly)" if self.way else ""
        return f"{self.done} {path}{arrow}{way}"

    def diff(self, most: int) -> str:
        """The change as a unified diff of at most `most` rows."""
        return bounded_diff(
            self.before, self.after, visible_line(self.moved_to or self.path), most=most
        )


def staged(
    steps: Sequence[Step], files: Transaction, unchanged: Callable[[str, bool], None]
) -> list[Staged]:
    """Stage every step in `files`, in order; nothing is written yet.

    Args:
        steps: what to do; each sees what those before it staged.
        files: knows every path that they name.
        unchanged: called with each path that is about to change, and whether all of it goes;
            raises when the file is another than the model knows.

    Raises:
        PatchRefused: a step does not fit; the message names the file and the hunk or edit.
        ToolError: a file can't be read or written.
    """
    stage = _Stage(files, unchanged)
    return [stage.step(step, number) for number, step in enumerate(steps, 1)]


class _Stage:
    def __init__(self, files: Transaction, unchanged: Callable[[str, bool], None]) -> None:
        self._files = files
        self._unchanged = unchanged
        self._touched: set[str] = set()

    def step(self, step: Step, number: int) -> Staged:
        match step:
            case AddFile(path=path, text=text):
                return self._add(path, text)
            case DeleteFile(path=path):
                return self._delete(path)
            case UpdateFile():
                return self._update(step)
            case ReplaceText():
                return self._replace(step, number)

    def _add(self, path: str, text: str) -> Staged:
        if self._files.bytes(path, most=LARGEST):
            raise PatchRefused(
                f"'{visible_line(path)}' exists already and can't be added",
                hint="Change it instead: '*** Update File' in a patch, action 'replace' in edits.",
            )
        self._files.write(path, text.encode())
        return Staged(done="Added", path=path, after=text)

    def _delete(self, path: str) -> Staged:
        before, _ = self._text(path, lenient=True)
        self._files.delete(path)
        return Staged(done="Deleted", path=path, before=before)

    def _update(self, step: UpdateFile) -> Staged:
        before, encoding = self._text(step.path, lenient=not step.hunks)
        made = apply_hunks(before, step.hunks, step.path)
        data = encoded(made.text, encoding) if step.hunks else self._bytes(step.path)
        way = "" if made.exact else "blanks at line ends"
        target = step.move_to
        if not target or self._files.path(target) == self._files.path(step.path):
            self._files.write(step.path, data)
            return Staged(done="Changed", path=step.path, before=before, after=made.text, way=way)
        if self._files.bytes(target, most=LARGEST) is not None:
            raise PatchRefused(
                f"'{visible_line(step.path)}' can't be moved to '{visible_line(target)}': "
                "there is a file",
                hint="Choose another name, or delete that file in the same patch first.",
            )
        self._files.write(target, data, like=step.path)
        self._files.delete(step.path)
        return Staged(
            done="Moved",
            path=step.path,
            moved_to=target,
            before=before,
            after=made.text,
            way=way,
        )

    def _replace(self, step: ReplaceText, number: int) -> Staged:
        before, encoding = self._text(step.path)
        try:
            edited = apply_edit(before, step.edit)
        except EditRefused as refused:
            raise PatchRefused(
                f"edits[{number - 1}], {visible_line(step.path)}: {refused.message}",
                hint=refused.hint,
            ) from refused
        self._files.write(step.path, encoded(edited.text, encoding))
        way = "" if edited.way == "exact" else edited.way
        return Staged(done="Changed", path=step.path, before=before, after=edited.text, way=way)

    def _text(self, path: str, *, lenient: bool = False) -> tuple[str, Encoding]:
        """The text of a file there is; where `lenient`, "" for one that is no text or too large."""
        identity = self._files.identity(path)
        if lenient and identity is not None and identity.size > LARGEST:
            data: bytes | None = b""
        else:
            data = self._files.bytes(path, most=LARGEST)
        if data is None:
            raise PatchRefused(
                f"'{visible_line(path)}' does not exist",
                hint="Find it with find_files; a new file needs '*** Add File', or action 'add'.",
            )
        if path not in self._touched:
            self._touched.add(path)
            self._unchanged(path, lenient)
        try:
            return decoded(data)
        except NotText as error:
            if lenient:
                return "", _UTF8
            raise PatchRefused(
                f"'{visible_line(path)}' is no UTF-8 text and can't be patched without damage: "
                f"{error}",
                hint="It can be moved or deleted as it is. Change it with a program that knows "
                "its form.",
            ) from error

    def _bytes(self, path: str) -> bytes:
        return self._files.bytes(path, most=LARGEST) or b""


__all__ = ["LARGEST", "ReplaceText", "Staged", "Step", "staged"]
