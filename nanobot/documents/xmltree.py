"""XML out of documents, read without DTDs, entities and network, to a depth of 256 elements.

Names of Strict Open XML (ISO/IEC 29500) are changed to the usual ones, so that nobody else has to
know two names for one thing.
"""

from __future__ import annotations

import re

from lxml import etree

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.plaintext import quoted

_STRICT = b"//purl.oclc.org/ooxml/"
_STRICT_NAME = re.compile(rb"""(=["'])http://purl\.oclc\.org/ooxml/(\w+)/""")
_USUAL_NAME = rb"\1http://schemas.openxmlformats.org/\2/2006/"
_DOCTYPE = b"<!DOCTYPE"
_BOUNDS = (etree.ErrorTypes.ERR_RESOURCE_LIMIT, etree.ErrorTypes.ERR_NAME_TOO_LONG)


def tree_of(data: bytes, name: str) -> etree._Element:
    """The root of some XML; `name` is what errors call it.

    Raises:
        BrokenDocument: it is no XML, or has a DTD.
        DocumentTooLarge: it is nested deeper than 256 elements, or has a text over 10 MB.
    """
    if _DOCTYPE in data:
        raise _has_dtd(name)
    if _STRICT in data:
        data = _STRICT_NAME.sub(_USUAL_NAME, data)
    try:
        root = etree.fromstring(data, _parser())
    except etree.XMLSyntaxError as error:
        raise _fault(error, name) from error
    if getattr(root.getroottree().docinfo, "doctype", ""):
        raise _has_dtd(name)
    return root


def local_name(node: etree._Element) -> str:
    """The name of an element without its namespace."""
    return str(node.tag).rpartition("}")[2]


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
        remove_comments=True,
        remove_pis=True,
    )


def _has_dtd(name: str) -> BrokenDocument:
    return BrokenDocument(f"The document's part '{quoted(name)}' has a DTD, which is refused")


def _fault(error: etree.XMLSyntaxError, name: str) -> BrokenDocument | DocumentTooLarge:
    shown, code = quoted(name), getattr(error, "code", 0)
    if code in _BOUNDS:
        return DocumentTooLarge(
            f"The document's part '{shown}' is beyond what is read: it is nested deeper than 256 "
            "elements, or has a text of over 10 MB"
        )
    if code == etree.ErrorTypes.ERR_NO_MEMORY:
        return DocumentTooLarge("The document needs more memory than it may have")
    return BrokenDocument(f"The document's part '{shown}' is no XML: {quoted(str(error.msg))}")


__all__ = ["local_name", "tree_of"]
