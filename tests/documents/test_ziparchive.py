"""Zip files opened within bounds."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from nanobot.documents.faults import BrokenDocument, DocumentLocked, DocumentTooLarge
from nanobot.documents.ziparchive import LARGEST_PART, MOST_PARTS, ZipArchive
from tests.documents.office import zip_bomb
from tests.documents.samples import package

if TYPE_CHECKING:
    from pathlib import Path


def test_a_part_is_read_by_its_name_whatever_its_case_and_slashes() -> None:
    archive = ZipArchive(package({"Word\\Document.xml": "text"}))

    assert archive.has("word/document.xml")
    assert archive.part("word/document.xml") == b"text"


def test_2_mb_that_inflate_to_2_gib_are_refused_early() -> None:
    bomb = zip_bomb("x", 2048)
    assert len(bomb.getvalue()) < 2_200_000

    with pytest.raises(DocumentTooLarge, match="at most 64 MB in one part"):
        ZipArchive(bomb).part("x")


def test_48_kb_that_inflate_to_50_mb_are_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="a zip bomb"):
        ZipArchive(zip_bomb("x", 50)).part("x")


@pytest.mark.parametrize("declared", [10, 1 << 20], ids=["10 bytes", "1 MiB"])
def test_a_part_that_declares_less_than_it_holds_is_damaged(declared: int) -> None:
    with pytest.raises(BrokenDocument, match="The document's part 'x' is damaged"):
        ZipArchive(zip_bomb("x", 2048, declared=declared)).part("x")


def test_a_part_over_64_mb_is_refused_though_it_shrinks_little() -> None:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_STORED) as made:
        made.writestr("x", bytes(LARGEST_PART + 1))

    with pytest.raises(DocumentTooLarge, match="at most 64 MB in one part"):
        ZipArchive(room).part("x")


def test_256_mb_in_all_is_the_end() -> None:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_STORED) as made:
        made.writestr("x", bytes(60 * 1024 * 1024))
    archive = ZipArchive(room)
    for _ in range(4):
        archive.part("x")

    with pytest.raises(DocumentTooLarge, match="256 MB in all"):
        archive.part("x")


def test_more_parts_than_10_000_are_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="more than 10,000 parts"):
        ZipArchive(package({f"part{number}": "" for number in range(MOST_PARTS + 1)}))


def test_a_list_of_a_million_parts_is_not_even_read() -> None:
    entry = b"PK\1\2" + bytes(42)
    listed = entry * 1_000_000
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, len(listed), 0, 0)

    with pytest.raises(DocumentTooLarge, match="more than 10,000 parts"):
        ZipArchive(io.BytesIO(listed + end))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_packings_that_inflate_without_measure_are_refused(method: int) -> None:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", method) as made:
        made.writestr("x", "text")

    with pytest.raises(BrokenDocument, match="packed in a foreign way"):
        ZipArchive(room).part("x")


def test_an_encrypted_part_is_locked() -> None:
    data = bytearray(package({"x": "text"}).getvalue())
    at = data.rindex(b"PK\1\2")  # the last entry of the list
    data[at + 8] |= 1

    with pytest.raises(DocumentLocked, match="The document is encrypted"):
        ZipArchive(io.BytesIO(bytes(data))).part("x")


def test_a_name_with_dots_stays_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner" / "most"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)

    archive = ZipArchive(package({"../../x": "text"}))

    assert archive.part("../../x") == b"text"
    assert not archive.has("x")
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]


def test_a_missing_part_is_named_without_what_acts() -> None:
    with pytest.raises(BrokenDocument) as caught:
        ZipArchive(package({})).part("a\n\x1b[31mb" + "c" * 500)

    assert caught.value.message.startswith("The document lacks its part 'a [31mbccc")
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"PK\3\4" + bytes(100), b"\xff" * 1000],
    ids=["empty", "PK", "head", "no zip"],
)
def test_what_is_no_zip_is_damaged(data: bytes) -> None:
    with pytest.raises(BrokenDocument, match="The file is damaged"):
        ZipArchive(io.BytesIO(data))
