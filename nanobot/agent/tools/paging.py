"""Pages of a listing: which rows are shown, and how to get the next ones. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_ROWS = 200_000
_MOST_CHARS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which rows are wanted: how many to skip, how many to show at most (0: as many as fit)."""

    offset: int
    limit: int

    @property
    def end(self) -> int:
        """The number of rows up to the end of the page, were there as many."""
        return self.offset + (self.limit or _MOST_ROWS)

    @property
    def most_bytes(self) -> int | None:
        """How many bytes of rows are enough to fill the page, if it has no other limit."""
        return None if self.limit or self.offset else 4 * _MOST_CHARS


@dataclass(slots=True, kw_only=True)
class Rows:
    """The rows of a page, how many were there before it, and whether there are more."""

    shown: list[str] = field(default_factory=list)
    skipped: int = 0
    more: bool = False


def fitting(rows: Iterable[str], page: Page) -> Rows:
    """The rows of a page: within its limit and 2,000,000 characters."""
    found = Rows()
    room = _MOST_CHARS
    for row in rows:
        if found.skipped < page.offset:
            found.skipped += 1
            continue
        if (page.limit and len(found.shown) == page.limit) or room < 0:
            found.more = True
            break
        found.shown.append(row)
        room -= len(row) + 1
    return found


def page_notes(rows: Rows, page: Page, total: int | None) -> list[str]:
    """Whether there are more rows and how to get them; `total` where it is known."""
    last = page.offset + len(rows.shown)
    if not rows.shown and rows.skipped:
        return [f"(offset {page.offset} lies beyond the {total or rows.skipped} rows found.)"]
    if total is not None and last < total and rows.shown:
        return [f"(Showing {page.offset + 1}-{last} of {total}. Use offset={last} to continue.)"]
    if rows.more:
        return [f"(Showing {page.offset + 1}-{last}; there are more. Use offset={last}.)"]
    return []


__all__ = ["Page", "Rows", "fitting", "page_notes"]
