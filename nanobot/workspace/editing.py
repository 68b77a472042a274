"""One edit of one text: find the place, obey the options, or refuse. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, AnyStr, Generic

from nanobot.errors import ToolError
from nanobot.workspace.flattext import FlatText, flatten
from nanobot.workspace.matching import Matches, Span, Way, find
from nanobot.workspace.nearness import nearest
from nanobot.workspace.splicing import spliced

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LINES = 20
_MOST_PLACES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a model asks for. Counts and lines begin at 1."""

    old_text: str
    new_text: str
    replace_all: bool = False
    occurrence: int | None = None
    line_hint: int | None = None
    expected_replacements: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The text afterwards, how and in how many places the old text fitted, the first 20 lines."""

    text: str
    way: Way
    count: int
    lines: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedBytes:
    """The bytes afterwards, and the rest of what `Edited` says."""

    data: bytes
    edited: Edited


class EditRefused(ToolError):  # names the condition (STYLE.md 10)
    """The edit does not say one place, or says none that is there; nothing was changed."""


def apply_edit(text: str, edit: Edit) -> Edited:
    """The text with the edit made. The rules are those of `docs/files.md`.

    Raises:
        EditRefused: the old text is missing or stands in several places, an option does not fit,
            or nothing would change.
    """
    old, new = flatten(edit.old_text), flatten(edit.new_text)
    _refuse_senseless(text, old, new, edit)
    if not old:
        return Edited(text=new, way="exact", count=1, lines=(1,))
    plain = _plainly(text, old, new, edit, "\r", "\n") if _is_plain(old, new, edit) else None
    if plain is not None:
        return replace(plain.edited, text=plain.whole)
    file = FlatText(text)
    count = file.flat.count(old)
    if count > _MOST_PLACES:
        raise EditRefused(
            f"old_text stands in {count:,} places; at most {_MOST_PLACES:,} can be told apart",
            hint="Add text around it so that it stands less often.",
        )
    matches = find(file.flat, old)
    if not matches.spans:
        raise EditRefused(*_missed(file.flat, old))
    chosen = _chosen(file, matches, edit)
    pieces, at = [], 0
    for span in chosen:
        whole = _whole_lines(file.flat, span) if not new else span
        pieces.append(file.text[at : file.offset(whole.start)])
        if new:
            pieces.append(spliced(file, span, old, new, matches))
        at = file.offset(whole.end)
    pieces.append(file.text[at:])
    result = "".join(pieces)
    if result == text:
        raise EditRefused("The edit would change nothing", hint="The file is already so.")
    lines = [file.line(span.start) for span in chosen[:_MOST_LINES]]
    return Edited(text=result, way=matches.way, count=len(chosen), lines=lines)


def edit_ascii(data: bytes, edit: Edit) -> EditedBytes | None:
    """The same for the bytes of an ASCII file, which need no decoding; None for any other edit.

    Raises:
        EditRefused: see `apply_edit`.
    """
    if not data.isascii():
        return None
    old, new = flatten(edit.old_text), flatten(edit.new_text)
    if not old or not _is_plain(old, new, edit) or not old.isascii():
        return None
    _refuse_senseless("", old, new, edit)
    found = _plainly(data, old.encode(), new.encode(), edit, b"\r", b"\n")
    return None if found is None else EditedBytes(data=found.whole, edited=found.edited)


@dataclass(frozen=True, slots=True)
class _Plain(Generic[AnyStr]):
    whole: AnyStr
    edited: Edited


def _is_plain(old: str, new: str, edit: Edit) -> bool:
    """Whether an edit may be made by one replacement of text by text."""
    return bool(new) and not edit.occurrence and not edit.line_hint and "\r" not in old + new


def _plainly(
    text: AnyStr, old: AnyStr, new: AnyStr, edit: Edit, carriage: AnyStr, feed: AnyStr
) -> _Plain[AnyStr] | None:
    r"""The one exact place, or every one, replaced in one step; None for what needs a closer look.

    In a text with `\r\n`, the places of a text without line ends are those of the flat text.
    """
    if (feed in old or feed in new) and carriage in text:
        return None
    first = text.find(old)
    if first < 0 or (not edit.replace_all and text.find(old, first + len(old)) >= 0):
        return None
    if edit.replace_all:
        result = text.replace(old, new)
    else:
        result = new.join((text[:first], text[first + len(old) :]))
    longer = len(new) - len(old)
    count = (len(result) - len(text)) // longer if longer else text.count(old)
    if edit.expected_replacements not in (None, count):
        return None
    lines = _lines(text, old, first, count, feed)
    return _Plain(result, Edited(text="", way="exact", count=count, lines=lines))


def _lines(text: AnyStr, old: AnyStr, first: int, count: int, feed: AnyStr) -> list[int]:
    """The numbers of the lines on which places begin, of the first twenty from `first` on."""
    lines, last = [1 + text.count(feed, 0, first)], first
    for _ in range(1, min(count, _MOST_LINES)):
        at = text.find(old, last + len(old))
        lines.append(lines[-1] + text.count(feed, last, at))
        last = at
    return lines


def _refuse_senseless(text: str, old: str, new: str, edit: Edit) -> None:
    if old == new:
        raise EditRefused(
            "old_text and new_text are equal: the edit would change nothing",
            hint="Give in new_text what should stand there afterwards.",
        )
    if not old and text:
        raise EditRefused(
            "old_text is empty, and the file has content",
            hint="Copy the lines to change into old_text, or use write_file to replace it all.",
        )
    if edit.replace_all and edit.occurrence is not None:
        raise EditRefused("replace_all and occurrence contradict each other", hint="Give one.")


def _missed(flat: str, old: str) -> tuple[str]:
    return (f"old_text was not found\n{nearest(flat, old)}".rstrip(),)


def _chosen(file: FlatText, matches: Matches, edit: Edit) -> Sequence[Span]:
    spans = matches.spans
    if len(spans) > 1 and matches.way != "exact":
        raise EditRefused(
            f"old_text stands nowhere exactly, and fits in {len(spans)} places with other "
            f"{matches.way}: lines {_listed(file, spans)}",
            hint="Copy it exactly as read_file shows it, with more lines around it.",
        )
    if edit.occurrence is not None:
        spans = _by_occurrence(file, spans, edit.occurrence)
    if edit.line_hint is not None:
        spans = _by_line(file, spans, edit.line_hint)
    if len(spans) > 1 and not edit.replace_all:
        raise EditRefused(
            f"old_text stands in {len(spans)} places: lines {_listed(file, spans)}",
            hint="Add lines around it so that it is unique, or give occurrence, line_hint or "
            "replace_all.",
        )
    if edit.expected_replacements not in (None, len(spans)):
        raise EditRefused(
            f"{len(spans)} replacements would be made, not the {edit.expected_replacements} "
            f"expected: lines {_listed(file, spans)}",
            hint="Look at those lines, then correct expected_replacements or old_text.",
        )
    return spans


def _by_occurrence(file: FlatText, spans: Sequence[Span], occurrence: int) -> Sequence[Span]:
    if occurrence > len(spans):
        raise EditRefused(
            f"There is no occurrence {occurrence}: old_text stands in {len(spans)} "
            f"place{'s' * (len(spans) > 1)}: lines {_listed(file, spans)}"
        )
    return spans[occurrence - 1 : occurrence]


def _by_line(file: FlatText, spans: Sequence[Span], hint: int) -> Sequence[Span]:
    covering = [
        span
        for span in spans
        if file.line(span.start) <= hint <= file.line(max(span.start, span.end - 1))
    ]
    if len(covering) == 1:
        return covering
    many = f"{len(covering)} places" if covering else "No place"
    raise EditRefused(
        f"{many} of old_text lie{'s' * (not covering)} on line {hint}: "
        f"it stands on lines {_listed(file, spans)}",
        hint="Correct line_hint, or leave it out.",
    )


def _whole_lines(flat: str, span: Span) -> Span:
    """A range of whole lines grown to take their line ends along; any other as it is."""
    start, end = span.start, span.end
    begins = start == 0 or flat[start - 1] == "\n"
    if not begins or (end > start and flat[end - 1] == "\n"):
        return span
    if end < len(flat):
        return Span(start, end + 1) if flat[end] == "\n" else span
    return Span(max(0, start - 1), end)  # the last line had no end: now the one before has none


def _listed(file: FlatText, spans: Sequence[Span]) -> str:
    shown = ", ".join(str(file.line(span.start)) for span in spans[:_MOST_LINES])
    more = len(spans) - _MOST_LINES
    return f"{shown} and {more} more" if more > 0 else shown


__all__ = ["Edit", "EditRefused", "Edited", "EditedBytes", "apply_edit", "edit_ascii"]
