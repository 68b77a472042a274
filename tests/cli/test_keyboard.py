"""Lines typed at a terminal."""

from __future__ import annotations

import asyncio
import os
import pty
from typing import TYPE_CHECKING

import pytest

from nanobot.cli.keyboard import Keyboard

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """The person's end and the program's end of a terminal."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


async def _typed(person: int, text: bytes, keyboard: Keyboard) -> str | None:
    answer = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0)
    os.write(person, text)
    return await asyncio.wait_for(answer, 10)


async def test_a_line_comes_without_its_end(ends: tuple[int, int]) -> None:
    assert await _typed(ends[0], b"yes\n", Keyboard(ends[1])) == "yes"


async def test_what_was_typed_before_the_question_is_no_answer(ends: tuple[int, int]) -> None:
    os.write(ends[0], b"y\ny\n")

    assert await _typed(ends[0], b"n\n", Keyboard(ends[1])) == "n"


async def test_the_end_of_input_is_none(ends: tuple[int, int]) -> None:
    assert await _typed(ends[0], b"\x04", Keyboard(ends[1])) is None


async def test_a_cancelled_wait_leaves_no_reader(ends: tuple[int, int]) -> None:
    keyboard = Keyboard(ends[1])
    waiting = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert await _typed(ends[0], b"later\n", keyboard) == "later"
