"""Mail messages (EML) as lines of text: heads, body, attachments by name."""

from __future__ import annotations

from email import message_from_binary_file, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import TYPE_CHECKING, BinaryIO

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.plaintext import lines_of, one_line, without_runs_of_blanks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

_HEADS = ("From", "To", "Cc", "Date", "Subject")
_DEEPEST = 5
_UNSHOWN = frozenset(("script", "style", "head", "template", "noscript"))
_BLOCKS = frozenset(
    ("p", "div", "br", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol",
     "blockquote", "pre", "hr")
)  # fmt: skip


def read_mail(file: BinaryIO) -> Iterator[str]:
    """The lines of a message.

    Raises:
        BrokenDocument: it is no message.
    """
    try:
        message = message_from_binary_file(file, policy=policy.default)
        lines = list(_message(message, 0))
    except Exception as error:  # the library raises many kinds for broken heads
        raise BrokenDocument(f"The message is damaged: {error}") from error
    yield from lines


def _message(message: EmailMessage, depth: int) -> Iterator[str]:
    for head in _HEADS:
        values = message.get_all(head, [])
        if values:
            yield f"{head}: {one_line(', '.join(map(str, values)))}"
    yield ""
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None:
        text = _decoded(body)
        yield from _from_html(text) if body.get_content_subtype() == "html" else lines_of(text)
    for part in message.iter_attachments():
        yield from _attachment(part, depth)


def _attachment(part: Message, depth: int) -> Iterator[str]:
    if part.get_content_type() == "message/rfc822" and depth < _DEEPEST:
        yield ""
        yield "--- Attached message ---"
        payload = part.get_payload()
        for inner in payload if isinstance(payload, list) else ():
            if isinstance(inner, EmailMessage):
                yield from _message(inner, depth + 1)
        return
    name = one_line(part.get_filename() or "without a name")
    data = part.get_payload(decode=True)
    size = len(data) if isinstance(data, bytes) else 0
    yield f"[attachment: {name}, {part.get_content_type()}, {size:,} bytes]"


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset("utf-8"), errors="replace")
    except LookupError:  # no such charset
        return data.decode(errors="replace")


class _Text(HTMLParser):
    """The text of an HTML body: scripts and styles left out, blocks on lines of their own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unshown = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self._unshown += tag in _UNSHOWN
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSHOWN and self._unshown:
            self._unshown -= 1
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unshown:
            self.pieces.append(" ".join(data.split()) + " " * data[-1:].isspace())


def _from_html(text: str) -> Iterator[str]:
    parser = _Text()
    parser.feed(text)
    parser.close()
    return without_runs_of_blanks(line.strip() for line in lines_of("".join(parser.pieces)))


__all__ = ["read_mail"]
