"""What is wrong with a value, in the words that a model reads (CONTRACT §3).

The validator's errors are typed; each kind has one sentence here. A failed `anyOf` or `oneOf` is
told by the faults of its nearest branch.
"""

from __future__ import annotations

import json
import math
from itertools import islice
from typing import TYPE_CHECKING

from jsonschema_rs import ValidationError, ValidationErrorKind

from nanobot.agent.tools.faultpath import item_path, joined, label, subpath
from nanobot.agent.tools.nearness import nearest_name
from nanobot.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nanobot.jsonvalue import JsonObject, JsonValue

_MOST_FAULTS = 20
_MOST_OPTIONS = 30
_LONGEST_VALUE = 200
_Kind = ValidationErrorKind


def shown_faults(faults: Iterable[str]) -> list[str]:
    """At most 20 faults, each once; one more line says how many more there are."""
    rest = iter(dict.fromkeys(faults))
    first = list(islice(rest, _MOST_FAULTS))
    more = sum(1 for _ in rest)
    return [*first, f"and {more} more"] if more else first


class FaultWriter:
    """Words the validator's errors for one schema. `document` is the schema as compiled."""

    def __init__(self, document: JsonObject | bool) -> None:
        self._document = document

    def faults(self, errors: Iterable[ValidationError], path: str = "") -> Iterator[str]:
        """One or more sentences for each error; `path` is where the whole value stands."""
        for error in errors:
            yield from self._of(error, joined(path, error.instance_path), path)

    def _of(  # noqa: PLR0911  # one return a kind
        self, error: ValidationError, path: str, root: str
    ) -> Iterable[str]:
        match error.kind:
            case _Kind.AnyOf(branches) | _Kind.OneOfNotValid(branches):
                return self._nearest(branches, path, root)
            case _Kind.AdditionalProperties(names) | _Kind.UnevaluatedProperties(names):
                known = self._known_names(error)
                return [_unexpected(path, name, known) for name in names]
            case _Kind.FalseSchema() if _names_a_property(error):
                return [f"unexpected parameter {label(path)}"]
            case _Kind.Required(name):
                return [f"missing required {subpath(path, name)}"]
            case _Kind.PropertyNames(inner):
                place = f"the name '{_shown(inner.instance)}' in {label(path)}"
                return list(self._of(inner, place, root))
            case _Kind.Type(types):
                return [_wrong_type(path, types, error.instance)]
            case _Kind.UnevaluatedItems(places):
                return [f"{item_path(path, at)} is one item too many" for at in places]
        return [f"{label(path)} {_sentence(error)}"]

    def _nearest(
        self, branches: Sequence[Sequence[ValidationError]], path: str, root: str
    ) -> Iterable[str]:
        failed = [branch for branch in branches if branch]
        of_type = [branch for branch in failed if not _is_other_type(branch)]
        if not of_type:
            return [_no_type_fits(failed, path)]
        nearest = min(of_type, key=_distance)
        if _distance(nearest) == (0, 0, 1) and len(of_type) > 1:
            return self._alike(of_type, root)
        return list(self.faults(nearest, root))

    def _alike(self, branches: Sequence[Sequence[ValidationError]], root: str) -> Iterable[str]:
        """Several branches that miss by one fault each: any of these would do."""
        texts = [next(iter(self.faults(b, root))) for b in branches if _distance(b) == (0, 0, 1)]
        return [" or ".join(dict.fromkeys(texts[:_MOST_OPTIONS]))]

    def _known_names(self, error: ValidationError) -> list[str]:
        """The properties that the refusing schema speaks of."""
        node: JsonValue = self._document
        for step in error.schema_path[:-1]:
            if isinstance(node, dict) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, list) and isinstance(step, int) and step < len(node):
                node = node[step]
        properties = node.get("properties") if isinstance(node, dict) else None
        given = error.instance
        free = properties if isinstance(properties, dict) else {}
        return [name for name in free if not isinstance(given, dict) or name not in given]


def _unexpected(path: str, name: str, known: Sequence[str]) -> str:
    near = nearest_name(name, known) or _containing(name, known)
    suggestion = f" (did you mean '{near}'?)" if near else ""
    return f"unexpected parameter {subpath(path, name)}{suggestion}"


def _containing(name: str, known: Sequence[str]) -> str | None:
    """The one known name that is a word of this one, or the other way round (CASES.md A1)."""
    words = set(name.casefold().replace("-", "_").split("_"))
    near = [n for n in known if n.casefold() in words or name.casefold() in n.casefold().split("_")]
    return near[0] if len(near) == 1 else None


