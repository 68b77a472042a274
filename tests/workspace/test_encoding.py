"""Bytes as text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.encoding import NotText, decoded, encoded, encoding_of, looks_like_text

_MARKS = {
    "UTF-8 with BOM": (codecs.BOM_UTF8, "utf-8"),
    "UTF-16 LE with BOM": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "UTF-16 BE with BOM": (codecs.BOM_UTF16_BE, "utf-16-be"),
    "UTF-32 LE with BOM": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "UTF-32 BE with BOM": (codecs.BOM_UTF32_BE, "utf-32-be"),
    "UTF-8": (b"", "utf-8"),
}


@pytest.mark.parametrize("shown", _MARKS)
def test_a_mark_says_the_encoding_and_comes_back(shown: str) -> None:
    mark, codec = _MARKS[shown]
    data = mark + "a\u00e9\U0001f600\r\n".encode(codec)

    text, encoding = decoded(data)

    assert (text, encoding.shown) == ("a\u00e9\U0001f600\r\n", shown)
    assert encoded(text, encoding) == data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\xff", "byte 3 is no UTF-8 text"),
        (codecs.BOM_UTF8 + b"a\xff", "byte 5 is no UTF-8 with BOM text"),
        (codecs.BOM_UTF16_LE + b"a", "byte 3 is no UTF-16 LE with BOM text"),
    ],
)
def test_what_is_no_text_names_the_byte(data: bytes, said: str) -> None:
    with pytest.raises(NotText, match=said):
        decoded(data)


@pytest.mark.parametrize(
    ("head", "whole", "text"),
    [
        (b"", True, True),
        (b"a\xc3", False, True),
        (b"a\xc3", True, True),
        (b"\xc3", True, False),
        (b"a\0b", False, False),
        (b"a\xffb", False, False),
        (codecs.BOM_UTF16_LE + b"a\0", True, True),
    ],
)
def test_a_cut_last_character_is_still_text(head: bytes, whole: bool, text: bool) -> None:
    assert looks_like_text(head, whole=whole) is text


@given(st.binary(), st.sampled_from([mark for mark, _ in _MARKS.values()]))
def test_whatever_is_decoded_comes_back_byte_for_byte(body: bytes, mark: bytes) -> None:
    try:
        text, encoding = decoded(mark + body)
    except NotText:
        return
    assert encoded(text, encoding) == mark + body
    assert encoding == encoding_of((mark + body)[:4])
