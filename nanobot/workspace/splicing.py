"""What an edit writes at a place: what old and new text share keeps the file's own characters.

Pure. The old text lies over the matched range line by line; a shared piece is copied from the file
(its trailing blanks, curly quotes, line ends), and the rest is written literally, with the line end
and the indentation found at that place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.workspace.flattext import FlatText
    from nanobot.workspace.matching import Matches, Span

_BLANKS = " \t"
_TOKEN = re.compile(r"\n|[^\W_]+|[^\S\n]|[^\w\s]|_")
_MOST_ALIGNED = 4000


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token of the old text, and the file's own characters for it."""

    typed: str
    stands: str


def spliced(file: FlatText, span: Span, old: str, new: str, matches: Matches) -> str:
    r"""The characters that replace `span`; `old` and `new` with `\n` alone."""
    ending = file.near_ending(span.start, span.end)
    if matches.way == "exact" and "\r" not in file.raw(span.start, span.end):
        return new if ending == "\n" else _with_ending(new, ending)
    if matches.way == "indentation":
        old = _shifted(old, matches)
        new = _shifted(new, matches)
    return "".join(_woven(old.split("\n"), _lines_of(file, span, old), new.split("\n"), ending))


def _with_ending(new: str, ending: str) -> str:
    return new.replace("\n", ending)


def _lines_of(file: FlatText, span: Span, old: str) -> list[list[_Piece]]:
    """The old text's lines as pieces; the last piece of each stands for the line's end."""
    lines, at = [], span.start
    typed_lines = old.split("\n")
    for number, typed in enumerate(typed_lines):
        last = number == len(typed_lines) - 1
        end = span.end if last else file.flat.index("\n", at)
        stands = file.flat[at:end]
        pieces = list(_laid_over(typed, stands))
        rest = stands[len(typed.rstrip(_BLANKS)) :] if _blanks_differ(typed, stands) else ""
        pieces.append(_Piece("" if last else "\n", rest if last else rest + file.ending(end)))
        lines.append(pieces)
        at = end + 1
    return lines


def _blanks_differ(typed: str, stands: str) -> bool:
    return len(typed) != len(stands)


def _laid_over(typed: str, stands: str) -> Iterator[_Piece]:
    """Tokens of one line; where only blanks at the end differ, those go with the line's end."""
    if _blanks_differ(typed, stands):
        typed = typed.rstrip(_BLANKS)
    for found in _TOKEN.finditer(typed):
        yield _Piece(found.group(), stands[found.start() : found.end()])


def _woven(
    old: list[str], lines: Sequence[list[_Piece]], new: list[str], ending: str
) -> Iterator[str]:
    """Lines that both have come from the file; between them, tokens."""
    ends = [*("\n" for _ in new[1:]), ""]
    for tag, first, last, new_first, new_last in _aligned(old, new):
        pieces = [piece for line in lines[first:last] for piece in line]
        if tag == "equal" and _same_end(pieces, ends[new_last - 1]):
            yield from (piece.stands for piece in pieces)
            continue
        text = "".join(
            line + end for line, end in zip(new[new_first:new_last], ends[new_first:], strict=False)
        )
        yield from _mixed(pieces, text, ending)


def _same_end(pieces: Sequence[_Piece], end: str) -> bool:
    return pieces[-1].typed == end


def _mixed(pieces: Sequence[_Piece], new: str, ending: str) -> Iterator[str]:
    tokens = [found.group() for found in _TOKEN.finditer(new)]
    closed = bool(pieces) and pieces[-1].typed == ""
    if closed:
        tokens.append("")
    for tag, first, last, new_first, new_last in _aligned(
        [piece.typed for piece in pieces], tokens
    ):
        if tag == "equal":
            yield from (piece.stands for piece in pieces[first:last])
        else:
            yield "".join(tokens[new_first:new_last]).replace("\n", ending)


def _aligned(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The steps from old to new; long ones only between their common start and end."""
    if len(old) + len(new) <= _MOST_ALIGNED:
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_end, new_end = len(old) - end, len(new) - end
    return [
        ("equal", 0, start, 0, start),
        ("replace", start, old_end, start, new_end),
        ("equal", old_end, len(old), new_end, len(new)),
    ]


def _shifted(text: str, matches: Matches) -> str:
    """The text with the indentation that was found in place of the one that was typed."""
    return "\n".join(_shifted_line(line, matches) for line in text.split("\n"))


def _shifted_line(line: str, matches: Matches) -> str:
    if not line.strip(_BLANKS):
        return line
    typed, found = matches.typed_indent, matches.found_indent
    if line.startswith(typed):
        return found + line[len(typed) :]
    body = line.lstrip(_BLANKS)
    lacking = len(typed) - (len(line) - len(body))
    return found[: max(0, len(found) - lacking)] + body


__all__ = ["spliced"]
