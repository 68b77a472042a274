"""Names as providers take them (CASES.md G6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.tools.names import NameMap

_LONG = "very_long_tool_name_" * 8
_FIELD_NAMES = [
    "PostgreSQL System Information",
    "a.b/c",
    _LONG[:147],
    "获取天气",
    "删除文件",
    f"{_LONG[:128]}_first",
    f"{_LONG[:128]}_second",
    "mcp_a_b_c",
    "mcp_a_b.c",
]


@pytest.mark.parametrize("limit", [64, 128])
def test_field_names_become_safe_and_stay_apart(limit: int) -> None:
    names = NameMap.of(_FIELD_NAMES, limit=limit)

    shown = [names.to_provider(name) for name in _FIELD_NAMES]

    assert all(re.fullmatch(rf"[A-Za-z0-9_-]{{1,{limit}}}", name) for name in shown)
    assert len(set(shown)) == len(_FIELD_NAMES)
    assert [names.from_provider(name) for name in shown] == _FIELD_NAMES


def test_a_name_that_fits_stays_as_it_is() -> None:
    assert NameMap.of(["read_file", "3d-print"]).to_provider("3d-print") == "3d-print"


def test_gemini_wants_a_letter_in_front() -> None:
    names = NameMap.of(["3d-print"], letter_first=True)

    shown = names.to_provider("3d-print")

    assert shown.startswith("tool_3d-print_")
    assert names.from_provider(shown) == "3d-print"


def test_a_name_that_looks_like_a_made_one_keeps_the_others_apart() -> None:
    made = NameMap.of(["a.b"]).to_provider("a.b")

    names = NameMap.of(["a.b", made])

    assert names.to_provider(made) == made
    assert names.to_provider("a.b") != made


def test_a_name_from_an_old_message_gets_a_safe_name_too() -> None:
    names = NameMap.of(["now"])

    assert re.fullmatch(r"gone_tool_[0-9a-f]{8}", names.to_provider("gone.tool"))
    assert names.to_provider("gone_tool") == "gone_tool"


def test_a_name_the_model_made_up_comes_back_as_it_is() -> None:
    assert NameMap.of(["a.b"]).from_provider("nothing") == "nothing"


def test_a_limit_too_short_to_keep_names_apart_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of 8"):
        NameMap.of(["a"], limit=8)


@given(st.lists(st.text(min_size=1), unique=True, max_size=8), st.sampled_from([16, 64, 128]))
def test_every_set_of_names_maps_there_and_back(given_names: list[str], limit: int) -> None:
    names = NameMap.of(given_names, limit=limit, letter_first=True)

    shown = [names.to_provider(name) for name in given_names]

    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) for name in shown)
    assert all(len(name) <= limit for name in shown)
    assert [names.from_provider(name) for name in shown] == given_names
