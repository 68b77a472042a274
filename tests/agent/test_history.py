from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot.agent.history import INTERRUPTED, UNNAMED, arguments_text, shape


def _asks(*calls: tuple[Any, Any, Any], content: Any = None) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}}
            for i, n, a in calls
        ],
    }


def _result(call_id: Any, content: Any = "ok", name: Any = "echo") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def _user(text: Any = "hi") -> dict[str, Any]:
    return {"role": "user", "content": text}


def _ids(messages: list[dict[str, Any]]) -> list[str]:
    return [c["id"] for m in messages for c in m.get("tool_calls", ())]


def test_a_sound_history_comes_back_with_the_same_messages() -> None:
    history = [
        _user(),
        _asks(("a", "echo", "{}")),
        _result("a"),
        {"role": "assistant", "content": "x"},
    ]

    shaped = shape(history)

    assert shaped is not history
    assert all(new is old for new, old in zip(shaped, history, strict=True))


@pytest.mark.parametrize(
    "history",
    [[_user(), _result("B")], [_result("B"), _user()]],
    ids=["at the end", "where trimming begins"],
)
def test_a_result_without_its_call_is_left_out(history: list[dict[str, Any]]) -> None:
    assert shape(history) == [_user()]


def test_a_missing_result_says_that_the_run_was_interrupted() -> None:
    history = [
        _user(),
        _asks(("a", "x", "{}"), ("b", "y", "{}"), ("c", "z", "{}")),
        _result("a", name="x"),
    ]

    shaped = shape([*history, _user("next")])

    assert [m["role"] for m in shaped] == ["user", "assistant", "tool", "tool", "tool", "user"]
    assert shaped[3] == _result("b", INTERRUPTED, "y")
    assert shaped[4] == _result("c", INTERRUPTED, "z")


def test_results_go_directly_after_their_call_in_its_order() -> None:
    history = [
        _asks(("a", "x", "{}"), ("b", "x", "{}")),
        _result("b", "B"),
        _user(),
        _result("a", "A"),
    ]

    shaped = shape(history)

    assert [m.get("content") for m in shaped] == [None, "A", "B", "hi"]


def test_a_second_result_for_one_call_is_left_out() -> None:
    shaped = shape([_asks(("a", "echo", "{}")), _result("a", "first"), _result("a", "second")])

    assert [m["content"] for m in shaped[1:]] == ["first"]


def test_two_calls_with_one_id_are_renamed_with_their_results() -> None:
    call = _asks(("t1", "echo", '{"n":1}'), ("t1", "echo", '{"n":2}'))

    shaped = shape([call, _result("t1", "one"), _result("t1", "two")])

    assert _ids(shaped) == ["t1", "t1_2"]
    assert [(m["tool_call_id"], m["content"]) for m in shaped[1:]] == [
        ("t1", "one"),
        ("t1_2", "two"),
    ]


def test_an_id_used_in_an_earlier_turn_is_renamed() -> None:
    turn = [_asks(("call_0", "echo", "{}")), _result("call_0", "A")]

    shaped = shape([*turn, *[_asks(("call_0", "echo", "{}")), _result("call_0", "B")]])

    assert _ids(shaped) == ["call_0", "call_0_2"]
    assert [(m["tool_call_id"], m["content"]) for m in shaped if m["role"] == "tool"] == [
        ("call_0", "A"),
        ("call_0_2", "B"),
    ]


@pytest.mark.parametrize("missing", [None, ""], ids=["null", "empty"])
def test_a_missing_id_or_name_is_made_up(missing: str | None) -> None:
    shaped = shape([_asks((missing, missing, "{}")), _result(missing, "ok", missing)])

    assert _ids(shaped) == ["call"]
    assert shaped == [_asks(("call", UNNAMED, "{}")), _result("call", "ok", UNNAMED)]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('{"path": "a', "{}"),
        ('{"path": "a"}', '{"path": "a"}'),
        ('["a"]', "{}"),
        ('{"n": NaN}', "{}"),
        ("", "{}"),
        (None, "{}"),
        ({"path": "ä"}, '{"path": "ä"}'),
        ({"n": float("nan")}, "{}"),
        ('{"a": "\\ud83d"}', '{"a": "\ufffd"}'),
        ('{"a": "\\ud83d\\ude00"}', '{"a": "😀"}'),
        ("[" * 100_000, "{}"),
    ],
    ids=[
        "cut",
        "sound",
        "list",
        "nan",
        "empty",
        "null",
        "dict",
        "nan dict",
        "lone",
        "pair",
        "deep",
    ],
)
def test_arguments_for_replay_are_the_text_of_an_object(raw: object, text: str) -> None:
    assert arguments_text(raw) == text


def test_lone_surrogates_are_mended_and_pairs_joined() -> None:
    shaped = shape(
        [_user("a\ud83db"), _user("\ud83d\ude00"), _user([{"type": "text", "text": "\udcff"}])]
    )

    assert [m["content"] for m in shaped] == [
        "a\ufffdb",
        "😀",
        [{"type": "text", "text": "\ufffd"}],
    ]


def test_a_blank_user_message_is_kept_and_says_so() -> None:
    shaped = shape(
        [{"role": "system", "content": ""}, {"role": "assistant", "content": " "}, _user("")]
    )

    assert shaped == [_user("(empty message)")]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
_IDS = st.sampled_from(["a", "b", "a_2", "", " ", "call", None, 3]) | _JSON
_CALLS = st.lists(
    st.fixed_dictionaries(
        {"id": _IDS, "function": st.fixed_dictionaries({"name": _IDS, "arguments": _JSON}) | _JSON}
    )
    | _JSON,
    max_size=4,
)
_MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool", "critic"]) | _JSON},
        optional={
            "content": st.sampled_from(["text", "\ud83d", ""]) | _JSON,
            "tool_calls": _CALLS | _JSON,
            "tool_call_id": _IDS,
            "name": _IDS,
        },
    )
    | _JSON,
    max_size=8,
)


@given(_MESSAGES)
def test_whatever_goes_in_every_provider_accepts_what_comes_out(messages: list[Any]) -> None:
    before = copy.deepcopy(messages)

    shaped = shape(messages)

    assert repr(messages) == repr(before)
    assert repr(shape(shaped)) == repr(shaped)
    assert len(set(_ids(shaped))) == len(_ids(shaped))
    assert all(_ids(shaped))
    json.dumps(shaped, ensure_ascii=False).encode()
    _assert_paired(shaped)


def _assert_paired(shaped: list[dict[str, Any]]) -> None:
    waiting: list[str] = []
    for message in shaped:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            assert message["name"].strip()
            continue
        assert not waiting, "a result is missing"
        calls = message.get("tool_calls", [])
        assert message.get("content") or calls
        assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in calls)
        waiting = [call["id"] for call in calls]
    assert not waiting, "a result is missing at the end"
