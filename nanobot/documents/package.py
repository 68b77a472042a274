"""An Office document as a package: parts that point to each other (ECMA-376, part 2).

No link out of the package is followed.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.xmltree import tree_of
from nanobot.documents.ziparchive import ZipArchive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element

_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Where a part points inside the package: the kind's last word (`header`), the part's name."""

    kind: str
    part: str


class Package:
    """The parts of an open document.

    Raises:
        BrokenDocument: it is no zip.
        DocumentTooLarge: it has too many parts.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._parts = ZipArchive(file)

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return self._parts.has(name)

    def part(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            DocumentFault: see `ZipArchive.part`.
        """
        return self._parts.part(name)

    def tree(self, name: str) -> _Element:
        """The root of a part's XML.

        Raises:
            DocumentFault: see `ZipArchive.part` and `tree_of`.
        """
        return tree_of(self._parts.part(name), name)

    def main_part(self, usual: str) -> str:
        """The part that the package is about; `usual` where it does not say."""
        found = (one.part for one in self.relations("").values() if one.kind == "officeDocument")
        return next(filter(self.has, found), usual)

    def relations(self, name: str) -> Mapping[str, Relation]:
        """Where a part points, by the ids it uses; links out of the package are left out.

        Raises:
            DocumentFault: see `tree`.
        """
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

    def trees(self, relations: Mapping[str, Relation], kind: str) -> Iterator[_Element]:
        """The XML of the parts of one kind that some relations lead to.

        Raises:
            DocumentFault: see `tree`.
        """
        return map(self.tree, self.names(relations, kind))

    def names(self, relations: Mapping[str, Relation], kind: str) -> Iterator[str]:
        """The names of the parts of one kind that some relations lead to, each once."""
        names = dict.fromkeys(one.part for one in relations.values() if one.kind == kind)
        return filter(self.has, names)


__all__ = ["Package", "Relation"]
