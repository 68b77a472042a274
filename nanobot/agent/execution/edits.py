"""File-edit events: which files a call changes, and by how many lines.

A record has `version` (1), `call_id`, `tool`, `path` (relative to the workspace), `absolute_path`,
`phase` (`start`, `end`, `error`), `status` (`editing`, `done`, `error`), `added` and `deleted`
(lines), `approximate` (the counts are not exact, or not known yet), `binary`, `operation`
(`create`, `edit`, `delete`) and `error` (text or None).
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from nanobot.agent.execution.linecount import LineCount
from nanobot.agent.execution.snapshot import (
    FileChange,
    Place,
    Snapshot,
    changes_since,
    place_of,
    snapshots,
)
from nanobot.events import FileEdited
from nanobot.keywords import accepts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nanobot.agent.execution.outcome import Outcome
    from nanobot.events import EventStream
    from nanobot.providers.base import ToolCallRequest
    from nanobot.workspace import Workspace

_log = logging.getLogger(__name__)

_Phase: TypeAlias = Literal["start", "end", "error"]
_KEYWORD = "file_edit_events"
_MOST_FILES = 100
_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |\+\+\+ (?:b/)?)([^\t\n]+)",
    re.MULTILINE,
)
_STATUS = {"start": "editing", "end": "done", "error": "error"}


class EditListener:
    """Who in one run wants to know about changed files.

    Args:
        events: gets a `FileEdited` for each file and phase.
        callback: gets `callback("", file_edit_events=[record, ...])` if it takes that keyword.
        workspace: where relative paths start; None: in the current folder.
        run_id: the run, for the events.
    """

    def __init__(
        self,
        events: EventStream | None,
        callback: Callable[..., object] | None,
        workspace: Workspace | None,
        run_id: str,
    ) -> None:
        self._events = events
        self._callback = callback if callback is not None and accepts(callback, _KEYWORD) else None
        self._workspace = workspace
        self._run_id = run_id

    def __bool__(self) -> bool:
        return self._callback is not None or bool(self._events)

    async def begin(
        self, request: ToolCallRequest, tool: object, arguments: Mapping[str, object]
    ) -> EditWatch | None:
        """Tell that a call is about to change files; None if it changes none."""
        paths = edited_paths(request.name, tool, arguments)
        if not paths:
            return None
        places = [place_of(path, self._workspace) for path in paths]
        watch = EditWatch(self, request, places, await snapshots(places, self._workspace))
        await watch.start()
        return watch

    async def changes(
        self, before: Sequence[Snapshot], places: Sequence[Place]
    ) -> list[FileChange]:
        """What became of the files."""
        return await changes_since(before, places, self._workspace)

    async def tell(
        self, request: ToolCallRequest, records: Sequence[dict[str, object]], phase: _Phase
    ) -> None:
        """Hand the records of one phase to everybody. A callback that fails is logged."""
        if self._events:
            for record in records:
                self._events.emit(
                    FileEdited(
                        run_id=self._run_id,
                        call_id=request.id,
                        name=request.name,
                        path=str(record["path"]),
                        phase=phase,
                        added=_number(record["added"]),
                        deleted=_number(record["deleted"]),
                    )
                )
        if self._callback is None:
            return
        try:
            answer = self._callback("", **{_KEYWORD: list(records)})
            if inspect.isawaitable(answer):
                await answer
        except Exception:  # noqa: BLE001  # logged, changes nothing
            _log.exception("The progress callback failed on file-edit events")


class EditWatch:
    """The files of one call: what they were before, and what became of them."""

    def __init__(
        self,
        listener: EditListener,
        request: ToolCallRequest,
        places: Sequence[Place],
        before: Sequence[Snapshot],
    ) -> None:
        self._listener = listener
        self._request = request
        self._places = places
        self._before = before

    async def start(self) -> None:
        """Tell which files are about to change; how much is not known yet."""
        await self._tell("start", self._unchanged(LineCount(added=0, deleted=0, approximate=True)))

    async def end(self, outcome: Outcome) -> None:
        """Tell what changed, or the error of a failed call."""
        if outcome.status == "error":
            await self.fail(outcome.detail)
        else:
            await self._tell("end", await self._listener.changes(self._before, self._places))

    async def fail(self, reason: str) -> None:
        """Tell that the call failed or was stopped."""
        await self._tell("error", self._unchanged(LineCount(added=0, deleted=0)), reason)

    def _unchanged(self, count: LineCount) -> list[FileChange]:
        return [FileChange(before=seen, after=seen, count=count) for seen in self._before]

    async def _tell(
        self, phase: _Phase, changes: Sequence[FileChange], error: str | None = None
    ) -> None:
        records = [
            self._record(phase, place, change, error)
            for place, change in zip(self._places, changes, strict=True)
        ]
        await self._listener.tell(self._request, records, phase)

    def _record(
        self, phase: _Phase, place: Place, change: FileChange, error: str | None
    ) -> dict[str, object]:
        return {
            "version": 1,
            "call_id": self._request.id,
            "tool": self._request.name,
            "path": place.shown,
            "absolute_path": place.absolute,
            "phase": phase,
            "status": _STATUS[phase],
            "added": change.count.added,
            "deleted": change.count.deleted,
            "approximate": change.count.approximate,
            "binary": change.before.binary or change.after.binary,
            "operation": change.operation,
            "error": error,
        }


def edited_paths(name: str, tool: object, arguments: Mapping[str, object]) -> list[str]:
    """The files that a call will change, each once, at most 100.

    What its tool declares (`changed_paths`), else what is known of `write_file`, `edit_file` and
    `apply_patch`.
    """
    declared = _declared(tool, arguments)
    paths = declared if declared is not None else _known(name, arguments)
    return list(dict.fromkeys(path for path in paths if path.strip()))[:_MOST_FILES]


def _declared(tool: object, arguments: Mapping[str, object]) -> list[str] | None:
    """What `changed_paths` says; None where it says nothing."""
    ask = getattr(tool, "changed_paths", None)
    if not callable(ask):
        return None
    try:
        return [str(path) for path in ask(dict(arguments))] or None
    except Exception:  # noqa: BLE001  # logged, changes nothing
        _log.exception("changed_paths of %s failed", type(tool).__name__)
        return None


def _known(name: str, arguments: Mapping[str, object]) -> list[str]:
    if name in {"write_file", "edit_file"}:
        return [path] if isinstance(path := arguments.get("path"), str) else []
    if name != "apply_patch" or arguments.get("dry_run"):
        return []
    edits = arguments.get("edits")
    entries = edits if isinstance(edits, list) else []
    listed = [entry.get("path") for entry in entries if isinstance(entry, Mapping)]
    patch = arguments.get("patch")
    written = _PATCHED.findall(patch) if isinstance(patch, str) else []
    return [path for path in [*listed, *written] if isinstance(path, str)]


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


__all__ = ["EditListener", "EditWatch", "edited_paths"]
