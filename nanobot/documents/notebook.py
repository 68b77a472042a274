"""Jupyter notebooks (IPYNB) as lines of text: cells in order, with what they printed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from nanobot.documents.faults import BrokenDocument
from nanobot.documents.plaintext import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_Node: TypeAlias = "Mapping[str, object]"
_MOST_OUTPUT_LINES = 200
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def read_notebook(file: BinaryIO) -> Iterator[str]:
    """The lines of a notebook, formats 3 and 4.

    Raises:
        BrokenDocument: it is no notebook.
    """
    try:
        root = json.load(file)
    except (ValueError, RecursionError) as error:
        raise BrokenDocument(f"The notebook is no JSON: {error}") from error
    cells = _cells(root)
    if cells is None:
        raise BrokenDocument("The file is JSON, but no notebook: it has no list of cells")
    for number, cell in enumerate(cells, 1):
        yield from _cell(number, cell)


def _cells(root: object) -> list[_Node] | None:
    if not isinstance(root, dict):
        return None
    found = root.get("cells")
    if found is None and isinstance(root.get("worksheets"), list):  # format 3
        sheets = [sheet for sheet in root["worksheets"] if isinstance(sheet, dict)]
        found = [cell for sheet in sheets for cell in sheet.get("cells") or ()]
    if not isinstance(found, list):
        return None
    return [cell for cell in found if isinstance(cell, dict)]


def _cell(number: int, cell: _Node) -> Iterator[str]:
    kind = str(cell.get("cell_type") or "cell")
    count = cell.get("execution_count", cell.get("prompt_number"))
    ran = f" [{count}]" if isinstance(count, int) else ""
    yield f"--- Cell {number}: {kind}{ran} ---"
    yield from lines_of(_text(cell.get("source", cell.get("input"))))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            yield from _output(output)


def _output(output: _Node) -> Iterator[str]:
    if output.get("output_type") in ("error", "pyerr"):
        yield f"[error] {output.get('ename')}: {_text(output.get('evalue'))}".strip()
        yield from _bounded(_text(output.get("traceback"), "\n"))
        return
    data = output.get("data")
    bundle = data if isinstance(data, dict) else output
    text = _text(output.get("text")) or _text(bundle.get("text/plain"))
    if text:
        yield "[output]"
        yield from _bounded(text)
    for kind, value in bundle.items():
        if "/" in kind and kind != "text/plain":
            yield f"[output: {kind}, {len(_text(value)):,} characters]"


def _bounded(text: str) -> Iterator[str]:
    lines = lines_of(_ESCAPES.sub("", text).rstrip("\n"))
    yield from lines[:_MOST_OUTPUT_LINES]
    if len(lines) > _MOST_OUTPUT_LINES:
        yield f"[{len(lines) - _MOST_OUTPUT_LINES} more lines of output]"


def _text(value: object, between: str = "") -> str:
    if isinstance(value, list):
        return between.join(map(str, value))
    return value if isinstance(value, str) else ""


__all__ = ["read_notebook"]
