"""A model's value made to fit a schema: lossless, or not at all (CONTRACT §3, CASES.md A5, A10).

`Caster` walks a value along its schema. What can't be cast is left alone, so that validation names
it. The input is never changed; an unchanged value comes back itself.
"""

from __future__ import annotations

import json
import math
import re
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

import jsonschema_rs

from nanobot.agent.tools.document import every_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nanobot.jsonvalue import JsonObject, JsonValue

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})
_MOST_STEPS = 200_000


def cast_scalar(value: JsonValue, types: tuple[str, ...]) -> JsonValue:
    """One value cast to the first of these JSON types that takes it without loss.

    A value of one of the types stays, but for an integral float where only `integer` takes it.
    Text becomes an integer by `-?(0|[1-9][0-9]*)`, a number by JSON's grammar (finite), a boolean
    by true/yes/1 and false/no/0 in any case, an array or object by being its JSON. A number becomes
    text. Nothing else is cast.
    """
    if isinstance(value, str):
        return value if "string" in types else _from_text(value, types)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if "number" in types:
        return value
    if "integer" in types and (isinstance(value, int) or value.is_integer()):
        return int(value)
    return _to_text(value) if "string" in types else value


def _from_text(text: str, types: tuple[str, ...]) -> JsonValue:
    for kind in types:
        found = _parsed(text, kind)
        if found is not None:
            return found
    return text


def _parsed(text: str, kind: str) -> JsonValue:
    """The text as a value of this JSON type, or None."""
    match kind:
        case "integer":
            return _integer(text)
        case "number":
            return _number(text)
        case "boolean":
            return _boolean(text)
        case "array":
            found = _json(text, "[")
            return found if isinstance(found, list) else None
        case "object":
            found = _json(text, "{")
            return found if isinstance(found, dict) else None
    return None


def _integer(text: str) -> int | None:
    try:
        return int(text) if _INTEGER.fullmatch(text) else None
    except ValueError:  # more digits than Python converts
        return None


def _number(text: str) -> int | float | None:
    if not _NUMBER.fullmatch(text):
        return None
    whole = _integer(text)
    if whole is not None:
        return whole
    number = float(text)
    return number if math.isfinite(number) else None


def _boolean(text: str) -> bool | None:
    word = text.lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _json(text: str, opening: str) -> JsonValue:
    """The JSON value in the text, if it begins so and holds finite numbers alone; else None."""
    if not text.lstrip(" \t\n\r").startswith(opening):
        return None
    try:
        found: JsonValue = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return found


def _refuse(text: str) -> float:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _to_text(number: float) -> str | float:
    try:
        return str(number)
    except ValueError:  # more digits than Python converts
        return number


class Caster:
    """Casts values to one schema.

    Args:
        document: the schema, with a `$schema` that names its draft, plain and bounded as
            `own_document` makes it.
        formats: whether `format` counts when a branch is chosen.
    """

    def __init__(self, document: JsonObject, *, formats: bool = True) -> None:
        self._document = document
        self._formats = formats

    def cast(self, value: JsonValue) -> JsonValue:
        """The value made to fit, as far as that goes without loss."""
        try:
            return _Walk(self).at(value, "#", self._document)
        except RecursionError:
            return value

    @cached_property
    def validators(self) -> jsonschema_rs.ValidatorMap:
        """A validator for each subschema, by its pointer."""
        return jsonschema_rs.validator_map_for(
            self._document, validate_formats=self._formats, offline=True
        )

    def fits(self, value: JsonValue, pointer: str) -> bool:
        """Whether a value is valid under the subschema at this pointer."""
        validator = self.validators.get(pointer)
        return validator is not None and validator.is_valid(value)

    def matches(self, pattern: str, name: str) -> bool:
        """Whether a property name matches a pattern, by the validator's own bounded engine."""
        validator = self._patterns.get(pattern)
        if validator is None:
            validator = jsonschema_rs.validator_for({"pattern": pattern}, offline=True)
            self._patterns[pattern] = validator
        return validator.is_valid(name)

    @cached_property
    def _patterns(self) -> dict[str, jsonschema_rs.Validator]:
        return {}

    def target(self, reference: str) -> str | None:
        """The pointer that a local `$ref` leads to, or None."""
        if reference == "#" or reference.startswith("#/"):
            return unquote(reference)
        return self._anchors.get(reference)

    @cached_property
    def _anchors(self) -> dict[str, str]:
        """References by `$id` and `$anchor` → pointer, for documents that use them."""
        places = {id(node): pointer for pointer, node in _placed(self._document, "#")}
        anchors: dict[str, str] = {}
        for node in every_schema(self._document):
            place = places.get(id(node))
            for keyword in ("$id", "id", "$anchor", "$dynamicAnchor"):
                name = node.get(keyword)
                if place is not None and isinstance(name, str):
                    anchors[f"#{name}" if "nchor" in keyword else name] = place
        return anchors

    def node(self, pointer: str) -> JsonObject | None:
        """The subschema at a pointer, if it is an object."""
        found: JsonValue = self._document
        for part in pointer.split("/")[1:]:
            step = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict):
                found = found.get(step)
            elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            else:
                return None
        return found if isinstance(found, dict) else None


