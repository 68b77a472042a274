from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.workspace.nearness import nearest

_FILE = [f"value_{number} = compute({number * 7})" for number in range(5_000)]


def _file(**changed: str) -> str:
    lines = list(_FILE)
    for at, line in changed.items():
        lines[int(at.removeprefix("n"))] = line
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("old", "said"),
    [
        (
            f"{_FILE[3999]}\n{_FILE[4000]} + 1\n{_FILE[4001]}",
            "Nearest region: line 4000. Line 2 of old_text differs: at character 28, ' ' ",
        ),
        (
            "value_4000  =  compute(28_000)",
            "Nearest region: line 4001. Line 1 of old_text differs: at character 12, ",
        ),
        (
            "Value_4000 = compute(28000)",
            "Nearest region: line 4001. Line 1 of old_text differs: upper and lower case.",
        ),
        (
            f"{_FILE[4998]}\n{_FILE[4999]}\nmore()\nand_more()",
            "Nearest region: line 4999. Line 3 of old_text differs: at character 1, 'm' ",
        ),
        ("zebra quill", "Nothing in the file resembles it. "),
        ("\n\n  \n", "Nothing in the file resembles it. "),
    ],
    ids=["one line", "all lines", "case", "past the end", "nothing", "blank"],
)
def test_the_nearest_region_and_its_first_difference_are_named(old: str, said: str) -> None:
    assert nearest(_file(), old).startswith(said)


def test_lines_agree_apart_from_blanks_and_typographic_characters() -> None:
    flat = _file(n40="say(“yes”, 'no') –\u00a01", n41="   other   thing")

    shown = nearest(flat, "say(\"yes\",   'no') - 1\nother thing\nthird")

    assert shown.startswith("Nearest region: line 41. ")


def test_a_line_without_a_known_word_is_compared_with_the_first_two_thousand() -> None:
    flat = "\n".join(["aaa_bbb_ccc"] * 2_100)

    assert nearest(flat, "aaa_bbb_ccd").startswith("Nearest region: line 1. ")
    assert nearest(f"{'x' * 5}\n" * 2_000 + "aaa_bbb_ccc", "aaa_bbb_ccd").startswith("Nothing")


def test_the_diff_is_bounded() -> None:
    shown = nearest(_file(), "\n".join(f"{line} # more" for line in _FILE[:200]))

    assert len(shown) < 6_000
    assert shown.endswith("\n…")


@given(
    flat=st.text(st.sampled_from("ab(\n \t’\ud800"), max_size=40),
    old=st.text(st.sampled_from("ab(\n \t'\ud800"), min_size=1, max_size=20),
)
def test_any_miss_gets_an_answer(flat: str, old: str) -> None:
    assert nearest(flat, old)
