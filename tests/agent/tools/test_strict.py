"""Which schemas OpenAI's strict mode takes unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.agent.tools.strict import fits_strict

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject, JsonValue


def _closed(**properties: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _nested(levels: int) -> JsonObject:
    schema = _closed(a={"type": "string"})
    for _ in range(levels - 1):
        schema = _closed(a=schema)
    return schema


_FITS: dict[str, JsonObject] = {
    "no parameters": _closed(),
    "required text": _closed(a={"type": "string", "description": "A."}),
    "nullable by list": _closed(a={"type": ["string", "null"]}),
    "nullable by anyOf": _closed(a={"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "values": _closed(a={"type": "string", "enum": ["x"]}, b={"const": 1}),
    "bounds": _closed(a={"type": "integer", "minimum": 1}, b={"type": "string", "format": "uuid"}),
    "closed objects in a list": _closed(
        a={"type": "array", "items": _closed(b={"type": "number"})}
    ),
    "recursive": _closed(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
    "definitions": {**_closed(a={"$ref": "#/$defs/B"}), "$defs": {"B": _closed()}},
    "ten levels": _nested(9),
}
_DOES_NOT_FIT: dict[str, JsonObject] = {
    "open object": {**_closed(a={"type": "string"}), "additionalProperties": True},
    "silent about extras": {"type": "object", "properties": {}, "required": []},
    "optional parameter": {**_closed(a={"type": "string"}), "required": []},
    "open object inside": _closed(a={"type": "object", "properties": {}}),
    "open definition": {**_closed(a={"$ref": "#/$defs/B"}), "$defs": {"B": {"type": "object"}}},
    "default": _closed(a={"type": "string", "default": "x"}),
    "oneOf": _closed(a={"oneOf": [{"type": "string"}]}),
    "length": _closed(a={"type": "string", "minLength": 1}),
    "unknown format": _closed(a={"type": "string", "format": "uri"}),
    "list of anything": _closed(a={"type": "array"}),
    "anything": _closed(a={}),
    "reference with a description": _closed(a={"$ref": "#", "description": "Again."}),
    "eleven levels": _nested(11),
    "many values": _closed(a={"enum": list(range(1_001))}),
    "many characters": _closed(a={"enum": ["x" * 120_001]}),
}


@pytest.mark.parametrize("schema", _FITS.values(), ids=_FITS.keys())
def test_a_schema_inside_the_subset_fits(schema: JsonObject) -> None:
    assert fits_strict(schema)


@pytest.mark.parametrize("schema", _DOES_NOT_FIT.values(), ids=_DOES_NOT_FIT.keys())
def test_a_schema_outside_the_subset_does_not_fit(schema: JsonObject) -> None:
    assert not fits_strict(schema)
