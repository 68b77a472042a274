"""Rows in columns: a table on a terminal, aligned plain text elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nanobot.cli.screen import Screen


def print_rows(screen: Screen, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of as many texts as there are columns."""
    shown = [[visible_line(cell) for cell in row] for row in rows]
    if screen.rich:
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for title in head:
            table.add_column(title, overflow="fold")
        for row in shown:
            table.add_row(*(Text(cell) for cell in row))
        screen.print(table)
        return
    cells = [list(head), *shown]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        screen.line("  ".join(padded).rstrip())


__all__ = ["print_rows"]
