r"""The text of a patch, read: `*** Begin Patch`, a section for each file, `*** End Patch`. Pure.

```
*** Begin Patch
*** Add File: docs/new.md
+a line of the new file
*** Update File: src/app.py
*** Move to: src/main.py
@@ class App:
     def run(self):
-        old()
+        new()
*** Delete File: src/old.py
*** End Patch
```

A hunk begins with `@@`, which may name a line above the change; its lines begin with a blank
(context), `-` (removed) or `+` (added).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.errors import ToolError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_GIT_HEAD = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?")
_FORM = (
    "The form is '*** Begin Patch', then for each file '*** Add File: PATH' with lines that begin "
    "with '+', '*** Update File: PATH' with hunks that begin with '@@', or '*** Delete File: PATH', "
    "then '*** End Patch'."
)
_HUNK_FORM = (
    "Each line of a hunk begins with a blank (context), '-' (removed) or '+' (added); "
    "a hunk begins with '@@'."
)
_WIDEST = 120


class PatchRefused(ToolError):  # names the condition (STYLE.md 10)
    """The patch can't be read, or does not fit the files; nothing was changed."""


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line of a hunk: context, removed or added."""

    sign: Literal[" ", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """A change at one place. `number` counts from 1 in its file.

    `anchors` are lines that stand above the place, in this order. `at_end`: the place is the end.
    """

    number: int
    anchors: tuple[str, ...]
    lines: tuple[HunkLine, ...]
    at_end: bool = False

    @property
    def old(self) -> list[str]:
        """The lines that must stand in the file: context and removed ones."""
        return [line.text for line in self.lines if line.sign != "+"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFile:
    """A new file with this text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFile:
    """A file that goes."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateFile:
    """A file that changes, and its new name or ""."""

    path: str
    move_to: str
    hunks: tuple[Hunk, ...]


Section: TypeAlias = AddFile | DeleteFile | UpdateFile
"""What a patch does to one file."""


def parse_patch(text: str) -> tuple[Section, ...]:
    """The sections of a patch, in order; at least one.

    Raises:
        PatchRefused: it does not have the form; the message names the line, the file, the hunk.
    """
    lines = _body(text)
    sections: list[Section] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        end = next((n for n in range(at + 1, len(lines)) if _begins(lines[n])), len(lines))
        sections.append(_section(lines[at], lines[at + 1 : end]))
        at = end
    if not sections:
        raise PatchRefused("The patch names no file", hint=_FORM)
    return tuple(sections)


def _body(text: str) -> list[str]:
    """The lines between begin and end; what wraps the whole (a fence, a here-document) is cut."""
    lines = text.replace("\r\n", "\n").split("\n")
    begin = next((n for n, line in enumerate(lines) if line.strip() == _BEGIN), None)
    if begin is None:
        shown = visible_line(text.strip().split("\n")[0][:_WIDEST])
        raise PatchRefused(f"The patch does not begin with '{_BEGIN}' but '{shown}'", hint=_FORM)
    end = next((n for n in range(len(lines) - 1, begin, -1) if lines[n].strip() == _END), None)
    if end is None:
        raise PatchRefused(f"The patch does not end with '{_END}': it may be cut", hint=_FORM)
    return lines[begin + 1 : end]


def _begins(line: str) -> bool:
    return line.startswith((_ADD, _UPDATE, _DELETE))


def _section(head: str, lines: list[str]) -> Section:
    if head.startswith(_ADD):
        return _added(_path(head, _ADD), lines)
    if head.startswith(_DELETE):
        path = _path(head, _DELETE)
        if any(line.strip() for line in lines):
            raise PatchRefused(f"{visible_line(path)}: nothing may follow '{head.strip()}'")
        return DeleteFile(path=path)
    if head.startswith(_UPDATE):
        return _updated(_path(head, _UPDATE), lines)
    raise PatchRefused(f"No file begins at the line '{visible_line(head[:_WIDEST])}'", hint=_FORM)


def _path(head: str, word: str) -> str:
    path = head[len(word) :].strip()
    if not path:
        raise PatchRefused(f"'{word.strip()}' names no file", hint=_FORM)
    return path


def _added(path: str, lines: list[str]) -> AddFile:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    for line in lines:
        if not line.startswith("+"):
            raise PatchRefused(
                f"{visible_line(path)}: a line of the new file does not begin with '+': "
                f"'{visible_line(line[:_WIDEST])}'",
                hint="Each line after '*** Add File' begins with '+'.",
            )
    return AddFile(path=path, text="".join(line[1:] + "\n" for line in lines))


def _updated(path: str, lines: list[str]) -> UpdateFile:
    move_to = ""
    if lines and lines[0].startswith(_MOVE):
        move_to, lines = _path(lines[0], _MOVE), lines[1:]
    while lines and not lines[-1].strip() and not lines[-1].startswith(" "):
        lines = lines[:-1]
    hunks = tuple(_hunks(path, lines))
    if not hunks and not move_to:
        raise PatchRefused(f"{visible_line(path)}: the update has no hunk", hint=_HUNK_FORM)
    return UpdateFile(path=path, move_to=move_to, hunks=hunks)


def _hunks(path: str, lines: Sequence[str]) -> list[Hunk]:
    hunks: list[Hunk] = []
    at = 0
    while at < len(lines):
        anchors: list[str] = []
        while at < len(lines) and lines[at].startswith("@@"):
            anchors.append(_anchor(lines[at]))
            at += 1
        end = next((n for n in range(at, len(lines)) if lines[n].startswith("@@")), len(lines))
        hunks.append(_hunk(path, len(hunks) + 1, [a for a in anchors if a], lines[at:end]))
        at = end
    return hunks


def _anchor(line: str) -> str:
    head = _GIT_HEAD.match(line)
    return line[head.end() :] if head else line[2:].removeprefix(" ")


def _hunk(path: str, number: int, anchors: Sequence[str], lines: Sequence[str]) -> Hunk:
    at_end = bool(lines) and lines[-1].strip() == _END_OF_FILE
    parsed = [_line(path, number, line) for line in (lines[:-1] if at_end else lines)]
    if not any(line.sign != " " for line in parsed):
        raise PatchRefused(
            f"{visible_line(path)}, hunk {number}: it adds and removes nothing", hint=_HUNK_FORM
        )
    return Hunk(number=number, anchors=tuple(anchors), lines=tuple(parsed), at_end=at_end)


def _line(path: str, number: int, line: str) -> HunkLine:
    if not line:
        return HunkLine(" ", "")  # a blank context line that lost its blank
    match line[0]:
        case " " | "-" | "+" as sign:
            return HunkLine(sign, line[1:])
        case _:
            raise PatchRefused(
                f"{visible_line(path)}, hunk {number}: a line begins with neither a blank, '-' nor "
                f"'+': '{visible_line(line[:_WIDEST])}'",
                hint=_HUNK_FORM,
            )


__all__ = [
    "AddFile",
    "DeleteFile",
    "Hunk",
    "HunkLine",
    "PatchRefused",
    "Section",
    "UpdateFile",
    "parse_patch",
]
