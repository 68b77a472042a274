"""Tool names as a provider takes them, and back: an injective map made per request.

Any non-empty name registers here; providers take `[A-Za-z0-9_-]` and 64 characters (some 128). A
name that fits stays as it is. Any other becomes what is legible of it plus a hash of the whole, so
that two names never meet (CASES.md G6) and the same name gives the same result in every request.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_LETTER_FIRST = re.compile(r"[A-Za-z_]")
_HASH_DIGITS = 8
_SHORTEST_LIMIT = 16


@dataclass(frozen=True, slots=True)
class NameMap:
    """The names of one request. Make one with `NameMap.of`."""

    provider_names: Mapping[str, str]
    """Ours → the provider's, for the names that were given."""
    own_names: Mapping[str, str]
    """The provider's → ours."""
    limit: int = 64
    letter_first: bool = False

    @classmethod
    def of(cls, names: Iterable[str], *, limit: int = 64, letter_first: bool = False) -> NameMap:
        """A map for these names.

        Args:
            names: the registered names; a repetition is harmless.
            limit: how many characters the provider takes, at least 16.
            letter_first: whether it also wants a letter or `_` in front (Gemini).

        Raises:
            ValueError: a limit too short to keep names apart.
        """
        if limit < _SHORTEST_LIMIT:
            raise ValueError(f"a limit of {limit} characters is below {_SHORTEST_LIMIT}")
        given = list(dict.fromkeys(names))
        own = {name: name for name in given if _fits(name, limit, letter_first=letter_first)}
        shown = dict(own)
        for name in given:
            if name not in shown:
                safe = _safe_name(name, limit, own)
                shown[name], own[safe] = safe, name
        return cls(shown, own, limit, letter_first)

    def to_provider(self, name: str) -> str:
        """The provider's name for ours.

        One that was not given (an old call in a history) gets a name that none of the given has.
        """
        known = self.provider_names.get(name)
        if known is not None:
            return known
        free = name not in self.own_names
        if free and _fits(name, self.limit, letter_first=self.letter_first):
            return name
        return _safe_name(name, self.limit, self.own_names)

    def from_provider(self, name: str) -> str:
        """Our name for the provider's. One that the model made up comes back as it is."""
        return self.own_names.get(name, name)


def _fits(name: str, limit: int, *, letter_first: bool) -> bool:
    if not name or len(name) > limit or _FOREIGN.search(name):
        return False
    return not letter_first or _LETTER_FIRST.match(name) is not None


def _safe_name(name: str, limit: int, taken: Mapping[str, str]) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    legible = _FOREIGN.sub("_", name).strip("_-")
    if not _LETTER_FIRST.match(legible):
        legible = f"tool_{legible}".rstrip("_")
    for digits in range(_HASH_DIGITS, limit - len("tool_")):
        suffix = digest[:digits]
        safe = f"{legible[: limit - len(suffix) - 1]}_{suffix}"
        if safe not in taken:
            return safe
    raise ValueError(f"no free name for {name!r}")


__all__ = ["NameMap"]
