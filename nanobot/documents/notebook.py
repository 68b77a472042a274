"""Jupyter notebooks (IPYNB) as lines of text: cells in order, with what they printed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.plaintext import lines_of, one_line, quoted
from nanobot.workspace.sizes import shown_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_Node: TypeAlias = "Mapping[str, object]"

LARGEST = 64 * 1024 * 1024
"""Notebooks of more bytes are not read."""
_MOST_OUTPUT_LINES = 200
_LONGEST_OUTPUT = 40_000
_LONGEST_NAME = 100
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|[ -/]*+[0-~])")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
_LEVELS = range(1, 7)
_ERRORS = ("error", "pyerr")
_OLD_KINDS = {
    "html": "text/html",
    "jpeg": "image/jpeg",
    "json": "application/json",
    "latex": "text/latex",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""What format 3 calls the kinds of output."""
_IN_BASE_64 = ("application/pdf", "image/")
_VECTOR_GRAPHICS = "image/svg+xml"


def read_notebook(file: BinaryIO) -> Iterator[str]:
    """The lines of a notebook, formats 3 and 4.

    Raises:
        BrokenDocument: it is no notebook.
        DocumentTooLarge: it has more than 64 MB.
    """
    data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise DocumentTooLarge(
            f"The notebook has more than {shown_size(LARGEST)}",
            hint="Clear its outputs, or read it with a program.",
        )
    try:
        root = json.loads(data)
    except RecursionError as error:
        raise BrokenDocument("The notebook's JSON is nested too deep") from error
    except ValueError as error:
        raise BrokenDocument(f"The notebook is no JSON: {quoted(str(error))}") from error
    cells = _cells(root)
    if cells is None:
        raise BrokenDocument("The file is JSON, but no notebook: it has no list of cells")
    for number, cell in enumerate(cells, 1):
        yield from _cell(number, cell)


def _cells(root: object) -> list[_Node] | None:
    if not isinstance(root, dict):
        return None
    if "cells" not in root and "worksheets" in root:  # format 3
        sheets = _nodes(root["worksheets"])
        return [cell for sheet in sheets for cell in _nodes(sheet.get("cells"))]
    return _nodes(root["cells"]) if isinstance(root.get("cells"), list) else None


def _nodes(value: object) -> list[_Node]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _cell(number: int, cell: _Node) -> Iterator[str]:
    kind = one_line(_text(cell.get("cell_type"))[:_LONGEST_NAME]) or "cell"
    count = cell.get("execution_count", cell.get("prompt_number"))
    ran = f" [{count}]" if isinstance(count, int) and not isinstance(count, bool) else ""
    yield f"--- Cell {number}: {kind}{ran} ---"
    source = _text(cell.get("source", cell.get("input")))
    if kind == "heading":  # format 3
        level = cell.get("level")
        source = f"{'#' * (level if isinstance(level, int) and level in _LEVELS else 1)} {source}"
    if source:
        yield from lines_of(source)
    attached = cell.get("attachments")
    for name in attached if isinstance(attached, dict) else ():
        yield f"[attachment: {one_line(name[:_LONGEST_NAME])}]"
    for output in _nodes(cell.get("outputs")):
        yield from _output(output)


def _output(output: _Node) -> Iterator[str]:
    if output.get("output_type") in _ERRORS:
        said = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        yield f"[error] {one_line(said[:_LONGEST_OUTPUT])}"
        yield from _bounded(_text(output.get("traceback"), "\n"))
        return
    data = output.get("data")
    bundle = {
        _OLD_KINDS.get(kind, kind): _text(value)
        for kind, value in (data if isinstance(data, dict) else output).items()
        if value and (kind in _OLD_KINDS or "/" in kind)
    }
    text = _text(output.get("text")) or bundle.get("text/plain", "")
    if text:
        yield "[output: stderr]" if output.get("name") == "stderr" else "[output]"
        yield from _bounded(text)
    for kind, value in bundle.items():
        if kind != "text/plain":
            yield f"[output: {one_line(kind[:_LONGEST_NAME])}, {shown_size(_size(kind, value))}]"


def _size(kind: str, value: str) -> int:
    """How many bytes an output has; pictures are in Base64, which makes four out of three."""
    if kind.startswith(_IN_BASE_64) and kind != _VECTOR_GRAPHICS:
        return len(value.rstrip("=\n")) * 3 // 4
    return len(value.encode("utf-8", "replace"))


def _bounded(text: str) -> Iterator[str]:
    """The first lines of an output as a terminal leaves them, and how much more there is."""
    cut = len(text) - _LONGEST_OUTPUT
    shown = _OVERWRITTEN.sub("", _ESCAPES.sub("", text[:_LONGEST_OUTPUT]).replace("\r\n", "\n"))
    lines = lines_of(shown.rstrip("\r\n"))
    yield from lines[:_MOST_OUTPUT_LINES]
    more = len(lines) - _MOST_OUTPUT_LINES
    if more > 0 or cut > 0:
        what = f"{max(cut, 0):,} more characters" if cut > 0 else f"{more:,} more lines"
        yield f"[{what} of output]"


def _text(value: object, between: str = "") -> str:
    """Text that is stored whole or as a list of its lines; "" for all else."""
    if isinstance(value, list):
        return between.join([line for line in value if isinstance(line, str)])
    if isinstance(value, dict):  # a bundle's JSON
        return json.dumps(value)
    return value if isinstance(value, str) else ""


__all__ = ["LARGEST", "read_notebook"]
