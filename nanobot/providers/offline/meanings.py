"""What each wording means: its slots, and the steps that they come to.

Nothing here can name a tool that changes something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from nanobot.providers.offline import slots
from nanobot.providers.offline.call import Call
from nanobot.providers.offline.steps import (
    FileCount,
    LastLines,
    LineCount,
    MatchCount,
    Plain,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nanobot.jsonvalue import JsonObject
    from nanobot.providers.offline.sentences import Masked

Steps: TypeAlias = "Sequence[Step] | None"

AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+)"
"""What parts the members of a slot that takes several."""

_LINES = 10


class _Meaning(Protocol):
    """Decides what a word stands for; None where it does not fit."""

    def __call__(self, word: str, /, *, quoted: bool) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Filled:
    """A phrase that fits, with its slots."""

    groups: Mapping[str, str]
    masked: Masked

    def has(self, name: str) -> bool:
        """Whether the slot is filled."""
        return self.groups.get(name) is not None

    def values(self, name: str, meaning: _Meaning) -> list[str] | None:
        """Each of the words of a slot by what it means; None when one does not fit."""
        found = self.groups.get(name)
        words = re.split(AND, found) if found else []
        each = [self._value(word, meaning) for word in words]
        known = [value for value in each if value is not None]
        return known if known and len(known) == len(each) else None

    def value(self, name: str, meaning: _Meaning) -> str | None:
        """What the slot stands for; None where it is empty or does not fit."""
        found = self.groups.get(name)
        return None if found is None else self._value(found, meaning)

    def _value(self, word: str, meaning: _Meaning) -> str | None:
        value = self.masked.value(word)
        return None if value is None else meaning(value, quoted=len(word) == 1 and value != word)

    def number(self, name: str = "n") -> int | None:
        """The slot as a number of lines; None where it is empty or none."""
        found = self.groups.get(name)
        return None if found is None else slots.number(found)

    @property
    def kind(self) -> str | None:
        """The glob of the slot for a kind of file."""
        found = self.groups.get("kind")
        value = None if found is None else self.masked.value(found)
        return None if value is None else slots.kind_glob(value)

    def scopes(self) -> list[JsonObject] | None:
        """Where to search: one set of arguments for each folder; None when one doesn't fit."""
        glob: JsonObject = {}
        if self.has("kind"):
            if self.kind is None:
                return None
            glob = {"glob": self.kind}
        if not self.has("dirs"):
            return [glob]
        folders = self.values("dirs", slots.folder_path)
        return None if folders is None else [{"path": folder, **glob} for folder in folders]


def lists(filled: Filled) -> Steps:
    """The folders to list, or the workspace."""
    more: JsonObject = {"recursive": True} if filled.has("deep") else {}
    if not filled.has("dirs"):
        return [Plain(Call("list_dir", {"path": ".", **more}))]
    folders = filled.values("dirs", slots.listed_path)
    if folders is None:
        return None
    return [Plain(Call("list_dir", {"path": folder, **more})) for folder in folders]


def lists_path(filled: Filled) -> Steps:
    """*show src/*: only what is written as a folder."""
    found = filled.groups.get("dirs") or ""
    return lists(filled) if all(word.endswith("/") for word in re.split(AND, found)) else None


def reads(filled: Filled) -> Steps:
    """Files that look like files."""
    return _each_read(filled.values("files", slots.file_path))


def reads_named(filled: Filled) -> Steps:
    """Files that are called so: any word."""

    def named(word: str, *, quoted: bool) -> str | None:
        return slots.file_path(word, quoted=quoted, named=True)

    return _each_read(filled.values("files", named))


def _each_read(paths: Iterable[str] | None) -> Steps:
    if paths is None:
        return None
    return [Plain(Call("read_file", {"path": path})) for path in paths]


def reads_part(filled: Filled) -> Steps:
    """From line N on, to line M where it is said."""
    path, first, last = (
        filled.value("file", slots.file_path),
        filled.number("n"),
        filled.number("m"),
    )
    if path is None or first is None or (filled.has("m") and (last is None or last < first)):
        return None
    arguments: JsonObject = {"path": path, "offset": first}
    if last is not None:
        arguments["limit"] = last - first + 1
    elif filled.has("single"):
        arguments["limit"] = 1
    return [Plain(Call("read_file", arguments))]


def reads_head(filled: Filled) -> Steps:
    """The first lines."""
    lines = filled.number() if filled.has("n") else (1 if filled.has("single") else _LINES)
    paths = filled.values("files", slots.file_path)
    if lines is None or paths is None:
        return None
    return [Plain(_read(path, lines)) for path in paths]


def reads_tail(filled: Filled) -> Steps:
    """The last lines."""
    lines = filled.number() if filled.has("n") else (1 if filled.has("single") else _LINES)
    paths = filled.values("files", slots.file_path)
    if lines is None or paths is None:
        return None
    return [LastLines(_read(path, 1), lines) for path in paths]


def _read(path: str, lines: int) -> Call:
    return Call("read_file", {"path": path, "limit": lines})


