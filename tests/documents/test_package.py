"""Packages: parts that point to each other."""

from __future__ import annotations

import pytest

from nanobot.documents.package import Package
from tests.documents.office import RELATIONSHIPS, relations
from tests.documents.samples import package

_EXTERNAL = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="a" Type="{RELATIONSHIPS}/image" TargetMode="External" '
    'Target="http://example.test/a"/></Relationships>'
)


@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("media/a.png", "word/media/a.png"),
        ("../docProps/a.xml", "docProps/a.xml"),
        ("/word/a.xml", "word/a.xml"),
        ("../../../etc/passwd", "etc/passwd"),
        ("//example.test/a", "example.test/a"),
    ],
)
def test_a_target_stays_inside_the_package(target: str, part: str) -> None:
    opened = Package(package({"word/_rels/document.xml.rels": relations(image=target)}))

    assert opened.relations("word/document.xml")["image"].part == part


def test_a_link_out_of_the_package_is_left_out() -> None:
    opened = Package(package({"_rels/.rels": _EXTERNAL}))

    assert opened.relations("") == {}


def test_the_main_part_is_the_one_the_package_names() -> None:
    named = package(
        {"_rels/.rels": relations(officeDocument="word/other.xml"), "word/other.xml": ""}
    )
    lost = package({"_rels/.rels": relations(officeDocument="word/other.xml")})

    assert Package(named).main_part("usual.xml") == "word/other.xml"
    assert Package(lost).main_part("usual.xml") == "usual.xml"
