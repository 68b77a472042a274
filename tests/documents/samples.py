"""Documents made for the tests: with the programs' own libraries, and by hand."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from fpdf import FPDF

if TYPE_CHECKING:
    from collections.abc import Mapping

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"></Types>'


def package(parts: Mapping[str, str | bytes]) -> io.BytesIO:
    """A zip of these parts, deflated."""
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", _TYPES)
        for name, data in parts.items():
            made.writestr(name, data)
    room.seek(0)
    return room


def word(body: str, **parts: str) -> io.BytesIO:
    """A Word document with this body in WordprocessingML."""
    return package(
        {
            "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
            **{name.replace("__", "/"): text for name, text in parts.items()},
        }
    )


def paragraph(text: str) -> str:
    """A paragraph of one run."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def pdf(pages: int, *, text: str = "Text of page") -> bytes:
    """A PDF of so many pages."""
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for number in range(1, pages + 1):
        made.add_page()
        made.cell(text=f"{text} {number}")
    return bytes(made.output())


def old_container(stream: str) -> bytes:
    """An old Office file (OLE) whose directory names this stream."""
    name = f"{stream}\0".encode("utf-16-le")
    entry = name.ljust(64, b"\0") + len(name).to_bytes(2, "little") + bytes(62)
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0") + entry
