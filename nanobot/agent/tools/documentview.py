"""What a model gets of a document: rows of text, pages, or a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.documents.faults import LARGEST, DocumentFault, DocumentTooLarge, UnknownDocument
from nanobot.documents.reader import Document, DocumentReader, Wanted
from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.excerpt import excerpt_of_lines, unseen_note

if TYPE_CHECKING:
    from nanobot.documents.kind import Kind
    from nanobot.documents.pool import Errand
    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.fence import Opened

_PAGES_AT_ONCE = 20
_CONTAINERS = ("zip", "ole")
_TEXTS = ("notebook", "mail")

View: TypeAlias = "str | list[JsonObject]"
"""Text, or content blocks with a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which part of a document is wanted. Lines count from 1."""

    offset: int
    limit: int
    pages: str | None
    budget: int

    @property
    def wanted(self) -> Wanted:
        """The same for the reader, which counts from 0."""
        return Wanted(first=self.offset - 1, count=self.limit, budget=self.budget, pages=self.pages)


def view_document(
    reader: DocumentReader, opened: Opened, kind: Kind, path: str, part: Part, errand: Errand
) -> View | None:
    """The part that is wanted; None for a container of something else, or a broken text.

    Raises:
        DocumentFault: it is broken, locked or too large; the message names the file.
        ToolError: there is no such part.
    """
    document = Document(
        descriptor=opened.descriptor, identity=opened.identity, kind=kind, errand=errand
    )
    try:
        if opened.identity.size > LARGEST and kind not in _CONTAINERS:
            raise DocumentTooLarge.by_size(opened.identity.size)
        if part.pages is not None and kind != "pdf":
            raise not_paged(part.pages)
        if kind == "image":
            return _picture(reader, document, path)
        return _pages(reader, document, part) if kind == "pdf" else _lines(reader, document, part)
    except UnknownDocument:
        return None
    except DocumentFault as fault:
        if kind in _TEXTS:  # it can be read, and mended, as the text it is
            return None
        said = f"'{visible_line(path)}': {visible_line(fault.message)}"
        raise type(fault)(said, hint=fault.hint) from fault


def _picture(reader: DocumentReader, document: Document, path: str) -> View:
    picture = reader.picture(document)
    return [
        {"type": "text", "text": f"{visible_line(path)}: {picture.line}"},
        {"type": "image_url", "image_url": {"url": picture.url}},
    ]


def not_paged(pages: str) -> ToolError:
    """What is wrong with `pages` for a file that is no PDF."""
    return ToolError(
        f"pages={pages!r} is for PDF files, and this is none",
        hint="Leave pages out; use offset and limit.",
    )


def _lines(reader: DocumentReader, document: Document, part: Part) -> str:
    found = reader.lines(document, part.wanted)
    if part.offset > max(1, found.total):
        raise ToolError(
            f"offset {part.offset} lies beyond the end: the document has {found.total} "
            f"line{'s' * (found.total != 1)} as text",
            hint=f"Use an offset from 1 to {found.total}.",
        )
    rows = excerpt_of_lines(found.lines, first=part.offset, total=found.total, budget=part.budget)
    return f"({found.label}, as text)\n{rows.text}"


def _pages(reader: DocumentReader, document: Document, part: Part) -> str:
    found = reader.pages(document, part.wanted)
    text = "\n".join(found.lines)
    notes = [unseen_note(text)]
    if found.rest:
        notes.append(
            f"(Page {found.last} of {found.total} goes on. "
            f"Use pages='{found.last}', offset={found.rest + 1} to continue.)"
        )
    elif found.last < found.total:
        following = min(found.total, found.last + _PAGES_AT_ONCE)
        notes.append(
            f"(Showing pages {found.first}-{found.last} of {found.total}. "
            f"Use pages='{found.last + 1}-{following}' to continue.)"
        )
    else:
        notes.append(f"(End of document — {found.total} pages total)")
    return "\n\n".join(filter(None, [text, *notes]))


__all__ = ["Part", "View", "not_paged", "view_document"]
