"""`nanobot`: the entry point."""

from __future__ import annotations

import os
import sys

from nanobot.cli.start import conflict, forget_working_folder, installed_versions, own_version

_USAGE = 2
_BROKEN_PIPE = 141


def main() -> int:
    """Run the command line; the exit status.

    0: done; 1: failed; 2: wrong usage or settings; 130: stopped with Ctrl-C.
    """
    forget_working_folder(sys.path)
    refused = conflict(installed_versions(sys.path))
    if refused:
        sys.stderr.write(refused + "\n")
        return _USAGE
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"nanobot {own_version()}\n")
        return 0
    status = _run_commands()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = _reader_gone()
    return status


def _run_commands() -> int:
    from nanobot.cli.commands import run_commands  # noqa: PLC0415  # slow to import

    try:
        return run_commands()
    except BrokenPipeError:
        return _reader_gone()


def _reader_gone() -> int:
    """Whoever read our output has left, as `head` does: nothing more can be said there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _BROKEN_PIPE


__all__ = ["main"]
