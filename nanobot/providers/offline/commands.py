"""The grammar of exact commands: `/read README.md limit=10`, `/call NAME {json}`, `/help`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.providers.offline.call import Call
from nanobot.providers.offline.tokens import (
    JsonOption,
    SyntaxFault,
    Word,
    ends_at,
    read_json,
    skip_blanks,
    split_word,
    split_words,
)

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue
    from nanobot.providers.offline.toolbox import CommandShape, Toolbox

_COMMAND = re.compile(r"/([^\s;]+)")
_GLOB = re.compile(r"[*?\[{]")
_FALSE = frozenset({"false", "no", "0"})
_TRUE = frozenset({"true", "yes", "1"})
_OWN_WORDS = ("call", "help", "tools")


@dataclass(frozen=True, slots=True)
class Topic:
    """A question on the commands themselves: `/help`, `/help NAME`, `/tools`."""

    kind: Literal["help", "tools"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A command that can't be used: one line that says why, and how it is written."""

    command: str
    reason: str
    usage: str = ""


Command: TypeAlias = Call | Topic | Fault


@dataclass(frozen=True, slots=True)
class Parsed:
    """One command, and where the text goes on behind it."""

    command: Command
    end: int


def begins_command(text: str, at: int, toolbox: Toolbox) -> bool:
    """Whether a command stands here: a known word, or one that can't be meant as a path."""
    found = _COMMAND.match(text, at)
    if found is None:
        return False
    return "/" not in found[1] or toolbox.find(found[1]) is not None


def parse_command(text: str, at: int, toolbox: Toolbox) -> Parsed:
    """The command at this place. What is wrong with it comes back as a `Fault`."""
    found = _COMMAND.match(text, at)
    word = found[1] if found else ""
    start = found.end() if found else at
    shape = toolbox.find(word)
    try:
        if word == "call":
            return _parse_call(text, start, toolbox)
        if word in ("help", "tools"):
            return _parse_topic(text, start, "help" if word == "help" else "tools")
        if shape is None:
            return Parsed(_unknown(word, toolbox), _line_end(text, start))
        return _parse_tool(text, start, shape)
    except SyntaxFault as fault:
        usage = "/call NAME {json}" if word == "call" else shape.usage if shape else f"/{word}"
        return Parsed(Fault(f"/{word}", str(fault), usage), len(text))


def _parse_call(text: str, start: int, toolbox: Toolbox) -> Parsed:
    usage = "/call NAME {json}"
    if ends_at(text, skip_blanks(text, start)):
        return Parsed(Fault("/call", "the name of a tool is missing", usage), start)
    name, at = split_word(text, start)
    at = skip_blanks(text, at)
    value: JsonValue = {}
    if not ends_at(text, at):
        value, at = read_json(text, at)
        at = skip_blanks(text, at)
    if not ends_at(text, at):
        return Parsed(Fault("/call", "something follows the arguments", usage), _line_end(text, at))
    if name.text not in toolbox.shapes:
        return Parsed(_unknown(name.text, toolbox, f"/call {name.text}"), at)
    if not isinstance(value, dict):
        return Parsed(Fault(f"/call {name.text}", "the arguments are no JSON object", usage), at)
    return Parsed(Call(name.text, value), at)


def _parse_topic(text: str, start: int, kind: Literal["help", "tools"]) -> Parsed:
    split = split_words(text, start)
    texts = [word.text for word in split.words if isinstance(word, Word)]
    return Parsed(Topic(kind, texts[0].removeprefix("/") if texts else ""), split.end)


def _parse_tool(text: str, start: int, shape: CommandShape) -> Parsed:
    whole = _json_arguments(text, start)
    if whole is not None:
        return Parsed(Call(shape.tool, whole.arguments), whole.end)
    split = split_words(text, start)
    if [word.text for word in split.words if isinstance(word, Word)] == ["--help"]:
        return Parsed(Topic("help", shape.tool), split.end)
    return Parsed(_bind(split.words, shape), split.end)


@dataclass(frozen=True, slots=True)
class _Whole:
    arguments: JsonObject
    end: int


def _json_arguments(text: str, start: int) -> _Whole | None:
    """`/read {"path": "a"}`: the whole of the arguments as one JSON object."""
    at = skip_blanks(text, start)
    if text[at : at + 1] != "{":
        return None
    try:
        value, end = read_json(text, at)
    except SyntaxFault:
        return None
    end = skip_blanks(text, end)
    return _Whole(value, end) if isinstance(value, dict) and ends_at(text, end) else None


