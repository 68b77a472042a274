"""Which keyword arguments a foreign function takes: hosts and providers may be older than we are."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def accepts(function: Callable[..., object], keyword: str) -> bool:
    """Whether the function takes this keyword argument; one that can't be inspected does not."""
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return False
    named = parameters.get(keyword)
    if named is not None:
        return named.kind in {named.KEYWORD_ONLY, named.POSITIONAL_OR_KEYWORD}
    return any(p.kind is p.VAR_KEYWORD for p in parameters.values())


__all__ = ["accepts"]
