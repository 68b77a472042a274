"""A run as an SVG picture that needs nothing from anywhere."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console
from rich.terminal_theme import MONOKAI

from nanobot.cli.screen import Screen
from nanobot.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = 100
_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


class Picture:
    """A screen that is saved as one picture at `path`.

    Raises:
        ConfigError: the folder does not exist, so that nothing runs in vain.
    """

    def __init__(self, path: Path) -> None:
        if not path.parent.is_dir():
            raise ConfigError(f"{path} can't be written: {path.parent} is no folder.")
        self._path = path
        self._console = Console(
            file=io.StringIO(),
            record=True,
            force_terminal=True,
            color_system="truecolor",
            width=_COLUMNS,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
        )
        self.screen = Screen(self._console, live=False)

    def save(self) -> None:
        """Write the file.

        Raises:
            ConfigError: it can't be written.
        """
        svg = self._console.export_svg(
            title="nanobot", theme=MONOKAI, code_format=_SVG, unique_id="nanobot"
        )
        try:
            self._path.write_text(svg, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{self._path} can't be written: {error.strerror}.") from None


__all__ = ["Picture"]
