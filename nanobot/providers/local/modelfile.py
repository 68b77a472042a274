"""The head of a GGUF file: whether it is one, whether it is whole, what it says of its model.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_Value: TypeAlias = "int | float | bool | str | None"

_MAGIC = b"GGUF"
_VERSIONS = frozenset({2, 3})
_SCALARS = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?")))
_SCALARS |= {10: "<Q", 11: "<q", 12: "<d"}
_STRING = 8
_ARRAY = 9
_LONGEST_NAME = 65_536
_DEFAULT_ALIGNMENT = 32

_SINGLE = {0: 4, 1: 2, 24: 1, 25: 2, 26: 4, 27: 8, 28: 8, 30: 2}
_BLOCK_OF_32 = {2: 18, 3: 20, 6: 22, 7: 24, 8: 34, 9: 36, 20: 18, 39: 17}
_BLOCK_OF_256 = {10: 84, 11: 110, 12: 144, 13: 176, 14: 210, 15: 292, 16: 66, 17: 74, 18: 98}
_BLOCK_OF_256 |= {19: 50, 21: 110, 22: 82, 23: 136, 29: 56, 34: 54, 35: 66}
_BLOCKS = {
    kind: (numbers, size)
    for numbers, sizes in ((1, _SINGLE), (32, _BLOCK_OF_32), (256, _BLOCK_OF_256))
    for kind, size in sizes.items()
}
"""By tensor type: the numbers in a block, and its bytes (`ggml_type` in ggml.h)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """What is known of a model before it is loaded. `context_tokens`: 0 where it isn't told."""

    path: Path
    context_tokens: int = 0


def open_model_file(path: Path) -> ModelFile:
    """Look at the head of a model file. Reads a few megabytes at most, and only looks.

    Raises:
        ConfigError: nothing is there, it is a folder, no GGUF file, or one that is cut off.
    """
    if path.is_dir():
        raise ConfigError(
            f"{path} is a folder, not a model file.", hint="Name the .gguf file in it."
        )
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ConfigError(
                    f"{path} is not a GGUF file.",
                    hint="A model of your own is one file in the GGUF format, as llama.cpp reads.",
                )
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return ModelFile(path=path, context_tokens=_checked(path, data))
    except FileNotFoundError:
        raise ConfigError(f"There is no model file {path}.") from None
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror or error}.") from None


def _checked(path: Path, data: mmap.mmap) -> int:
    try:
        head = _Head(data)
        head.read()
    except struct.error:
        raise _cut_off(path, len(data), 0) from None
    except _OddError as odd:
        raise ConfigError(f"{path} is a GGUF file that can't be used: {odd}.") from None
    if head.end > len(data):
        raise _cut_off(path, len(data), head.end)
    return head.context_tokens


def _cut_off(path: Path, size: int, needed: int) -> ConfigError:
    of = f" of at least {needed:,}" if needed else ""
    return ConfigError(
        f"{path} is cut off: it has {size:,} bytes{of}.", hint="Download it once more."
    )


class _OddError(Exception):
    """What the head says can't be."""


class _Head:
    """Reads the head from its start; `struct.error` where the file ends before it does."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = len(_MAGIC)
        self.end = 0
        self.context_tokens = 0

    def read(self) -> None:
        version = self._number("<I")
        if version not in _VERSIONS:
            raise _OddError(f"it is of version {version}, not 2 or 3")
        tensors, entries = self._number("<Q"), self._number("<Q")
        values: dict[str, _Value] = {}
        for _ in range(entries):
            name = self._text()
            values[name] = self._value(self._number("<I"))
        architecture = values.get("general.architecture")
        self.context_tokens = _whole(values, f"{architecture}.context_length")
        last = max((self._tensor_end() for _ in range(tensors)), default=0)
        alignment = _whole(values, "general.alignment") or _DEFAULT_ALIGNMENT
        self.end = -(-self._at // alignment) * alignment + last

    def _tensor_end(self) -> int:
        """Where one tensor ends, counted from where they begin; its start if its type is new."""
        self._text()
        sizes = [self._number("<Q") for _ in range(self._number("<I"))]
        kind, start = self._number("<I"), self._number("<Q")
        numbers, size = _BLOCKS.get(kind, (1, 0))
        return start + math.prod(sizes) // numbers * size

    def _value(self, kind: int) -> _Value:
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._scalar(kind)
        item, count = self._number("<I"), self._number("<Q")
        if item == _ARRAY:
            raise _OddError("it holds a list of lists")
        if item == _STRING:
            for _ in range(count):
                self._skip(self._number("<Q"))
        else:
            self._skip(count * struct.calcsize(_form(item)))
        return None

    def _scalar(self, kind: int) -> _Value:
        form = _form(kind)
        value: int | float | bool = struct.unpack_from(form, self._data, self._at)[0]
        self._at += struct.calcsize(form)
        return value

    def _text(self) -> str:
        start = self._at + 8
        length = self._number("<Q")
        self._skip(length)
        return self._data[start : start + min(length, _LONGEST_NAME)].decode(errors="replace")

    def _number(self, form: str) -> int:
        number: int = struct.unpack_from(form, self._data, self._at)[0]
        self._at += struct.calcsize(form)
        return number

    def _skip(self, size: int) -> None:
        self._at += size
        if self._at > len(self._data):
            raise struct.error


def _form(kind: int) -> str:
    if kind not in _SCALARS:
        raise _OddError(f"it holds a value of the unknown kind {kind}")
    return _SCALARS[kind]


def _whole(values: Mapping[str, _Value], name: str) -> int:
    value = values.get(name)
    return value if isinstance(value, int) and value > 0 else 0


__all__ = ["ModelFile", "open_model_file"]
