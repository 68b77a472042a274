"""A tool's schema made portable: what any provider's endpoint takes, with its meaning kept.

Providers refuse a whole request for one schema with a combinator at its root, a reference to
anything but `#/$defs/...`, or a keyword that only has a meaning inside one file (CASES.md G8, A7).
Nothing here changes the schema it is given, follows a remote reference or runs without end. What
can't be said in a provider's words is said in the description; our own validation still checks it.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nanobot.jsonvalue import JsonObject, JsonValue

_log = logging.getLogger(__name__)

SCHEMA_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
"""Keywords whose value maps names to schemas."""

LITERALS = frozenset({"enum", "const", "default", "examples", "example", "required"})
"""Keywords whose value is data, never a schema."""

_ONE_FILE = frozenset(
    {
        *("$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef"),
        *("$recursiveRef", "$vocabulary", "$comment", "$defs", "definitions"),
    }
)
_ROOT_REFUSED = ("allOf", "anyOf", "oneOf", "not", "enum", "const")
_DEEPEST = 64
_MOST_NODES = 20_000
_LONGEST_NOTE = 2_000
_ANTHROPIC_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def portable_schema(schema: Mapping[str, JsonValue]) -> JsonObject:
    """A copy whose root is a plain object and whose references point into its `$defs` or to `#`.

    A reference that leads nowhere or out of the document admits anything, with a warning.
    """
    copy = _Copier(schema).copied()
    definitions = copy.pop("$defs", None)
    root = _plain_root(copy, as_object(definitions), frozenset())
    if definitions:
        root["$defs"] = definitions
    return root


def named_properties(schema: JsonObject) -> JsonObject:
    """The same without properties whose names Anthropic refuses.

    It takes `[A-Za-z0-9_.-]{1,64}`; the description tells the others. `schema` comes from
    `portable_schema`.
    """
    return _map_schemas(schema, _without_odd_names)


def as_object(value: JsonValue) -> JsonObject:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def add_note(schema: JsonObject, note: str) -> None:
    """Put one more sentence into the description of a schema."""
    text = schema.get("description")
    schema["description"] = f"{text.rstrip()} {note}" if isinstance(text, str) and text else note


def pointed_at(root: Mapping[str, JsonValue], pointer: str) -> JsonValue:
    """What a local reference such as `#/properties/a~1b` means (RFC 6901).

    Raises:
        LookupError: it leads nowhere, or out of the document.
    """
    if not pointer.startswith("#"):
        raise LookupError(pointer)
    here: JsonValue = dict(root)
    if pointer == "#":
        return here
    if not pointer.startswith("#/"):
        return _anchored(here, pointer[1:])
    for part in unquote(pointer[2:]).split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict):
            here = here[key]
        elif isinstance(here, list) and key.isdecimal():
            here = here[int(key)]
        else:
            raise LookupError(pointer)
    return here


def _anchored(root: JsonValue, anchor: str) -> JsonValue:
    waiting, seen = [root], 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("$anchor") == anchor:
                return node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    raise LookupError(anchor)


class _Copier:
    """Copies one schema; every reference it meets comes to point into `$defs`."""

    def __init__(self, root: Mapping[str, JsonValue]) -> None:
        self._root = root
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []
        self._nodes = 0

    def copied(self) -> JsonObject:
        result = as_object(self._schema(dict(self._root), 0))
        definitions: JsonObject = {}
        while self._waiting:
            pointer = self._waiting.pop()
            target = pointed_at(self._root, pointer)
            definitions[self._names[pointer]] = self._schema(target, 1)
        if definitions:
            result["$defs"] = dict(sorted(definitions.items()))
        return result

    def _schema(self, node: JsonValue, depth: int) -> JsonValue:
        if isinstance(node, bool):
            return {} if node else {"not": {}}
        self._nodes += 1
        if not isinstance(node, dict) or depth > _DEEPEST or self._nodes > _MOST_NODES:
            return {}
        result: JsonObject = {}
        for key, value in node.items():
            if key == "$ref":
                result.update(self._reference(value))
            elif key not in _ONE_FILE:
                result[key] = self._keyword(key, value, depth + 1)
        _admit_null(result)
        return result

    def _keyword(self, key: str, value: JsonValue, depth: int) -> JsonValue:
        if key in LITERALS:
            return _plain(value)
        if key in SCHEMA_MAPS and isinstance(value, dict):
            return {name: self._schema(sub, depth) for name, sub in value.items()}
        if isinstance(value, dict):
            return self._schema(value, depth)
        if isinstance(value, list):
            return [self._schema(v, depth) if isinstance(v, dict) else _plain(v) for v in value]
        return value

    def _reference(self, reference: JsonValue) -> JsonObject:
        pointer = self._local(reference)
        try:
            target = pointed_at(self._root, pointer)
        except (LookupError, ValueError):
            _log.warning("A schema's reference %r was left open: it leads nowhere here", reference)
            return {}
        if pointer == "#":
            return {"$ref": "#"}
        if isinstance(target, bool):
            return {}
        if pointer not in self._names:
            self._names[pointer] = self._free_name(pointer)
            self._waiting.append(pointer)
        return {"$ref": f"#/$defs/{self._names[pointer]}"}

    def _local(self, reference: JsonValue) -> str:
        text = reference if isinstance(reference, str) else ""
        own = self._root.get("$id")
        if isinstance(own, str) and own and text.split("#")[0] == own.rstrip("#"):
            text = text[len(own.rstrip("#")) :] or "#"
        return "#" if text in {"#", "#/"} else text

    def _free_name(self, pointer: str) -> str:
        legible = _UNSAFE.sub("_", unquote(pointer.rsplit("/", 1)[-1])).strip("_") or "part"
        taken = set(self._names.values())
        name, number = legible, 2
        while name in taken:
            name, number = f"{legible}_{number}", number + 1
        return name


def _admit_null(schema: JsonObject) -> None:
    """Say OpenAPI's `nullable` in the words of JSON Schema."""
    kind = schema.get("type")
    if schema.get("nullable") is not True or not isinstance(kind, str) or kind == "null":
        return
    del schema["nullable"]
    schema["type"] = [kind, "null"]
    if "enum" in schema and None not in as_list(schema["enum"]):
        schema["enum"] = [*as_list(schema["enum"]), None]


