"""A model's raw arguments → the object that a tool's `execute` gets (CONTRACT §3, §4).

Models send an object, its JSON text, nothing at all, or something else. What is an object without
guessing becomes one; the rest is refused in a sentence that the model can act on (CASES.md A2).
"""

from __future__ import annotations

from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any

from nanobot.agent.tools.faults import unexpected_parameters
from nanobot.agent.tools.finite import is_plain
from nanobot.agent.tools.validation import all_finite
from nanobot.errors import InvalidArguments
from nanobot.surrogates import mend_text

if TYPE_CHECKING:
    from nanobot.agent.tools.validation import CompiledSchema

_decode = JSONDecoder().decode
_WRAPPER = "arguments"
_KINDS = {bool: "boolean", int: "number", float: "number", str: "string", list: "list"}


class CompiledArguments:
    """Makes one tool's arguments ready: parsed, cast where needed, valid.

    Args:
        name: the tool's, for messages.
        schema: its compiled parameters.
        accepted: the names that its `execute` takes, where it doesn't take any; others are refused
            although the schema is silent about them.
    """

    __slots__ = ("_accepted", "_name", "_schema", "_wraps")

    def __init__(
        self,
        name: str,
        schema: CompiledSchema,
        *,
        accepted: frozenset[str] | None = None,
    ) -> None:
        self._name = name
        self._schema = schema
        self._accepted = accepted
        self._wraps = schema.declares(_WRAPPER)

    def prepare(self, raw: object) -> dict[str, Any]:
        """The arguments as `execute` gets them.

        Args:
            raw: an object, the JSON text of one, None or blank text (both mean no arguments).

        Raises:
            InvalidArguments: it is no object, or does not fit; each fault names its place.
        """
        arguments, finite = raw, False
        if type(raw) is str:
            try:
                arguments = _decode(raw)
                finite = _is_sound(raw) and all_finite(arguments)
            except (ValueError, RecursionError):
                pass  # told in full below
        if (
            type(arguments) is dict
            and (_WRAPPER not in arguments or self._wraps)
            and (finite or is_plain(arguments))
            and self._schema.fits(arguments)
            and (self._accepted is None or self._accepted.issuperset(arguments))
        ):
            return arguments
        return self._fit(raw)

    def _fit(self, raw: object) -> dict[str, Any]:
        parsed = parse_arguments(raw, name=self._name, unwrap=not self._wraps)
        fitted = self._schema.fit(parsed)
        if fitted.faults:
            raise InvalidArguments.of(self._name, fitted.faults)
        arguments: Any = fitted.value
        extra = [] if self._accepted is None else [n for n in arguments if n not in self._accepted]
        if extra:
            raise InvalidArguments.of(
                self._name, unexpected_parameters(extra, sorted(self._accepted or ()))
            )
        return dict(arguments)


def _is_sound(text: str) -> bool:
    """Whether decoding the text can't make a lone surrogate."""
    return "\\u" not in text and (text.isascii() or mend_text(text) is text)


def parse_arguments(raw: object, *, name: str, unwrap: bool = True) -> dict[str, Any]:
    """Raw arguments as an object, not yet validated.

    None and blank text mean no arguments; JSON text of an object is parsed, also when it was
    quoted once more; `{"arguments": {...}}` is unwrapped unless `unwrap` is False.

    Raises:
        InvalidArguments: it is no object; nothing is guessed or repaired.
    """
    value = _parsed(raw, name)
    if unwrap and isinstance(value, dict) and value.keys() == {_WRAPPER}:
        inner = _parsed(value[_WRAPPER], name) if value[_WRAPPER] else value[_WRAPPER]
        if isinstance(inner, dict):
            return inner
    if isinstance(value, dict):
        return value
    kind = "null" if value is None else _KINDS.get(type(value), type(value).__name__)
    raise _no_object(name, kind)


def _parsed(raw: object, name: str) -> object:
    """Text decoded, twice at most; anything else as it is."""
    if raw is None:
        return {}
    for _ in range(2):
        if not isinstance(raw, str):
            break
        if not raw.strip():
            return {}
        raw = _decoded(str.__str__(raw), name)
    return raw


def _decoded(text: str, name: str) -> object:
    try:
        return _decode(text)
    except JSONDecodeError as error:
        found = f"text that is no JSON ({error.msg} at character {error.pos + 1} of {len(text)})"
    except RecursionError:
        found = "JSON that is nested too deeply"
    except ValueError:  # more digits than Python converts
        found = "a number with too many digits"
    raise _no_object(name, found)


def _no_object(name: str, found: str) -> InvalidArguments:
    return InvalidArguments(
        f"Tool '{name}' parameters must be a JSON object, got {found}. "
        'Send the arguments as one complete object, such as {"key": "value"}.',
        name=name,
        faults=(f"parameter must be a JSON object, got {found}",),
    )


__all__ = ["CompiledArguments", "parse_arguments"]
