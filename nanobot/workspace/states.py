"""What each session has read and written: whether a file changed since, and what was shown of it.

One `FileStates` is shared by the file tools of a host. Its owner may forget a session, and save
and load it, so that sessions outlive the process.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Self

from nanobot.workspace.fingerprint import digest
from nanobot.workspace.identity import Identity

if TYPE_CHECKING:
    from pathlib import Path

_MOST_FILES = 5_000
_MOST_RANGES = 50


@dataclass(slots=True)
class _Known:
    """A file as a session last saw it.

    `identity` None: it was not there. `whole` is the digest of all its bytes, where they were
    read. `shown` holds the digest of each answer, by the range it was for.
    """

    identity: Identity | None
    whole: str = ""
    shown: dict[str, str] = field(default_factory=dict)


class FileStates:
    """States by session and real path, at most 5,000 in all, the oldest forgotten first.

    A session is a key that its host gives (`RequestContext.session_key`); "" is the one without.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._lock = Lock()

    def read(
        self,
        session: str,
        path: Path,
        identity: Identity,
        *,
        shown: tuple[str, str],
        whole: str = "",
    ) -> None:
        """A read succeeded: `shown` is its range and the digest of its answer."""
        with self._lock:
            key = (session, str(path))
            known = self._known.get(key)
            if known is None or known.identity != identity:
                known = self._known[key] = _Known(identity, whole)
            known.whole = whole or known.whole
            known.shown[shown[0]] = shown[1]
            while len(known.shown) > _MOST_RANGES:
                del known.shown[next(iter(known.shown))]
            self._trim(key)

    def wrote(self, session: str, path: Path, identity: Identity | None, whole: str) -> None:
        """The session wrote the file: it knows the bytes, and no answer shows them."""
        with self._lock:
            key = (session, str(path))
            self._known[key] = _Known(identity, whole)
            self._trim(key)

    def shown(self, session: str, path: Path, range_: str) -> str:
        """The digest of the answer that showed this range; "" when there was none."""
        with self._lock:
            known = self._known.get((session, str(path)))
            return known.shown.get(range_, "") if known else ""

    def changed(self, session: str, path: Path, identity: Identity | None) -> bool:
        """Whether the file is another than the session last saw. One it never saw is not."""
        with self._lock:
            known = self._known.get((session, str(path)))
            return known is not None and known.identity != identity

    def whole(self, session: str, path: Path) -> str:
        """The digest of the bytes that the session last saw, "" when it did not see them all."""
        with self._lock:
            known = self._known.get((session, str(path)))
            return known.whole if known else ""

    def forget(self, session: str | None = None) -> None:
        """Forget what a session saw, or everything."""
        with self._lock:
            for key in [key for key in self._known if session in (None, key[0])]:
                del self._known[key]

    def save(self, path: Path) -> None:
        """Write the states to a JSON file."""
        with self._lock:
            rows = [[*key, asdict(known)] for key, known in self._known.items()]
        path.write_text(json.dumps(rows), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """The states in a file that `save` wrote; none when it is missing or broken."""
        states = cls()
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            for session, file, row in rows:
                identity = Identity(**row["identity"]) if row["identity"] else None
                states._known[session, file] = _Known(identity, row["whole"], row["shown"])
        except (OSError, ValueError, TypeError, KeyError):
            return cls()
        return states

    def _trim(self, key: tuple[str, str]) -> None:
        self._known.move_to_end(key)
        while len(self._known) > _MOST_FILES:
            self._known.popitem(last=False)


__all__ = ["FileStates", "digest"]
