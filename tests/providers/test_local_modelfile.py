"""What the head of a GGUF file tells, before anything is loaded."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot.errors import ConfigError
from nanobot.providers.local.modelfile import open_model_file

if TYPE_CHECKING:
    from pathlib import Path

_STRING, _ARRAY, _UINT32, _Q8_0 = 8, 9, 4, 8


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _whole_file() -> bytes:
    """One Q8_0 tensor of 64 numbers (68 bytes) behind three entries."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 3)
    head += _text("general.architecture") + struct.pack("<I", _STRING) + _text("llama")
    head += _text("llama.context_length") + struct.pack("<II", _UINT32, 4096)
    words = _text("a") + _text("bc")
    head += _text("tokens") + struct.pack("<IIQ", _ARRAY, _STRING, 2) + words
    head += _text("weights") + struct.pack("<IQIQ", 1, 64, _Q8_0, 0)
    return head + bytes(-len(head) % 32) + bytes(68)


_FILE = _whole_file()


def test_a_whole_file_tells_its_context(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_FILE)

    assert open_model_file(path).context_tokens == 4096


def test_a_file_that_lacks_its_last_byte_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_FILE[:-1])

    with pytest.raises(ConfigError, match=rf"cut off: it has {len(_FILE) - 1} bytes of at least"):
        open_model_file(path)


@pytest.mark.parametrize("size", [4, 7, 24, 60, 150])
def test_a_file_that_ends_in_its_head_is_cut_off(tmp_path: Path, size: int) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_FILE[:size])

    with pytest.raises(ConfigError, match="is cut off"):
        open_model_file(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "is not a GGUF file", id="empty"),
        pytest.param(b"PK\x03\x04" + bytes(99), "is not a GGUF file", id="zip"),
        pytest.param(b"GGUF\x00\x00\x00\x03" + bytes(99), "of version 50331648", id="big-endian"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "of version 1", id="version 1"),
        pytest.param(
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + _text("x") + struct.pack("<I", 77),
            "unknown kind 77",
            id="unknown kind",
        ),
    ],
)
def test_what_is_no_usable_model_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)

    with pytest.raises(ConfigError, match=said):
        open_model_file(path)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no model file"):
        open_model_file(tmp_path / "m.gguf")
    with pytest.raises(ConfigError, match="is a folder"):
        open_model_file(tmp_path)


@given(at=st.integers(4, len(_FILE) - 1), value=st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=1000)
def test_a_damaged_head_is_read_or_refused(tmp_path: Path, at: int, value: int) -> None:
    damaged = bytearray(_FILE)
    damaged[at] = value
    path = tmp_path / "m.gguf"
    path.write_bytes(damaged)

    told = ""
    try:
        open_model_file(path)
    except ConfigError as error:
        told = error.message

    assert not told or str(path) in told
