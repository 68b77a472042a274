"""An Office document as a package of parts: a zip whose parts are read by name, within bounds.

Nothing is extracted to the disk, no size that the file states is believed, no link out of it is
followed (CASES.md, hostile 9). XML is read without DTDs, entities and network.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from lxml import etree

from nanobot.documents.container import MOST_PARTS, RATIO, RATIO_FROM
from nanobot.documents.faults import BrokenDocument, DocumentLocked, DocumentTooLarge

if TYPE_CHECKING:
    from collections.abc import Mapping

_PART = 128 * 1024 * 1024
_WHOLE = 256 * 1024 * 1024
_PIECE = 1 << 20
_ENCRYPTED = 1
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Where a part points inside the package: the kind's last word (`header`), the part's name."""

    kind: str
    part: str


class Package:
    """The parts of an open zip file.

    Raises:
        BrokenDocument: it is no zip.
        DocumentTooLarge: it has too many parts.
    """

    def __init__(self, file: BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise BrokenDocument(f"The file is damaged: {error}") from error
        self._parts = {info.filename: info for info in self._zip.infolist()}
        if len(self._zip.infolist()) > MOST_PARTS:
            raise DocumentTooLarge(f"The document has more than {MOST_PARTS:,} parts")
        self._read = 0

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return name in self._parts

    def part(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            BrokenDocument: there is none, or it is damaged.
            DocumentLocked: it is encrypted.
            DocumentTooLarge: it inflates beyond bounds.
        """
        info = self._parts.get(name)
        if info is None:
            raise BrokenDocument(f"The document lacks its part '{name}'")
        if info.flag_bits & _ENCRYPTED:
            raise DocumentLocked("The document is encrypted", hint="Ask for one without password.")
        try:
            with self._zip.open(info) as stream:
                return self._inflated(stream, info.compress_size)  # type: ignore[arg-type]  # reads bytes
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise BrokenDocument(f"The document's part '{name}' is damaged: {error}") from error

    def tree(self, name: str) -> etree._Element:
        """The root of a part's XML.

        Raises:
            BrokenDocument: see `part`; or it is no XML, or has a DTD.
        """
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(self.part(name), parser)
        except etree.XMLSyntaxError as error:
            raise BrokenDocument(f"The document's part '{name}' is no XML: {error.msg}") from error
        if getattr(root.getroottree().docinfo, "doctype", ""):
            raise BrokenDocument(f"The document's part '{name}' has a DTD, which is refused")
        return root

    def relations(self, name: str) -> Mapping[str, Relation]:
        """Where a part points, by the ids it uses; links out of the package are left out."""
        folder, base = posixpath.split(name)
        listed = f"{folder}/_rels/{base}.rels".lstrip("/")
        if not self.has(listed):
            return {}
        found: dict[str, Relation] = {}
        for node in self.tree(listed).iter(_RELATION):
            target = node.get("Target", "")
            if node.get("TargetMode") == "External" or not target:
                continue
            part = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = Relation(kind=kind, part=part)
        return found

    def _inflated(self, stream: BinaryIO, compressed: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            self._read += len(piece)
            if size > _PART or self._read > _WHOLE:
                raise DocumentTooLarge(
                    f"The document holds more than {_WHOLE // (1 << 20)} MB of text or data"
                )
            if size > RATIO_FROM and size > RATIO * max(1, compressed):
                raise DocumentTooLarge("The document inflates beyond measure (a zip bomb)")
        return b"".join(pieces)


__all__ = ["Package", "Relation"]
