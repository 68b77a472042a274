"""What a model gets of a document: rows of text, pages, or a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.documents.faults import DocumentFault, DocumentTooLarge, UnknownDocument
from nanobot.documents.reader import Document, DocumentReader
from nanobot.errors import ToolError
from nanobot.visible import visible_line
from nanobot.workspace.excerpt import excerpt_of_lines
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from nanobot.documents.kind import Kind
    from nanobot.jsonvalue import JsonObject
    from nanobot.workspace.fence import Opened

LARGEST = 200 * 1024 * 1024
"""Documents of more bytes are not read."""
_PAGES_AT_ONCE = 20

View: TypeAlias = "str | list[JsonObject]"
"""Text, or content blocks with a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Which part of a document is wanted. Lines count from 1."""

    offset: int
    limit: int
    pages: str | None
    budget: int


def view_document(
    reader: DocumentReader, opened: Opened, kind: Kind, path: str, part: Part
) -> View | None:
    """The part that is wanted; None for a container of something else.

    Raises:
        DocumentFault: it is broken, locked or too large; the message names the file.
        ToolError: there is no such part.
    """
    shown = visible_line(path)
    if opened.identity.size > LARGEST:
        raise DocumentTooLarge(
            f"'{shown}' has {shown_size(opened.identity.size)}; "
            f"documents of at most {shown_size(LARGEST)} are read"
        )
    document = Document(descriptor=opened.descriptor, identity=opened.identity, kind=kind)
    if part.pages is not None and kind != "pdf":
        raise not_paged(part.pages)
    try:
        if kind == "image":
            picture = reader.picture(document)
            return [
                {"type": "text", "text": f"{shown}: {picture.line}"},
                {"type": "image_url", "image_url": {"url": picture.url}},
            ]
        return _pages(reader, document, part) if kind == "pdf" else _lines(reader, document, part)
    except UnknownDocument:
        return None
    except DocumentFault as fault:
        raise type(fault)(f"'{shown}': {fault.message}", hint=fault.hint) from fault


def not_paged(pages: str) -> ToolError:
    """What is wrong with `pages` for a file that is no PDF."""
    return ToolError(
        f"pages={pages!r} is for PDF files, and this is none",
        hint="Leave pages out; use offset and limit.",
    )


def _lines(reader: DocumentReader, document: Document, part: Part) -> str:
    found = reader.lines(document, first=part.offset - 1, count=part.limit, budget=part.budget)
    if part.offset > max(1, found.total):
        raise ToolError(
            f"offset {part.offset} lies beyond the end: the document has {found.total} "
            f"line{'s' * (found.total != 1)} as text",
            hint=f"Use an offset from 1 to {found.total}.",
        )
    rows = excerpt_of_lines(found.lines, first=part.offset, total=found.total, budget=part.budget)
    return f"({found.label}, as text)\n{rows.text}"


def _pages(reader: DocumentReader, document: Document, part: Part) -> str:
    found = reader.pages(document, part.pages, budget=part.budget)
    text = "\n".join(found.lines)
    notes = []
    if len(text) > part.budget:
        text = text[: part.budget]
        notes.append(f"(Page {found.last} is cut at {part.budget:,} characters.)")
    if found.last < found.total:
        following = min(found.total, found.last + _PAGES_AT_ONCE)
        notes.append(
            f"(Showing pages {found.first}-{found.last} of {found.total}. "
            f"Use pages='{found.last + 1}-{following}' to continue.)"
        )
    else:
        notes.append(f"(End of document — {found.total} pages total)")
    return "\n\n".join([text, *notes])


__all__ = ["LARGEST", "Part", "View", "not_paged", "view_document"]
