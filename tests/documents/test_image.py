"""Pictures as content blocks."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from nanobot.documents.faults import BrokenDocument, DocumentTooLarge
from nanobot.documents.image import Picture, read_image


def saved(image: Image.Image, kind: str, **options: object) -> io.BytesIO:
    room = io.BytesIO()
    image.save(room, kind, **options)
    room.seek(0)
    return room


def shown(picture: Picture) -> Image.Image:
    """What a model sees of it."""
    return Image.open(io.BytesIO(data_of(picture)))


def data_of(picture: Picture) -> bytes:
    return base64.b64decode(picture.url.partition(",")[2])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_small_picture_comes_as_it_is(kind: str) -> None:
    file = saved(Image.new("RGB", (30, 20), "red"), kind)

    picture = read_image(file)

    assert data_of(picture) == file.getvalue()
    assert picture.url.startswith(f"data:image/{kind.lower()};base64,")
    assert picture.line == f"{kind} picture, 30 × 20 pixels"


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_a_kind_that_models_do_not_take_comes_as_png(kind: str) -> None:
    picture = read_image(saved(Image.new("RGB", (30, 20), "red"), kind))

    assert picture.url.startswith("data:image/png;base64,")
    assert shown(picture).getpixel((0, 0)) == (255, 0, 0)
    assert picture.line == f"{kind} picture, 30 × 20 pixels"


_MODES: dict[str, tuple[float | tuple[float, ...], object]] = {
    "1": (1, 255),
    "L": (200, 200),
    "LA": ((200, 255), (200, 255)),
    "RGBA": ((9, 200, 9, 255), (9, 200, 9, 255)),
    "CMYK": ((0, 255, 255, 0), (255, 0, 0)),
    "YCbCr": ((255, 128, 128), (255, 255, 255)),
    "I;16": (0xFFFF, 255),
    "I": (70_000, 0),
    "F": (0.5, 0),
}


@pytest.mark.parametrize("mode", _MODES)
def test_any_mode_of_colours_is_shown(mode: str) -> None:
    colour, expected = _MODES[mode]
    file = saved(Image.new(mode, (1_700, 20), colour), "TIFF")

    image = shown(read_image(file))

    assert image.size == (1_568, 18)
    assert image.getpixel((9, 9)) == expected


def test_greys_without_a_range_go_from_black_to_white() -> None:
    image = Image.new("F", (2, 1))
    image.putpixel((0, 0), -3.5)
    image.putpixel((1, 0), 8.25)

    made = shown(read_image(saved(image, "TIFF")))

    assert (made.getpixel((0, 0)), made.getpixel((1, 0))) == (0, 255)


def test_a_large_picture_is_scaled_and_its_size_told() -> None:
    picture = read_image(saved(Image.new("RGB", (4_000, 1_000), "red"), "JPEG"))

    assert shown(picture).size == (1_568, 392)
    assert picture.line == "JPEG picture, 4000 × 1000 pixels, shown at 1568 × 392"


def test_a_picture_is_turned_as_its_camera_says() -> None:
    turn = Image.Exif()
    turn[0x0112] = 6
    image = Image.new("RGB", (40, 20), "blue")
    image.paste("red", (0, 0, 20, 20))

    made = shown(read_image(saved(image, "JPEG", exif=turn, quality=100)))

    assert made.size == (20, 40)
    red, _, blue = made.convert("RGB").getpixel((10, 5))  # type: ignore[misc]  # three colours
    assert red > blue


def test_of_a_film_the_first_frame_comes() -> None:
    frames = [Image.new("RGB", (30, 20), colour) for colour in ("red", "green", "blue")]

    picture = read_image(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))

    assert shown(picture).convert("RGB").getpixel((0, 0)) == (255, 0, 0)
    assert picture.line == "GIF picture, 30 × 20 pixels, the first of 3 frames"


def test_a_picture_that_stays_too_large_comes_as_jpeg_on_white() -> None:
    noise = Image.effect_noise((1_500, 1_500), 200)
    image = Image.merge("RGBA", (noise, noise.rotate(90), noise.rotate(180), noise.rotate(270)))
    image.paste((0, 0, 0, 0), (0, 0, 64, 64))

    picture = read_image(saved(image, "PNG", compress_level=1))

    assert picture.url.startswith("data:image/jpeg;base64,")
    assert len(picture.url) < 5_000_000
    assert min(shown(picture).getpixel((20, 20))) > 250  # type: ignore[arg-type]


def test_too_many_pixels_are_refused_before_they_are_decoded() -> None:
    file = saved(Image.new("1", (12_000, 9_000)), "PNG")

    with pytest.raises(DocumentTooLarge, match="12,000 × 9,000 pixels; at most 100,000,000"):
        read_image(file)


_DAMAGED = {
    "cut": saved(Image.effect_noise((200, 200), 90), "PNG").getvalue()[:5_000],
    "empty": b"",
    "another kind": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
}


@pytest.mark.parametrize("data", _DAMAGED.values(), ids=_DAMAGED.keys())
def test_a_damaged_picture_is_told_in_one_line(data: bytes) -> None:
    with pytest.raises(BrokenDocument, match="damaged") as caught:
        read_image(io.BytesIO(data))

    assert "\n" not in caught.value.message
