"""Sizes as people read them."""

from __future__ import annotations

import pytest

from nanobot.workspace.sizes import shown_size

_SIZES = {
    0: "0 bytes",
    1: "1 byte",
    1023: "1023 bytes",
    1024: "1.0 KB",
    1536: "1.5 KB",
    101 << 20: "101.0 MB",
    4 << 30: "4.0 GB",
    5000 << 40: "5,000.0 TB",
}


@pytest.mark.parametrize(("count", "shown"), _SIZES.items())
def test_a_size_has_a_unit(count: int, shown: str) -> None:
    assert shown_size(count) == shown