def _plain(value: JsonValue) -> JsonValue:
    """A copy in plain containers, for data inside a schema."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _plain_root(schema: JsonObject, definitions: JsonObject, seen: frozenset[str]) -> JsonObject:
    """An object schema without combinators at its root; what they said becomes a note."""
    root = dict(schema)
    reference = root.pop("$ref", None)
    if isinstance(reference, str) and reference != "#" and reference not in seen:
        target = as_object(definitions.get(reference.removeprefix("#/$defs/")))
        return _plain_root({**target, **root}, definitions, seen | {reference})
    refused = {key: root.pop(key) for key in _ROOT_REFUSED if key in root}
    properties = dict(as_object(root.get("properties")))
    required = [name for name in as_list(root.get("required")) if isinstance(name, str)]
    for key in ("allOf", "anyOf", "oneOf"):
        branches = [
            _plain_root(as_object(branch), definitions, seen)
            for branch in as_list(refused.get(key))
        ]
        _add_properties(properties, branches)
        required.extend(name for name in _required_of(branches, key) if name not in required)
    root["type"] = "object"
    root["properties"] = properties
    root.pop("required", None)
    if required:
        root["required"] = [*required]
    if refused:
        add_note(root, _note(refused))
    return root


def _add_properties(properties: JsonObject, branches: list[JsonObject]) -> None:
    for branch in branches:
        for name, schema in as_object(branch["properties"]).items():
            known = properties.get(name)
            if known is None:
                properties[name] = schema
            elif known != schema:
                properties[name] = _either(known, schema)


def _either(first: JsonValue, second: JsonValue) -> JsonObject:
    branches = as_list(as_object(first).get("anyOf"))
    if branches and len(as_object(first)) == 1:
        return {"anyOf": branches if second in branches else [*branches, second]}
    return {"anyOf": [first, second]}


def _required_of(branches: list[JsonObject], key: str) -> list[str]:
    """What every branch requires; for `allOf` what any of them does."""
    lists = [[n for n in as_list(b.get("required")) if isinstance(n, str)] for b in branches]
    if key == "allOf":
        return [name for names in lists for name in names]
    return [name for name in (lists[0] if lists else []) if all(name in names for names in lists)]


def _note(refused: JsonObject) -> str:
    text = json.dumps(refused, ensure_ascii=False, separators=(",", ":"))
    if len(text) > _LONGEST_NOTE:
        return "The arguments must fit further conditions; a call that does not is told which."
    return f"The arguments must also fit this JSON Schema: {text}"


def _without_odd_names(schema: JsonObject) -> JsonObject:
    properties = as_object(schema.get("properties"))
    odd = {name: sub for name, sub in properties.items() if not _ANTHROPIC_KEY.match(name)}
    if not odd:
        return schema
    result = {**schema, "properties": {n: s for n, s in properties.items() if n not in odd}}
    result["required"] = [name for name in as_list(schema.get("required")) if name not in odd]
    if not result["required"]:
        del result["required"]
    result.pop("additionalProperties", None)
    text = json.dumps(odd, ensure_ascii=False, separators=(",", ":"))
    add_note(result, f"It has these properties too: {text[:_LONGEST_NOTE]}")
    return result


def _map_schemas(schema: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Every schema inside, changed from the leaves up. The depth is bounded by the copier."""
    result: JsonObject = {}
    for key, value in schema.items():
        if key in LITERALS:
            result[key] = value
        elif (key in SCHEMA_MAPS or key == "$defs") and isinstance(value, dict):
            result[key] = {n: _map_schemas(as_object(s), change) for n, s in value.items()}
        elif isinstance(value, dict):
            result[key] = _map_schemas(value, change)
        elif isinstance(value, list):
            result[key] = [_map_schemas(v, change) if isinstance(v, dict) else v for v in value]
        else:
            result[key] = value
    return change(result)


__all__ = [
    "LITERALS",
    "SCHEMA_MAPS",
    "add_note",
    "as_list",
    "as_object",
    "named_properties",
    "pointed_at",
    "portable_schema",
]
