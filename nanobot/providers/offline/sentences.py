"""Plain text taken apart: quoted parts put aside, sentences, clauses, courtesy.

A quoted part becomes one private character, so that no rule looks into it. Text that brings such
characters itself is not read at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = "[\ue000-\uf8fe]"
"""The pattern of a quoted part in masked text."""

_FIRST, _LAST = 0xE000, 0xF8FE
_SPAN = re.compile(
    r"""(?<!\w)"([^"\n]*)"|“([^”\n]*)”|‘([^’\n]*)’|(?<!\w)`([^`\n]*)`|(?<!\w)'([^'\n]*)'(?!\w)"""
)
_BULLET = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")
_SENTENCE_END = re.compile(r"(?<=[^\s.][.?!])\s+")
_WITHHELD = re.compile(
    r"\b(?:not|dont|never|without|except|unless|if|when|until|but|instead|before|otherwise"
    r"|\w+n't|cannot|unlike|ignore|skip|avoid|refrain|rather)\b",
    re.IGNORECASE,
)
_IGNORING_CASE = re.compile(r"\bignor(?:e|ing) case\b", re.IGNORECASE)

READ_WORDS = (
    "list ls dir read show open print display view cat find search grep look count head tail how "
    "what what's which where where's who is are does do give tell get locate see check output "
    "explain summarize summarise describe translate compare lines line contents scan"
)
CHANGE_WORDS = (
    "write create make add append insert edit change modify update replace rename move copy delete "
    "remove erase fix refactor rewrite run execute install uninstall build test commit push pull "
    "checkout deploy start stop kill set save download upload format reformat generate implement "
    "convert clean apply patch undo revert touch mkdir rm mv cp sed chmod git npm pip python curl "
    "wget sudo echo bump rebase merge clear empty overwrite put migrate upgrade launch restart "
    "compile correct drop truncate wipe reset restore repair rmdir bash sh turn swap sort "
    "uncomment comment configure enable disable"
)
_COURTESY = (
    r"(?:(?:please|pls|kindly|now|then|also|next|first(?! (?:\w+ )?lines?\b)|finally|lastly|afterwards|after that"
    r"|and|just|hey|hi|hello|ok|okay|so|well|quickly|go ahead and"
    r"|(?:can|could|would|will) you|(?:can|could|may) i|i(?:'d| would) like(?: you)?(?: to)?"
    r"|i (?:want|need)(?: you)?(?: to)?|let me|let us|let's|help me"
    r"|(?:tell me|show me|know|find out|check|say)(?= (?:how many|how long|what|where|which|who)\b)"
    r"),?\s+)*"
)
_OPENERS = "|".join(re.escape(word) for word in (READ_WORDS + " " + CHANGE_WORDS).split())
_NEXT = rf"(?={_COURTESY}(?:{_OPENERS}|the (?:first|last|top|bottom|end|beginning))(?=\s|[.?!,]*$))"
_HARD = r"\s*,?\s+(?:and\s+)?then\s+|\s*,?\s+(?:and\s+)?after(?:wards| that),?\s+"
_JOINT = re.compile(rf"{_HARD}|(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+&\s+){_NEXT}", re.IGNORECASE)
_LEADING = re.compile(_COURTESY, re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:,?\s+(?:please|pls|for me|to me|thanks|thank you|now|too|as well|right now|again))+$",
    re.IGNORECASE,
)
_CHANGE = re.compile(rf"(?:{'|'.join(CHANGE_WORDS.split())})(?=\s|$)", re.IGNORECASE)
_LONGEST_SENTENCE = 600


@dataclass(frozen=True, slots=True)
class Clause:
    """One request of a sentence, courtesy gone. `shown` is the text as it was typed.

    `withheld` says that its sentence holds a word such as *not* or *if*: nothing of it may run.
    """

    text: str
    shown: str
    withheld: bool

    @property
    def change_word(self) -> str:
        """The word of change it begins with, such as `delete`; "" for none."""
        found = _CHANGE.match(self.text)
        return found[0].lower() if found else ""


@dataclass(frozen=True, slots=True)
class Masked:
    """Text whose quoted parts are one character each."""

    text: str
    quoted: tuple[str, ...]

    def value(self, slot: str) -> str | None:
        """What a slot stands for: the quoted part, or the word. None for a mixture."""
        if len(slot) == 1 and _FIRST <= ord(slot) <= _LAST:
            return self.quoted[ord(slot) - _FIRST]
        return None if any(_FIRST <= ord(char) <= _LAST for char in slot) else slot

    def unmask(self, text: str) -> str:
        """The text with its quoted parts back, in double quotes."""
        return "".join(self._shown(char) for char in text)

    def _shown(self, char: str) -> str:
        at = ord(char) - _FIRST
        return f'"{self.quoted[at]}"' if 0 <= at < len(self.quoted) else char


def mask(text: str) -> Masked | None:
    """The text with its quoted parts put aside; None where it can't be read this way."""
    if any(_FIRST <= ord(char) <= 0xF8FF for char in text):  # noqa: PLR2004  # the private area
        return None
    quoted: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        quoted.append(next(part for part in found.groups() if part is not None))
        return chr(_FIRST + len(quoted) - 1)

    if sum(text.count(mark) for mark in "\"'`“‘") > 2 * (_LAST - _FIRST):
        return None
    masked = _SPAN.sub(put_aside, text).replace("’", "'")
    return Masked(masked, tuple(quoted))


def clauses(masked: Masked) -> Iterator[Clause]:
    """Each request, in order."""
    for sentence in _SENTENCE_END.split(_BULLET.sub("", masked.text)):
        flat = " ".join(sentence.split())
        if not flat:
            continue
        if len(flat) > _LONGEST_SENTENCE:
            yield Clause("", masked.unmask(flat), withheld=True)
            continue
        withheld = _WITHHELD.search(_IGNORING_CASE.sub("", flat)) is not None
        for part in [flat] if withheld else _JOINT.split(flat):
            text = plain(part)
            if text:
                yield Clause(text, masked.unmask(part.strip(" ,")), withheld)


def plain(part: str) -> str:
    """A clause without courtesy and without the marks at its end."""
    text = part.strip().strip(",:").rstrip("?!").strip()
    text = (
        text[:-1]
        if text.endswith(".") and not text.endswith((" .", "..")) and text != "."
        else text
    )
    text = _TRAILING.sub("", text[_leading(text) :])
    return text.rstrip("?!, ")


def _leading(text: str) -> int:
    found = _LEADING.match(text)
    return found.end() if found else 0


__all__ = ["CHANGE_WORDS", "QUOTED", "READ_WORDS", "Clause", "Masked", "clauses", "mask", "plain"]
