"""A value against a schema, compiled once per schema (CONTRACT §3).

The validator is `jsonschema_rs`. Nothing is ever fetched: a reference that leads out of the
document and of the resources handed over makes the schema unusable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from nanobot.agent.tools.casting import Caster
from nanobot.agent.tools.document import own_document
from nanobot.agent.tools.faults import FaultWriter, shown_faults
from nanobot.agent.tools.finite import mended
from nanobot.agent.tools.strictness import strict_integers
from nanobot.errors import ToolSetupError
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue

_UNNAMED_DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-04/schema#",
)
_LONGEST_CAUSE = 300
_WITHOUT_NULL = jsonschema_rs.Draft202012Validator(
    {
        "$defs": {
            "value": {
                "type": ["object", "array", "string", "number", "boolean"],
                "additionalProperties": {"$ref": "#/$defs/value"},
                "items": {"$ref": "#/$defs/value"},
            }
        },
        "$ref": "#/$defs/value",
    },
    offline=True,
).is_valid


def all_finite(value: object) -> bool:
    """Whether no number in a decoded JSON value is infinite or NaN; may say no too often.

    The validator reads such a number as null, so one pass that refuses null finds it. A value that
    holds a real null is refused too, and has to be looked at by `finite.is_plain`.
    """
    try:
        return _WITHOUT_NULL(value)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A value made to fit a schema, or as far as that went, and what is still wrong with it."""

    value: JsonValue
    faults: list[str]


class CompiledSchema:
    """A schema ready to validate and to cast. Made by `compile_schema`."""

    def __init__(
        self,
        document: JsonObject | bool,
        validator: jsonschema_rs.Validator,
        *,
        formats: bool | None,
    ) -> None:
        self._document = document
        self._validator = validator
        self._formats = formats
        self.is_valid: Callable[[object], bool] = validator.is_valid
        """The validator's own verdict, for a value that JSON can say (see `finite.mended`)."""

    @cached_property
    def fits(self) -> Callable[[object], bool]:
        """The quickest sufficient verdict: true means valid, with no integer written as a float."""
        strict = strict_integers(self._document, formats=self._formats is not False)
        if strict is not None:
            return strict
        return lambda value: self.is_valid(value) and not _holds_float(value)

    def faults(self, value: object, path: str = "") -> list[str]:
        """What is wrong with the value, each with its place; empty when it is valid.

        At most 20 sentences; one more says how many were left out.
        """
        sound = mended(value, path)
        if sound.faults:
            return shown_faults(sound.faults)
        if self.is_valid(sound.value):
            return []
        return self._faults(sound.value, path)

    def fit(self, value: object) -> Fitted:
        """The value cast where it does not fit, and the faults that remain (CONTRACT §3).

        One that is valid already comes back unchanged, but for integral floats where the schema
        says integer.
        """
        sound = mended(value)
        if sound.faults:
            return Fitted(value=sound.value, faults=shown_faults(sound.faults))
        cast = self.cast(sound.value)
        if self.is_valid(sound.value):
            return Fitted(value=cast if cast == sound.value else sound.value, faults=[])
        if cast is not sound.value and self.is_valid(cast):
            return Fitted(value=cast, faults=[])
        return Fitted(value=cast, faults=self._faults(cast, ""))

    def declares(self, name: str) -> bool:
        """Whether the schema's root has a property of this name."""
        properties = {} if isinstance(self._document, bool) else self._document.get("properties")
        return isinstance(properties, dict) and name in properties

    def cast(self, value: JsonValue) -> JsonValue:
        """The value cast as far as that goes without loss, valid or not."""
        return value if self._caster is None else self._caster.cast(value)

    @cached_property
    def _caster(self) -> Caster | None:
        if isinstance(self._document, bool):
            return None
        return Caster(self._document, formats=self._formats is not False)

    def _faults(self, value: JsonValue, path: str) -> list[str]:
        writer = FaultWriter(self._document)
        return shown_faults(writer.faults(self._validator.iter_errors(value), path))


def compile_schema(
    schema: object,
    *,
    formats: bool | None = True,
    resources: Mapping[str, Any] | None = None,
) -> CompiledSchema:
    """Make a schema ready for use. The original is never changed.

    Args:
        schema: a JSON object or a boolean. The draft is the one that `$schema` names (04 to
            2020-12); without it 2020-12, then 07, then 04, the first under which it is a schema.
        formats: True asserts `format`, False ignores it, None follows the draft.
        resources: documents that references may lead to, by their URI.

    Raises:
        ToolSetupError: it can't be used: it is no schema, is out of bounds, or refers to something
            that isn't there. Nothing is fetched.
    """
    document = own_document(schema)
    if isinstance(document, bool):
        built = jsonschema_rs.Draft202012Validator(document, offline=True)
        return CompiledSchema(document, built, formats=formats)
    options = _Options(formats=formats, resources=resources)
    if "$schema" in document:
        return CompiledSchema(document, _build(document, options), formats=formats)
    first: ToolSetupError | None = None
    for uri in _UNNAMED_DRAFTS:
        named: JsonObject = {"$schema": uri, **document}
        try:
            return CompiledSchema(named, _build(named, options), formats=formats)
        except ToolSetupError as error:
            first = first or error
    raise first or ToolSetupError("not a JSON Schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    formats: bool | None
    resources: Mapping[str, Any] | None


def _build(document: JsonObject, options: _Options) -> jsonschema_rs.Validator:
    try:
        draft, resources = document["$schema"], options.resources or {}
        return jsonschema_rs.validator_for(
            document,
            validate_formats=options.formats,
            registry=_named_draft(draft, resources),
            retriever=_retriever(draft, resources),
        )
    except (ValueError, RecursionError, jsonschema_rs.ReferencingError) as error:
        raise ToolSetupError(_cause(error)) from None
    except jsonschema_rs.ValidationError as error:
        pointer = "/".join(str(step) for step in error.instance_path)
        raise ToolSetupError(
            f"not a JSON Schema: {_cause(error)}", place=f"#/{pointer}" if pointer else "#"
        ) from None


def _named_draft(draft: JsonValue, resources: Mapping[str, Any]) -> jsonschema_rs.Registry | None:
    """A registry with the meta-schema that `$schema` names, where it was handed over."""
    if not isinstance(draft, str) or draft not in resources:
        return None
    return jsonschema_rs.Registry([(draft, resources[draft])])


def _retriever(draft: JsonValue, resources: Mapping[str, Any]) -> Callable[[str], Any]:
    """Hands over what is there; one that names no draft is read by that of the schema."""

    def retrieve(uri: str) -> Any:
        found = resources.get(uri)
        if found is None:
            raise LookupError(f"'{uri}' was not handed over, and nothing is fetched")
        return {"$schema": draft, **found} if isinstance(found, dict) else found

    return retrieve


def _cause(error: Exception) -> str:
    text = visible_line(getattr(error, "message", None) or str(error))
    return text if len(text) <= _LONGEST_CAUSE else f"{text[:_LONGEST_CAUSE]}…"


def _holds_float(value: object) -> bool:
    todo: list[object] = [value]
    for item in todo:  # grows while it is walked
        if type(item) is float:
            return True
        if isinstance(item, dict):
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return False


__all__ = ["CompiledSchema", "Fitted", "all_finite", "compile_schema"]
