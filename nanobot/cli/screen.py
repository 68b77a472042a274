"""Where a run is shown: lines that stay, and below them, on a terminal, what is going on now."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from nanobot.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

_LONGEST_LINE = 200
_REFRESHES_PER_SECOND = 10


def stdout_console() -> Console:
    """A console on standard output: coloured on a terminal, plain elsewhere."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    return Console(markup=False, emoji=False, highlight=False)


def terminal_console() -> Console:
    """A console on standard error, for questions where standard output goes elsewhere."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


class Screen:
    """Lines on a console and, where it is a terminal, a live region below them.

    Args:
        console: where to.
        live: whether what is going on is shown; default: where the console is a terminal.
    """

    def __init__(self, console: Console, *, live: bool | None = None) -> None:
        self.console = console
        self.rich = console.is_terminal
        self._alive = console.is_terminal and not console.is_dumb_terminal if live is None else live
        self._region: tuple[RenderableType, ...] = ()
        self._live: Live | None = None

    @property
    def alive(self) -> bool:
        """Whether what is going on now is shown."""
        return self._alive

    @property
    def width(self) -> int:
        """Columns that a line may take."""
        return self.console.width if self.rich else _LONGEST_LINE

    @property
    def height(self) -> int:
        """Rows of the terminal."""
        return self.console.height

    def line(self, *parts: str | tuple[str, str] | Text) -> None:
        """Print one line of parts, each a text or a pair of text and style."""
        self.console.print(Text.assemble(*map(_safe, parts)), soft_wrap=True)

    def prose(self, text: str, style: str = "") -> None:
        """Print a sentence; on a terminal its lines break between words."""
        self.console.print(Text(visible(text), style=style), soft_wrap=not self.rich)

    def print(self, renderable: RenderableType) -> None:
        """Print something made of safe text."""
        self.console.print(renderable)

    def plain(self, text: str) -> None:
        """Print a text as it is, but for what acts or hides."""
        self.console.print(Text(visible(text)), soft_wrap=True)

    def show(self, *region: RenderableType) -> None:
        """What is going on now; nothing to show nothing."""
        self._region = region
        if not self._alive:
            return
        if not region:
            self._stop()
        elif self._live is None:
            self._live = Live(
                Group(*region),
                console=self.console,
                transient=True,
                refresh_per_second=_REFRESHES_PER_SECOND,
            )
            self._live.start()
        else:
            self._live.update(Group(*region))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The live region out of the way, for a question."""
        region, alive = self._region, self._alive
        self._stop()
        self._alive = False
        try:
            yield
            self._region = self._region or region
        except BaseException:
            self._region = ()
            raise
        finally:
            self._alive = alive
            self.show(*self._region)

    def close(self) -> None:
        """Take the live region away. Safe to call twice."""
        self._region = ()
        self._stop()

    def _stop(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()


def _safe(part: str | tuple[str, str] | Text) -> str | tuple[str, str] | Text:
    if isinstance(part, str):
        return visible(part)
    return (visible(part[0]), part[1]) if isinstance(part, tuple) else part


__all__ = ["Screen", "stdout_console", "terminal_console"]
