"""The content of a message, as text or as parts, read the same way for every provider.

Parts come in the form of Chat Completions (`text`, `image_url`), of MCP (`image` with `data` and
`mimeType`) or of Anthropic (`image` with a `source`).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from nanobot.jsonvalue import JsonObject

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,", re.IGNORECASE)
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """An image: base64 `data` with its `media_type`, or an address. One of the two is ""."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    detail: str = ""

    @property
    def address(self) -> str:
        """The image as one URL, `data:` where it is carried."""
        return self.url or f"data:{self.media_type};base64,{self.data}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPart:
    """A part of another kind (a file, audio), as it came."""

    part: JsonObject


Part: TypeAlias = "TextPart | ImagePart | OtherPart"


def parts_of(content: object) -> list[Part]:
    """The parts of a message's content. Empty texts are left out: providers refuse them."""
    if content is None:
        return []
    if isinstance(content, str):
        return [TextPart(text=content)] if content else []
    if not isinstance(content, list):
        return [TextPart(text=_as_text(content))]
    parts = [_part_of(part) for part in content]
    return [part for part in parts if part != TextPart(text="")]


def text_of(content: object) -> str:
    """The text of a message's content, parts that are no text left out."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in parts_of(content) if isinstance(part, TextPart))


def _part_of(part: object) -> Part:
    if not isinstance(part, dict):
        return TextPart(text=part if isinstance(part, str) else _as_text(part))
    kind = part.get("type")
    if kind in _TEXT_TYPES or (kind is None and isinstance(part.get("text"), str)):
        return TextPart(text=str(part.get("text") or ""))
    image = _image_of(part) if kind in {"image_url", "image", "input_image"} else None
    return image or OtherPart(part=part)


def _image_of(part: JsonObject) -> ImagePart | None:
    source = part.get("source")
    if isinstance(source, dict):
        if source.get("type") == "url":
            return ImagePart(url=str(source.get("url") or ""))
        return _carried(source.get("media_type"), source.get("data"))
    if isinstance(part.get("data"), str):
        return _carried(part.get("mimeType"), part.get("data"))
    given = part.get("image_url")
    detail = part.get("detail")
    if isinstance(given, dict):
        detail, given = given.get("detail"), given.get("url")
    if not isinstance(given, str):
        return None
    return _addressed(given, detail if isinstance(detail, str) else "")


def _addressed(url: str, detail: str) -> ImagePart | None:
    prefix = _DATA_URL.match(url)
    if prefix is None:
        return ImagePart(url=url, detail=detail) if url.startswith(("http:", "https:")) else None
    return _carried(prefix.group(1) or "image/png", url[prefix.end() :], detail)


def _carried(media_type: object, data: object, detail: str = "") -> ImagePart | None:
    if not (isinstance(media_type, str) and isinstance(data, str) and data):
        return None
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return ImagePart(media_type=media_type.lower(), data=data, detail=detail)


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


__all__ = ["ImagePart", "OtherPart", "Part", "TextPart", "parts_of", "text_of"]
