"""Raw arguments made ready: CONTRACT §3 and §4, CASES.md A1 to A10."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.agent.tools.arguments import CompiledArguments, parse_arguments
from nanobot.agent.tools.validation import compile_schema
from nanobot.errors import InvalidArguments, ToolSetupError

if TYPE_CHECKING:
    from pathlib import Path


def prepare(schema: dict[str, Any], raw: object) -> dict[str, Any]:
    return CompiledArguments("x", compile_schema(schema)).prepare(raw)


def refused(schema: dict[str, Any], raw: object) -> str:
    with pytest.raises(InvalidArguments) as caught:
        prepare(schema, raw)
    return caught.value.message


def with_v(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": schema}, "required": ["v"]}


_CASTS = [
    ({"type": "integer"}, "42", 42),
    ({"type": "integer"}, "-7", -7),
    ({"type": "integer"}, "0", 0),
    ({"type": "integer"}, 3.0, 3),
    ({"type": ["integer", "null"]}, 3.0, 3),
    ({"type": "number"}, "2.5", 2.5),
    ({"type": "number"}, "1e3", 1000.0),
    ({"type": "boolean"}, "TRUE", True),
    ({"type": "boolean"}, "yes", True),
    ({"type": "boolean"}, "No", False),
    ({"type": "boolean"}, "0", False),
    ({"type": "string"}, 5, "5"),
    ({"type": "string"}, 2.5, "2.5"),
    ({"type": ["string", "null"]}, 5, "5"),
    ({"type": "array"}, "[1]", [1]),
    ({"type": "object"}, '{"a": 1}', {"a": 1}),
    ({"type": "array", "items": {"type": "integer"}}, ["1", 2.0], [1, 2]),
    ({"type": "array", "items": {"type": "integer"}}, '["1"]', [1]),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4", 4),
    ({"oneOf": [{"type": "boolean"}, {"type": "array"}]}, "yes", True),
    ({"$ref": "#/$defs/n", "$defs": {}}, "4", "4"),
    ({"allOf": [{"type": "integer"}]}, "4", 4),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1"}, {"a": 1}),
]


@pytest.mark.parametrize(("schema", "given", "expected"), _CASTS, ids=str)
def test_a_lossless_cast_is_made(schema: dict[str, Any], given: object, expected: object) -> None:
    if "$ref" in schema:
        schema = {"type": "string"}

    found = prepare(with_v(schema), {"v": given})["v"]

    assert found == expected
    assert type(found) is type(expected)


_NO_CASTS: list[tuple[str, object]] = [
    ("integer", value) for value in (True, " 3 ", "1_000", "٣", "3.7", "007", "+5", "0x1", 3.5, "")
]
_NO_CASTS += [("boolean", value) for value in (1, 0, "maybe", None)]
_NO_CASTS += [("number", value) for value in ("NaN", "Infinity", "1e999", "0x1", True)]
_NO_CASTS += [("string", value) for value in (None, ["x"], {"a": 1}, True)]
_NO_CASTS += [("array", value) for value in ("x", 1, '{"a": 1}')]


@pytest.mark.parametrize(("kind", "value"), _NO_CASTS, ids=str)
def test_a_lossy_cast_is_refused_with_its_place(kind: str, value: object) -> None:
    message = refused(with_v({"type": kind}), {"v": value})

    assert message.startswith("Invalid parameters for tool 'x': v ")
    assert "must be finite" in message or f"v should be {kind}" in message


@pytest.mark.parametrize(
    "text", ["123", "[1,2]", '{"a":1}', "true", "null", "1e5", "007", " x "], ids=str
)
def test_text_stays_byte_for_byte_where_the_schema_says_string(text: str) -> None:
    raw = json.dumps({"v": text})

    assert prepare(with_v({"type": "string"}), raw) == {"v": text}
    assert prepare(with_v({"type": ["string", "array"]}), raw) == {"v": text}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("schema", [{"type": "number", "minimum": 0, "maximum": 2}, {}], ids=str)
def test_a_number_that_is_not_finite_is_refused(value: str, schema: dict[str, Any]) -> None:
    raw = f'{{"v": {value}}}'

    assert "v must be finite" in refused(with_v(schema), raw)


def test_a_non_finite_number_in_a_dict_is_refused_with_its_place() -> None:
    message = refused({"type": "object"}, {"a": [{"b": math.inf}]})

    assert "a[0].b must be finite" in message


@pytest.mark.parametrize("raw", [None, "", "  \n", "{}", {}], ids=repr)
def test_nothing_means_no_arguments(raw: object) -> None:
    assert prepare({"type": "object", "properties": {}}, raw) == {}


@pytest.mark.parametrize(
    "raw",
    [
        '{"path": "a.txt"}',
        {"path": "a.txt"},
        '"{\\"path\\": \\"a.txt\\"}"',
        {"arguments": {"path": "a.txt"}},
        '{"arguments": {"path": "a.txt"}}',
    ],
    ids=repr,
)
def test_an_object_is_found_without_guessing(raw: object) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

    assert prepare(schema, raw) == {"path": "a.txt"}


def test_a_wrapper_that_the_schema_declares_stays() -> None:
    schema = {"type": "object", "properties": {"arguments": {"type": "object"}}}

    assert prepare(schema, {"arguments": {"a": 1}}) == {"arguments": {"a": 1}}


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (["a.txt"], "list"),
        ("a.txt", "text that is no JSON"),
        ('"a.txt"', "text that is no JSON"),
        (3, "number"),
        ("null", "null"),
        ('{"path":', "text that is no JSON"),
        ("[" * 100_000, "JSON that is nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "a number with too many digits"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_object_is_refused_in_words(raw: object, kind: str) -> None:
    message = refused({"type": "object"}, raw)

    assert message.startswith(f"Tool 'x' parameters must be a JSON object, got {kind}")


def test_an_unknown_parameter_is_named_with_the_likely_one() -> None:
    schema = {
        "type": "object",
        "properties": {"path": {}, "limit": {}},
        "additionalProperties": False,
    }

    message = refused(schema, {"path": "a.txt", "line_limit": 1})

    assert "unexpected parameter line_limit (did you mean 'limit'?)" in message


def test_a_schema_that_allows_extras_takes_them() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}

    assert prepare(schema, {"anything": "1"}) == {"anything": 1}


def test_at_most_twenty_faults_are_shown() -> None:
    schema = with_v({"type": "array", "items": {"type": "integer"}})

    message = refused(schema, {"v": ["x"] * 50})

    assert message.count("should be integer") == 20
    assert message.endswith("and 30 more")


def test_a_lone_surrogate_is_mended_before_validation() -> None:
    assert prepare({"type": "object"}, '{"v": "a\\ud83d"}') == {"v": "a\ufffd"}


def test_parsing_alone_keeps_what_it_is_given() -> None:
    assert parse_arguments('{"a": "1"}', name="x") == {"a": "1"}


_KEYS = st.sampled_from(["a", "b", "c"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null"],
)


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(_KEYS, inner, max_size=3)
    several = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=3, unique=True),
            "properties": named,
            "required": st.lists(_KEYS, max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "enum": st.lists(_JSON.filter(_finite), min_size=1, max_size=3),
            "minimum": st.integers(-5, 5),
            "maxLength": st.integers(0, 5),
            "maxItems": st.integers(0, 3),
        },
    )


def _finite(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


_SCHEMAS = st.recursive(st.just({}) | _TYPES.map(lambda t: {"type": t}), _combined, max_leaves=6)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=_SCHEMAS, value=_JSON)
def test_any_json_for_any_schema_keeps_the_promises(schema: dict[str, Any], value: object) -> None:
    whole = {**with_v(schema), "additionalProperties": False}
    arguments = CompiledArguments("x", compile_schema(whole))
    judge = jsonschema.Draft202012Validator(whole)

    try:
        found = arguments.prepare({"v": value})
    except InvalidArguments as error:
        assert error.faults  # noqa: PT017  # either verdict is right for some value
        assert not (_finite(value) and judge.is_valid({"v": value}))
        return

    assert judge.is_valid(found)
    if judge.is_valid({"v": value}):
        assert found == {"v": value}
    assert arguments.prepare(found) == found
    assert arguments.prepare(json.dumps(found)) == found


_DEEP: dict[str, Any] = {}
for _ in range(1200):
    _DEEP = {"items": _DEEP}
_CYCLE: dict[str, Any] = {}
_CYCLE["items"] = _CYCLE


@pytest.mark.parametrize(
    "schema",
    [
        _DEEP,
        _CYCLE,
        {"enum": ["x" * 1_000_000] * 20},
        {"$ref": "https://example.test/x.json"},
        {"$ref": "#/missing"},
        {"$schema": "https://example.test/own", "type": "object"},
        {"type": "strin"},
        {"pattern": "("},
        {"const": object()},
        {"minimum": math.nan},
    ],
    ids=lambda schema: next(iter(schema)),
)
def test_a_hostile_definition_is_a_setup_error(schema: dict[str, Any]) -> None:
    with pytest.raises(ToolSetupError):
        compile_schema(schema)


def _calls(test_data: Path) -> list[dict[str, Any]]:
    lines = (test_data / "bfcl" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_each_real_call_passes_unchanged_and_each_wrong_one_is_refused(test_data: Path) -> None:
    wrong: list[str] = []
    for row in _calls(test_data):
        function = row["function"]
        arguments = CompiledArguments(function["name"], compile_schema(function["parameters"]))
        wrong += [
            f"{row['id']}: changed"
            for raw in (row["arguments"], json.dumps(row["arguments"]))
            if arguments.prepare(raw) != row["arguments"]
        ]
        for bad in row["invalid"]:
            try:
                arguments.prepare(bad["arguments"])
                wrong.append(f"{row['id']}: accepted {bad['path']}")
            except InvalidArguments as error:
                if not any(bad["path"] in fault for fault in error.faults):
                    wrong.append(f"{row['id']}: {bad['path']} not in {error.faults}")

    assert wrong == []
