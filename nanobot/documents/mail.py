"""Mail messages (EML) as lines of text: heads, body, attachments by name, messages in messages.

Of the standard library only the parser of parts is used. Its parsers of heads take minutes on
hostile ones (70 s for 50,000 quotes), so that heads are cut short and decoded here.
"""

from __future__ import annotations

import codecs
import re
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.htmltext import text_of_html
from nanobot.documents.plaintext import lines_of, one_line, quoted
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

LARGEST = 64 * 1024 * 1024
"""Messages of more bytes are not read."""
_HEADS = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_HEAD = 16_000
_LONGEST_CONTENT_HEAD = 1_000
_DEEPEST = 5
_MOST_PARTS = 1_000
_LOST = "[some characters of the text could not be read and stand as \ufffd]"
_NO_CHARSETS = ("ascii", "idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape")
_ENDS = re.compile(r"[\r\n]+")


class _ShortHeads(policy.Compat32):
    """Heads as they stand in the file, cut at a length that every parser can bear."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        longest = _LONGEST_CONTENT_HEAD if name.lower().startswith("content-") else _LONGEST_HEAD
        return name, value if len(value) <= longest else f"{value[:longest]}…"


def read_mail(file: BinaryIO) -> Iterator[str]:
    """The lines of a message.

    Raises:
        BrokenDocument: it is no message.
        DocumentTooLarge: it has more than 64 MB, or parts in parts without end.
    """
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DocumentTooLarge(
            f"The message has more than {shown_size(LARGEST)}",
            hint="Save its attachments as files and read those.",
        )
    try:
        message: Message = message_from_bytes(data, policy=_ShortHeads())
    except (MessageError, ValueError, LookupError, TypeError) as error:
        raise BrokenDocument(f"The message is damaged: {quoted(str(error))}") from error
    except RecursionError as error:
        raise DocumentTooLarge("The message has parts in parts without end") from error
    if not message.keys():
        raise BrokenDocument("The file is no mail message: it has no heads")
    yield from _Reader().message(message)


class _Reader:
    """Shows one message and those in it; counts their parts."""

    def __init__(self) -> None:
        self._parts = 0
        self._depth = 0

    def message(self, message: Message) -> Iterator[str]:
        for name in _HEADS:
            values = [_decoded_head(value) for value in _raw(message, name)]
            if values:
                yield f"{name}: {', '.join(values)}"
        yield ""
        yield from self._part(message)

    def _part(self, part: Message) -> Iterator[str]:
        """The body of a part, or a line on what is attached."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            if self._parts == _MOST_PARTS + 1:
                yield f"[more than {_MOST_PARTS:,} parts; the rest is not shown]"
            return
        kind = part.get_content_type()
        if kind == "message/rfc822":
            yield from self._attached_message(part)
        elif part.is_multipart() and kind == "multipart/alternative":
            yield from self._best(_children(part))
        elif part.is_multipart() and part.get_content_maintype() == "multipart":
            for child in _children(part):
                yield from self._part(child)
        elif kind in ("text/plain", "text/html") and not _is_attached(part):
            yield from _body(part, kind)
        else:
            yield _attachment(part, kind)

    def _best(self, forms: list[Message]) -> Iterator[str]:
        """One of the forms of the same text: the plain one, else HTML; what else is attached."""
        kinds = [form.get_content_type() for form in forms]
        plain = [form for form, kind in zip(forms, kinds, strict=True) if kind == "text/plain"]
        for form, kind in zip(forms, kinds, strict=True):
            shown = form is plain[0] if plain else True
            if shown or kind not in ("text/plain", "text/html"):
                yield from self._part(form)

    def _attached_message(self, part: Message) -> Iterator[str]:
        yield ""
        if self._depth >= _DEEPEST:
            yield "[an attached message, nested too deep to be shown]"
            return
        yield "--- Attached message ---"
        self._depth += 1
        for message in _children(part):
            yield from self.message(message)
        self._depth -= 1
        yield "--- End of attached message ---"


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    if not isinstance(payload, list):
        return []
    return [child for child in payload if not isinstance(child, str)]


def _raw(message: Message, name: str) -> list[str]:
    """The values of a head, undecoded."""
    return [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]


def _decoded_head(value: str) -> str:
    """A head as people read it; bytes that are no ASCII count as UTF-8."""
    text = _utf8(_ENDS.sub("", value))
    try:
        pieces = decode_header(text) if "=?" in text else [(text, None)]
    except (MessageError, ValueError):
        pieces = [(text, None)]
    return one_line(
        "".join(
            piece if isinstance(piece, str) else _decoded(piece, charset or "ascii")
            for piece, charset in pieces
        )
    )


def _utf8(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _decoded(data: bytes, charset: str) -> str:
    """Text in a charset; where there is none of this name, in UTF-8, which ASCII is a part of."""
    try:
        codec = codecs.lookup(charset).name
        return data.decode("utf-8" if codec in _NO_CHARSETS else codec, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _body(part: Message, kind: str) -> Iterator[str]:
    data = part.get_payload(decode=True)
    charset = part.get_content_charset("utf-8")
    text = _decoded(data, charset) if isinstance(data, bytes) else ""
    yield from text_of_html(text) if kind == "text/html" else lines_of(text)
    if "\ufffd" in text:
        yield _LOST


def _attachment(part: Message, kind: str) -> str:
    name = one_line(_decoded_head(part.get_filename() or "")) or "without a name"
    data = part.get_payload(decode=True)
    size = shown_size(len(data)) if isinstance(data, bytes) else "of several parts"
    return f"[attachment: {name}, {one_line(kind)}, {size}]"


__all__ = ["LARGEST", "read_mail"]
