"""What a command prints, in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from nanobot.processes.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_nothing_printed_makes_no_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "out")
    spool.close()

    assert list(tmp_path.iterdir()) == []


@given(
    pieces=st.lists(st.binary(max_size=40), min_size=1, max_size=20), limit=st.sampled_from([8, 64])
)
def test_the_file_is_complete_or_has_beginning_and_end(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], limit: int
) -> None:
    path, whole = tmp_path_factory.mktemp("spool") / "out", b"".join(pieces)
    spool = Spool(path, limit)
    for piece in pieces:
        spool.write(piece)
    spool.close()

    assert spool.size == len(whole)
    if len(whole) <= limit:
        assert path.read_bytes() == whole
    else:
        missing = len(whole) - limit
        said = f"\n[… {missing:,} bytes left out …]\n".encode()
        assert path.read_bytes() == whole[: limit // 2] + said + whole[-limit // 2 :]
    assert [file.name for file in path.parent.iterdir()] == ["out"]
