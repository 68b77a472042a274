"""Schemas to declare parameters with, by their JSON type (CONTRACT §2).

Each is one fragment of JSON Schema. Empty descriptions and unset bounds are not emitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from nanobot.agent.tools.base import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack


class CommonKeywords(TypedDict, total=False):
    """Keywords that every schema takes; a key that is absent is not emitted."""

    default: Any
    const: Any
    one_of: Sequence[Any]
    any_of: Sequence[Any]


class NumberKeywords(CommonKeywords, total=False):
    """Further keywords of numbers."""

    exclusive_minimum: float
    exclusive_maximum: float
    multiple_of: float


class StringSchema(Schema):
    """Text.

    Args:
        description: what it is, for the model.
        min_length: the fewest characters.
        max_length: the most characters.
        enum: the only values.
        nullable: null is valid too.
        pattern: a regular expression (ECMA-262) that it must match somewhere.
        format: a format's name, such as `date-time`.
        common: `default`, `const`, `one_of`, `any_of`.
    """

    def __init__(
        self,
        description: str = "",
        *,
        min_length: int | None = None,
        max_length: int | None = None,
        enum: Sequence[Any] | None = None,
        nullable: bool = False,
        pattern: str | None = None,
        format: str | None = None,  # noqa: A002  # JSON Schema's word
        **common: Unpack[CommonKeywords],
    ) -> None:
        self._fragment = {
            **_typed("string", nullable, description, enum),
            **_set(minLength=min_length, maxLength=max_length, pattern=pattern, format=format),
            **_common(common),
        }

    def to_json_schema(self) -> dict[str, Any]:
        """A fresh copy of the fragment."""
        return dict(self._fragment)


class _NumericSchema(Schema):
    _type: str

    def __init__(
        self,
        value: float = 0,  # noqa: ARG002  # a placeholder for readers
        *,
        description: str = "",
        minimum: float | None = None,
        maximum: float | None = None,
        enum: Sequence[Any] | None = None,
        nullable: bool = False,
        **keywords: Unpack[NumberKeywords],
    ) -> None:
        self._fragment = {
            **_typed(self._type, nullable, description, enum),
            **_set(minimum=minimum, maximum=maximum),
            **_common(keywords),
        }

    def to_json_schema(self) -> dict[str, Any]:
        """A fresh copy of the fragment."""
        return dict(self._fragment)


class IntegerSchema(_NumericSchema):
    """A whole number. The positional `value` is a placeholder for readers and is not emitted.

    Keywords: `description`, `minimum`, `maximum` (inclusive), `enum`, `nullable`,
    `exclusive_minimum`, `exclusive_maximum`, `multiple_of`, `default`, `const`, `one_of`, `any_of`.
    """

    _type = "integer"


class NumberSchema(_NumericSchema):
    """A number. The positional `value` is a placeholder for readers and is not emitted.

    Keywords: as for `IntegerSchema`.
    """

    _type = "number"


class BooleanSchema(Schema):
    """True or false.

    Args:
        description: what it is, for the model.
        default: what is taken when it is left out.
        nullable: null is valid too.
        const: the only value.
    """

    def __init__(
        self,
        *,
        description: str = "",
        default: bool | None = None,
        nullable: bool = False,
        const: bool | None = None,
    ) -> None:
        self._fragment = {
            **_typed("boolean", nullable, description, None),
            **_set(default=default, const=const),
        }

    def to_json_schema(self) -> dict[str, Any]:
        """A fresh copy of the fragment."""
        return dict(self._fragment)


class ArraySchema(Schema):
    """A list.

    Args:
        items: the schema of each item; text where none is given.
        description: what it is, for the model.
        min_items: the fewest items.
        max_items: the most items.
        nullable: null is valid too.
        unique_items: no item may stand twice.
        common: `default`, `const`, `one_of`, `any_of`.
    """

    def __init__(
        self,
        items: Any = None,
        *,
        description: str = "",
        min_items: int | None = None,
        max_items: int | None = None,
        nullable: bool = False,
        unique_items: bool | None = None,
        **common: Unpack[CommonKeywords],
    ) -> None:
        self._items = StringSchema() if items is None else items
        self._fragment = {
            **_typed("array", nullable, description, None),
            **_set(minItems=min_items, maxItems=max_items, uniqueItems=unique_items),
            **_common(common),
        }

    def to_json_schema(self) -> dict[str, Any]:
        """A fresh copy of the fragment."""
        return {**self._fragment, "items": Schema.fragment(self._items)}


class ObjectSchema(Schema):
    """An object.

    Args:
        properties: the schema of each property by name; keyword arguments add more.
        required: the names that must be there.
        description: what it is, for the model.
        additional_properties: False refuses other names, a schema constrains them; unset allows.
        nullable: null is valid too.
        **named: a property of that name.
    """

    def __init__(
        self,
        properties: Mapping[str, Any] | None = None,
        *,
        required: Sequence[str] | None = None,
        description: str = "",
        additional_properties: Any = None,
        nullable: bool = False,
        **named: Any,
    ) -> None:
        self._properties = {**(properties or {}), **named}
        self._required = list(required or ())
        self._additional = additional_properties
        self._fragment = _typed("object", nullable, description, None)

    def to_json_schema(self) -> dict[str, Any]:
        """A fresh copy of the fragment."""
        schema = dict(self._fragment)
        schema["properties"] = {n: Schema.fragment(sub) for n, sub in self._properties.items()}
        if self._required:
            schema["required"] = list(self._required)
        if isinstance(self._additional, bool):
            schema["additionalProperties"] = self._additional
        elif self._additional is not None:
            schema["additionalProperties"] = Schema.fragment(self._additional)
        return schema


def tool_parameters_schema(
    *,
    required: Any = None,
    description: Any = "",
    additional_properties: Any = None,
    **properties: Any,
) -> dict[str, Any]:
    """The parameters of a tool: an object with these properties, each a `Schema` or a dict.

    `required` and `description` are emitted only when not empty. A schema given as `description`
    or `required` is a parameter of that name.
    """
    named: dict[str, Any] = {"required": required, "description": description}
    properties |= {n: value for n, value in named.items() if isinstance(value, Schema | dict)}
    required = None if "required" in properties else required
    description = "" if "description" in properties else description
    return ObjectSchema(
        properties,
        required=required,
        description=description,
        additional_properties=additional_properties,
    ).to_json_schema()


_KEYWORDS = {
    "default": "default",
    "const": "const",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_BRANCHES = {"one_of": "oneOf", "any_of": "anyOf"}


def _typed(
    kind: str, nullable: bool, description: str, enum: Sequence[Any] | None
) -> dict[str, Any]:
    fragment: dict[str, Any] = {"type": [kind, "null"] if nullable else kind}
    if description:
        fragment["description"] = description
    if enum is not None:
        fragment["enum"] = [*enum, None] if nullable and None not in enum else list(enum)
    return fragment


def _set(**keywords: object) -> dict[str, Any]:
    return {name: value for name, value in keywords.items() if value is not None}


def _common(given: Mapping[str, Any]) -> dict[str, Any]:
    fragment: dict[str, Any] = {}
    for name, value in given.items():
        if name in _KEYWORDS:
            fragment[_KEYWORDS[name]] = value
        elif name in _BRANCHES:
            fragment[_BRANCHES[name]] = [Schema.fragment(branch) for branch in value]
        else:
            raise TypeError(f"unknown schema keyword '{name}'")
    return fragment


__all__ = [
    "ArraySchema",
    "BooleanSchema",
    "CommonKeywords",
    "IntegerSchema",
    "NumberKeywords",
    "NumberSchema",
    "ObjectSchema",
    "StringSchema",
    "tool_parameters_schema",
]
