"""A real terminal for tests: tmux on a socket of its own, its screen read by polling."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from tests.needs import need_program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Terminal", "clean_environment"]

_POLL_S = 0.1


def clean_environment(home: Path) -> dict[str, str]:
    """An environment without keys, settings, or a home of anyone's."""
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    home.mkdir(parents=True, exist_ok=True)
    return {
        **kept,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
        "PYTHONWARNINGS": "error::ResourceWarning",
    }


class Terminal:
    """One program in a terminal of 100 × 40; leave the `with` block to end it."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._tmux = [need_program("tmux", "tmux"), "-L", f"nanobot-{uuid4().hex}", "-f/dev/null"]
        self._raw = cwd.parent / f"raw-{uuid4().hex}"
        line = f"trap : INT; {shlex.join(command)}; echo exit=$?; exec cat"
        variables = [f"-e{name}={value}" for name, value in env.items()]
        size = ["-x100", "-y40"]
        self._run("new-session", "-d", *size, *variables, f"-c{cwd}", "exec cat", env=env)
        self._run("set-option", "-g", "remain-on-exit", "on")
        self._run("pipe-pane", f"exec cat > {shlex.quote(str(self._raw))}")
        self._run("respawn-pane", "-k", f"-c{cwd}", *variables, f"sh -c {shlex.quote(line)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run("kill-server", check=False)

    def type(self, text: str, *, enter: bool = True) -> None:
        """Type a text and, usually, Enter."""
        self._run("send-keys", "-l", text)
        if enter:
            self._run("send-keys", "Enter")

    def key(self, name: str) -> None:
        """Press one key, in tmux's words: `C-c`, `Tab`."""
        self._run("send-keys", name)

    def screen(self) -> str:
        """What the terminal shows, with what has scrolled away."""
        return self._run("capture-pane", "-p", "-J", "-S-2000")

    def raw(self) -> bytes:
        """Every byte the program wrote."""
        return self._raw.read_bytes()

    def wait_for(self, pattern: str, *, timeout_s: float = 30) -> str:
        """The screen, once it shows what matches; a failure when it never does."""
        ends = time.monotonic() + timeout_s
        while time.monotonic() < ends:
            screen = self.screen()
            if re.search(pattern, screen):
                return screen
            time.sleep(_POLL_S)
        raise AssertionError(f"{pattern!r} never came; the screen:\n{self.screen()}")

    def _run(self, *words: str, check: bool = True, env: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            [*self._tmux, *words],
            check=check,
            capture_output=True,
            text=True,
            timeout=20,
            env=env,
        )
        return done.stdout
