"""The kind of a file by its first bytes."""

from __future__ import annotations

import pytest

from nanobot.documents.kind import kind_of

_KINDS = {
    "pdf": (b"%PDF-1.7\n", "a.txt", "pdf"),
    "pdf behind junk": (b"\n\n%PDF-1.7\n", "a.pdf", "pdf"),
    "zip": (b"PK\x03\x04", "a.docx", "zip"),
    "old office": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", "ole"),
    "png named pdf": (b"\x89PNG\r\n\x1a\n", "a.pdf", "image"),
    "webp": (b"RIFF\0\0\0\0WEBPVP8 ", "a", "image"),
    "bmp": (b"BM\x10\0\0\0\0\0\0\0\x36\0\0\0(", "a", "image"),
    "text that begins with BM": (b"BMW is a maker of cars\n", "a.txt", ""),
    "text named docx": (b"plain text", "a.docx", ""),
    "empty pdf": (b"", "a.pdf", ""),
    "notebook": (b'{\n "cells": []}', "a.ipynb", "notebook"),
    "notebook by another name": (b'{\n "cells": []}', "a.json", ""),
    "mail": (b"Received: by x\n\tmore\nFrom: a@example.test\n\nhi", "a.EML", "mail"),
    "mail out of a mailbox": (b"From a Tue\nX-Odd_head: x\nSubject: hi\n\n", "a.eml", "mail"),
    "text named eml": (b"no heads here\n", "a.eml", ""),
}


@pytest.mark.parametrize(("head", "name", "kind"), _KINDS.values(), ids=_KINDS.keys())
def test_the_content_tells_the_kind(head: bytes, name: str, kind: str) -> None:
    assert kind_of(head, name) == kind
