"""`Seen`: the lines of a file that an answer showed to a model, to compare with those there now."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from nanobot.workspace.diffs import bounded_diff
from nanobot.workspace.excerpt import Excerpt, excerpt
from nanobot.workspace.fingerprint import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nanobot.workspace.identity import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Lines `first` to `last` as they were shown, found within a budget of characters.

    `whole`: they are the whole file, and nothing in them was cut or spelled out. `print` is the
    digest of the rows; `rows` the rows themselves, or "" when they were too much to keep.
    """

    first: int
    last: int
    whole: bool
    budget: int
    print: str
    rows: str

    @classmethod
    def of(cls, found: Excerpt, budget: int) -> Self:
        """What an excerpt showed that was made within this budget."""
        rows = "\n".join(found.rows)
        return cls(
            first=found.first,
            last=found.last,
            whole=found.first == 1 and found.last == found.total and not found.notes,
            budget=budget,
            print=digest(rows),
            rows=rows,
        )

    def without_rows(self) -> Self:
        """The same, with less to keep."""
        return replace(self, rows="")

    def now(self, descriptor: int) -> Self:
        """What the same lines of an open file would show. Reads the file up to them."""
        count = max(1, self.last - self.first + 1)
        found = excerpt(descriptor, offset=self.first, limit=count, budget=self.budget)
        if isinstance(found, int):
            found = Excerpt(first=self.first, last=self.first - 1)
        return self.of(found, self.budget)

    def same(self, now: Seen) -> bool:
        """Whether a model would be shown the same; of a whole file, that it is still all of it."""
        return self.print == now.print and (now.whole or not self.whole)

    def diff(self, now: Seen, name: str, *, most: int) -> str:
        """How the lines changed, in at most `most` rows; "" when these were not kept."""
        if not self.rows and self.last >= self.first:
            return ""
        return bounded_diff(_text(self), _text(now), name, most=most, first=self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A file as a session last saw it.

    `identity` None: it was not there. `written` is the digest of its bytes where the session wrote
    them, and `text` what it wrote, where that was kept. `seen` are the lines it was shown, by the
    range it asked for; its own edits are in them.
    """

    identity: Identity | None
    written: str = ""
    text: str = ""
    seen: Mapping[str, Seen] = field(default_factory=dict)


def _text(seen: Seen) -> str:
    lines = [row.partition("| ")[2] for row in seen.rows.split("\n")] if seen.rows else []
    return "".join(f"{line}\n" for line in lines)


__all__ = ["Known", "Seen"]
