"""Office documents made by hand, for what the programs' own libraries can't make."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from tests.documents.samples import W, package, paragraph

RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
R = f'xmlns:r="{RELATIONSHIPS}"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
_MIB = 1 << 20


def relations(**targets: str) -> str:
    """The relations of a part, `kind="target"`; the id of each is its kind."""
    listed = "".join(
        f'<Relationship Id="{kind}" Type="{RELATIONSHIPS}/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def docx_of(body: str, **parts: str) -> BytesIO:
    """A Word document with this body and these other parts, `kind="XML"`."""
    return package(
        {
            "word/document.xml": (
                f"<w:document {W} {R} {MC} {A} {M} {C}><w:body>{body}</w:body></w:document>"
            ),
            "word/_rels/document.xml.rels": relations(**{kind: f"{kind}.xml" for kind in parts}),
            **{f"word/{kind}.xml": xml for kind, xml in parts.items()},
        }
    )


def pptx_of(*slides: str, show: str = "", **parts: str) -> BytesIO:
    """A presentation of slides with these shapes; each has these other parts, `kind="XML"`."""
    ids = "".join(f'<p:sldId r:id="slide{number}"/>' for number in range(1, len(slides) + 1))
    made = {
        "ppt/presentation.xml": f"<p:presentation {P} {R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            **{f"slide{number}": f"slides/{number}.xml" for number in range(1, len(slides) + 1)}
        ),
        **{f"ppt/slides/{kind}.xml": xml for kind, xml in parts.items()},
    }
    for number, shapes in enumerate(slides, 1):
        made[f"ppt/slides/{number}.xml"] = (
            f"<p:sld {P} {A} {R} {MC} {M} {C}{show}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        made[f"ppt/slides/_rels/{number}.xml.rels"] = relations(
            **{kind: f"{kind}.xml" for kind in parts}
        )
    return package(made)


def nested_tables(depth: int, text: str = "deepest") -> str:
    """Tables in tables, `depth` of them."""
    around = "<w:tbl><w:tr><w:tc>"
    back = "<w:p/></w:tc></w:tr></w:tbl>"
    return around * depth + paragraph(text) + back * depth


def zip_bomb(name: str, mebibytes: int, *, declared: int | None = None) -> BytesIO:
    """A zip whose part inflates to so much, a thousandth of it in size; it may declare another size."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(_MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    data = block * mebibytes + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    size = mebibytes * _MIB if declared is None else declared
    raw = name.encode()
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(data), size, len(raw), 0)
    local = b"PK\3\4" + common + raw
    central = b"PK\1\2" + struct.pack("<H", 20) + common + bytes(14) + raw
    at = len(local) + len(data)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), at, 0)
    return BytesIO(local + data + central + end)


__all__ = [
    "MC",
    "RELATIONSHIPS",
    "A",
    "C",
    "M",
    "P",
    "R",
    "docx_of",
    "nested_tables",
    "pptx_of",
    "relations",
    "zip_bomb",
]
