from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.history import shape
from nanobot.agent.window import estimated_tokens, fitted, prompt_budget

_SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief."}


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _turn(number: int, *results: str) -> list[dict[str, Any]]:
    ids = [f"c{number}_{n}" for n in range(len(results))]
    calls = [
        {"id": i, "type": "function", "function": {"name": "read", "arguments": "{}"}} for i in ids
    ]
    asking: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
    answers: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": i, "name": "read", "content": text}
        for i, text in zip(ids, results, strict=True)
    ]
    return [asking, *answers]


def test_without_a_budget_nothing_is_left_out() -> None:
    history = [_SYSTEM, _user("x" * 100_000)]

    assert fitted(history, [], None) == history


@pytest.mark.parametrize(
    ("window", "limit", "answer", "budget"),
    [
        (None, None, None, None),
        (32_000, None, None, 32_000 - 4000 - 640),
        (200_000, None, None, 200_000 - 4096 - 4000),
        (32_000, None, 1000, 32_000 - 1000 - 640),
        (32_000, 5000, None, 5000),
        (4000, None, 64_000, 4000 - 2000 - 80),
    ],
    ids=["none", "small window", "large window", "answer bound", "limit", "answer above window"],
)
def test_the_budget_leaves_room_for_the_answer(
    window: int | None, limit: int | None, answer: int | None, budget: int | None
) -> None:
    assert prompt_budget(window, limit, answer) == budget


def test_the_oldest_blocks_go_first_and_pairs_stay_whole() -> None:
    history = [_SYSTEM, _user("task"), *_turn(1, "a" * 4000), *_turn(2, "b" * 4000), *_turn(3, "c")]

    kept = fitted(history, [], 1300)

    assert kept == [_SYSTEM, _user("task"), *_turn(2, "b" * 4000), *_turn(3, "c")]


def test_definitions_of_tools_count() -> None:
    tools: list[Any] = [{"type": "function", "function": {"description": "d" * 4000}}]
    history = [_user("old" * 100), _user("new")]

    assert fitted(history, tools, 1200) == history
    assert fitted(history, tools, 1080) == [_user("new")]


def test_newest_results_that_alone_exceed_are_shortened_in_proportion() -> None:
    tools: list[Any] = [{"type": "function", "function": {"description": "d" * 64_000}}]
    old = [message for n in range(20) for message in _turn(n, "o" * 4000)]
    newest = _turn(99, "a" * 200_000, "b" * 200_000, "c" * 200_000, "d" * 100_000)
    budget = prompt_budget(32_000)

    kept = fitted([_SYSTEM, *old, _user("task"), *newest], tools, budget)

    assert budget is not None
    assert estimated_tokens(kept, tools) <= budget
    assert [m["role"] for m in kept] == ["system", "user", "assistant", *["tool"] * 4]
    sizes = [len(str(m["content"])) for m in kept[3:]]
    assert sizes[0] == sizes[1] == sizes[2]
    assert sizes[3] == pytest.approx(sizes[0] / 2, rel=0.1)
    assert "of 200000 characters shown" in str(kept[3]["content"])


def test_an_image_counts_the_same_whatever_its_bytes() -> None:
    def picture(size: int) -> dict[str, Any]:
        return {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "x" * size}}],
        }

    assert estimated_tokens([picture(10)]) == estimated_tokens([picture(1_000_000)])


@given(
    st.lists(st.lists(st.integers(0, 3000), max_size=3), max_size=6),
    st.integers(0, 4000),
)
def test_a_trimmed_history_is_shaped_and_keeps_what_rules(
    sizes: list[list[int]], budget: int
) -> None:
    turns = [m for n, texts in enumerate(sizes) for m in _turn(n, *["ä" * s for s in texts])]
    history = shape([_SYSTEM, _user("first"), *turns, _user("task"), *_turn(99, "z" * 2000)])

    kept = fitted(history, [], budget)

    assert shape(kept) == kept
    assert kept[0] == _SYSTEM
    assert _user("task") in kept
    assert kept[-2] == history[-2]
    assert len(json.dumps(kept)) <= len(json.dumps(history))
