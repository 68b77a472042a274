"""Bytes as text and back, without losing one: a mark (BOM) is honoured, else it is UTF-8."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How a file writes text: the codec's name, and the mark at its start or b""."""

    codec: str
    mark: bytes

    @property
    def shown(self) -> str:
        """The name people know: `UTF-8`, `UTF-16 LE`, with the mark mentioned."""
        name = self.codec.upper().replace("-LE", " LE").replace("-BE", " BE")
        return f"{name} with BOM" if self.mark else name


class NotText(ValueError):  # names the condition (STYLE.md 10)
    """The bytes are no text in the encoding they would have."""


def encoding_of(head: bytes) -> Encoding:
    """The encoding that the first bytes of a file (four are enough) say."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return Encoding(codec=codec, mark=mark)
    return Encoding(codec="utf-8", mark=b"")


def looks_like_text(head: bytes, *, whole: bool) -> bool:
    """Whether the start of a file is text. A cut character at its end still is."""
    encoding = encoding_of(head)
    body = head[len(encoding.mark) :]
    if not encoding.mark and b"\0" in body:
        return False
    try:
        codecs.getincrementaldecoder(encoding.codec)().decode(body, final=False)
    except UnicodeDecodeError:
        return False
    return bool(encoding.mark) or not whole or _text_to_the_end(body)


def _text_to_the_end(body: bytes) -> bool:
    """Whether a whole file is text, or only its last character is cut in a text of some length."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.start > 0
    return True


def decoded(data: bytes) -> tuple[str, Encoding]:
    """The text of a whole file and its encoding; `encoded` gives the same bytes back.

    Raises:
        NotText: the bytes are not text, or would not come back as they were.
    """
    encoding = encoding_of(data)
    try:
        text = data[len(encoding.mark) :].decode(encoding.codec)
    except UnicodeDecodeError as error:
        place = error.start + len(encoding.mark)
        raise NotText(f"byte {place + 1:,} is no {encoding.shown} text") from error
    if encoding.codec != "utf-8" and encoded(text, encoding) != data:
        raise NotText(f"it is no clean {encoding.shown} text")
    return text, encoding


def encoded(text: str, encoding: Encoding) -> bytes:
    """The bytes of a text, its mark included."""
    return encoding.mark + text.encode(encoding.codec)


__all__ = ["Encoding", "NotText", "decoded", "encoded", "encoding_of", "looks_like_text"]
