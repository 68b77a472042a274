"""The smallest of many keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.tools.smallest import Smallest


@given(
    st.lists(st.lists(st.binary(max_size=3), max_size=900), max_size=8),
    st.integers(min_value=0, max_value=40),
)
def test_the_first_keys_are_those_of_all_sorted(blocks: list[list[bytes]], most: int) -> None:
    smallest = Smallest(most)

    for block in blocks:
        smallest.add(block)

    everything = [key for block in blocks for key in block]
    assert smallest.sorted() == sorted(everything)[:most]
    assert smallest.total == len(everything)


@given(st.lists(st.lists(st.binary(min_size=1, max_size=9), max_size=30), max_size=9))
def test_so_many_bytes_hold_the_first_keys_up_to_them(blocks: list[list[bytes]]) -> None:
    smallest = Smallest(1_000, most_bytes=50)

    for block in blocks:
        smallest.add(block)

    everything, kept = sorted(key for block in blocks for key in block), smallest.sorted()
    assert kept == everything[: len(kept)]
    assert len(b"".join(kept)) > 50 or kept == everything
    assert len(b"".join(kept[:-1])) <= 50
