"""What kind of file it is, by its first bytes. Pure. A name alone says nothing (CASES.md J4)."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["pdf", "zip", "ole", "image", "notebook", "mail", ""]
"""`zip` and `ole` are containers that the worker looks into; "" is none that is read here."""

_IMAGES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"BM",
    b"II*\0",
    b"MM\0*",
)
_BITMAP_HEADER = 14
_NOTEBOOK = re.compile(rb'\A\s*\{.*"(?:cells|worksheets|nbformat|metadata)"', re.DOTALL)
_MAIL = re.compile(
    rb"\A(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?"
    rb"(?i:from|to|subject|date|received|return-path|message-id|mime-version):"
)

_CONTAINERS: dict[bytes, Kind] = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "ole",
}
_TEXTS: dict[str, tuple[Kind, re.Pattern[bytes]]] = {
    "ipynb": ("notebook", _NOTEBOOK),
    "eml": ("mail", _MAIL),
}


def kind_of(head: bytes, name: str) -> Kind:
    """The kind of a file with these first bytes (64 kB are enough).

    Text is a notebook or a mail only where its name ends in `.ipynb` or `.eml` and it looks so.
    """
    if b"%PDF-" in head[:1024]:
        return "pdf"
    for magic, kind in _CONTAINERS.items():
        if head.startswith(magic):
            return kind
    if _is_image(head):
        return "image"
    suffix = name.lower().rpartition(".")[2]
    pattern = _TEXTS.get(suffix)
    if pattern is not None and pattern[1].match(head):
        return pattern[0]
    return ""


def _is_image(head: bytes) -> bool:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return True
    if head.startswith(b"BM"):  # two letters are too little
        return len(head) > _BITMAP_HEADER and head[6:10] == b"\0\0\0\0"
    return head.startswith(_IMAGES)


__all__ = ["Kind", "kind_of"]
