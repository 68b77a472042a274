"""A run as JSON lines: one object for each event, `event` naming its kind."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from nanobot.events import Event

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class JsonLines:
    """An observer that writes each event, pure ASCII, and flushes after each."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __call__(self, event: Event) -> None:
        """Write one event."""
        self._out.write(event_line(event) + "\n")
        self._out.flush()


def event_line(event: Event) -> str:
    """The event as one line of JSON."""
    row: dict[str, object] = {"event": _HUMP.sub("_", type(event).__name__).lower()}
    row |= {each.name: getattr(event, each.name) for each in fields(event)}
    return json.dumps(row, default=str)


__all__ = ["JsonLines", "event_line"]
