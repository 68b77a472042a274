"""Markdown from a model, rendered so that all of it is seen and none of it acts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from rich.markdown import Markdown
from rich.segment import Segment

from nanobot.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_HIDING = ["html_block", "html_inline", "entity", "image", "reference"]
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>.*)")
_COLOURED = frozenset({"python", "py", "json", "toml", "yaml", "bash", "sh", "diff", "html", "css"})
_LONGEST_COLOURED = 20_000


class SafeMarkdown:
    """One Markdown text. HTML, images and references show as they are written, links with their URL."""

    def __init__(self, text: str) -> None:
        self._markdown = Markdown(visible(text), hyperlinks=False)
        parser = MarkdownIt().enable("strikethrough").enable("table").disable(_HIDING)
        self._markdown.parsed = parser.parse(visible(text))
        for token in self._markdown.parsed:
            if token.type == "fence" and not _may_colour(token.info, token.content):
                token.info = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render, without empty lines around, each piece held to plain characters once more."""
        lines = console.render_lines(self._markdown, options, pad=False)
        while lines and _is_blank(lines[0]):
            del lines[0]
        while lines and _is_blank(lines[-1]):
            del lines[-1]
        for line in lines:
            yield from map(_plain, line)
            yield Segment.line()


def _is_blank(line: list[Segment]) -> bool:
    return not "".join(segment.text for segment in line).strip()


def _plain(segment: Segment) -> Segment:
    style = segment.style
    if style is not None and style.link:
        style = style.update_link(None)
    return Segment(visible(segment.text), style)


def _may_colour(info: str, code: str) -> bool:
    """Whether a lexer may see the code: some take very long for what a model may write."""
    return info.strip() in _COLOURED and len(code) <= _LONGEST_COLOURED


class MarkdownBlocks:
    """Cuts streamed text into blocks that can be rendered for good.

    A block ends at an empty line outside of a code fence, once a line follows that isn't indented.
    """

    def __init__(self) -> None:
        self._line = ""
        self._lines: list[str] = []
        self._fence = ""
        self._ended = False

    @property
    def pending(self) -> str:
        """What has arrived of the block that is not complete."""
        return "\n".join([*self._lines, self._line])

    def feed(self, text: str) -> list[str]:
        """Take a piece; give the blocks that it completes."""
        blocks: list[str] = []
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            blocks += self._take(line.removesuffix("\r"))
        return blocks

    def finish(self) -> str:
        """The rest, and begin anew."""
        rest = self.pending
        self.__init__()  # type: ignore[misc]  # begins anew
        return rest

    def _take(self, line: str) -> list[str]:
        done: list[str] = []
        blank = not line.strip()
        if self._ended and not blank and not line[0].isspace():
            done = ["\n".join(self._lines)]
            self._lines = []
        self._ended = blank and not self._fence and bool(self._lines)
        if not blank or self._lines:
            self._lines.append(line)
        self._note_fence(line)
        return done

    def _note_fence(self, line: str) -> None:
        found = _FENCE.fullmatch(line)
        if found is None:
            return
        mark, rest = found["mark"], found["rest"]
        if not self._fence:
            self._fence = mark
        elif mark.startswith(self._fence) and not rest.strip():
            self._fence = ""


__all__ = ["MarkdownBlocks", "SafeMarkdown"]