def unexpected_parameters(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Sentences for arguments that a tool can't take, with the name that was probably meant."""
    return [_unexpected("", name, known) for name in names]


def _names_a_property(error: ValidationError) -> bool:
    return bool(error.instance_path) and isinstance(error.instance_path[-1], str)


def _is_other_type(branch: Sequence[ValidationError]) -> bool:
    """Whether a branch is for another type of value altogether."""
    return any(
        isinstance(error.kind, _Kind.Type) and len(error.instance_path) == _depth(branch)
        for error in branch
    )


def _depth(branch: Sequence[ValidationError]) -> int:
    """How deep the value stands that the branches were tried on: no error stands above it."""
    return min(len(error.instance_path) for error in branch)


def _distance(branch: Sequence[ValidationError]) -> tuple[int, int, int]:
    """How far a branch is from fitting: its own type, a tag that differs, the number of faults."""
    other = sum(isinstance(e.kind, _Kind.Type) and not e.instance_path for e in branch)
    tags = sum(isinstance(e.kind, _Kind.Constant | _Kind.Enum) for e in branch)
    return other, tags, len(branch)


def _no_type_fits(branches: Sequence[Sequence[ValidationError]], path: str) -> str:
    types: dict[str, None] = {}
    for branch in branches:
        for error in branch:
            if isinstance(error.kind, _Kind.Type):
                types.update(dict.fromkeys(error.kind.types))
    instance = branches[0][0].instance if branches else None
    return _wrong_type(path, list(types), instance)


def _wrong_type(path: str, types: Sequence[str], given: object) -> str:
    if ("number" in types or "integer" in types) and _spells_non_finite(given):
        return f"{label(path)} must be finite"
    return f"{label(path)} should be {_listed(types)}"


def _spells_non_finite(given: object) -> bool:
    if not isinstance(given, str) or len(given) > _LONGEST_VALUE:
        return False
    try:
        return not math.isfinite(float(given))
    except ValueError:
        return False


def _listed(words: Sequence[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"  # noqa: PLR2004


def _sentence(error: ValidationError) -> str:  # noqa: C901, PLR0911, PLR0912  # one line a kind
    match error.kind:
        case _Kind.Enum(options):
            return f"must be one of {_options(options)}"
        case _Kind.Constant(expected):
            return f"must be {_shown(expected)}"
        case _Kind.Minimum(limit):
            return f"must be >= {_number(limit)}"
        case _Kind.Maximum(limit):
            return f"must be <= {_number(limit)}"
        case _Kind.ExclusiveMinimum(limit):
            return f"must be > {_number(limit)}"
        case _Kind.ExclusiveMaximum(limit):
            return f"must be < {_number(limit)}"
        case _Kind.MultipleOf(number):
            return f"must be a multiple of {_number(number)}"
        case _Kind.MinLength(limit):
            return f"must be at least {limit} chars"
        case _Kind.MaxLength(limit):
            return f"must be at most {limit} chars"
        case _Kind.MinItems(limit):
            return f"must have at least {limit} items"
        case _Kind.MaxItems(limit) | _Kind.AdditionalItems(limit):
            return f"must be at most {limit} items"
        case _Kind.MinProperties(limit):
            return f"must have at least {limit} properties"
        case _Kind.MaxProperties(limit):
            return f"must have at most {limit} properties"
        case _Kind.UniqueItems():
            return "must not hold the same item twice"
        case _Kind.Pattern(pattern):
            return f"must match the pattern {_cut(pattern)}"
        case _Kind.Format(name):
            return f"must be a valid {name}"
        case _Kind.Contains():
            return f"must contain items that fit {_keyword(error)}"
        case _Kind.OneOfMultipleValid(branches):
            return f"fits several of {len(branches)} forms, but must fit exactly one"
        case _Kind.Not():
            return "has a form that is ruled out (keyword not)"
        case _Kind.FalseSchema():
            return "is not allowed here"
        case _Kind.ContentEncoding(name) | _Kind.ContentMediaType(name):
            return f"must be valid {name}"
    return _cut(error.message)


def _keyword(error: ValidationError) -> str:
    return f"(keyword {error.schema_path[-1]})" if error.schema_path else ""


def _options(options: Sequence[object]) -> str:
    shown = ", ".join(_shown(option) for option in options[:_MOST_OPTIONS])
    more = len(options) - _MOST_OPTIONS
    return f"[{shown}, … {more} more]" if more > 0 else f"[{shown}]"


def _shown(value: object) -> str:
    """A value as JSON on one line, text in single quotes as in the original's messages."""
    if isinstance(value, str):
        return f"'{_cut(value)}'"
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return visible_line(text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…")


def _number(value: object) -> str:
    return _cut(str(value))


__all__ = ["FaultWriter", "shown_faults", "unexpected_parameters"]
