"""A unified diff that stays short."""

from __future__ import annotations

import pytest

from nanobot.workspace.diffs import bounded_diff


def test_a_changed_line_stands_with_its_context_and_numbers() -> None:
    old = "".join(f"{number}\n" for number in range(1, 10))

    assert bounded_diff(old, old.replace("5\n", "five\n"), "a.txt").split("\n") == [
        "--- a.txt",
        "+++ a.txt",
        "@@ -2,7 +2,7 @@",
        *(" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"),
    ]


def test_a_part_of_a_file_keeps_the_numbers_of_the_file() -> None:
    assert "@@ -41 +41 @@" in bounded_diff("a\n", "b\n", "a.txt", first=41)


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("a\n", "a", "\\ No newline at end of file"),
        ("", "a\n", "+a"),
        ("a\n", "", "-a"),
        ("a\r\n", "a\n", "-a\r"),
    ],
)
def test_the_end_of_a_file_counts(old: str, new: str, row: str) -> None:
    assert row in bounded_diff(old, new, "a.txt").split("\n")


def test_equal_texts_have_none() -> None:
    assert bounded_diff("a\nb", "a\nb", "a.txt") == ""


@pytest.mark.parametrize("lines", [50, 5_000])
def test_it_has_no_more_rows_than_asked_for(lines: int) -> None:
    rows = bounded_diff("a\n" * lines, "b\n" * lines, "a.txt", most=20).split("\n")

    assert len(rows) == 2 + 20 + 1
    assert rows[-1] == "… (the diff goes on; 20 rows are shown)"


def test_a_long_row_is_cut() -> None:
    rows = bounded_diff("a\n", "b" * 1000 + "\n", "a.txt").split("\n")

    assert rows[-1] == "+" + "b" * 299 + "…"
