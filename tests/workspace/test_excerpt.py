from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.workspace.excerpt import COUNTED_SIZE, Excerpt, excerpt, unseen_note

if TYPE_CHECKING:
    from pathlib import Path

_NOTES_ROOM = 2_000

_lines = st.lists(
    st.text(st.sampled_from("ab é日🦊\t\r\u200b\u0301\u2028")).filter(lambda text: text != ""),
    min_size=1,
    max_size=30,
)


def _excerpt(path: Path, *, offset: int = 1, limit: int = 2_000, room: int = 10_000) -> Excerpt:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        found = excerpt(descriptor, offset=offset, limit=limit, budget=room + _NOTES_ROOM)
    finally:
        os.close(descriptor)
    assert isinstance(found, Excerpt)
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines=_lines, limit=st.integers(1, 7), room=st.integers(1, 80))
def test_pages_show_every_line_once_and_always_get_on(
    tmp_path: Path, lines: list[str], limit: int, room: int
) -> None:
    file = tmp_path / "f"
    file.write_bytes("\n".join(lines).encode())
    rows: list[str] = []
    while len(rows) < len(lines):
        page = _excerpt(file, offset=len(rows) + 1, limit=limit, room=room)
        assert 1 <= len(page.rows) <= limit
        assert len("\n".join(page.rows)) <= max(room, 5)
        assert page.total == len(lines)
        rows += page.rows

    ends = ["\n"] * (len(lines) - 1) + [""]
    texts = [(line + end).removesuffix("\n") for line, end in zip(lines, ends, strict=True)]
    shown = [
        text.removesuffix("\r") if end else text for text, end in zip(texts, ends, strict=True)
    ]
    for number, (row, text) in enumerate(zip(rows, shown, strict=True), 1):
        assert f"{number}| {text}".startswith(row)


@pytest.mark.parametrize("room", range(20, 34))
def test_as_many_rows_come_as_fit(tmp_path: Path, room: int) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"first\nsecond\nthird\nfourth\n")
    rows = ["1| first", "2| second", "3| third", "4| fourth"]
    expected = max(n for n in range(1, 5) if len("\n".join(rows[:n])) <= room)

    page = _excerpt(file, room=room)

    assert page.rows == rows[:expected]
    assert (page.last, page.total) == (expected, 4)


@pytest.mark.parametrize(
    ("size", "total"),
    [(COUNTED_SIZE, COUNTED_SIZE // 8), (COUNTED_SIZE + 8, None)],
    ids=["4 MB", "more"],
)
def test_the_total_is_exact_up_to_4_mb(tmp_path: Path, size: int, total: int | None) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"1234567\n" * (size // 8))

    assert _excerpt(file, limit=10).total == total
    assert _excerpt(file, offset=size // 8, limit=1).total == size // 8


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("plain\ttext", ""),
        ("日本é🦊", ""),
        ("a\rb", "U+000D control character on line 2"),
        ("a\x1b[0m", "U+001B control character on line 2"),
        ("a\x7f", "U+007F control character on line 2"),
        ("a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE on line 2"),
        ("é\u200b", "U+200B ZERO WIDTH SPACE on line 2"),
    ],
    ids=["plain", "letters", "CR", "escape", "delete", "override", "no width"],
)
def test_what_cannot_be_seen_is_named_with_its_line(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "f"
    file.write_bytes(f"one\n{text}\nthree\n".encode())

    page = _excerpt(file)

    assert page.rows[1] == f"2| {text}"
    assert page.notes == ([f"(Characters that can't be seen: {named}.)"] if named else [])


def test_broken_bytes_are_spelled_out_between_good_lines(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"good\nb\xffd\n" * 200 + b"cut \xe2\x82")

    page = _excerpt(file)

    assert page.rows[:2] == ["1| good", "2| b\\xffd"]
    assert page.rows[-1] == "401| cut \\xe2\\x82"
    assert (page.last, page.total) == (401, 401)
    assert page.notes[0].endswith(
        "shown as \\xNN on line 2; 4; 6; 8; 10; 12; 14; 16; 18; 20; and 191 more.)"
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("plain\n\ttext é", ""),
        ("a\u200bb", "(Characters that can't be seen: U+200B ZERO WIDTH SPACE.)"),
        ("a\x1bb", "(Characters that can't be seen: U+001B control character.)"),
    ],
    ids=["none", "no width", "control"],
)
def test_characters_that_cannot_be_seen_are_named_also_without_lines(text: str, note: str) -> None:
    assert unseen_note(text) == note
