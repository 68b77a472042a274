r"""Gitignore globs: `*.py`, `src/**/*.ts`, `{a,b}`, `[!x]`, `!*.log`. Pure, and linear in a name.

A glob without a slash means names at any depth; with one it begins at the folder that is searched;
one that ends in a slash means all that is below. `\` takes the next character literally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.errors import ToolError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_FORMS = 256
_SPECIAL = frozenset("*?[\\")


@dataclass(frozen=True, slots=True)
class _Set:
    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def holds(self, char: str) -> bool:
        return any(low <= char <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True, slots=True)
class _One:
    """Any one character."""

    def holds(self, char: str) -> bool:
        del char
        return True


@dataclass(frozen=True, slots=True)
class _Char:
    char: str

    def holds(self, char: str) -> bool:
        return char == self.char


_Token: TypeAlias = "_Set | _One | _Char | None"  # noqa: S105  # no password
"""None is `*`: any characters."""


@dataclass(frozen=True, slots=True)
class _Name:
    """One component. `literal` is its text where it holds nothing else."""

    tokens: Sequence[_Token]
    literal: str | None

    def fits(self, name: str) -> bool:
        return name == self.literal if self.literal is not None else _name_fits(self.tokens, name)


@dataclass(frozen=True, slots=True)
class _Below:
    """`folder/**` and `folder/**/*end`, which need no matching: most globs are such."""

    start: str
    end: str

    def fits(self, path: str) -> bool:
        return (
            path.startswith(self.start)
            and path.endswith(self.end)
            and len(path) >= len(self.start) + max(1, len(self.end))
        )


class Glob:
    """A compiled glob over paths relative to the folder that is searched.

    Raises:
        ToolError: it is empty, a bracket or brace stays open, or it has more than 256 forms.
    """

    def __init__(self, text: str) -> None:
        body = text.removeprefix("!")
        self.negated = body != text
        if not body.strip() or "\0" in body or "\n" in body:
            raise _broken(text, "it names nothing")
        self.forms = tuple(_plain(form) for form in _alternatives(body, text))
        compiled = {form: _compiled(form, text) for form in self.forms}
        self._below = [found for form in self.forms if (found := _below(form))]
        self._others = [compiled[form] for form in self.forms if not _below(form)]

    def matches(self, path: str) -> bool:
        """Whether a relative path, `/` between names, is meant."""
        return self._found(path) != self.negated

    def _found(self, path: str) -> bool:
        return any(form.fits(path) for form in self._below) or any(
            _path_fits(form, path) for form in self._others
        )

    @property
    def last_names(self) -> Sequence[str] | None:
        """Globs without a slash for the last names of all that is meant; None when any may be."""
        lasts = list(dict.fromkeys(form.rpartition("/")[2] for form in self.forms))
        return None if self.negated or "**" in lasts else lasts

    @property
    def by_last_name(self) -> bool:
        """Whether the last name alone decides: `*.py`, `**/*.py`."""
        return not self.negated and all(
            "/" not in form.removeprefix("**/") and form != "**" for form in self.forms
        )

    @property
    def folder(self) -> Sequence[str]:
        """The names of the folder that all that is meant lies below; none for the one searched."""
        if self.negated or len(self.forms) != 1 or "/" not in self.forms[0]:
            return ()
        parts = [part for part in self.forms[0].split("/") if part][:-1]
        plain = [bool(part) and not set(part) & _SPECIAL for part in parts]
        return parts[: plain.index(False)] if False in plain else parts


def _below(form: str) -> _Below | None:
    """The form as one that needs no matching, if it is such."""
    start, wild, last = ("", "**", form) if "/" not in form else form.rpartition("**")
    last = last.removeprefix("/")
    end = last.removeprefix("*")
    plain_end = (end != last and end and not set(end) & {*_SPECIAL, "/"}) or last == ""
    plain_start = not start or (start.endswith("/") and not set(start) & _SPECIAL)
    if not wild or not plain_end or not plain_start or start == "/" or "//" in start:
        return None
    return _Below(start.removeprefix("/"), end)


def _plain(form: str) -> str:
    """Without `./` in front; what ends in a slash means all below."""
    form = form.removeprefix("./")
    return form + "**" if form.endswith("/") else form


def _compiled(form: str, text: str) -> list[_Name | None]:
    """Components; None is `**`: any number of folders."""
    anchored = "/" in form
    parts = [part for part in form.split("/") if part]
    compiled = [None if part == "**" else _name(part, text) for part in parts]
    return compiled if anchored else [None, *compiled]


def _name(part: str, text: str) -> _Name:
    return _Name(_tokens(part, text), None if set(part) & _SPECIAL else part)


def _tokens(part: str, text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(part):
        char = part[at]
        if char == "\\" and at + 1 < len(part):
            at += 1
            tokens.append(_Char(part[at]))
        elif char == "*":
            tokens.append(None)
        elif char == "?":
            tokens.append(_One())
        elif char == "[":
            made, at = _set(part, at, text)
            tokens.append(made)
        else:
            tokens.append(_Char(char))
        at += 1
    return tokens


def _set(part: str, start: int, text: str) -> tuple[_Set, int]:
    at = start + 1
    negated = part[at : at + 1] in ("!", "^")
    at += negated
    end = part.find("]", at + 1)
    if end < 0:
        raise _broken(text, "a '[' is not closed")
    body, ranges, place = part[at:end], [], 0
    while place < len(body):
        if body[place + 1 : place + 2] == "-" and place + 2 < len(body):
            ranges.append((body[place], body[place + 2]))
            place += 3
        else:
            ranges.append((body[place], body[place]))
            place += 1
    return _Set(tuple(ranges), negated), end


def _alternatives(body: str, text: str) -> list[str]:
    """The forms of a glob with its braces written out."""
    start = _first_brace(body)
    if start < 0:
        return [body]
    depth, parts, begin = 0, [], start + 1
    for at in range(start, len(body)):
        char = body[at]
        if at and body[at - 1] == "\\":
            continue
        depth += (char == "{") - (char == "}")
        if depth == 0 or (depth == 1 and char == ","):
            parts.append(body[begin:at])
            begin = at + 1
        if depth == 0:
            forms = [
                body[:start] + part + rest
                for part in parts
                for rest in _alternatives(body[at + 1 :], text)
            ]
            whole = [
                done for form in forms[: _MOST_FORMS + 1] for done in _alternatives(form, text)
            ]
            if len(forms) > _MOST_FORMS or len(whole) > _MOST_FORMS:
                raise _broken(text, f"its braces give more than {_MOST_FORMS} forms")
            return whole
    raise _broken(text, "a '{' is not closed")


def _first_brace(body: str) -> int:
    at = body.find("{")
    while at > 0 and body[at - 1] == "\\":
        at = body.find("{", at + 1)
    return at


def _path_fits(form: Sequence[_Name | None], path: str) -> bool:
    """Components against components; `**` gives way only as far as it must."""
    names = path.split("/")
    wild, resume, at, place = -1, 0, 0, 0
    while at < len(names):
        part = form[place] if place < len(form) else None
        if place < len(form) and part is None:
            wild, resume = place, at
            place += 1
            if place == len(form):
                return True
        elif part is not None and part.fits(names[at]):
            at, place = at + 1, place + 1
        elif wild >= 0:
            resume += 1
            at, place = resume, wild + 1
        else:
            return False
    return all(part is None for part in form[place:]) and place >= len(form)


def _name_fits(tokens: Sequence[_Token], name: str) -> bool:
    star, resume, at, place = -1, 0, 0, 0
    while at < len(name):
        token = tokens[place] if place < len(tokens) else None
        if place < len(tokens) and token is None:
            star, resume = place, at
            place += 1
        elif token is not None and token.holds(name[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return all(token is None for token in tokens[place:])


def _broken(text: str, why: str) -> ToolError:
    return ToolError(
        f"The glob '{visible_line(text[:200])}' can't be used: {why}",
        hint="Globs look like '*.py', 'src/**/*.ts', '*.{js,ts}' or '!*.log'.",
    )


__all__ = ["Glob"]
