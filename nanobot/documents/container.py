"""Which document is in a container: a zip file by its parts, an old OLE file by its streams.

Needs the standard library alone, so that a zip archive is known as one where nothing reads it.
"""

from __future__ import annotations

import mmap
import os
import re
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from nanobot.documents.faults import (
    LARGEST,
    BrokenDocument,
    DocumentLocked,
    DocumentTooLarge,
    UnknownDocument,
)
from nanobot.documents.plaintext import one_line
from nanobot.documents.ziparchive import MOST_PARTS, RATIO, RATIO_FROM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Content: TypeAlias = Literal["docx", "pptx", "workbook"]

_MOST_INFLATED = 512 * 1024 * 1024
_MAINS: dict[str, Content] = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "workbook",
    "xl/workbook.bin": "workbook",
}
_FOLDERS: dict[str, Content] = {"word": "docx", "ppt": "pptx", "xl": "workbook"}
_MAIN_RELATION = re.compile(
    rb"""<[^<>]*?\bType=["'][^"'<>]*/officeDocument["'][^<>]*>""", re.IGNORECASE
)
_TARGET = re.compile(rb"""\bTarget=["']/?([^"'<>]+)["']""")
_MOST_RELATIONS = 1 << 16
_LARGEST_LIST = 32 * 1024 * 1024
_TYPES = "[content_types].xml"
_SPREADSHEET = b"opendocument.spreadsheet"


def content_of_zip(file: BinaryIO) -> Content:
    """The document in a zip file.

    Raises:
        UnknownDocument: it is another zip file.
        BrokenDocument: it is damaged, or a document without its main part.
        DocumentTooLarge: it is a workbook of too many parts, or that inflates too much.
    """
    try:
        with zipfile.ZipFile(_Bounded(file)) as found:
            content = _content(found, {_plain(name): name for name in found.namelist()})
            if content == "workbook":
                _hold_to_bounds(found.infolist())
            return content
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError) as error:
        raise BrokenDocument(f"The file is damaged: {one_line(str(error))}") from error


def _hold_to_bounds(parts: Sequence[zipfile.ZipInfo]) -> None:
    """Hold a workbook to what its zip file says of it; who lies meets the limits of the process."""
    if len(parts) > MOST_PARTS:
        raise DocumentTooLarge(
            f"The workbook has {len(parts):,} parts; at most {MOST_PARTS:,} are read"
        )
    inflated = sum(part.file_size for part in parts)
    if inflated > _MOST_INFLATED:
        raise DocumentTooLarge(
            f"The workbook inflates to {inflated >> 20:,} MB; "
            f"at most {_MOST_INFLATED >> 20:,} MB are read"
        )
    for part in parts:
        if part.file_size > max(RATIO_FROM, RATIO * part.compress_size):
            raise DocumentTooLarge("The workbook inflates beyond measure (a zip bomb)")


def _content(found: zipfile.ZipFile, names: Mapping[str, str]) -> Content:
    for main, content in _MAINS.items():
        if main in names:
            return content
    if _SPREADSHEET in _start(found, names, "mimetype", 200):
        return "workbook"
    folder = _main_part(found, names).partition("/")[0]
    if folder in _FOLDERS:
        return _FOLDERS[folder]
    if _TYPES in names and any(name.partition("/")[0] in _FOLDERS for name in names):
        raise BrokenDocument("The document lacks its main part")
    raise UnknownDocument("It is a zip archive")


def _main_part(found: zipfile.ZipFile, names: Mapping[str, str]) -> str:
    """The main part where it has a name of its own; "" where there is none."""
    relation = _MAIN_RELATION.search(_start(found, names, "_rels/.rels", _MOST_RELATIONS))
    target = _TARGET.search(relation[0]) if relation else None
    part = _plain(target[1].decode(errors="replace")) if target else ""
    return part if part in names else ""


def _start(found: zipfile.ZipFile, names: Mapping[str, str], name: str, most: int) -> bytes:
    """The first bytes of a part; none where there is no such part."""
    if name not in names:
        return b""
    with found.open(names[name]) as stream:
        return stream.read(most)


class _Bounded:
    """A file for `zipfile`, which reads the list of parts at once, however long it says that is."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _LARGEST_LIST:  # no document is of so many parts
            raise UnknownDocument("It is a zip archive")
        return self._file.read(size)


def _plain(name: str) -> str:
    return name.replace("\\", "/").lower()


_STREAMS: tuple[tuple[str, str, str], ...] = (
    ("EncryptedPackage", "The document needs a password", "Ask the person for one without."),
    (
        "WordDocument",
        "It is an old Word file (.doc)",
        "Ask the person for it as .docx, or convert it with LibreOffice.",
    ),
    (
        "PowerPoint Document",
        "It is an old PowerPoint file (.ppt)",
        "Ask the person for it as .pptx, or convert it with LibreOffice.",
    ),
)
_OLD_WORKBOOKS = ("Workbook", "Book")
_ENTRY, _NAME = 128, 64


def content_of_ole(file: BinaryIO) -> Content:
    """The document in an old container: a workbook, all else is refused.

    Raises:
        UnknownDocument: it is another file in such a container.
        BrokenDocument: it is of a kind that is not read.
        DocumentLocked: it needs a password.
    """
    size = min(file.seek(0, os.SEEK_END), LARGEST)
    with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data:
        for name, said, hint in _STREAMS:
            if _has_stream(data, name):
                fault = DocumentLocked if name == "EncryptedPackage" else BrokenDocument
                raise fault(said, hint=hint)
        if any(_has_stream(data, name) for name in _OLD_WORKBOOKS):
            return "workbook"
    raise UnknownDocument("It is an old container file (OLE)")


def _has_stream(data: mmap.mmap, name: str) -> bool:
    """Whether there is an entry of this name in the directory ([MS-CFB] 2.6.1)."""
    text = f"{name}\0".encode("utf-16-le")
    entry = text.ljust(_NAME, b"\0") + len(text).to_bytes(2, "little")
    at = data.find(entry)
    while at >= 0 and at % _ENTRY:
        at = data.find(entry, at + 1)
    return at >= 0


__all__ = ["Content", "content_of_ole", "content_of_zip"]
