from __future__ import annotations

import codecs
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.workspace.linestream import LineStream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PIECE = 1 << 18
_MOST = 1 << 20

_endings = st.sampled_from(
    [b"\n", b"\r\n", b"\r", b"\r\r\n", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b""]
)
_texts = st.sampled_from(["", "a", "word", "é", "日本", "🦊", "x" * 50]).map(str.encode)
_files = st.lists(st.tuples(_texts, _endings), max_size=12).map(
    lambda rows: b"".join(text + end for text, end in rows)
)


@contextmanager
def _stream(
    path: Path, data: bytes, *, most: int = _MOST, farthest: int = _MOST
) -> Iterator[LineStream]:
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield LineStream(descriptor, most=most, farthest=farthest)
    finally:
        os.close(descriptor)


def _by_hand(data: bytes) -> list[str]:
    rows = data.split(b"\n")
    ended, last = rows[:-1], rows[-1]
    texts = [row.removesuffix(b"\r") for row in ended] + [last] * bool(last)
    return [text.decode() for text in texts]


def _one_by_one(stream: LineStream) -> list[str]:
    rows = []
    while (line := stream.next()) is not None:
        rows.append(line.head.decode())
    return rows


def _in_blocks(stream: LineStream, count: int, room: int) -> list[str]:
    rows: list[str] = []
    while True:
        block = stream.lines(count, room)
        assert len(block) <= count
        if not block:
            line = stream.next()
            if line is None:
                return rows
            block = [line.head.decode()]
        rows += block


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=_files, count=st.integers(1, 5), room=st.integers(-1, 60), skip=st.integers(0, 6))
def test_lines_end_at_line_feeds_alone_however_they_are_taken(
    tmp_path: Path, data: bytes, count: int, room: int, skip: int
) -> None:
    expected = _by_hand(data)

    with _stream(tmp_path / "f", data) as stream:
        assert _one_by_one(stream) == expected
    with _stream(tmp_path / "f", data) as stream:
        assert _in_blocks(stream, count, room) == expected
    with _stream(tmp_path / "f", data) as stream:
        assert stream.skip(skip) == min(skip, len(expected))
        assert _in_blocks(stream, count, room) == expected[skip:]
    with _stream(tmp_path / "f", data) as stream:
        assert stream.skip(skip) + stream.count() == len(expected)


@pytest.mark.parametrize("shift", range(-6, 3))
def test_what_lies_over_the_seam_of_two_pieces_stays_whole(tmp_path: Path, shift: int) -> None:
    seam = "é🦊\r\nnext 日\n"
    first = b"a" * 100 + b"\n"
    data = first + b"b" * (_PIECE - len(first) + shift) + seam.encode() * 2

    with _stream(tmp_path / "f", data) as stream:
        assert _in_blocks(stream, 10, 1000) == _by_hand(data)
    with _stream(tmp_path / "f", data) as stream:
        assert stream.skip(2) == 2
        assert _one_by_one(stream) == _by_hand(data)[2:]
    with _stream(tmp_path / "f", data) as stream:
        assert stream.count() == 5


@pytest.mark.parametrize("shift", range(-5, 2))
@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
    ids=["UTF-8", "UTF-16 LE", "UTF-16 BE", "UTF-32 LE", "UTF-32 BE"],
)
def test_marked_text_is_read_over_a_seam(
    tmp_path: Path, mark: bytes, codec: str, shift: int
) -> None:
    width = len("a".encode(codec))
    text = "a" * (_PIECE // width + shift) + "🦊\r\nä\n"

    with _stream(tmp_path / "f", mark + text.encode(codec)) as stream:
        first, second = stream.next(), stream.next()

    assert first
    assert second
    assert (first.length, first.head.decode()[-1], second.head.decode()) == (
        _PIECE // width + shift + 1,
        "🦊",
        "ä",
    )


def test_a_block_stops_before_a_byte_that_is_no_text(tmp_path: Path) -> None:
    with _stream(tmp_path / "f", b"one\ntwo\nbr\xffken\nfour\n") as stream:
        before = stream.lines(10, 1000)
        at = stream.lines(10, 1000)
        line = stream.next()
        after = stream.lines(10, 1000)

    assert (before, at, after) == (["one", "two"], [], ["four"])
    assert line
    assert line.head == b"br\xffken"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_long_line_keeps_its_head_and_its_length(tmp_path: Path, ending: str) -> None:
    data = ("é" * 300_000 + ending + "next").encode()

    with _stream(tmp_path / "f", data, most=9) as stream:
        line, following = stream.next(), stream.next()

    assert line
    assert (line.head, line.length, line.whole) == ("éééé".encode() + b"\xc3", 300_000, False)
    assert following
    assert following.head == b"next"


def test_a_line_without_an_end_in_sight_is_not_measured(tmp_path: Path) -> None:
    with _stream(tmp_path / "f", b"x" * (3 * _PIECE), most=9, farthest=_PIECE) as stream:
        line = stream.next()

    assert line
    assert (line.measured, line.whole, line.length) == (False, False, 2 * _PIECE)
