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
_ADD, _UPDATE, _DELETE = "*** Add File:", "*** Update File:", "*** Delete File:"
_MOVE, _END_OF_FILE = "*** Move to:", "*** End of File"
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
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
_JSON = "Give the patch as plain text in 'patch', without JSON or quotes around it."
_PLACES = (
    "'*** Move to: PATH' stands right below '*** Update File: PATH', "
    "and '*** End of File' is the last line of a hunk."
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

    Blank lines, a code fence and a shell's here-document around the whole mean nothing.

    Raises:
        PatchRefused: it does not have the form; the message names the line, the file, the hunk.
    """
    lines = _body(text)
    heads = [number for number, line in enumerate(lines) if _is_head(line)]
    stray = next((line for line in lines[: heads[0] if heads else None] if line.strip()), None)
    if stray is not None:
        raise _no_section(stray)
    if not heads:
        raise PatchRefused("The patch names no file", hint=_FORM)
    ends = [*heads[1:], len(lines)]
    return tuple(
        _section(lines[head], lines[head + 1 : end]) for head, end in zip(heads, ends, strict=True)
    )


def _body(text: str) -> list[str]:
    """The lines between begin and end."""
    lines = _unwrapped(text.replace("\r\n", "\n").split("\n"))
    first = lines[0].rstrip() if lines else ""
    if first != _BEGIN:
        raise PatchRefused(
            f"The patch does not begin with '{_BEGIN}' but '{_shown(first)}'",
            hint=_JSON if first.lstrip()[:1] in {"{", "[", '"'} else _FORM,
        )
    last = next((number for number, line in enumerate(lines) if line.rstrip() == _END), None)
    if last is None:
        raise PatchRefused(f"The patch does not end with '{_END}': it may be cut", hint=_FORM)
    if last + 1 < len(lines):
        after = next(line for line in lines[last + 1 :] if line.strip())
        raise PatchRefused(
            f"The patch goes on after '{_END}': '{_shown(after)}'",
            hint=f"Give one patch for all files: '{_BEGIN}' and '{_END}' stand in it once.",
        )
    return lines[1:last]


def _unwrapped(lines: list[str]) -> list[str]:
    """Without what may stand around a patch: blank lines, a code fence, a here-document."""
    lines = _trimmed(lines)
    if lines and lines[0].startswith("```"):
        lines = _trimmed(lines[1:])
    if lines and lines[-1].strip() == "```":
        lines = _trimmed(lines[:-1])
    heredoc = None if not lines or lines[0].startswith("***") else _HEREDOC.search(lines[0])
    if heredoc and lines[-1].strip() == heredoc[2]:
        lines = _trimmed(lines[1:-1])
    return lines


def _trimmed(lines: list[str]) -> list[str]:
    """Without blank lines at both ends."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return lines[first:last]


def _is_head(line: str) -> bool:
    return line.startswith("*** ") and not line.startswith((_MOVE, _END_OF_FILE))


def _no_section(line: str) -> PatchRefused:
    return PatchRefused(f"No file begins at the line '{_shown(line)}'", hint=_FORM)


def _shown(line: str) -> str:
    return visible_line(line[:_WIDEST]) + "…" * (len(line) > _WIDEST)


def _section(head: str, lines: list[str]) -> Section:
    if head.startswith(_ADD):
        return _added(_path(head, _ADD), lines)
    if head.startswith(_DELETE):
        path = _path(head, _DELETE)
        if any(line.strip() for line in lines):
            raise PatchRefused(
                f"{visible_line(path)}: nothing may follow '{_shown(head.strip())}'",
                hint="A deleted file has no lines in the patch; the next line begins a file.",
            )
        return DeleteFile(path=path)
    if head.startswith(_UPDATE):
        return _updated(_path(head, _UPDATE), lines)
    raise _no_section(head)


def _path(head: str, word: str) -> str:
    path = head[len(word) :].strip()
    if not path:
        raise PatchRefused(f"'{word}' names no file", hint=_FORM)
    return path


def _added(path: str, lines: list[str]) -> AddFile:
    lines = _trimmed(lines)
    for line in lines:
        if not line.startswith("+"):
            raise PatchRefused(
                f"{visible_line(path)}: a line of the new file does not begin with '+': "
                f"'{_shown(line)}'",
                hint="Each line after '*** Add File' begins with '+', empty ones too.",
            )
    return AddFile(path=path, text="".join(line[1:] + "\n" for line in lines))


def _updated(path: str, lines: list[str]) -> UpdateFile:
    move_to = ""
    if lines and lines[0].startswith(_MOVE):
        move_to, lines = _path(lines[0], _MOVE), lines[1:]
    last = len(lines)
    while last and not lines[last - 1]:
        last -= 1
    hunks = tuple(_hunks(path, lines[:last]))
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
        hunks.append(_hunk(path, len(hunks) + 1, [a for a in anchors if a.strip()], lines[at:end]))
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
                f"'+': '{_shown(line)}'",
                hint=_PLACES if line.startswith("***") else _HUNK_FORM,
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
