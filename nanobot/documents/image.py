"""Pictures scaled to what models accept, with Pillow."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from typing import BinaryIO

from PIL import Image, ImageOps, UnidentifiedImageError

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.plaintext import one_line

LONGEST_SIDE = 1568
"""In pixels; what is larger is scaled down."""
_MOST_PIXELS = 100_000_000
_MOST_BYTES = 3_700_000
_KEPT = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_PHOTOS = ("JPEG", "MPO")
_SCALED_AS_THEY_ARE = ("L", "LA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB")
_ORIENTATION = 0x0112
_WHITE_OF_16_BITS = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as a data URL, and what it was: a line for the model."""

    url: str
    line: str


def read_image(file: BinaryIO) -> Picture:
    """The picture, turned as its EXIF says, at most 1,568 pixels long; of a film the first frame.

    Raises:
        BrokenDocument: it is damaged, or of another kind than PNG, JPEG, GIF, WebP, BMP, TIFF.
        DocumentTooLarge: it has more than 100 million pixels.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(file, formats=_FORMATS)
        if image.width * image.height > _MOST_PIXELS:
            raise DocumentTooLarge(
                f"The picture has {image.width:,} × {image.height:,} pixels; "
                f"at most {_MOST_PIXELS:,} in all can be read",
                hint="Ask the person for a smaller one.",
            )
        return _picture(image, file)
    except UnidentifiedImageError as error:  # its text names an object of Python's
        raise BrokenDocument("The picture is damaged: its head can't be read") from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise BrokenDocument(f"The picture is damaged: {one_line(str(error))}") from error
    except Image.DecompressionBombError as error:
        raise DocumentTooLarge("The picture has too many pixels") from error


def _picture(image: Image.Image, file: BinaryIO) -> Picture:
    kind, size = image.format or "", image.size
    frames = getattr(image, "n_frames", 1) if kind != "MPO" else 1
    turned = image.getexif().get(_ORIENTATION, 1) != 1
    if max(size) <= LONGEST_SIDE and not turned and frames == 1 and _is_plain(image):
        data = _as_it_is(image, file)
        if data:
            return Picture(url=_url(_KEPT[kind], data), line=_line(kind, size, size, frames))
    if image.mode in _SCALED_AS_THEY_ARE:  # a JPEG is decoded in a smaller size
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    made = _eight_bits(ImageOps.exif_transpose(image))
    made.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    media, data = _encoded(made, photo=kind in _PHOTOS)
    return Picture(url=_url(media, data), line=_line(kind, size, made.size, frames))


def _is_plain(image: Image.Image) -> bool:
    return image.format in _KEPT and image.mode in ("1", "L", "LA", "P", "RGB", "RGBA")


def _as_it_is(image: Image.Image, file: BinaryIO) -> bytes:
    """The bytes of a sound picture; none where they are too many."""
    image.load()
    file.seek(0)
    data = file.read(_MOST_BYTES + 1)
    return data if len(data) <= _MOST_BYTES else b""


def _eight_bits(image: Image.Image) -> Image.Image:
    """The picture in grey or colours of 8 bits, with transparency where it has some."""
    if image.mode in ("L", "LA", "RGB", "RGBA"):
        return image
    if image.mode.startswith(("I", "F")):
        return _grey(image)
    if image.mode in ("P", "PA"):
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image.convert("L" if image.mode == "1" else "RGB")


def _grey(image: Image.Image) -> Image.Image:
    """Greys of 8 bits out of 16; out of others, whose range is free, by what is in the picture."""
    low, high = image.getextrema() if image.mode in ("I", "F") else (0, _WHITE_OF_16_BITS)
    if isinstance(low, tuple) or isinstance(high, tuple):
        raise TypeError
    scale = 255 / ((high - low) or 1)
    return image.convert("F").point(lambda grey: grey * scale - low * scale).convert("L")


def _encoded(image: Image.Image, *, photo: bool) -> tuple[str, bytes]:
    if not photo:
        room = io.BytesIO()
        image.save(room, "PNG")
        if len(room.getvalue()) <= _MOST_BYTES:
            return "image/png", room.getvalue()
    room = io.BytesIO()
    _on_white(image).save(room, "JPEG", quality=85)
    return "image/jpeg", room.getvalue()


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode not in ("LA", "RGBA"):
        return image.convert("RGB")
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image.convert("RGBA")).convert("RGB")


def _url(media: str, data: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"


def _line(kind: str, size: tuple[int, int], shown: tuple[int, int], frames: int) -> str:
    scaled = "" if shown == size else f", shown at {shown[0]} × {shown[1]}"
    first = f", the first of {frames} frames" if frames > 1 else ""
    return f"{kind} picture, {size[0]} × {size[1]} pixels{scaled}{first}"


__all__ = ["LONGEST_SIDE", "Picture", "read_image"]
