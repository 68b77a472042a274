"""Which names are near one that a model made up (CASES.md A3)."""

from __future__ import annotations

import pytest

from nanobot.agent.tools.nearness import available_names, near_names, nearest_name

_NAMES = ["read_file", "write_file", "list_dir", "web_search"]
_MANY = [f"tool_{number}" for number in range(10_000)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("readFile", "read_file"),
        ("Read_File", "read_file"),
        ("read-file", "read_file"),
        ("read_fil", "read_file"),
        ("file_read", None),
        ("websearch", "web_search"),
        ("search", "web_search"),
        ("zzz", None),
        ("", None),
        ("___", None),
    ],
)
def test_case_and_separators_do_not_count(wanted: str, expected: str | None) -> None:
    assert nearest_name(wanted, _NAMES) == expected


def test_few_names_are_all_shown_in_their_order() -> None:
    assert available_names([], _NAMES) == "read_file, write_file, list_dir, web_search"


def test_of_many_names_ten_are_shown_near_ones_first() -> None:
    names = [*_MANY, "read_file"]

    text = available_names(near_names("Tool-4711", names), names)

    assert text.startswith("tool_4711, ")
    assert text.count(",") == 9
    assert text.endswith(" (and 9991 more)")


def test_without_a_near_name_the_first_are_shown() -> None:
    assert available_names(near_names("zzz", _MANY), _MANY) == (
        "tool_0, tool_1, tool_2, tool_3, tool_4, tool_5, tool_6, tool_7, tool_8, tool_9"
        " (and 9990 more)"
    )


def test_no_tools_are_said_to_be_none() -> None:
    assert available_names([], []) == "none"


def test_a_name_of_a_megabyte_is_compared_by_its_beginning() -> None:
    assert near_names("x" * 1_000_000, _NAMES) == []
