r"""Shell-like words of a command line, and JSON where a command takes it.

Rules: blanks part words; `;` and a line end end the command. Single quotes keep everything.
Double quotes keep everything but `\"` and `\\`. `$'…'` knows `\n`, `\t`, `\r`, `\\`, `\'`, `\"`.
Outside quotes a backslash keeps the next blank, quote, `;` or backslash; before anything else it
stands for itself, so that a pattern such as `\bname\b` needs no quotes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonValue

_ENDS = frozenset(";\n")
_BLANKS = frozenset(" \t\r\f\v")
_ESCAPABLE = frozenset(" \t;\\'\"\n")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_JSON_OPTION = re.compile(r"(?:--)?([^\s=:;'\"]+):=")


class SyntaxFault(ValueError):
    """A command line that can't be taken apart; the message says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `bare` is how many of its first characters stood outside quotes."""

    text: str
    bare: int


@dataclass(frozen=True, slots=True)
class JsonOption:
    """A word `name:=JSON`."""

    name: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one command, and where the text goes on behind it."""

    words: tuple[Word | JsonOption, ...]
    end: int


def split_words(text: str, start: int) -> Words:
    """The words from `start` to the end of the command. Raises `SyntaxFault`."""
    words: list[Word | JsonOption] = []
    at = skip_blanks(text, start)
    while not ends_at(text, at):
        option = _json_option(text, at)
        if option is not None:
            words.append(option.word)
            at = option.end
        else:
            word, at = _word(text, at)
            words.append(word)
        at = skip_blanks(text, at)
    return Words(tuple(words), at)


def split_word(text: str, start: int) -> tuple[Word, int]:
    """The next word, and where it ends. Raises `SyntaxFault`."""
    return _word(text, skip_blanks(text, start))


def read_json(text: str, start: int) -> tuple[JsonValue, int]:
    """The JSON value at `start`, and where it ends. Raises `SyntaxFault`."""
    at = skip_blanks(text, start)
    try:
        value: JsonValue
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "") or "nested too deep, or not finite"
        raise SyntaxFault(f"not JSON: {reason}") from None
    return value, end


def skip_blanks(text: str, at: int) -> int:
    """The first place from `at` on that is no blank; line ends are none."""
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at


def ends_at(text: str, at: int) -> bool:
    """Whether a command ends at this place."""
    return at >= len(text) or text[at] in _ENDS


@dataclass(frozen=True, slots=True)
class _Option:
    word: JsonOption
    end: int


def _json_option(text: str, at: int) -> _Option | None:
    found = _JSON_OPTION.match(text, at)
    if found is None:
        return None
    if text[found.end() : found.end() + 1] in ("'", "$"):
        word, end = _word(text, found.end())
        value, used = read_json(word.text, 0)
        if skip_blanks(word.text, used) < len(word.text):
            raise SyntaxFault(f"not JSON: something follows the value of {found[1]}")
    else:
        value, end = read_json(text, found.end())
    if not ends_at(text, end) and text[end] not in _BLANKS:
        raise SyntaxFault(f"not JSON: something follows the value of {found[1]}")
    return _Option(JsonOption(found[1], value), end)


def _word(text: str, at: int) -> tuple[Word, int]:
    pieces: list[str] = []
    bare: int | None = None
    while not ends_at(text, at) and text[at] not in _BLANKS:
        char = text[at]
        if char in "'\"" or text.startswith("$'", at):
            bare = _length(pieces) if bare is None else bare
            piece, at = _quoted(text, at)
        elif char == "\\" and text[at + 1 : at + 2] in _ESCAPABLE and at + 1 < len(text):
            bare = _length(pieces) if bare is None else bare
            piece, at = text[at + 1], at + 2
        else:
            piece, at = char, at + 1
        pieces.append(piece)
    word = "".join(pieces)
    return Word(word, len(word) if bare is None else bare), at


def _length(pieces: list[str]) -> int:
    return sum(map(len, pieces))


def _quoted(text: str, at: int) -> tuple[str, int]:
    ansi = text[at] == "$"
    start = at + 2 if ansi else at + 1
    quote = text[start - 1]
    if quote == "'" and not ansi:
        end = text.find("'", start)
        if end < 0:
            raise SyntaxFault("a quote ' is not closed")
        return text[start:end], end + 1
    return _escaped(text, start, quote, _ANSI if ansi else {'"': '"', "\\": "\\"})


def _escaped(text: str, at: int, quote: str, escapes: dict[str, str]) -> tuple[str, int]:
    pieces: list[str] = []
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" and text[at + 1 : at + 2] in escapes:
            pieces.append(escapes[text[at + 1]])
            at += 2
        else:
            pieces.append(text[at])
            at += 1
    if at >= len(text):
        raise SyntaxFault(f"a quote {quote} is not closed")
    return "".join(pieces), at + 1


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not finite")


_DECODER = json.JSONDecoder(parse_constant=_refuse)

__all__ = [
    "JsonOption",
    "SyntaxFault",
    "Word",
    "Words",
    "ends_at",
    "read_json",
    "skip_blanks",
    "split_word",
    "split_words",
]
