"""Which keyword arguments a foreign function takes."""

from __future__ import annotations

from nanobot.keywords import accepts


def test_what_takes_a_keyword() -> None:
    def named(limit: int) -> None: ...
    def every(**kwargs: int) -> None: ...
    def other(text: str, /) -> None: ...

    assert [accepts(f, "limit") for f in (named, every, other)] == [True, True, False]
    assert not accepts(other, "text")
