"""Pictures scaled to what models accept, with Pillow."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from typing import BinaryIO

from PIL import Image, ImageOps, UnidentifiedImageError

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge

LONGEST_SIDE = 1568
"""In pixels; what is larger is scaled down."""
_MOST_PIXELS = 100_000_000
_MOST_BYTES = 3_700_000
_KEPT = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as a data URL, and what it was: a line for the model."""

    url: str
    line: str


def read_image(file: BinaryIO) -> Picture:
    """The picture, turned as its EXIF says, at most 1,568 pixels long; of a film the first frame.

    Raises:
        BrokenDocument: it is damaged or of a kind that Pillow does not know.
        DocumentTooLarge: it has more than 100 million pixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(file)
        if image.width * image.height > _MOST_PIXELS:
            raise DocumentTooLarge(
                f"The picture has {image.width:,} × {image.height:,} pixels; "
                f"at most {_MOST_PIXELS:,} in all can be read"
            )
        return _picture(image, file)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise BrokenDocument(f"The picture is damaged: {error}") from error
    except Image.DecompressionBombError as error:
        raise DocumentTooLarge("The picture has too many pixels") from error


def _picture(image: Image.Image, file: BinaryIO) -> Picture:
    kind, size = image.format or "", image.size
    frames = getattr(image, "n_frames", 1)
    turned = image.getexif().get(0x0112, 1) != 1
    fits = max(size) <= LONGEST_SIDE and not turned and frames == 1
    image.load()
    if fits and kind in _KEPT:
        file.seek(0)
        data = file.read(_MOST_BYTES + 1)
        if len(data) <= _MOST_BYTES:
            return Picture(url=_url(_KEPT[kind], data), line=_line(kind, size, size, frames))
    made = ImageOps.exif_transpose(image)
    made.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    media, data = _encoded(made, photo=kind == "JPEG")
    return Picture(url=_url(media, data), line=_line(kind, size, made.size, frames))


def _encoded(image: Image.Image, *, photo: bool) -> tuple[str, bytes]:
    if not photo:
        room = io.BytesIO()
        mode = image.mode if image.mode in ("1", "L", "LA", "P", "RGB", "RGBA") else "RGBA"
        image.convert(mode).save(room, "PNG")
        if len(room.getvalue()) <= _MOST_BYTES:
            return "image/png", room.getvalue()
    room = io.BytesIO()
    image.convert("RGB").save(room, "JPEG", quality=85)
    return "image/jpeg", room.getvalue()


def _url(media: str, data: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"


def _line(kind: str, size: tuple[int, int], shown: tuple[int, int], frames: int) -> str:
    scaled = "" if shown == size else f", shown at {shown[0]} × {shown[1]}"
    first = f", the first of {frames} frames" if frames > 1 else ""
    return f"{kind} picture, {size[0]} × {size[1]} pixels{scaled}{first}"


__all__ = ["LONGEST_SIDE", "Picture", "read_image"]
