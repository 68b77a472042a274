"""The text of an HTML page or mail, in time linear to its length (CASES.md, hostile 12).

It follows the HTML Standard (13.2.5) where that decides what is text: comments, scripts and styles
are none, and a tag without end swallows the rest. Elements that their own attributes hide are left
out, and counted (CASES.md, hostile 15).
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from nanobot.documents.plaintext import lines_of, without_runs_of_blanks

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG = re.compile(r"""</?([A-Za-z][^\s/>]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s=/>]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?""")
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"&#[0-9]{8,};?")
_BLANKS = re.compile(r"[ \t\n\f\r\xa0]+")
_RAW = {
    name: re.compile(f"</{name}[\\s/>]", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_UNSHOWN = frozenset(("template", "datalist"))
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "br", "center", "dd", "div", "dl", "dt", "figure",
     "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav",
     "ol", "p", "pre", "section", "table", "tr", "ul")
)  # fmt: skip
_CELLS = frozenset(("td", "th"))
_ITEM = "- "
_END = -1


def text_of_html(source: str) -> Iterator[str]:
    """The lines of text that a page shows, and a note on what it hides."""
    page = _Page(source)
    page.read()
    yield from without_runs_of_blanks(map(_tidy, lines_of("".join(page.pieces))))
    if page.hidden:
        yield f"[{page.hidden:,} hidden element{'s' * (page.hidden > 1)} left out]"


class _Page:
    """One pass over a page; `pieces` is what it shows."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.pieces: list[str] = []
        self.hidden = 0
        self._preformatted = 0
        self._skipped = ""
        self._depth = 0

    def read(self) -> None:
        at = 0
        while at != _END:
            found = self._source.find("<", at)
            self._show(self._source[at : found if found >= 0 else None])
            at = self._markup(found) if found >= 0 else _END

    def _markup(self, at: int) -> int:
        """Where it goes on after the `<` at a place; -1 at the end."""
        source = self._source
        if source.startswith("<!--", at):
            return self._after("-->", at + 2)
        if source.startswith(("<!", "<?"), at):
            return self._after(">", at + 2)
        tag = _TAG.match(source, at)
        if tag is not None:
            return self._element(tag, closes=source[at + 1] == "/")
        name = source[at + 1 : at + 3].removeprefix("/")[:1]
        if name.isascii() and name.isalpha():
            return _END
        if source.startswith("</", at):
            return self._after(">", at + 2)
        self._show("<")
        return at + 1

    def _after(self, mark: str, at: int) -> int:
        found = self._source.find(mark, at)
        return _END if found < 0 else found + len(mark)

    def _element(self, tag: re.Match[str], *, closes: bool) -> int:
        name = tag[1].lower()
        if self._skipped:
            self._count(name, closes=closes)
        elif not closes and name not in _VOID and (name in _UNSHOWN or _is_hidden(tag[2])):
            self._skipped, self._depth = name, 1
            self.hidden += name not in _UNSHOWN
        else:
            self._lay_out(name, closes=closes)
        if name not in _RAW or closes:
            return tag.end()
        self._skipped = "" if self._skipped == name else self._skipped
        end = _RAW[name].search(self._source, tag.end())
        return _END if end is None else self._after(">", end.end() - 1)

    def _count(self, name: str, *, closes: bool) -> None:
        """Look for the end of what is not shown."""
        if name == self._skipped:
            self._depth = 0 if name == "p" else self._depth - 1 if closes else self._depth + 1
            if not self._depth:
                self._skipped = ""

    def _lay_out(self, name: str, *, closes: bool) -> None:
        if name in _BLOCKS and self.pieces[-1:] != [_ITEM]:
            self.pieces.append("\n")
        if name == "li" and not closes:
            self.pieces.append(_ITEM)
        elif name in _CELLS:
            self.pieces.append("\t")
        elif name == "pre":
            self._preformatted = max(0, self._preformatted - 1 if closes else 1)

    def _show(self, text: str) -> None:
        if self._skipped or not text:
            return
        if "&" in text:
            text = html.unescape(_LONG_NUMBER.sub("\ufffd", text))
        if not self._preformatted:
            text = _BLANKS.sub(" ", text)
            if self.pieces and self.pieces[-1][-1:].isspace():
                text = text.lstrip(" ")
        self.pieces.append(text)


def _is_hidden(attributes: str) -> bool:
    if not attributes:
        return False
    for found in _ATTRIBUTE.finditer(attributes):
        name = found[1].lower()
        if name == "hidden":
            return True
        if name == "style" and _HIDING_STYLE.search(html.unescape(found[2] or found[3] or "")):
            return True
    return False


def _tidy(line: str) -> str:
    """A line without blanks around it and around the cells of a row."""
    if "\t" not in line:
        return line.strip()
    return "\t".join(filter(None, map(str.strip, line.split("\t"))))


__all__ = ["text_of_html"]
