"""What each session has read and written: whether a file changed since, and what was shown of it.

One `FileStates` is shared by the file tools of a host. Its owner may forget a session, and save
and load it, so that sessions outlive the process.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Self

from nanobot.workspace.fingerprint import digest
from nanobot.workspace.identity import Identity
from nanobot.workspace.seen import Known, Seen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MOST_FILES = 5_000
_MOST_RANGES = 50
_MOST_TEXT = 8 * 1024 * 1024
_MOST_WRITTEN = 256 * 1024


@dataclass(slots=True)
class _File:
    """What a session knows of a file. `shown` holds the digest of each answer, by its range."""

    identity: Identity | None
    written: str = ""
    text: str = ""
    shown: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)

    def size(self) -> int:
        """The memory that the texts take, in bytes."""
        texts = [self.text, *(seen.rows for seen in self.seen.values())]
        return sum(sys.getsizeof(text) for text in texts if text)

    def drop_text(self) -> None:
        self.text = ""
        self.seen = {key: seen.without_rows() for key, seen in self.seen.items()}


class FileStates:
    """States by session and real path, at most 5,000 in all, the oldest forgotten first.

    A session is a key that its host gives (`RequestContext.session_key`); "" is the one without.

    Args:
        most_text: how many bytes of shown and written text are kept, to show what changed; the
            oldest goes first. Digests stay.
    """

    def __init__(self, *, most_text: int = _MOST_TEXT) -> None:
        self._files: OrderedDict[tuple[str, str], _File] = OrderedDict()
        self._lock = Lock()
        self._most_text = most_text
        self._text_size = 0

    def read(
        self,
        session: str,
        path: Path,
        identity: Identity,
        *,
        shown: tuple[str, str],
        seen: Seen | None = None,
    ) -> None:
        """A read succeeded. To be called after it has, never before.

        Args:
            session: whose read.
            path: the real path.
            identity: the file's, when it was read.
            shown: the range that was asked for, and the digest of the answer.
            seen: the lines that were shown; None where they are not the file's own text.
        """
        with self._lock:
            key = (session, str(path))
            file = self._files.get(key)
            if file is None or file.identity != identity:
                file = self._put(key, _File(identity))
            range_, print_ = shown
            self._text_size -= file.size()
            file.shown.pop(range_, None)
            file.seen.pop(range_, None)
            file.shown[range_] = print_
            if seen is not None:
                file.seen[range_] = seen
            for kept in (file.shown, file.seen):
                while len(kept) > _MOST_RANGES:
                    del kept[next(iter(kept))]
            self._text_size += file.size()
            self._trim(key)

    def wrote(
        self,
        session: str,
        path: Path,
        identity: Identity | None,
        written: str,
        text: str = "",
        seen: Mapping[str, Seen] | None = None,
    ) -> None:
        """The session wrote the file, or with None deleted it; no answer shows these bytes.

        Args:
            session: whose write.
            path: the real path.
            identity: the file's afterwards.
            written: the digest of its bytes.
            text: what they say, to show later what changed since.
            seen: the lines it had been shown, by range, as they are now.
        """
        with self._lock:
            key = (session, str(path))
            kept = text if sys.getsizeof(text) <= _MOST_WRITTEN else ""
            self._put(key, _File(identity, written, kept, seen=dict(seen or {})))
            self._trim(key)

    def shown(self, session: str, path: Path, range_: str) -> str:
        """The digest of the answer that showed this range; "" when there was none."""
        with self._lock:
            file = self._files.get((session, str(path)))
            return file.shown.get(range_, "") if file else ""

    def known(self, session: str, path: Path) -> Known | None:
        """The file as the session last saw it; None when it never did."""
        with self._lock:
            file = self._files.get((session, str(path)))
            if file is None:
                return None
            return Known(
                identity=file.identity,
                written=file.written,
                text=file.text,
                seen=dict(file.seen),
            )

    def forget(self, session: str | None = None) -> None:
        """Forget what a session saw, or everything."""
        with self._lock:
            for key in [key for key in self._files if session in (None, key[0])]:
                self._text_size -= self._files.pop(key).size()

    def save(self, path: Path) -> None:
        """Write the states to a JSON file."""
        with self._lock:
            rows = [[*key, asdict(file)] for key, file in self._files.items()]
        path.write_text(json.dumps(rows), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """The states in a file that `save` wrote; none when it is missing or broken."""
        states = cls()
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            for session, file, row in rows:
                states._put((session, file), _loaded(row))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return cls()
        return states

    def _put(self, key: tuple[str, str], file: _File) -> _File:
        old = self._files.pop(key, None)
        self._text_size += file.size() - (old.size() if old else 0)
        self._files[key] = file
        return file

    def _trim(self, key: tuple[str, str]) -> None:
        self._files.move_to_end(key)
        while len(self._files) > _MOST_FILES:
            self._text_size -= self._files.popitem(last=False)[1].size()
        if self._text_size <= self._most_text:
            return
        for file in self._files.values():
            self._text_size -= file.size()
            file.drop_text()
            if self._text_size <= self._most_text:
                return


def _loaded(row: dict[str, object]) -> _File:
    identity, shown, seen = row["identity"], row["shown"], row["seen"]
    if not isinstance(shown, dict) or not isinstance(seen, dict):
        raise TypeError
    return _File(
        identity=Identity(**identity) if isinstance(identity, dict) else None,
        written=str(row["written"]),
        text=str(row["text"]),
        shown=shown,
        seen={key: Seen(**each) for key, each in seen.items()},
    )


__all__ = ["FileStates", "digest"]
