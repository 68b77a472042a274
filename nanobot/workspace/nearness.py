"""After a miss: the region of the file that is most like the old text, and what differs. Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from difflib import SequenceMatcher, unified_diff
from typing import TYPE_CHECKING

from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_SHOWN = 24
_WIDEST = 200
_MOST_COMPARED = 20_000
_COMMON = 50
_LEAST_LIKE = 0.6


def nearest(flat: str, old: str, called: str = "old_text") -> str:
    """Some lines of text: where the nearest region begins, what differs, and a diff of it.

    `called` is the model's word for `old`. Empty when nothing in the file resembles the old text.
    """
    lines, wanted = flat.split("\n"), old.removesuffix("\n").split("\n")
    first = _by_votes(lines, wanted)
    if first is None:
        first = _by_likeness(lines, wanted)
    if first is None:
        return "Nothing in the file resembles it. Read the file again; it may have changed."
    region = lines[max(0, first) : max(0, first) + len(wanted)]
    shown = [visible_line(row[:_WIDEST]) for row in unified_diff(wanted, region, lineterm="", n=1)][
        3:
    ]
    cut = ["…"] if len(shown) > _MOST_SHOWN else []
    head = f"Nearest region: line {max(0, first) + 1}. {_difference(wanted, region, called)}"
    return "\n".join([head, f"(- {called}, + file)", *shown[:_MOST_SHOWN], *cut])


def _by_votes(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The start on which most lines agree; telling lines only, blanks aside."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(wanted):
        key = "".join(line.split())
        if key:
            numbers[key].append(number)
    votes: Counter[int] = Counter()
    for at, line in enumerate(lines):
        known = numbers.get("".join(line.split()))
        if known and len(known) <= _COMMON:
            weight = 1 + min(20, len(line.strip()))
            for number in known:
                votes[at - number] += weight
    if not votes:
        return None
    best = max(votes.values())
    return min(start for start, weight in votes.items() if weight == best)


def _by_likeness(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where the longest line of the old text has its likest line."""
    number = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    telling = wanted[number].strip()[: 4 * _WIDEST]
    if not telling:
        return None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(telling.casefold())
    best, found = _LEAST_LIKE, None
    for at, line in enumerate(lines[:_MOST_COMPARED]):
        text = line.strip()[: 4 * _WIDEST].casefold()
        matcher.set_seq1(text)
        if (
            matcher.real_quick_ratio() > best
            and matcher.quick_ratio() > best
            and (like := matcher.ratio()) > best
        ):
            best, found = like, at - number
    return found


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
