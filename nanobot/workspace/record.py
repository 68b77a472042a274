"""What the journal says about one write: JSON lines, each added when its stage is reached. Pure.

The first line is the intent, written before anything is touched: which files, and the names of the
temporary ones. The second says that every temporary file is complete and what each file will be:
from here on the write can be finished by anybody. A third one says that it is being undone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias

from nanobot.workspace.identity import Identity

_Row: TypeAlias = "Mapping[str, object]"
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file of a write.

    `path` is real. `before` None: there was no file. `temporary` is a name beside it that only
    this write uses.
    """

    path: str
    before: Identity | None
    temporary: str
    deletes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What a write left at a name: the file's identity, and its digest where it is small."""

    identity: Identity | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A write in the journal.

    `operation` is the tool or command; `at` seconds since 1970; `folders` those that were missing,
    the outermost first. `after` is empty until all temporary files are complete.
    """

    operation: str
    at: float
    changes: tuple[Change, ...]
    folders: tuple[str, ...] = ()
    after: tuple[After, ...] = ()
    undone: bool = False

    def intent(self) -> str:
        """The first line."""
        return _line(
            {
                "version": _VERSION,
                "operation": self.operation,
                "at": self.at,
                "changes": [asdict(change) for change in self.changes],
                "folders": list(self.folders),
            }
        )


def ready_line(after: Sequence[After]) -> str:
    """The line that says that every temporary file is complete."""
    return _line({"after": [asdict(each) for each in after]})


def undone_line() -> str:
    """The line that says that the old files are being put back."""
    return _line({"undone": True})


def parsed(text: str) -> Record | None:
    """The record that lines tell; a last line that was cut short does not count.

    Returns:
        None when not even the intent is there, so that nothing had been touched.
    """
    record: Record | None = None
    for line in text.split("\n")[:-1]:
        try:
            row = json.loads(line)
            record = _added(record, row)
        except (ValueError, TypeError, KeyError):
            break
    return record


def _added(record: Record | None, row: _Row) -> Record:
    if record is None:
        changes, folders = row["changes"], row["folders"]
        return Record(
            operation=str(row["operation"]),
            at=float(str(row["at"])),
            changes=tuple(_change(each) for each in _rows(changes)),
            folders=tuple(map(str, folders if isinstance(folders, Sequence) else ())),
        )
    if row.get("undone"):
        return replace(record, undone=True)
    after = tuple(_after(each) for each in _rows(row["after"]))
    if len(after) != len(record.changes):
        raise ValueError
    return replace(record, after=after)


def _rows(value: object) -> list[_Row]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise TypeError
    return value


def _change(row: _Row) -> Change:
    return Change(
        path=str(row["path"]),
        before=_identity(row["before"]),
        temporary=str(row["temporary"]),
        deletes=bool(row["deletes"]),
    )


def _after(row: _Row) -> After:
    return After(identity=_identity(row["identity"]), digest=str(row["digest"]))


def _identity(value: object) -> Identity | None:
    return Identity(**value) if isinstance(value, dict) else None


def _line(row: _Row) -> str:
    return json.dumps(row) + "\n"


__all__ = ["After", "Change", "Record", "parsed", "ready_line", "undone_line"]
