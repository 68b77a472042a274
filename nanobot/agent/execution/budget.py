"""A result that is too long: saved under the workspace, shown in part.

`read_file` bounds its own output and is the way back to what was saved, so that it is never saved
again (CASES.md I1).
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from nanobot.agent.execution.blocks import text_block, text_of_block
from nanobot.agent.execution.outcome import HINT, without_hint
from nanobot.errors import NanobotError
from nanobot.threads import in_thread

if TYPE_CHECKING:
    from pathlib import Path

    from nanobot.agent.execution.outcome import Content, Outcome
    from nanobot.workspace import Workspace

_log = logging.getLogger(__name__)

_SELF_BOUNDED = frozenset({"read_file"})
_FOLDER = "results"
_KEPT_DAYS = 7
_MOST_TWINS = 1000
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class ResultBudget:
    """How long a result of one run may be, and where the whole of a longer one goes.

    Args:
        most_chars: characters of text that a result may have.
        workspace: where it is saved; None: what does not fit is lost, and the model is told so.
        run_id: the run, for the name of the folder.
    """

    def __init__(self, most_chars: int, workspace: Workspace | None, run_id: str = "") -> None:
        self._most_chars = most_chars
        self._workspace = workspace
        self._run = _safe(run_id, "run")

    def exceeded_by(self, outcome: Outcome) -> bool:
        """Whether the text of this result is too long."""
        if outcome.name in _SELF_BOUNDED:
            return False
        content = outcome.content
        if isinstance(content, str):
            return len(content) > self._most_chars
        return sum(len(text_of_block(block) or "") for block in content) > self._most_chars

    async def fit(self, outcome: Outcome) -> None:
        """Save the text of a result that is too long, and leave a part of it in its place.

        The hint of a failure and blocks that are no text stay.
        """
        text = _text_of(outcome.content)
        failed = outcome.status == "error" and without_hint(text) != text.rstrip()
        body = without_hint(text) if failed else text
        place = await in_thread(self._save, outcome.call_id, outcome.name, body)
        part = clip(body, self._most_chars - (len(HINT) if failed else 0), place=place)
        outcome.content = _with_text(outcome.content, f"{part}{HINT}" if failed else part)

    def _save(self, call_id: str, name: str, text: str) -> str:
        """The path of the saved text, relative to the workspace; "" where it was not saved."""
        if self._workspace is None:
            return ""
        try:
            return _saved(self._workspace, self._run, f"{_safe(name, 'tool')}-{_id(call_id)}", text)
        except (OSError, NanobotError):
            _log.exception("A result of %s could not be saved", name)
            return ""


def clip(text: str, most_chars: int, *, place: str) -> str:
    """The beginning of a text that is too long, its size, and how to read the rest.

    Never longer than `most_chars`, which may leave nothing but the beginning of the note.
    """
    size = f"{len(text):,} characters in {text.count(chr(10)) + 1:,} lines"
    kept = f"All of it is saved in {place}" if place else "The rest was not kept"
    way = (
        f'read it with read_file {{"path": "{place}"}} and its offset and limit, or search it'
        if place
        else "ask for less at once to see it"
    )
    note = f"[Too long to show: {size}. {kept}; {way}. The beginning follows.]\n\n"
    room = most_chars - len(note) - 1
    if room > 0:
        return f"{note}{_beginning(text, room)}…"
    return f"[{len(text):,} characters: {place or 'too long, not kept'}]"[: max(0, most_chars)]


def _beginning(text: str, room: int) -> str:
    """At most `room` characters, ending at a line's end where one is in the last quarter."""
    head = text[:room]
    end = head.rfind("\n")
    return head[: end + 1] if end >= room * 3 // 4 else head


def _text_of(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text for block in content if (text := text_of_block(block)) is not None)


def _with_text(content: Content, text: str) -> Content:
    """The content with `text` in place of all its texts; other blocks stay after it."""
    if isinstance(content, str):
        return text
    return [text_block(text), *(block for block in content if text_of_block(block) is None)]


def _saved(workspace: Workspace, run: str, name: str, text: str) -> str:
    state = workspace.state_dir()
    folder = state / _FOLDER / run
    if not folder.exists():
        _drop_old(state / _FOLDER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not folder.resolve().is_relative_to(workspace.root):
        raise OSError(f"{folder} is a link that leaves the workspace")
    path = _write_new(folder, name, text)
    return path.relative_to(workspace.root).as_posix()


def _write_new(folder: Path, name: str, text: str) -> Path:
    """A new file: two calls with one id keep a result each."""
    for number in range(1, _MOST_TWINS):
        path = folder / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with suppress(FileExistsError):
            descriptor = os.open(path, flags, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            return path
    raise OSError(f"too many results are named {name}")


def _drop_old(results: Path) -> None:
    """Remove the folders of runs that ended days ago."""
    if not results.is_dir() or results.is_symlink():
        return
    oldest = time.time() - _KEPT_DAYS * 86_400
    for folder in results.iterdir():
        if not folder.is_symlink() and folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _id(call_id: str) -> str:
    """A call's id as part of a file name; what had to be changed for that gets a hash."""
    safe = _safe(call_id, "call")
    if safe == call_id:
        return safe
    return f"{safe}-{hashlib.sha256(call_id.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _safe(text: str, otherwise: str) -> str:
    return _UNSAFE.sub("_", text)[:48].strip("_") or otherwise


__all__ = ["ResultBudget", "clip"]