class _Walk:
    """One walk of a value along a schema; bounded, since schemas can branch without end."""

    def __init__(self, caster: Caster) -> None:
        self._caster = caster
        self._steps = 0

    def at(self, value: JsonValue, pointer: str, node: JsonValue) -> JsonValue:
        """The value cast to one subschema."""
        self._steps += 1
        if not isinstance(node, dict) or self._steps > _MOST_STEPS:
            return value
        value = cast_scalar(value, _types(node)) if "type" in node else value
        if isinstance(value, dict):
            value = self._object(value, pointer, node)
        elif isinstance(value, list):
            value = self._array(value, pointer, node)
        return self._combined(value, pointer, node)

    def _object(self, value: JsonObject, pointer: str, node: JsonObject) -> JsonObject:
        changed: JsonObject = {}
        for name, item in value.items():
            cast = item
            for place, sub in self._of_property(name, pointer, node):
                cast = self.at(cast, place, sub)
            if cast is not item:
                changed[name] = cast
        return {**value, **changed} if changed else value

    def _of_property(
        self, name: str, pointer: str, node: JsonObject
    ) -> Iterator[tuple[str, JsonValue]]:
        """The subschemas that speak of a property: its own, by pattern, else the rest's."""
        spoken = False
        named = node.get("properties")
        if isinstance(named, dict) and name in named:
            spoken = True
            yield f"{pointer}/properties/{_escaped(name)}", named[name]
        patterns = node.get("patternProperties")
        if isinstance(patterns, dict):
            for pattern, sub in patterns.items():
                if self._caster.matches(pattern, name):
                    spoken = True
                    yield f"{pointer}/patternProperties/{_escaped(pattern)}", sub
        if not spoken and "additionalProperties" in node:
            yield f"{pointer}/additionalProperties", node["additionalProperties"]

    def _array(self, value: list[JsonValue], pointer: str, node: JsonObject) -> list[JsonValue]:
        first_key = "prefixItems" if "prefixItems" in node else "items"
        first = node.get(first_key)
        listed = first if isinstance(first, list) else []
        rest_key = "additionalItems" if first_key == "items" and listed else "items"
        rest = node.get(rest_key)
        cast = [
            self.at(item, f"{pointer}/{first_key}/{at}", listed[at])
            if at < len(listed)
            else self.at(item, f"{pointer}/{rest_key}", rest)
            for at, item in enumerate(value)
        ]
        same = all(new is old for new, old in zip(cast, value, strict=True))
        return value if same else cast

    def _combined(self, value: JsonValue, pointer: str, node: JsonObject) -> JsonValue:
        """The value cast by `$ref`, `allOf`, the fitting branch, `if`, `dependentSchemas`."""
        reference = node.get("$ref")
        if isinstance(reference, str):
            place = self._caster.target(reference)
            if place is not None:
                value = self.at(value, place, self._caster.node(place))
        for at, sub in enumerate(_list(node, "allOf")):
            value = self.at(value, f"{pointer}/allOf/{at}", sub)
        for keyword in ("anyOf", "oneOf"):
            branches = _list(node, keyword)
            if branches:
                value = self._branch(value, f"{pointer}/{keyword}", branches)
        if "if" in node:
            chosen = "then" if self._caster.fits(value, f"{pointer}/if") else "else"
            value = self.at(value, f"{pointer}/{chosen}", node.get(chosen))
        dependent = node.get("dependentSchemas")
        if isinstance(dependent, dict) and isinstance(value, dict):
            for name in [name for name in dependent if name in value]:
                place = f"{pointer}/dependentSchemas/{_escaped(name)}"
                value = self.at(value, place, dependent[name])
        return value

    def _branch(self, value: JsonValue, pointer: str, branches: list[JsonValue]) -> JsonValue:
        """The value as the branch that fits takes it: unchanged if it can be, else the first."""
        fitting = [at for at in range(len(branches)) if self._caster.fits(value, f"{pointer}/{at}")]
        if not fitting and isinstance(value, str) and any(map(self._takes_text, branches)):
            return value
        best: tuple[int, JsonValue] | None = None
        for at in fitting or range(len(branches)):
            cast = self.at(value, f"{pointer}/{at}", branches[at])
            if cast is value and fitting:
                return value
            if cast is value or not self._caster.fits(cast, f"{pointer}/{at}"):
                continue
            rank = _looseness(value, cast)
            if best is None or rank < best[0]:
                best = rank, cast
        return value if best is None else best[1]

    def _takes_text(self, branch: JsonValue) -> bool:
        """Whether a branch is for text at large, so that text must stay what it is."""
        seen: set[str] = set()
        while isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
            place = self._caster.target(str(branch["$ref"]))
            if place is None or place in seen:
                return False
            seen.add(place)
            branch = self._caster.node(place)
        if not isinstance(branch, dict) or "enum" in branch or "const" in branch:
            return False
        return "string" in _types(branch)


def _types(node: JsonObject) -> tuple[str, ...]:
    """The JSON types a schema names, those first that text is rather than may be read as."""
    named = node.get("type")
    if isinstance(named, str):
        return (named,)
    kinds = [kind for kind in named if isinstance(kind, str)] if isinstance(named, list) else []
    return tuple(sorted(kinds, key=("integer", "number").__contains__, reverse=True))


def _looseness(value: JsonValue, cast: JsonValue) -> int:
    """0 where the cast is what the text is as JSON, 1 where it is only read so (`yes`, `1`)."""
    loose = isinstance(cast, bool) and value not in ("true", "false")
    return int(loose or isinstance(cast, str))


def _list(node: JsonObject, keyword: str) -> list[JsonValue]:
    found = node.get(keyword)
    return found if isinstance(found, list) else []


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _placed(node: JsonValue, pointer: str) -> Iterator[tuple[str, JsonObject]]:
    waiting: list[tuple[str, JsonValue]] = [(pointer, node)]
    while waiting:
        place, found = waiting.pop()
        if isinstance(found, dict):
            yield place, found
            waiting.extend((f"{place}/{_escaped(key)}", sub) for key, sub in found.items())
        elif isinstance(found, list):
            waiting.extend((f"{place}/{at}", sub) for at, sub in enumerate(found))


__all__ = ["Caster", "cast_scalar"]
