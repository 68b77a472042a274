"""What drawings show that is text: charts as tables, diagrams as lists, names of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.documents.plaintext import lines_of, one_line, table_row
from nanobot.documents.xmltree import local_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element

    from nanobot.documents.package import Package, Relation

MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_MOST_ROWS = 200
_MOST_SERIES = 20


class Drawings:
    """The charts and diagrams that one part of a package points to."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._found: Mapping[str, Relation] | None = None

    def lines(self, drawing: _Element) -> Iterator[str]:
        """The lines of the charts and diagrams in a drawing.

        Raises:
            DocumentFault: they are damaged.
        """
        for node in drawing.iter("{*}chart", "{*}relIds"):
            diagram = local_name(node) == "relIds"
            root = self._tree(node.get(f"{RELATION_ID}{'dm' if diagram else 'id'}", ""))
            if root is not None:
                yield from _diagram(root) if diagram else _chart(root)

    def _tree(self, identifier: str) -> _Element | None:
        if self._found is None:
            self._found = self._package.relations(self._part)
        relation = self._found.get(identifier)
        if relation is None or not self._package.has(relation.part):
            return None
        return self._package.tree(relation.part)


def picture_name(described: _Element | None) -> str:
    """`[picture: what it shows]` by the alternative text, `[picture]` where there is none."""
    said = "" if described is None else described.get("descr") or described.get("title") or ""
    return f"[picture: {one_line(said)}]" if said.strip() else "[picture]"


def _diagram(root: _Element) -> Iterator[str]:
    yield "[diagram]"
    for paragraph in root.iter(f"{MAIN}p"):
        text = "".join([node.text or "" for node in paragraph.iter(f"{MAIN}t")])
        yield from (f"- {line}" for line in lines_of(text) if line)


def _chart(root: _Element) -> Iterator[str]:
    title = next(root.iter(f"{_CHART}title"), None)
    texts = () if title is None else title.iter(f"{MAIN}t")
    name = one_line("".join([node.text or "" for node in texts]))
    yield f"[chart: {name}]" if name else "[chart]"
    found = [node for node, _ in zip(root.iter(f"{_CHART}ser"), range(_MOST_SERIES), strict=False)]
    if not found:
        return
    series = [_points(one, "val", "yVal") for one in found]
    labels = _points(found[0], "cat", "xVal")
    yield table_row(["", *(_name_of(one) for one in found)])
    rows = sorted(set().union(labels, *series), key=lambda at: (len(at), at))
    for at in rows[:_MOST_ROWS]:
        yield table_row([labels.get(at, at), *(points.get(at, "") for points in series)])
    if len(rows) > _MOST_ROWS:
        yield f"[{len(rows) - _MOST_ROWS:,} more rows of the chart]"


def _name_of(series: _Element) -> str:
    named = next(series.iterchildren(f"{_CHART}tx"), None)
    value = None if named is None else next(named.iter(f"{_CHART}v"), None)
    return "" if value is None else value.text or ""


def _points(series: _Element, *names: str) -> dict[str, str]:
    """The cached values of a series by their places."""
    points: dict[str, str] = {}
    for part in series.iterchildren(*(f"{_CHART}{name}" for name in names)):
        for point in part.iter(f"{_CHART}pt"):
            value = next(point.iterchildren(f"{_CHART}v"), None)
            points[point.get("idx", "")] = "" if value is None else value.text or ""
    return points


__all__ = ["MAIN", "RELATION_ID", "Drawings", "picture_name"]