class _Misuse(Exception):  # not an error of the program: it becomes a Fault
    """A word that fits no parameter."""


@dataclass(slots=True)
class _Binding:
    """Words on their way to parameters."""

    shape: CommandShape
    arguments: JsonObject = field(default_factory=dict)
    literal: bool = False

    def take(self, words: list[Word | JsonOption]) -> None:
        word = words.pop(0)
        if isinstance(word, JsonOption):
            self.put(self.named(word.name), word.value)
        elif not self.literal and word.text.startswith("--") and word.bare >= 2:  # noqa: PLR2004
            self.take_option(word, words)
        elif not self.literal and self.is_pair(word):
            name, _, value = word.text.partition("=")
            self.put(name, value)
        else:
            self.put(self.next_position(word.text), word.text)

    def is_pair(self, word: Word) -> bool:
        name, sign, _ = word.text.partition("=")
        return bool(sign) and len(name) < word.bare and name in self.shape.properties

    def take_option(self, word: Word, words: list[Word | JsonOption]) -> None:
        if word.text == "--":
            self.literal = True
            return
        name, sign, value = word.text[2:].partition("=")
        negated = name.removeprefix("no-")
        if sign:
            self.put(self.named(name), value)
        elif negated != name and self.is_flag(self.known(negated)):
            self.put(self.named(negated), value=False)
        elif self.is_flag(self.known(name)):
            self.put(self.named(name), _flag(words))
        elif words and isinstance(words[0], Word):
            following = words.pop(0)
            self.put(self.named(name), following.text if isinstance(following, Word) else None)
        else:
            raise _Misuse(f"--{name} has no value")

    def known(self, name: str) -> str:
        under = name.replace("-", "_")
        return name if name in self.shape.properties else under

    def named(self, name: str) -> str:
        known = self.known(name)
        if known in self.shape.properties or self.shape.open_ended:
            return known
        near = get_close_matches(known, list(self.shape.properties), 1)
        suffix = f"; did you mean '{near[0]}'?" if near else ""
        raise _Misuse(f"there is no parameter '{name}'{suffix}")

    def is_flag(self, name: str) -> bool:
        kind = self.shape.properties.get(name, {}).get("type")
        return kind == "boolean" or (isinstance(kind, list) and "boolean" in kind)

    def next_position(self, text: str) -> str:
        free = [name for name in self.shape.positions if name not in self.arguments]
        if free[:1] == ["query"] and "glob" in self.shape.properties:
            if "glob" in self.arguments:
                free = free[1:]
            elif _GLOB.search(text):
                return "glob"
        if not free:
            unused = [name for name in self.shape.properties if name not in self.arguments]
            named = f"; name it, as in {unused[0]}={text}" if unused else ""
            raise _Misuse(f"too many values at {text!r} (a value with blanks needs quotes{named})")
        return free[0]

    def put(self, name: str, value: JsonValue) -> None:
        listed = self.shape.properties.get(name, {}).get("type") == "array"
        before = self.arguments.get(name)
        if listed and isinstance(value, str) and not value.lstrip().startswith("["):
            self.arguments[name] = [*before, value] if isinstance(before, list) else [value]
        elif name in self.arguments:
            raise _Misuse(f"'{name}' is given twice")
        else:
            self.arguments[name] = value


def _bind(words: tuple[Word | JsonOption, ...], shape: CommandShape) -> Command:
    binding, rest = _Binding(shape), list(words)
    try:
        while rest:
            binding.take(rest)
    except _Misuse as misuse:
        return Fault(f"/{shape.command}", str(misuse), shape.usage)
    arguments = {**shape.defaults, **binding.arguments}
    missing = [name for name in shape.required if name not in arguments]
    if missing:
        return Fault(f"/{shape.command}", f"{' and '.join(missing)} missing", shape.usage)
    return Call(shape.tool, arguments)


def _flag(words: list[Word | JsonOption]) -> bool:
    following = words[0] if words else None
    text = following.text.lower() if isinstance(following, Word) else ""
    if text in _TRUE or text in _FALSE:
        words.pop(0)
        return text in _TRUE
    return True


def _unknown(word: str, toolbox: Toolbox, command: str = "") -> Fault:
    near = get_close_matches(word, [*toolbox.words, *_OWN_WORDS], 1)
    hint = f"; did you mean /{near[0]}? " if near else "; "
    return Fault(command or f"/{word}", f"there is no such command{hint}/help lists all")


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


__all__ = ["Command", "Fault", "Parsed", "Topic", "begins_command", "parse_command"]
