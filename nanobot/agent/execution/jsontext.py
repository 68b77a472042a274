"""A tool's value as JSON: the text a model reads, and the plain data it was made of."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time
from enum import Enum
from typing import TYPE_CHECKING

from nanobot.errors import ToolError

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonValue


def json_text(value: object) -> str:
    """The JSON text of a value of a tool.

    Beside JSON's own types it takes models with `model_dump`, dataclasses, mappings, sets, enums,
    dates and bytes; anything else becomes its `str`. Keys become text.

    Raises:
        ToolError: the value holds itself, or is nested too deep to be shown.
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except TypeError:
        pass  # a key that is no text
    except (ValueError, RecursionError) as error:
        raise _unshowable(value) from error
    try:
        return json.dumps(_with_text_keys(value), ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unshowable(value) from error


def json_data(text: str) -> JsonValue:
    """The plain data that a text of `json_text` holds."""
    data: JsonValue = json.loads(text)
    return data


def bytes_text(value: bytes | bytearray | memoryview) -> str:
    """Bytes as text: what they say in UTF-8, else how many they are."""
    data = bytes(value)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return f"({len(data):,} bytes of binary data)"


def _plain(value: object) -> object:
    """One level of what JSON does not know."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, AbstractSet):
        return sorted(value, key=str)
    return _plain_scalar(value)


def _plain_scalar(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes_text(value)
    return str(value)


def _with_text_keys(value: object) -> object:
    if isinstance(value, Mapping):
        return {_key(key): _with_text_keys(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text_keys(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    plain = _plain(value)
    return plain if isinstance(plain, str) else _with_text_keys(plain)


def _key(key: object) -> object:
    return key if key is None or isinstance(key, str | int | float) else str(key)


def _unshowable(value: object) -> ToolError:
    return ToolError(f"its result, a {type(value).__name__}, can't be written as JSON")


__all__ = ["bytes_text", "json_data", "json_text"]
