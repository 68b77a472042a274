"""JSON that can be held by many and damaged by none."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from nanobot.agent.tools.readonly import read_only

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN: dict[str, Any] = {"a": {"b": [1, {"c": None}]}, "d": "text"}


def _inner(value: Any) -> Any:
    return value["a"]["b"]


def _updated(value: dict[str, Any]) -> None:
    value |= {"x": 1}


def _extended(value: dict[str, Any]) -> None:
    part = value["a"]["b"]
    part += [1]


_CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda v: v.__setitem__("a", 1),
    "delete": lambda v: v.__delitem__("a"),
    "update": lambda v: v.update(a=1),
    "setdefault": lambda v: v.setdefault("new", 1),
    "pop": lambda v: v.pop("a"),
    "popitem": lambda v: v.popitem(),
    "clear": lambda v: v.clear(),
    "merge": _updated,
    "inner set": lambda v: v["a"].update(b=1),
    "list set": lambda v: _inner(v).__setitem__(0, 1),
    "list delete": lambda v: _inner(v).__delitem__(0),
    "append": lambda v: _inner(v).append(1),
    "extend": lambda v: _inner(v).extend([1]),
    "insert": lambda v: _inner(v).insert(0, 1),
    "list pop": lambda v: _inner(v).pop(),
    "remove": lambda v: _inner(v).remove(1),
    "reverse": lambda v: _inner(v).reverse(),
    "sort": lambda v: _inner(v).sort(),
    "list clear": lambda v: _inner(v).clear(),
    "add": _extended,
    "in the list": lambda v: _inner(v)[1].update(c=1),
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES.keys())
def test_every_change_is_refused(change: Callable[[Any], object]) -> None:
    value = read_only(_PLAIN)

    with pytest.raises(TypeError, match="read-only"):
        change(value)

    assert value == _PLAIN


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: json.loads(json.dumps(v))],  # noqa: S301  # our own bytes
    ids=["deepcopy", "pickle", "json"],
)
def test_a_deep_copy_is_plain_and_equal(copied: Callable[[Any], Any]) -> None:
    result = copied(read_only(_PLAIN))

    assert result == _PLAIN
    assert type(result) is type(result["a"]) is dict
    assert type(result["a"]["b"]) is list


@pytest.mark.parametrize(
    "copied",
    [copy.copy, dict, lambda v: {**v}, lambda v: v.copy(), lambda v: v | {}],
    ids=["copy", "dict", "unpacked", "method", "merged"],
)
def test_a_shallow_copy_may_be_changed(copied: Callable[[Any], Any]) -> None:
    result = copied(read_only(_PLAIN))

    result["d"] = "other"

    assert type(result) is dict


def test_the_original_stays_out_of_reach() -> None:
    source = copy.deepcopy(_PLAIN)
    value = read_only(source)

    source["a"]["b"].append(2)

    assert value == _PLAIN