def counts_lines(filled: Filled) -> Steps:
    """How long files are."""
    paths = filled.values("files", slots.file_path)
    return None if paths is None else [LineCount(_read(path, 1)) for path in paths]


def counts_files(filled: Filled) -> Steps:
    """How many files there are, of a kind or in a folder."""
    scopes = filled.scopes()
    if scopes is None:
        return None
    return [FileCount(Call("find_files", {**scope, "head_limit": 1})) for scope in scopes]


def finds_kind(filled: Filled) -> Steps:
    """Files of a kind."""
    scopes = filled.scopes()
    if scopes is None or not filled.has("kind"):
        return None
    return [Plain(Call("find_files", scope)) for scope in scopes]


def finds_name(filled: Filled) -> Steps:
    """Files by a name that is called one: any word."""

    def named(word: str, *, quoted: bool) -> str | None:
        return slots.file_path(word, quoted=quoted, named=True) or (
            word if slots.has_glob(word) else None
        )

    return _finds(filled, named)


def finds_file(filled: Filled) -> Steps:
    """Files by a name that looks like one."""

    def looks(word: str, *, quoted: bool) -> str | None:
        if quoted and filled.has("text"):
            return None
        if slots.has_extension(word) or (slots.has_glob(word) and not quoted):
            return word
        return slots.bare_file(word)

    return _finds(filled, looks)


def _finds(filled: Filled, meaning: _Meaning) -> Steps:
    name, scopes = filled.value("name", meaning), filled.scopes()
    if name is None or scopes is None:
        return None
    key = "glob" if slots.has_glob(name) else "query"
    return [Plain(Call("find_files", {key: name, **scope})) for scope in scopes]


def greps(filled: Filled) -> Steps:
    """Behind *search for*: words as they are."""
    return _grep_each(filled, filled.values("terms", slots.search_term))


def greps_phrase(filled: Filled) -> Steps:
    """Behind *search for*: up to three words as they are."""
    term = filled.value("term", slots.search_term)
    return _grep_each(filled, None if term is None else [term])


def greps_code(filled: Filled) -> Steps:
    """Where nothing says *for*: only what is quoted or looks like code."""
    return _grep_each(filled, filled.values("terms", slots.code_term))


def _grep_each(filled: Filled, terms: Sequence[str] | None, mode: str = "content") -> Steps:
    scopes = filled.scopes()
    if terms is None or scopes is None:
        return None
    found: list[Step] = []
    for term in terms:
        for scope in scopes:
            arguments = {**_pattern(term, filled), **scope, "output_mode": mode}
            if mode == "count":
                found.append(MatchCount(Call("grep", {**arguments, "head_limit": 0})))
            else:
                found.append(Plain(Call("grep", arguments)))
    return found


def _pattern(term: str, filled: Filled) -> JsonObject:
    arguments: JsonObject = {"pattern": term}
    if re.search(r"[\\^$.|?*+()\[\]{}]", term) and not filled.has("regex"):
        arguments["fixed_strings"] = True
    if filled.has("nocase"):
        arguments["case_insensitive"] = True
    return arguments


def greps_files(filled: Filled) -> Steps:
    """Files that hold a term."""
    return _grep_each(filled, filled.values("terms", slots.search_term), "files_with_matches")


def counts_matches(filled: Filled) -> Steps:
    """How many lines hold a term."""
    return _grep_each(filled, filled.values("terms", slots.search_term), "count")


def counts_code(filled: Filled) -> Steps:
    """How many lines hold what is quoted or looks like code."""
    return _grep_each(filled, filled.values("terms", slots.code_term), "count")


def finds_definition(filled: Filled) -> Steps:
    """Where a name is defined."""
    name, scopes = filled.value("name", slots.code_name), filled.scopes()
    if name is None or scopes is None:
        return None
    pattern = definition_pattern(name)
    return [
        Plain(Call("grep", {"pattern": pattern, **scope, "output_mode": "content"}))
        for scope in scopes
    ]


def definition_pattern(name: str) -> str:
    """The expression that finds where a name is defined, in the usual languages."""
    last = re.escape(re.split(r"\.|::", name)[-1])
    words = "class|def|function|func|fn|struct|enum|trait|interface|type|const|let|var"
    return rf"\b({words})\s+{last}\b|^\s*{last}\s*(:[^=]*)?:?=[^=]"


def finds_uses(filled: Filled) -> Steps:
    """Where a name stands as a whole word."""
    name, scopes = filled.value("name", slots.code_name), filled.scopes()
    if name is None or scopes is None:
        return None
    pattern = rf"\b{re.escape(name)}\b"
    return [
        Plain(Call("grep", {"pattern": pattern, **scope, "output_mode": "content"}))
        for scope in scopes
    ]


__all__ = [
    "AND",
    "Filled",
    "Steps",
    "counts_code",
    "counts_files",
    "counts_lines",
    "counts_matches",
    "definition_pattern",
    "finds_definition",
    "finds_file",
    "finds_kind",
    "finds_name",
    "finds_uses",
    "greps",
    "greps_code",
    "greps_files",
    "greps_phrase",
    "lists",
    "lists_path",
    "reads",
    "reads_head",
    "reads_named",
    "reads_part",
    "reads_tail",
]
