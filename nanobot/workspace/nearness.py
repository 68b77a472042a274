"""After a miss: the region of the file that is most like the old text, and what differs. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from difflib import SequenceMatcher, unified_diff
from heapq import nlargest
from itertools import chain, islice
from typing import TYPE_CHECKING

from nanobot.visible import visible_line
from nanobot.workspace.flattext import line_starts
from nanobot.workspace.folding import fold
from nanobot.workspace.matching import occurrences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_SHOWN = 24
_WIDEST = 200
_MOST_COMPARED = 2_000
_MOST_WORDS = 8
_MOST_RARE = 4
_MOST_LIKE = 40
_BLOCK = 1 << 18
_WORD = re.compile(r"\w{2,}")
_BLANKS = b" \t\r\x0b\x0c"
_COMMON = 50
_LEAST_LIKE = 0.6
_MOST_ALIGNED = 10  # lines; aligning two costs up to the cube of their length


def nearest(flat: str, old: str, called: str = "old_text") -> str:
    """Some lines of text: where the nearest region begins, what differs, and a diff of it.

    `called` is the model's word for `old`. Empty when nothing in the file resembles the old text.
    """
    wanted = old.removesuffix("\n").split("\n")
    first = _by_votes(flat, wanted)
    if first is None:
        first = _by_likeness(flat, wanted)
    if first is None:
        return "Nothing in the file resembles it. Read the file again; it may have changed."
    first = max(0, first)
    region = _region(flat, first, len(wanted))
    shown = [visible_line(row[:_WIDEST]) for row in unified_diff(wanted, region, lineterm="", n=1)][
        3:
    ]
    cut = ["…"] if len(shown) > _MOST_SHOWN else []
    head = f"Nearest region: line {first + 1}. {_difference(wanted, region, called)}"
    return "\n".join([head, f"(- {called}, + file)", *shown[:_MOST_SHOWN], *cut])


def _region(flat: str, first: int, count: int) -> list[str]:
    """`count` lines from the one of this number on, counted from 0."""
    rest = flat.split("\n", first)[-1] if first else flat
    return rest.split("\n", count)[:count]


def _by_votes(flat: str, wanted: Sequence[str]) -> int | None:
    """The start on which most lines agree; telling lines only, blanks aside."""
    numbers: defaultdict[bytes, list[int]] = defaultdict(list)
    for number, key in enumerate(_keys("\n".join(wanted))):
        if key:
            numbers[key].append(number)
    votes: Counter[int] = Counter()
    agreeing = [(at, key) for at, key in enumerate(_keys(flat)) if key in numbers]
    for at, key in agreeing:
        known = numbers[key]
        if len(known) <= _COMMON:
            weight = 1 + min(20, len(key))
            for number in known:
                votes[at - number] += weight
    if not votes:
        return None
    best = max(votes.values())
    return min(start for start, weight in votes.items() if weight == best)


def _keys(text: str) -> Iterator[bytes]:
    """Each line without its blanks, typographic characters as ASCII."""
    return chain.from_iterable(
        fold(block).encode(errors="replace").translate(None, _BLANKS).split(b"\n")
        for block in _blocks(text)
    )


def _blocks(text: str) -> Iterator[str]:
    """Whole lines, some hundred thousand characters at once: other threads get on in between."""
    at = 0
    while (end := text.find("\n", at + _BLOCK)) >= 0:
        yield text[at:end]
        at = end + 1
    yield text[at:]


def _by_likeness(flat: str, wanted: Sequence[str]) -> int | None:
    """Where the longest line of the old text has its likest line."""
    number = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    telling = wanted[number].strip()[: 2 * _WIDEST]
    if not telling:
        return None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(telling.casefold())
    hopeful: list[tuple[float, int, str]] = []
    for start in _candidates(flat, telling):
        end = flat.find("\n", start)
        line = flat[start : end if end >= 0 else None].strip()[: 2 * _WIDEST].casefold()
        matcher.set_seq1(line)
        if matcher.real_quick_ratio() > _LEAST_LIKE:
            hopeful.append((matcher.quick_ratio(), -start, line))
    best, found = _LEAST_LIKE, None
    for at_most, start, line in nlargest(_MOST_ALIGNED, hopeful):
        matcher.set_seq1(line)
        if at_most > best and (like := matcher.ratio()) > best:
            best, found = like, -start
    return None if found is None else flat.count("\n", 0, found) - number


def _candidates(flat: str, telling: str) -> list[int]:
    """Where lines begin that share words with a line: those with the most of its rare words.

    Where the file has none of its words, the first 2,000 lines.
    """
    words = sorted(set(_WORD.findall(telling)), key=len, reverse=True)[:_MOST_WORDS]
    known = [(count, word) for word in words if (count := flat.count(word))]
    if not known:
        return line_starts("\n".join(flat.split("\n", _MOST_COMPARED)[:_MOST_COMPARED]))
    shared: Counter[int] = Counter()
    for _, word in sorted(known)[:_MOST_RARE]:
        places = islice(occurrences(flat, word), _MOST_COMPARED)
        shared.update({flat.rfind("\n", 0, place.start) + 1 for place in places})
    return [start for start, _ in shared.most_common(_MOST_LIKE)]


def _difference(wanted: Sequence[str], region: Sequence[str], called: str) -> str:
    """What differs on the first line that does."""
    for number, typed in enumerate(wanted):
        if number >= len(region):
            return f"The file ends before {called} does."
        if typed != region[number]:
            return f"Line {number + 1} of {called} differs: {_kind(typed, region[number], called)}."
    return "It is the same up to its last line end."


def _kind(typed: str, stands: str, called: str) -> str:
    if typed.rstrip() == stands.rstrip():
        return "blanks at the end of the line"
    if typed.lstrip() == stands.lstrip():
        return f"indentation, {_blanks(typed)} in {called} but {_blanks(stands)} in the file"
    if typed.casefold() == stands.casefold():
        return "upper and lower case"
    at = next(
        (
            place
            for place, (one, other) in enumerate(zip(typed, stands, strict=False))
            if one != other
        ),
        min(len(typed), len(stands)),
    )
    return f"at character {at + 1}, {_named(typed, at)} in {called} but {_named(stands, at)} in the file"


def _blanks(line: str) -> str:
    lead = line[: len(line) - len(line.lstrip())]
    counts = Counter(lead)
    words = {" ": "space", "\t": "tab"}
    said = [
        f"{count} {words[char]}{'s' * (count > 1)}"
        if char in words
        else f"{count} × U+{ord(char):04X}"
        for char, count in counts.items()
    ]
    return " and ".join(said) or "nothing"


def _named(line: str, at: int) -> str:
    if at >= len(line):
        return "the line's end"
    char = line[at]
    if char.isascii() and char.isprintable():
        return f"'{char}'"
    return f"U+{ord(char):04X} ({unicodedata.name(char, 'a control character')})"


__all__ = ["nearest"]
