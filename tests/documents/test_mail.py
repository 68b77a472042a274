"""Mail messages as lines of text."""

from __future__ import annotations

import io
from email.message import EmailMessage

from hypothesis import given
from hypothesis import strategies as st

from nanobot.documents.faults import DocumentFault
from nanobot.documents.mail import read_mail


def _message(subject: str = "Grüße") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@example.test", "b@example.test", subject
    return made


def _lines(message: EmailMessage) -> list[str]:
    return list(read_mail(io.BytesIO(bytes(message))))


def test_heads_body_and_attachments_are_shown() -> None:
    message = _message()
    message.set_content("Hello\nthere")
    message.add_attachment(b"123", maintype="application", subtype="pdf", filename="r.pdf")

    lines = _lines(message)

    assert lines[:6] == [
        "From: a@example.test",
        "To: b@example.test",
        "Subject: Grüße",
        "",
        "Hello",
        "there",
    ]
    assert lines[-1] == "[attachment: r.pdf, application/pdf, 3 bytes]"


def test_a_body_in_html_alone_is_shown_as_text_without_scripts() -> None:
    message = _message()
    message.set_content(
        "<head><style>p {}</style></head><p>One &amp; two</p><script>evil()</script><ul><li>a</ul>",
        subtype="html",
    )

    assert _lines(message)[4:] == ["One & two", "", "- a"]


def test_a_message_in_a_message_is_shown() -> None:
    inner = _message("inner")
    inner.set_content("inside")
    message = _message("outer")
    message.set_content("outside")
    message.add_attachment(inner)

    lines = _lines(message)

    assert "--- Attached message ---" in lines
    assert "Subject: inner" in lines
    assert "inside" in lines


@given(st.binary(max_size=400))
def test_any_bytes_give_lines_or_a_fault(data: bytes) -> None:
    try:
        lines = list(read_mail(io.BytesIO(b"From: a\n" + data)))
    except DocumentFault:
        return
    assert all(line.isprintable() or "\t" in line or not line.isascii() for line in lines)
