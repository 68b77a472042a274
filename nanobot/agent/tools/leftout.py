"""What a search left out, told when it found little: links, hidden and ignored files, secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.agent.tools.searching import OWN
from nanobot.workspace.sensitive import sensitive_folders, sensitive_globs
from nanobot.workspace.survey import survey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.agent.tools.searching import Scope
    from nanobot.workspace.survey import Survey

_LITTLE = 3
_LITTLE_FOR_SECRETS = 20
_MOST_LINKS = 500


def left_out(scope: Scope, found: int, *, secrets: bool = False) -> Iterator[str]:
    """Notes on what was not looked at, and how to change that.

    Args:
        scope: where was searched.
        found: how much was found; of more than a little, nothing is said.
        secrets: whether the search leaves out what usually holds secrets.
    """
    if scope.file or found > _LITTLE_FOR_SECRETS:
        return
    seen = survey(scope.descriptor, hidden=scope.include_ignored, without=OWN)
    if found <= _LITTLE:
        yield _of_links(scope, seen)
        if not scope.include_ignored:
            yield (
                "(Hidden files and what .gitignore names were left out; "
                "include_ignored=true takes them in.)"
            )
    if secrets:
        yield _of_secrets(scope, seen)


def _of_links(scope: Scope, seen: Survey) -> str:
    links = seen.links[:_MOST_LINKS]
    count = sum(not scope.workspace.is_there(scope.folder / link) for link in links)
    if not count:
        return ""
    least = "At least " if not seen.whole or len(links) < len(seen.links) else ""
    said = "link was not followed: it leads" if count == 1 else "links were not followed: they lead"
    return f"({least}{count} {said} nowhere, or out of the workspace.)"


def _of_secrets(scope: Scope, seen: Survey) -> str:
    """Counted in a small tree; in a large one, that would cost as much as the search itself."""
    if not seen.whole:
        return "(Files that usually hold secrets were left out, if there are any. Name one as path to ask.)"
    run = scope.ripgrep("--files", "--null", ignore=[_nothing_but_secrets(scope)])
    names = scope.meant([one.removeprefix(b"./") for one in run.records(b"\0")])
    count = len(names) - len(scope.without_secrets(names))
    if not count:
        return ""
    were = "file was" if count == 1 else "files were"
    return f"({count} {were} left out: they usually hold secrets. Name one as path to ask.)"


def _nothing_but_secrets(scope: Scope) -> str:
    """An ignore file that leaves nothing but what usually holds secrets, in no hidden folder."""
    hidden = () if scope.include_ignored else (".*/",)
    secrets = (f"!{glob}" for glob in (*sensitive_folders(), *sensitive_globs()))
    return "\n".join(["*", "!*/", *hidden, *secrets])


__all__ = ["left_out"]
