"""The environment of a child process: a few names, with the values they have here.

Nothing else comes along: no key, no token, nothing that makes a program load code (`LD_PRELOAD`,
`BASH_ENV`, `PYTHONSTARTUP`, …), and nothing that a model gives (CASES.md K5, hostile 8). Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_KEPT = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "TERM", "TMPDIR", "TZ", "USER",
        "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE",
        "SSL_CERT_DIR", "SSL_CERT_FILE",
    }
)  # fmt: skip
_KINDS = ("LC_",)
_LOADS_CODE = re.compile(
    r"LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC.*|SHELLOPTS|BASHOPTS|PS4|IFS|CDPATH|GLOBIGNORE|"
    r"PYTHON.*|PERL5.*|PERLLIB|RUBY(?:OPT|LIB)|NODE_OPTIONS|NODE_PATH|JAVA_TOOL_OPTIONS|"
    r"GIT_.*|SSH_.*|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|.*_PAGER"
)
_PATH = "/usr/local/bin:/usr/bin:/bin"


def clean_environment(
    here: Mapping[str, str], *, allowed: Iterable[str] = (), path_append: Sequence[str] = ()
) -> dict[str, str]:
    """The variables that a child gets.

    Args:
        here: the environment of this process.
        allowed: more names that the owner lets through, with the values they have here. A name
            that makes programs load code is left out all the same.
        path_append: folders added at the end of `PATH`, as they are.
    """
    wanted = _KEPT | {name for name in allowed if not _LOADS_CODE.fullmatch(name)}
    found = {
        name: value for name, value in here.items() if name in wanted or name.startswith(_KINDS)
    }
    folders = [*found.get("PATH", _PATH).split(":"), *path_append]
    found["PATH"] = ":".join(folder for folder in folders if folder.startswith("/"))
    return found


__all__ = ["clean_environment"]
