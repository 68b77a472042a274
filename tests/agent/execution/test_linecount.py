"""How many lines a change adds and deletes."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.execution.linecount import LineCount, count_lines


@pytest.mark.parametrize(
    ("before", "after", "added", "deleted"),
    [
        ("", "a\nb\n", 2, 0),
        ("a\nb\n", "", 0, 2),
        ("a\nb\nc\n", "a\nX\nY\nc\n", 2, 1),
        ("a\nb\n", "a\nb\n", 0, 0),
        ("a\na\na\n", "a\na\n", 0, 1),
        ("x\na\nb\n", "a\nb\nx\n", 1, 1),
    ],
    ids=["create", "empty", "replace", "same", "repeat", "move"],
)
def test_lines_are_counted(before: str, after: str, added: int, deleted: int) -> None:
    assert count_lines(before, after) == LineCount(added=added, deleted=deleted)


def test_a_very_large_change_is_counted_without_order() -> None:
    before = "".join(f"a{n}\n" for n in range(3000))
    after = "".join(f"b{n}\n" for n in range(2000))

    assert count_lines(before, after) == LineCount(added=2000, deleted=3000, approximate=True)


_TEXTS = st.lists(st.sampled_from("abc"), max_size=12).map("\n".join)


@given(before=_TEXTS, after=_TEXTS)
def test_the_counts_explain_the_difference(before: str, after: str) -> None:
    count = count_lines(before, after)
    old, new = before.splitlines(), after.splitlines()
    diff = list(difflib.ndiff(old, new))

    assert count.added - count.deleted == len(new) - len(old)
    assert count.added <= max(len(new), sum(line.startswith("+ ") for line in diff))
    assert (count.added + count.deleted == 0) == (old == new)
