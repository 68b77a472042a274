"""What validation alone costs beside the validator called directly.

Run: `python benchmarks/validation.py [ROUNDS]`. Every round times both, in turn; the table shows
medians for one value. Ours also tells an integer that is written as a float from one that is not.
"""

from __future__ import annotations

import statistics
import sys
import timeit
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from nanobot.agent.tools.validation import compile_schema

if TYPE_CHECKING:
    from collections.abc import Callable

_ITEM = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
    },
    "required": ["name", "count", "price"],
}
_EIGHT = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "flag": {"type": "boolean"},
    "names": {"type": "array", "items": {"type": "string"}},
    "mode": {"enum": ["fast", "slow"]},
    "place": _ITEM,
    "note": {"type": ["string", "null"]},
}
_ONE_ITEM = {"name": "x", "count": 1, "price": 1.5}
_VALUES: dict[str, dict[str, Any]] = {
    "1 parameter": {"value": 1},
    "8 mixed": {
        "text": "some words",
        "count": 3,
        "ratio": 0.5,
        "flag": True,
        "names": ["a", "b"],
        "mode": "fast",
        "place": _ONE_ITEM,
        "note": None,
    },
    "100 objects": {"items": [_ONE_ITEM] * 100},
}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "1 parameter": {"value": {"type": "integer"}},
    "8 mixed": _EIGHT,
    "100 objects": {"items": {"type": "array", "items": _ITEM}},
}
_BARS = {"1 parameter": "+0.3 µs", "8 mixed": "+0.3 µs", "100 objects": "1.3 ×"}


def _microseconds(work: Callable[[object], object], value: object, times: int) -> float:
    return timeit.timeit(lambda: work(value), number=times) / times * 1e6


def main() -> None:
    """Measure and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print(f"Python {sys.version.split()[0]}, {rounds} interleaved rounds, medians\n")
    print("| arguments | ours | jsonschema_rs | difference | ratio | bar |")
    print("|---|---|---|---|---|---|")
    for name, value in _VALUES.items():
        schema = {"type": "object", "properties": _SCHEMAS[name], "additionalProperties": False}
        ours, direct = compile_schema(schema).fits, jsonschema_rs.validator_for(schema).is_valid
        assert ours(value)
        assert direct(value)
        times = 300 if name == "100 objects" else 5_000
        pairs = [
            (_microseconds(ours, value, times), _microseconds(direct, value, times))
            for _ in range(rounds)
        ]
        mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        print(
            f"| {name} | {mine:.2f} µs | {theirs:.2f} µs | {mine - theirs:+.2f} µs "
            f"| {ratio:.2f} | {_BARS[name]} |"
        )


if __name__ == "__main__":
    main()
