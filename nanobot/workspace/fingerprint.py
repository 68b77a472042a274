"""Short fingerprints of bytes, texts and files."""

from __future__ import annotations

import os
from hashlib import sha256

_DIGITS = 32  # half of a SHA-256, which processors compute themselves
_PIECE = 1 << 20
_LARGEST = 1 << 20


def digest(data: bytes | str) -> str:
    """The fingerprint of bytes, or of a text as UTF-8: 32 hexadecimal digits."""
    raw = data if isinstance(data, bytes) else data.encode("utf-8", errors="surrogatepass")
    return sha256(raw).hexdigest()[:_DIGITS]


def digest_of_small(data: bytes) -> str:
    """The fingerprint of at most 1 MB; "" of more, which is known by its identity alone."""
    return digest(data) if len(data) <= _LARGEST else ""


def file_digest(descriptor: int) -> str:
    """The fingerprint of an open file as `digest_of_small` gives it for its bytes."""
    if os.fstat(descriptor).st_size > _LARGEST:
        return ""
    os.lseek(descriptor, 0, os.SEEK_SET)
    found = sha256()
    while piece := os.read(descriptor, _PIECE):
        found.update(piece)
    return found.hexdigest()[:_DIGITS]


__all__ = ["digest", "digest_of_small", "file_digest"]
