"""The lines that a content search found: ripgrep's records taken apart, long lines previewed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot.agent.tools.searching import name_of
from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.encoding import encoding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from nanobot.workspace import Workspace

WIDEST = 400
"""How many bytes of a line are shown; longer ones are previewed."""
FLAGS = (
    "--null",
    "--with-filename",
    "--no-heading",
    "--line-number",
    "--column",
    "--byte-offset",
    f"--max-columns={WIDEST}",
    "--max-columns-preview",
    "--threads=1",
)
"""What ripgrep is told, so that its records can be read here, in the order of the files given."""
_BEFORE_MATCH = 120
_MEASURED = 16 * 1024 * 1024
_PLACE = re.compile(rb"(\d+)(?::(\d+):(\d+):|-(\d+)-)")
_BINARY = re.compile(rb"(.*): binary file matches \(.*\)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A line that matches (`column` counts its bytes from 1), or one of its context (0).

    `offset` is where the line begins in the file, in bytes. `text` may be cut.
    """

    name: str
    number: int
    column: int
    offset: int
    text: bytes


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file that matches whose lines can't be shown, and why."""

    name: str
    why: str


def hits(records: Iterable[bytes]) -> Iterator[Hit | FileHit | None]:
    """The hits in ripgrep's records; None where a group of context ends."""
    begun = b""
    for record in records:
        name, found, rest = (begun + record).partition(b"\0")
        place = _PLACE.match(rest)
        if found and place:
            begun = b""
            number, column, offset, offset_of_context = place.groups()
            yield Hit(
                name=name_of(name),
                number=int(number),
                column=int(column or 0),
                offset=int(offset or offset_of_context),
                text=rest[place.end() :].rstrip(b"\r"),
            )
        elif record == b"--" and not begun:
            yield None
        elif binary := _BINARY.fullmatch(record):
            yield FileHit(name_of(binary[1]), "it is no text")
        else:
            begun += record + b"\n"  # a name with a line end goes on in the next record


def shown_hit(hit: Hit, workspace: Workspace, folder: Path) -> str:
    """What follows the name: `:number:text`, or `-number-text` for context; one line."""
    mark = ":" if hit.column else "-"
    text = _one_line(hit.text) if len(hit.text) <= WIDEST else _preview(hit, workspace, folder)
    return f"{mark}{hit.number}{mark}{text}"


def still_stands(hit: Hit, workspace: Workspace, folder: Path) -> bool:
    """Whether the line is read again at its place through the fence, in bytes as they stand.

    Where no kernel holds the search inside, this tells a line of the workspace from one that a
    swapped link showed. A line of a recoded file (UTF-16) is not found again.
    """
    text = hit.text[:WIDEST]
    try:
        with workspace.open_file(folder / hit.name) as opened:
            mark = encoding_of(os.pread(opened.descriptor, 4, 0)).mark
            starts = (hit.offset, hit.offset + len(mark))
            return any(os.pread(opened.descriptor, len(text), at) == text for at in starts)
    except ToolError:
        return False


def _one_line(text: bytes) -> str:
    return visible_line(text.decode(errors="replace")).replace("\\t", "\t")


def _preview(hit: Hit, workspace: Workspace, folder: Path) -> str:
    """The part of a long line around its match, and how long the line is."""
    try:
        with workspace.open_file(folder / hit.name) as opened:
            found = _around(opened.descriptor, hit)
    except ToolError:  # gone meanwhile
        found = ""
    return found or f"{_one_line(hit.text[:WIDEST])}… (a long line)"


def _around(descriptor: int, hit: Hit) -> str:
    """The same by the file's own bytes; "" when ripgrep counted in others (it recodes UTF-16)."""
    mark = encoding_of(os.pread(descriptor, 4, 0)).mark
    start = hit.offset
    if mark and os.pread(descriptor, 16, start) != hit.text[:16]:
        start += len(mark)
    if os.pread(descriptor, 16, start) != hit.text[:16]:
        return ""
    first = max(0, hit.column - 1 - _BEFORE_MATCH)
    piece = os.pread(descriptor, WIDEST, start + first).split(b"\n", 1)[0]
    lead = "…" if first else ""
    at = f", match at byte {hit.column:,}" if hit.column else ""
    return f"{lead}{_whole(piece)}… ({_length(descriptor, start)} bytes long{at})"


def _whole(piece: bytes) -> str:
    """The text without the characters that were cut at its ends."""
    return visible_line(piece.decode(errors="replace").strip("\ufffd")).replace("\\t", "\t")


def _length(descriptor: int, start: int) -> str:
    size = 0
    while size < _MEASURED:
        piece = os.pread(descriptor, 1 << 20, start + size)
        end = piece.find(b"\n")
        if end >= 0 or not piece:
            return f"{size + max(end, 0):,}"
        size += len(piece)
    return f"more than {size:,}"


__all__ = ["FLAGS", "WIDEST", "FileHit", "Hit", "hits", "shown_hit", "still_stands"]
