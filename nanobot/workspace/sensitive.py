"""Files that usually hold secrets: reading asks a person, searching skips and counts them.

Pure: a path in, a reason out; and the same list as globs for ripgrep. Names are compared without
case.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {
    ".env*": "environment secrets",
    "*.env": "environment secrets",
    ".netrc": "passwords",
    "_netrc": "passwords",
    ".git-credentials": "passwords",
    ".pgpass": "passwords",
    ".my.cnf": "passwords",
    ".npmrc": "registry tokens",
    ".pypirc": "registry tokens",
    ".htpasswd": "passwords",
    ".dockercfg": "registry tokens",
    "id_rsa": "a private key",
    "id_dsa": "a private key",
    "id_ecdsa": "a private key",
    "id_ecdsa_sk": "a private key",
    "id_ed25519": "a private key",
    "id_ed25519_sk": "a private key",
    "*.pem": "a private key",
    "*.key": "a private key",
    "*.ppk": "a private key",
    "*.p12": "a private key",
    "*.pfx": "a private key",
    "*.jks": "a private key",
    "*.keystore": "a private key",
    "*.kdbx": "passwords",
    "*.agekey": "a private key",
    "*.tfstate": "cloud secrets",
    "credentials.json": "passwords or tokens",
    "service-account*.json": "a private key",
    "secrets.yml": "passwords or tokens",
    "secrets.yaml": "passwords or tokens",
    "secrets.json": "passwords or tokens",
    "secrets.toml": "passwords or tokens",
}
_ENDS = tuple(pattern[1:] for pattern in _NAMES if pattern.startswith("*"))
_STARTS = tuple(pattern.partition("*")[0] for pattern in _NAMES if "*" in pattern[1:])
_FOLDERS = {
    ".ssh": "keys",
    ".gnupg": "keys",
    ".aws": "cloud secrets",
    ".azure": "cloud secrets",
    ".kube": "cluster secrets",
    ".docker": "registry tokens",
}
_JOURNAL = (".nanobot", "journal")
_RAW_NAMES = frozenset(name.encode() for name in _NAMES)
_RAW_ENDS = tuple(end.encode() for end in _ENDS)
_RAW_STARTS = tuple(start.encode() for start in _STARTS)
_RAW_FOLDERS = tuple(f"{folder}/".encode() for folder in (*_FOLDERS, _JOURNAL[0]))
_JOURNAL_HOLDS = "earlier versions of files, maybe with secrets"


def sensitive_reason(parts: Sequence[str]) -> str:
    """What the file with these path components usually holds; "" for an ordinary file."""
    names = [part.casefold() for part in parts if part not in ("", ".")]
    if not names:
        return ""
    for folder in names[:-1]:
        if folder in _FOLDERS:
            return _FOLDERS[folder]
    if _JOURNAL in pairwise(names[:-1]):
        return _JOURNAL_HOLDS
    last = names[-1]
    if last.endswith(".pub") or not _may_be_named(last):
        return ""
    for pattern, held in _NAMES.items():
        if fnmatchcase(last, pattern):
            return held
    return ""


def may_be_sensitive(path: bytes) -> bool:
    """Whether `sensitive_reason` may have one for a path; quick, for a search asks for each name.

    Args:
        path: relative, with `/` between names, as the disk has it.
    """
    if not path.isascii():
        return True
    lowered = path.lower()
    name = lowered.rpartition(b"/")[2]
    return (
        name.startswith(_RAW_STARTS)
        or name.endswith(_RAW_ENDS)
        or name in _RAW_NAMES
        or any(folder in lowered for folder in _RAW_FOLDERS)
    )


def _may_be_named(name: str) -> bool:
    """Whether a pattern may fit; a search asks for each of its names, so this has to be quick."""
    return name in _NAMES or name.endswith(_ENDS) or name.startswith(_STARTS)


def sensitive_globs() -> list[str]:
    """The same as gitignore globs that fit in any case."""
    folders = (*_FOLDERS, "/".join(_JOURNAL))
    return [_any_case(glob) for glob in (*_NAMES, *(f"**/{folder}/**" for folder in folders))]


def sensitive_folders() -> list[str]:
    """The folders of which every file is meant, as globs that fit in any case."""
    return [_any_case(f"{folder}/") for folder in _FOLDERS]


def _any_case(glob: str) -> str:
    return "".join(f"[{char}{char.upper()}]" if char.islower() else char for char in glob)


__all__ = ["may_be_sensitive", "sensitive_folders", "sensitive_globs", "sensitive_reason"]
