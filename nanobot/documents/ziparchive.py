"""A zip file opened within bounds: its parts are read by name into memory, never onto the disk.

No size that the file states is believed (CASES.md, hostile 9): a part is counted while it inflates.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.faults import BrokenDocument, DocumentLocked, DocumentTooLarge
from nanobot.documents.plaintext import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PARTS = 10_000
"""Archives of more parts are not read."""
LARGEST_PART = 64 * 1024 * 1024
"""Parts that inflate to more bytes are not read."""
MOST_INFLATED = 256 * 1024 * 1024
"""How many inflated bytes are read of one archive."""
RATIO = 200
"""A part that inflates to more times its size, and to more than `RATIO_FROM` bytes, is a bomb."""
RATIO_FROM = 8 * 1024 * 1024

_ROOM_OF_AN_ENTRY = 400
_PIECE = 1 << 20
_ENCRYPTED = 1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class ZipArchive:
    r"""The parts of an open zip file.

    Part names are compared without regard to case, `\\` counts as `/` (ECMA-376, part 2, 6.2.2).

    Raises:
        BrokenDocument: it is no zip.
        DocumentTooLarge: it has more than `MOST_PARTS` parts.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(_Bounded(file))
        except _DAMAGE as error:
            raise BrokenDocument(f"The file is damaged: {quoted(str(error))}") from error
        parts = self._zip.infolist()
        if len(parts) > MOST_PARTS:
            raise _too_many()
        self._parts = {_plain(part.filename): part for part in parts}
        self._room = MOST_INFLATED

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return _plain(name) in self._parts

    def part(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            BrokenDocument: there is none, or it is damaged.
            DocumentLocked: it is encrypted.
            DocumentTooLarge: it inflates beyond bounds.
        """
        part = self._parts.get(_plain(name))
        if part is None:
            raise BrokenDocument(f"The document lacks its part '{quoted(name)}'")
        if part.flag_bits & _ENCRYPTED:
            raise DocumentLocked(
                "The document is encrypted", hint="Ask the person for one without a password."
            )
        if part.compress_type not in _METHODS:
            raise BrokenDocument(f"The document's part '{quoted(name)}' is packed in a foreign way")
        try:
            return b"".join(self._inflated(part))
        except _DAMAGE as error:
            raise BrokenDocument(
                f"The document's part '{quoted(name)}' is damaged: {quoted(str(error))}"
            ) from error

    def _inflated(self, part: zipfile.ZipInfo) -> Iterator[bytes]:
        size = 0
        with self._zip.open(part) as stream:
            while piece := stream.read(_PIECE):
                size += len(piece)
                self._room -= len(piece)
                if size > max(RATIO_FROM, RATIO * part.compress_size):
                    raise DocumentTooLarge(
                        f"A part of the document inflates to more than {RATIO} times its size "
                        "(a zip bomb)"
                    )
                if size > LARGEST_PART or self._room < 0:
                    raise DocumentTooLarge(
                        f"The document's text is too large: at most {LARGEST_PART >> 20} MB in one "
                        f"part and {MOST_INFLATED >> 20} MB in all are read"
                    )
                yield piece


class _Bounded:
    """A file for `zipfile`, which reads the list of parts at once, however long it says that is."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > max(_PIECE, MOST_PARTS * _ROOM_OF_AN_ENTRY):
            raise _too_many()
        return self._file.read(size)


def _too_many() -> DocumentTooLarge:
    return DocumentTooLarge(f"The document has more than {MOST_PARTS:,} parts")


def _plain(name: str) -> str:
    return name.replace("\\", "/").lower()


__all__ = [
    "LARGEST_PART",
    "MOST_INFLATED",
    "MOST_PARTS",
    "RATIO",
    "RATIO_FROM",
    "ZipArchive",
]
