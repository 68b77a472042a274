from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.surrogates import mend_text, mend_value

_TEXT = st.text(st.characters() | st.sampled_from("\ud83d\ude00\udcff"), max_size=6)
_VALUES = st.recursive(
    _TEXT | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "mended"),
    [("ä😀", "ä😀"), ("\ud83d", "\ufffd"), ("\ud83d\ude00", "😀"), ("\udcff.txt", "\ufffd.txt")],
    ids=["sound", "lone", "pair", "file name"],
)
def test_pairs_are_joined_and_lone_halves_replaced(text: str, mended: str) -> None:
    assert mend_text(text) == mended


def test_a_sound_value_comes_back_itself() -> None:
    value = {"a": ["ä", 1, None]}

    assert mend_value(value) is value


def test_a_value_deeper_than_the_stack_is_mended() -> None:
    value: list[Any] = ["\ud83d"]
    for _ in range(5000):
        value = [value]

    mended: Any = mend_value(value)

    while isinstance(mended, list):
        mended = mended[0]
    assert mended == "\ufffd"


@given(_VALUES)
def test_every_value_can_be_encoded_afterwards_and_the_input_is_untouched(value: Any) -> None:
    before = copy.deepcopy(value)

    mended = mend_value(value)

    json.dumps(mended, ensure_ascii=False).encode()
    assert value == before
    assert mend_value(mended) is mended
