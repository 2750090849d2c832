"""Every kind of file people have becomes the picture they see, and what is broken is named."""

import importlib.util
import io
import warnings

import numpy as np
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.decode import Decoding, Unreadable, decode, opened, quiet, upright_size
from unseen.worlds.scan import inspect, whole

RED = (200, 30, 30)


def picture(width=8, height=8, left=RED, right=(20, 40, 220)):
    """Red on the left, blue on the right."""
    image = Image.new("RGB", (width, height), left)
    image.paste(right, (width // 2, 0, width, height))
    return image


def data(image, form="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def pixels(raw, **options):
    with quiet():
        return decode(raw, Decoding(**{"size": (8, 8), **options}))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "PPM"])
def test_ordinary_formats_keep_their_colours(form):
    found = pixels(data(picture(), form, **({"quality": 95, "subsampling": 0} if form == "JPEG" else {})))
    assert found.shape == (3, 8, 8)
    assert found.dtype == np.uint8
    assert np.abs(found[:, 4, 1].astype(int) - RED).max() < 25


def test_exif_rotation_is_applied():
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rotate 270 degrees to view
    raw = data(picture(8, 4), "JPEG", exif=exif, quality=95)
    with quiet():
        assert upright_size(opened(raw)) == (8, 4)
    found = pixels(raw, size=(8, 4))
    assert found[0, 1].min() > 150  # red above
    assert found[2, 6].min() > 150  # blue below


def test_alpha_shows_the_background():
    clear = Image.new("RGBA", (8, 8), (200, 30, 30, 0))
    assert pixels(data(clear)).min() == 255
    assert pixels(data(clear), background="black").max() == 0
    half = Image.new("RGBA", (8, 8), (0, 0, 0, 128))
    assert 120 < pixels(data(half)).mean() < 135
    assert pixels(data(half.convert("LA"))).shape == (3, 8, 8)


def test_a_palette_with_a_transparent_colour_is_composited():
    image = Image.new("P", (8, 8), 1)
    image.putpalette([0, 0, 0, 10, 200, 10])
    assert pixels(data(image))[1].min() == 200
    assert pixels(data(image, transparency=1)).min() == 255


@pytest.mark.parametrize(("value", "expected"), [(0, 0), (65535, 255), (257 * 100, 100), (32768, 128)])
@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_sixteen_bit_grey_is_scaled_not_clipped(form, value, expected):
    raw = data(Image.fromarray(np.full((8, 8), value, np.uint16)), form)
    assert (pixels(raw) == expected).all()


def test_one_bit_cmyk_grey_and_float_pictures_become_rgb():
    assert set(np.unique(pixels(data(Image.new("1", (8, 8), 1))))) == {255}
    assert np.abs(pixels(data(picture().convert("CMYK"), "TIFF"))[:, 4, 1].astype(int) - RED).max() < 3
    grey = pixels(data(Image.new("L", (8, 8), 77)))
    assert grey.shape == (3, 8, 8)
    assert (grey == 77).all()
    assert (pixels(data(Image.fromarray(np.full((8, 8), 0.5, np.float32)), "TIFF")) == 128).all()
    with pytest.raises(Unreadable, match="-3"):
        pixels(data(Image.fromarray(np.full((8, 8), -3, np.float32)), "TIFF"))


def test_the_first_frame_of_an_animation_is_taken():
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    found = pixels(data(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert found[0].min() > 240
    assert found[2].max() < 15


@pytest.mark.parametrize(("resize", "red_share"), [("squash", 0.5), ("crop", 0.5), ("pad", 0.25)])
def test_the_ways_to_resize(resize, red_share):
    found = pixels(data(picture(32, 16)), resize=resize, size=(16, 16))
    red = (found[0] > 150) & (found[2] < 100)
    assert abs(red.mean() - red_share) < 0.08
    if resize == "pad":
        assert (found[:, 0] == 255).all()


def test_one_channel_is_grey_on_request():
    assert pixels(data(picture()), channels=1).shape == (1, 8, 8)


def test_a_large_jpeg_is_decoded_small_and_looks_the_same():
    ramp = np.linspace(0, 255, 640).astype(np.uint8)[None, :, None].repeat(480, 0).repeat(3, 2)
    found = pixels(data(Image.fromarray(ramp), "JPEG", quality=95), size=(24, 32))
    assert np.abs(found[0, 12].astype(int) - np.linspace(4, 251, 32)).max() < 6


def broken():
    png, jpeg = data(picture(64, 64)), data(picture(64, 64), "JPEG")
    noise = data(Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)), "WEBP")
    heic = b"\0\0\0\x18ftypheic" + b"\0" * 64
    return {
        "empty": b"", "text": b"no image at all", "png": png[: len(png) // 2], "jpeg": jpeg[: len(jpeg) // 2],
        "webp": noise[: len(noise) // 2], "tiff": data(picture(64, 64), "TIFF")[:9000], "heic": heic,
        "header": png[:20],
    }  # fmt: skip


@pytest.mark.parametrize("kind", broken())
def test_broken_files_are_found_when_scanning(kind, tmp_path):
    path = tmp_path / "x.png"
    path.write_bytes(broken()[kind])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with quiet():
            problem = inspect(path)[3]
            assert problem
            with pytest.raises(Unreadable):
                decode(broken()[kind], Decoding((8, 8)))
    if kind == "heic" and importlib.util.find_spec("pillow_heif") is None:
        assert "unseen[heic]" in problem


def test_sound_files_have_no_problem(tmp_path):
    for form in ("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"):
        (tmp_path / form).write_bytes(data(picture(20, 10), form))
        with quiet():
            assert inspect(tmp_path / form)[1:4] == (10, 20, "")
    assert whole(data(picture(), "JPEG") + b"\0\0", "JPEG")


def test_a_picture_of_too_many_pixels_is_refused(monkeypatch):
    monkeypatch.setattr("unseen.worlds.decode.MOST_PIXELS", 63)
    with pytest.raises(Unreadable, match="8×8 is more than 63"):
        pixels(data(picture()))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    with pytest.raises(Unreadable, match="pixels"):
        pixels(data(picture()))


@pytest.mark.parametrize("wrong", [{"resize": "stretch"}, {"channels": 2}, {"size": (0, 4)}, {"background": "nowhite"}])
def test_wrong_settings_are_explained(wrong):
    with pytest.raises(UnseenError):
        Decoding(**{"size": (8, 8), **wrong})
