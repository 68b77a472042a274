"""What a registry of 10,000 tools costs.

Run: `python benchmarks/registry.py [ROUNDS]`. Every round builds a new registry and measures each
work once, in turn, so that a slow moment of the machine hits all alike; the table shows medians.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools import Tool, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Callable

_TOOLS = 10_000
_PARAMETERS = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "File to read, relative to the workspace"},
        "offset": {"type": "integer", "minimum": 1, "default": 1},
        "limit": {"type": "integer", "minimum": 1, "maximum": 2000},
        "modes": {"type": "array", "items": {"enum": ["text", "binary"]}},
    },
    "required": ["path"],
}


class _Sample(Tool):
    description = "Read a part of a file."
    parameters = _PARAMETERS

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    async def execute(self, **kwargs: Any) -> str:  # noqa: ARG002  # takes what comes
        return ""


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _register(registry: ToolRegistry, tools: list[_Sample]) -> None:
    for tool in tools:
        registry.register(tool)


def _round() -> dict[str, float]:
    registry = ToolRegistry()
    tools = [_Sample(f"tool_{number * 7919 % _TOOLS}") for number in range(_TOOLS)]
    took = {"register": _milliseconds(lambda: _register(registry, tools))}
    took["first"] = _milliseconds(registry.get_definitions)
    definitions = registry.get_definitions()
    took["copy"] = _milliseconds(definitions.copy)
    took["again"] = _milliseconds(registry.get_definitions)
    registry.register(_Sample("tool_5000_more"))
    took["one more"] = _milliseconds(registry.get_definitions)
    assert len(registry.get_definitions()) == _TOOLS + 1
    took["unknown"] = _milliseconds(lambda: registry.prepare_call("Tool-4711x", {}))
    return took


def main() -> None:
    """Measure and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rows = [_round() for _ in range(rounds)]
    median = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    again = statistics.median(row["again"] / row["copy"] for row in rows)
    share = statistics.median(row["one more"] / row["first"] for row in rows)
    print(f"Python {sys.version.split()[0]}, {_TOOLS:,} tools, {rounds} rounds, medians\n")
    print("| work | time | beside | ratio | bar |")
    print("|---|---|---|---|---|")
    print(f"| register one tool | {median['register'] / _TOOLS * 1000:.0f} µs | | | |")
    print(f"| `get_definitions()`, first | {median['first']:.1f} ms | | | |")
    print(
        f"| again | {median['again'] * 1000:.0f} µs"
        f" | copying the list {median['copy'] * 1000:.0f} µs | {again:.2f} | 3 |"
    )
    print(
        f"| after adding one | {median['one more'] * 1000:.0f} µs"
        f" | the first build | {share:.2%} | 1 % |"
    )
    print(f"| an unknown name | {median['unknown']:.1f} ms | | | |")


if __name__ == "__main__":
    main()
