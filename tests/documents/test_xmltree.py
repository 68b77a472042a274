"""XML read without DTDs, entities and network, to a bounded depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.xmltree import local_name, tree_of

if TYPE_CHECKING:
    from pathlib import Path

_LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "source",
    [
        "<!DOCTYPE a><a/>",
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{_LAUGHS}]><a>&l9;</a>',
        '<!DOCTYPE a SYSTEM "http://example.test/a.dtd"><a/>',
        '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
    ],
    ids=["a bare one", "a billion laughs", "one from outside", "UTF-16"],
)
def test_a_dtd_is_refused(source: str) -> None:
    data = source.encode("utf-16" if "UTF-16" in source else "utf-8")

    with pytest.raises(BrokenDocument, match="The document's part 'x' has a DTD, which is refused"):
        tree_of(data, "x")


def test_an_entity_of_an_outside_file_shows_nothing_of_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret", encoding="utf-8")
    source = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{secret.as_uri()}">]><a>&e;</a>'

    with pytest.raises(BrokenDocument) as caught:
        tree_of(source.encode(), "x")

    assert "secret" not in caught.value.message


@pytest.mark.parametrize("depth", [257, 100_000])
def test_xml_deeper_than_256_elements_is_refused(depth: int) -> None:
    with pytest.raises(DocumentTooLarge, match="nested deeper than 256 elements"):
        tree_of(b"<a>" * depth + b"</a>" * depth, "x")


def test_256_elements_deep_is_read() -> None:
    assert tree_of(b"<a>" * 256 + b"</a>" * 256, "x").tag == "a"


def test_a_text_over_10_mb_is_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="a text of over 10 MB"):
        tree_of(b"<a>" + b"x" * 10_000_001 + b"</a>", "x")


@pytest.mark.parametrize("data", [b"", b"<a", b"<a></b>", b"\xff\xfe\xff", b"<a>&e;</a>"], ids=repr)
def test_what_is_no_xml_is_one_line(data: bytes) -> None:
    with pytest.raises(BrokenDocument, match="The document's part 'x' is no XML: ") as caught:
        tree_of(data, "x")

    assert "\n" not in caught.value.message


def test_names_of_strict_open_xml_become_the_usual_ones_and_text_stays() -> None:
    name = "http://purl.oclc.org/ooxml/wordprocessingml/main"

    root = tree_of(f'<w:t xmlns:w="{name}">see {name}</w:t>'.encode(), "x")

    assert root.tag == "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"
    assert root.text == f"see {name}"
    assert local_name(root) == "t"
