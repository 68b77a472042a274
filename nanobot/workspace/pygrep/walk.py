"""The files below a folder that no rule leaves out: `.gitignore`, hidden names, kinds."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from nanobot.workspace.pygrep.filetypes import globs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nanobot.workspace.pygrep.wish import Wish

_RULE_FILES = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
"""Files with rules, the strongest kind first; of one kind the deepest is the strongest."""


class _Rules:
    """The rules of a folder's own files, by kind, and those of the folders above."""

    def __init__(self, folder: str, above: _Rules | None, *, used: bool) -> None:
        self._folder = folder
        self._above = above
        self._own = {name: _spec(f"{folder}{name}") for name in _RULE_FILES} if used else {}

    def judge(self, kind: str, path: str) -> bool | None:
        """Whether a kind of rules leaves a path out; None when it says nothing."""
        rules: _Rules | None = self
        while rules is not None:
            spec = rules._own.get(kind)  # noqa: SLF001  # of the same class
            verdict = _verdict(spec, path[len(rules._folder) :]) if spec else None  # noqa: SLF001
            if verdict is not None:
                return verdict
            rules = rules._above  # noqa: SLF001
        return None


class Walk:
    """All files of a wish below `./`, in no promised order. `faulty` tells of errors on the way."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._types = globs_of(wish.types, wish.added_types)
        self._explicit = [_spec(file) for file in reversed(wish.ignore_files)]
        self.faulty = False

    def files(self, folder: str = "./") -> Iterator[str]:
        """Their paths, beginning with `./`."""
        waiting: list[tuple[str, _Rules | None]] = [(folder, None)]
        while waiting:
            here, above = waiting.pop()
            rules = _Rules(here, above, used=not self._wish.no_ignore)
            for entry in self._entries(here):
                path = f"{here}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if not self._left_out(f"{path}/", entry.name, rules):
                        waiting.append((f"{path}/", rules))
                elif entry.is_file(follow_symlinks=False) and self._is_meant(
                    path, entry.name, rules
                ):
                    yield path

    def _entries(self, folder: str) -> Sequence[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self.complain(folder, error)
            return []

    def complain(self, path: str, error: OSError) -> None:
        """Say what could not be read, as ripgrep does."""
        self.faulty = True
        sys.stderr.write(f"rg: {path}: {error.strerror} (os error {error.errno})\n")

    def _is_meant(self, path: str, name: str, rules: _Rules) -> bool:
        if self._types and not any(glob.matches(name) for glob in self._types):
            return False
        return not self._left_out(path, name, rules)

    def _left_out(self, path: str, name: str, rules: _Rules) -> bool:
        for kind in _RULE_FILES:
            verdict = rules.judge(kind, path)
            if verdict is not None:
                return verdict
        for spec in self._explicit:
            verdict = _verdict(spec, path.removeprefix("./")) if spec else None
            if verdict is not None:
                return verdict
        return name.startswith(".") and not self._wish.hidden


def _spec(file: str) -> GitIgnoreSpec | None:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:  # noqa: PTH123
            return GitIgnoreSpec.from_lines(opened)
    except (OSError, ValueError):
        return None


def _verdict(spec: GitIgnoreSpec, path: str) -> bool | None:
    """What the last rule says that means this very path. Folders above were judged before."""
    for rule in reversed(list(spec.patterns)):
        found = rule.regex.match(path) if rule.include is not None and rule.regex else None
        if found is None:
            continue
        mark = found.re.groupindex.get("ps_d")
        if mark is None:  # what ends in `/**` means all below a folder, and not the folder
            if found.end() < len(path) or not path.endswith("/"):
                return rule.include
        elif found.end(mark) in (-1, len(path)):
            return rule.include
    return None


__all__ = ["Walk"]
