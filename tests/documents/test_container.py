"""Which document is in a container."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from nanobot.documents.container import content_of_ole, content_of_zip
from nanobot.documents.faults import (
    BrokenDocument,
    DocumentLocked,
    DocumentTooLarge,
    UnknownDocument,
)
from tests.documents.samples import old_container, package

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_RELATIONS = (
    '<Relationships><Relationship Id="a" Target="/word/letter.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)
_ZIPS: dict[str, tuple[Mapping[str, str], str]] = {
    "word": ({"word/document.xml": "", "xl/embedded.xml": ""}, "docx"),
    "word with a main part of another name": (
        {"_rels/.rels": _RELATIONS, "word/letter.xml": ""},
        "docx",
    ),
    "word written by another program": ({"Word\\Document.xml": ""}, "docx"),
    "powerpoint": ({"ppt/presentation.xml": ""}, "pptx"),
    "excel": ({"xl/workbook.xml": ""}, "workbook"),
    "excel, binary": ({"xl/workbook.bin": ""}, "workbook"),
    "open document": ({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, "workbook"),
}


@pytest.mark.parametrize(("parts", "content"), _ZIPS.values(), ids=_ZIPS.keys())
def test_the_parts_of_a_zip_file_tell_its_document(parts: Mapping[str, str], content: str) -> None:
    assert content_of_zip(package(parts)) == content


def test_a_document_without_its_main_part_is_broken() -> None:
    with pytest.raises(BrokenDocument, match="lacks its main part"):
        content_of_zip(package({"word/styles.xml": ""}))


@pytest.mark.parametrize("count", [1, 30_000])
def test_an_archive_of_any_size_is_no_document(count: int) -> None:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as made:
        for number in range(count):
            made.writestr(f"{number}.txt", "")

    with pytest.raises(UnknownDocument):
        content_of_zip(room)


def test_a_list_of_parts_of_33_mb_is_not_read(tmp_path: Path) -> None:
    size = 33 << 20
    with (tmp_path / "a.zip").open("wb+") as file:
        file.truncate(size)
        file.seek(size)
        file.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, size, 0, 0))

        with pytest.raises(UnknownDocument):
            content_of_zip(file)


def test_a_package_of_another_program_is_no_document() -> None:
    with pytest.raises(UnknownDocument):
        content_of_zip(package({"tool.nuspec": ""}))


_BOMBS = {
    "ratio": ({"xl/workbook.xml": "", "xl/sheet.xml": "x" * 9_000_000}, "zip bomb"),
    "parts": (
        {"xl/workbook.xml": "", **{f"xl/{number}": "" for number in range(10_000)}},
        "10,002 parts; at most 10,000 are read",
    ),
}


@pytest.mark.parametrize(("parts", "said"), _BOMBS.values(), ids=_BOMBS.keys())
def test_a_workbook_beyond_bounds_is_not_opened(parts: Mapping[str, str], said: str) -> None:
    with pytest.raises(DocumentTooLarge, match=said):
        content_of_zip(package(parts))


def test_a_workbook_that_says_it_inflates_too_much_is_not_opened() -> None:
    data = bytearray(package({"xl/workbook.xml": "", "xl/sheet.xml": "x"}).getvalue())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 20 : entry + 28] = (1 << 28).to_bytes(4, "little") + (1 << 30).to_bytes(
        4, "little"
    )

    with pytest.raises(DocumentTooLarge, match="inflates to 1,024 MB; at most 512 MB"):
        content_of_zip(io.BytesIO(data))


def test_a_cut_zip_file_is_broken() -> None:
    with pytest.raises(BrokenDocument, match="damaged"):
        content_of_zip(io.BytesIO(package({"word/document.xml": "text"}).getvalue()[:60]))


def test_an_old_workbook_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.xls").write_bytes(old_container("Workbook"))

    with (tmp_path / "a.xls").open("rb") as file:
        assert content_of_ole(file) == "workbook"


_OLD = {
    "password": (old_container("EncryptedPackage"), DocumentLocked, "needs a password"),
    "word": (old_container("WordDocument"), BrokenDocument, r"old Word file \(\.doc\)"),
    "powerpoint": (old_container("PowerPoint Document"), BrokenDocument, "old PowerPoint"),
    "installer": (old_container("Property"), UnknownDocument, "OLE"),
    "a text that names a stream": (
        old_container("Property") + "Workbook".encode("utf-16-le"),
        UnknownDocument,
        "OLE",
    ),
}


@pytest.mark.parametrize(("data", "fault", "said"), _OLD.values(), ids=_OLD.keys())
def test_other_old_containers_are_refused_by_name(
    tmp_path: Path, data: bytes, fault: type[Exception], said: str
) -> None:
    (tmp_path / "a.doc").write_bytes(data)

    with (tmp_path / "a.doc").open("rb") as file, pytest.raises(fault, match=said):
        content_of_ole(file)
