"""Repeats and violations, counted per run: an external look-up goes twice, a boundary holds.

A look-up is a `web_fetch` or `web_search` call. The third one with the same key in a run is not
executed, unless a tool that changes something succeeded in between (CASES.md H6). Local tools are
not limited: polling and trying again after an edit are legitimate.

Violations of the workspace are counted per target, through whichever tool (CASES.md H7): twice the
model may mend it, the third try is final. An internal address is always final.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from nanobot.agent.execution.outcome import HINT, Outcome, one_line, without_hint
from nanobot.agent.execution.violation import Violation, violation_of
from nanobot.errors import RepeatedLookup

if TYPE_CHECKING:
    from pathlib import Path

_MOST_LOOKUPS = 2
_FINAL_TRY = 3
_LOOKUP_TOOLS = frozenset({"web_fetch", "web_search"})
_PORTS = {"http": 80, "https": 443}
_REPEATED = "repeated external lookup blocked"

_SSRF_NOTE = (
    "\n\n[This is a security boundary that can't be bypassed: internal and private addresses stay "
    "out of reach, whichever tool or spelling is used. Go on without it, or tell the person what "
    "you would have needed.]"
)
_FINAL_NOTE = (
    "\n\n[This target was refused {tries} times in this run, and this refusal is final: it lies "
    "outside the workspace, and no other tool, link, copy or spelling of the path will reach it. "
    "Stop trying. Go on with what is inside the workspace, or tell the person that you need access "
    "to it.]"
)


class CallGuard:
    """What one run has looked up, and which boundaries it has tried.

    Args:
        root: the workspace; relative paths in arguments start there.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root
        self._lookups: Counter[str] = Counter()
        self._tries: Counter[str] = Counter()

    def check(self, name: str, arguments: object) -> None:
        """Count a call that is about to be made.

        Raises:
            RepeatedLookup: the same look-up was made twice, with nothing changed in between.
        """
        if name not in _LOOKUP_TOOLS:
            return
        key = lookup_key(name, arguments)
        if key is None:
            return
        if self._lookups[key] >= _MOST_LOOKUPS:
            raise RepeatedLookup(
                f"{_REPEATED}: this same {name} call was already made {_MOST_LOOKUPS} times in "
                "this run, and nothing has changed since",
                hint="Use the results you already have, or look for something else.",
            )
        self._lookups[key] += 1

    def changed(self, name: str) -> None:
        """A tool that isn't read-only succeeded: what was looked up may be different now."""
        if self._lookups and name not in _LOOKUP_TOOLS:
            self._lookups.clear()

    def judge(self, outcome: Outcome, arguments: object) -> None:
        """Mark a failure that is a violation: soft, with the note that belongs to it."""
        if isinstance(outcome.error, RepeatedLookup):
            outcome.detail = _REPEATED
            return
        violation = violation_of(outcome, arguments, self._root)
        if violation is None:
            return
        outcome.soft = True
        if violation.kind == "address":
            _rewrite(outcome, "ssrf_violation", _SSRF_NOTE)
            return
        tries = self._count(violation)
        if tries >= _FINAL_TRY:
            note = _FINAL_NOTE.format(tries=tries)
            _rewrite(outcome, "workspace_violation_escalated", note)
        else:
            _rewrite(outcome, "workspace_violation", HINT)

    def _count(self, violation: Violation) -> int:
        """How often the most tried of the targets has been tried now."""
        self._tries.update(violation.targets)
        return max(self._tries[target] for target in violation.targets)


def lookup_key(name: str, arguments: object) -> str | None:
    """What makes two look-ups the same; None for a call that can't be one.

    For `web_fetch` the address with scheme and host in lower case, without default port and
    fragment, an empty path as `/`, and offset, mode and length; for `web_search` the query,
    blanks and case evened out.
    """
    given = _object(arguments)
    subject = given.get("url" if name == "web_fetch" else "query")
    if not isinstance(subject, str):
        return None
    if name == "web_search":
        return f"{name} {' '.join(subject.casefold().split())}"
    offset = given.get("offset") or 0
    mode = given.get("extractMode") or "markdown"
    most = given.get("maxChars") or 50_000
    return f"{name} {_normal_url(subject)} {offset} {mode} {most}"


def _normal_url(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url.strip()
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != _PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    user, at, _ = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{user}{at}{host}", parts.path or "/", parts.query, ""))


def _object(arguments: object) -> Mapping[str, object]:
    """The arguments as the tool will get them, as far as they can be told before preparing."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {}
    if not isinstance(arguments, Mapping):
        return {}
    inner = arguments.get("arguments")
    return _object(inner) if len(arguments) == 1 and inner is not None else arguments


def _rewrite(outcome: Outcome, label: str, note: str) -> None:
    outcome.detail = one_line(f"{label}: {without_hint(outcome.detail)}")
    if isinstance(outcome.content, str):
        outcome.content = f"{without_hint(outcome.content)}{note}"
        return
    blocks = [b for b in outcome.content if str(b.get("text", "")).strip() != HINT.strip()]
    outcome.content = [*blocks, {"type": "text", "text": note.strip()}]


__all__ = ["CallGuard", "lookup_key"]
