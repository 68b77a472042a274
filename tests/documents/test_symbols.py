"""Characters of symbol fonts."""

from __future__ import annotations

import pytest

from nanobot.documents.symbols import symbol


@pytest.mark.parametrize(
    ("code", "font", "shown"),
    [
        ("F0FC", "Wingdings", "✓"),
        ("FC", "wingdings", "✓"),
        ("F06D", "Symbol", "μ"),
        ("F0B7", "Symbol", "•"),
        ("2713", "Segoe UI Symbol", "✓"),
        ("F041", "Webdings", "[symbol F041 of Webdings]"),
        ("F041", "", "[symbol F041 of a font]"),
        ("zz", "Symbol", ""),
        ("D800", "", ""),
        ("1B", "", ""),
        ("FFFE", "", ""),
        ("", "", ""),
        ("9" * 10_000, "", "\u9999"),
    ],
)
def test_a_symbol_is_the_character_it_looks_like(code: str, font: str, shown: str) -> None:
    assert symbol(code, font) == shown
