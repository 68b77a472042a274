"""What a command prints, within bounds."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.processes.transcript import Transcript


def test_a_character_that_comes_in_two_pieces_is_one() -> None:
    transcript = Transcript()
    data = "xé".encode()

    transcript.feed("stdout", data[:2])
    assert transcript.take(100).shown() == "x"
    transcript.feed("stdout", data[2:])
    assert transcript.take(100).shown() == "é"


def test_at_the_end_a_cut_character_is_shown_as_one_that_is_broken() -> None:
    transcript = Transcript()
    transcript.feed("stdout", b"x\xc3")

    assert transcript.take(100, final=True).shown() == "x\ufffd"


def test_the_error_stream_is_marked_where_it_begins_and_ends() -> None:
    transcript = Transcript()
    for stream, text in (("stdout", "one"), ("stderr", "bad\n"), ("stderr", "worse\n")):
        transcript.feed(stream, text.encode())  # type: ignore[arg-type]  # a stream
    transcript.feed("stdout", b"two\n")

    assert transcript.take(100).shown() == "one\n[stderr]\nbad\nworse\n[stdout]\ntwo\n"


def test_what_was_read_is_not_repeated() -> None:
    transcript = Transcript()
    transcript.feed("stdout", b"one\n")
    transcript.take(100)
    transcript.feed("stdout", b"two\n")

    assert transcript.take(100).shown() == "two\n"
    assert transcript.take(100).shown() == ""


@given(
    pieces=st.lists(st.text(alphabet="abcé€😀\n", max_size=30), max_size=12),
    kept=st.integers(1, 20),
    most=st.integers(2, 60),
)
def test_beginning_and_end_are_exact_and_so_is_what_is_missing(
    pieces: list[str], kept: int, most: int
) -> None:
    transcript, whole = Transcript(kept), "".join(pieces)
    for piece in pieces:
        transcript.feed("stdout", piece.encode())

    found = transcript.take(most, final=True)

    shown = len(found.head.encode()) + len(found.tail.encode())
    assert whole.startswith(found.head)
    assert whole.endswith(found.tail)
    assert shown + found.dropped == len(whole.encode())
    assert shown <= most


@pytest.mark.parametrize("step", [1, 3, 100])
async def test_a_text_is_seen_in_whatever_pieces_it_comes(step: int) -> None:
    transcript = Transcript(10)
    data = b"x" * 5_000 + b"READY" + b"x" * 5_000
    waiting = asyncio.create_task(transcript.seen("READY"))
    await asyncio.sleep(0)

    for start in range(0, len(data), step):
        transcript.feed("stdout", data[start : start + step])
        transcript.take(4)

    await asyncio.wait_for(waiting, 1)


async def test_a_text_that_does_not_come_is_waited_for() -> None:
    transcript = Transcript()
    waiting = asyncio.create_task(transcript.seen("READY"))
    await asyncio.sleep(0)
    transcript.feed("stdout", b"REA")
    transcript.feed("stderr", b"DY")

    assert not waiting.done()
    waiting.cancel()
