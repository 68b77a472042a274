"""The program: arguments in, what ripgrep would write out."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from nanobot.errors import ToolError
from nanobot.workspace.pygrep.matching import compiled
from nanobot.workspace.pygrep.output import Binary, Printer, matches
from nanobot.workspace.pygrep.walk import Walk
from nanobot.workspace.pygrep.wish import BadUsage, Wish, parse

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


def main() -> int:
    """Run; the exit status of ripgrep: 0 found, 1 nothing, 2 an error."""
    try:
        wish = parse(sys.argv[1:])
        pattern = compiled(wish)
        return _run(wish, pattern)
    except (BadUsage, ToolError) as error:
        sys.stderr.write(f"rg: {error}\n" if "error:" not in str(error) else f"{error}\n")
        return 2
    except MemoryError:
        os.abort()


def _run(wish: Wish, pattern: re.Pattern[str]) -> int:
    walk, out = Walk(wish), sys.stdout.buffer
    printer = Printer(wish)
    any_found = False
    for path, explicit in _paths(wish, walk):
        try:
            for row in _rows(wish, pattern, printer, path, explicit=explicit):
                any_found = True
                out.write(row)
        except OSError as error:
            walk.complain(path, error)
    out.flush()
    if walk.faulty:
        return 2
    return 0 if any_found else 1


def _paths(wish: Wish, walk: Walk) -> Iterator[tuple[str, bool]]:
    for path in wish.paths:
        if os.path.isdir(path):  # noqa: PTH112  # as it is written
            for found in walk.files(path if path.endswith("/") else f"{path}/"):
                yield found, False
        else:
            yield path, True


def _rows(
    wish: Wish, pattern: re.Pattern[str], printer: Printer, path: str, *, explicit: bool
) -> Iterator[bytes]:
    name = os.fsencode(path)
    if wish.mode == "files":
        yield name + b"\0"
        return
    with open(path, "rb") as file:  # noqa: PTH123  # as it is written
        found = matches(file, pattern, wish)
        try:
            if wish.mode == "lines":
                yield from printer.rows(name, found)
            elif wish.mode == "count":
                count = sum(count for count, _, _ in found)
                if count:
                    yield name + b"\0" + f"{count}\n".encode()
            elif any(count for count, _, _ in found):
                yield name + b"\0"
        except Binary as binary:
            if explicit and pattern.search(_as_text(path)):
                said = f': binary file matches (found "\\0" byte around offset {binary.offset})\n'
                yield name + said.encode()


def _as_text(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123  # as it is written
        return file.read().decode(errors="surrogateescape")


if __name__ == "__main__":
    sys.exit(main())

__all__ = ["main"]
