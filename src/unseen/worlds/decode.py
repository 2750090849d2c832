"""From the bytes of an image file to pixels, whatever wrote it.

EXIF rotation is applied; alpha is composited on ``background``; 16-bit grey is scaled (65535 becomes 255), not clipped;
palettes, 1-bit, CMYK, LAB become RGB; of an animation the first frame is taken. Colour profiles are not applied.
What cannot be decoded raises :class:`Unreadable` with the reason.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

import numpy as np
from jaxtyping import UInt8
from PIL import Image, ImageColor, ImageOps

from unseen.vocabulary.errors import UnseenError, unknown
from unseen.worlds.paths import Unreadable

Resize = Literal["squash", "crop", "pad"]
RESIZES: tuple[Resize, ...] = ("squash", "crop", "pad")
MOST_PIXELS = 100_000_000  # a larger picture is a mistake or an attack
SUFFIXES = frozenset(
    (".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".ppm", ".pgm", ".pbm", ".pnm")
    + (".jp2", ".avif", ".heic", ".heif")
)
# Pillow knows more, and hands PostScript, whatever its file is called, to another program (Ghostscript).
FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF", "PPM", "JPEG2000", "AVIF", "HEIF")
_OTHERS = {b"%!PS": "PostScript", b"\xc5\xd0\xd3\xc6": "PostScript", b"%PDF": "a PDF", b"8BPS": "a Photoshop file"}
_SIXTEEN_BIT = ("I;16", "I;16B", "I;16L", "I;16N")


@dataclass(frozen=True)
class Decoding:
    """How files become pixels: part of a world's fingerprint.

    ``squash`` scales both sides to ``size`` (height, width) as they are; ``crop`` keeps the shape and cuts the
    centre; ``pad`` keeps all and fills up with ``background``. Scaling is antialiased bilinear, as torchvision's.
    """

    size: tuple[int, int]
    channels: int = 3
    resize: Resize = "squash"
    background: str = "white"

    def __post_init__(self) -> None:
        if self.resize not in RESIZES:
            raise unknown("way to resize", self.resize, RESIZES)
        if self.channels not in (1, 3):
            raise UnseenError(f"channels={self.channels}; possible: 1 (grey) or 3 (RGB).")
        if min(self.size) < 1:
            raise UnseenError(f"size={self.size}; an image needs at least one pixel each way.")
        try:
            ImageColor.getrgb(self.background)
        except ValueError:
            raise UnseenError(f"background '{self.background}' is no colour; try 'white' or '#808080'.") from None

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.channels, *self.size)


@contextmanager
def quiet(library: str = "PIL") -> Iterator[None]:
    """Pillow (or trimesh) warns and logs about what we list by name. Enter once, around the threads: the filters are
    the process's own."""
    logger = logging.getLogger(library)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def opened(data: bytes) -> Image.Image:
    """The picture behind some bytes, its header read and no more."""
    if not data:
        raise Unreadable("the file is empty")
    heic = data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
    if heic and not _heic():
        raise Unreadable("HEIC needs the extra 'heic': uv add 'unseen[heic]', or pip install 'unseen[heic]'")
    try:
        Image.init()  # registers all formats, once; a build of Pillow may lack some
        image = Image.open(BytesIO(data), formats=[form for form in FORMATS if form in Image.OPEN])
    except Image.DecompressionBombError:
        raise Unreadable(f"more than {MOST_PIXELS:,} pixels") from None
    except Exception as fault:
        if not isinstance(fault, Image.UnidentifiedImageError):
            raise Unreadable(f"broken header: {_said(fault)}") from None
        other = _OTHERS.get(data[:4])
        raise Unreadable(f"{other}, not an image" if other else "not an image") from None
    if image.width * image.height > MOST_PIXELS:
        raise Unreadable(f"{image.width}×{image.height} is more than {MOST_PIXELS:,} pixels")
    return image


def upright_size(image: Image.Image) -> tuple[int, int]:
    """(height, width) as a viewer shows it, after the camera's rotation."""
    try:
        turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    except Exception:  # broken EXIF is no reason to refuse a good picture
        turned = False
    return (image.width, image.height) if turned else (image.height, image.width)


def decode(data: bytes, how: Decoding) -> UInt8[np.ndarray, "channels height width"]:
    """Pixels of one file. Call it within :func:`quiet`."""
    image = opened(data)
    try:
        # A large JPEG is decoded at the nearest eighth still twice as large as wanted: several times faster.
        image.draft(image.mode, (2 * max(how.size), 2 * max(how.size)))
        image.load()
        with_rotation = _upright(image)
        flat = _flat(with_rotation, how.background)
        sized = _sized(flat, how)
        pixels = np.asarray(sized.convert("RGB" if how.channels == 3 else "L"))
    except Unreadable:
        raise
    except Exception as fault:
        raise Unreadable(_said(fault)) from None
    return np.ascontiguousarray(pixels[None] if how.channels == 1 else pixels.transpose(2, 0, 1))


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except Exception:
        return image


def _flat(image: Image.Image, background: str) -> Image.Image:
    """8 bits per channel, no alpha: RGB or L."""
    if image.mode in _SIXTEEN_BIT or image.mode in ("I", "F"):
        return Image.fromarray(_eight_bits(image))
    if "A" in image.mode or "a" in image.mode or "transparency" in image.info:
        layered = image.convert("RGBA")
        ground = Image.new("RGBA", layered.size, (*ImageColor.getrgb(background)[:3], 255))
        return Image.alpha_composite(ground, layered).convert("RGB")
    return image if image.mode in ("RGB", "L") else image.convert("L" if image.mode == "1" else "RGB")


def _eight_bits(image: Image.Image) -> UInt8[np.ndarray, "height width"]:
    values = np.asarray(image).astype(np.float64)
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    if not (np.isfinite(low) and np.isfinite(high)) or low < 0 or high > 65535:
        raise Unreadable(f"values from {low:g} to {high:g}; save it with 8 or 16 bits per channel")
    if image.mode == "F":
        scale = 255.0 if high <= 1 else 1.0 if high <= 255 else 1 / 257
    else:
        scale = 1 / 257
    return np.rint(values * scale).astype(np.uint8)


def _sized(image: Image.Image, how: Decoding) -> Image.Image:
    wanted = (how.size[1], how.size[0])
    if image.size == wanted:
        return image
    if how.resize == "squash":
        return image.resize(wanted, Image.Resampling.BILINEAR)
    if how.resize == "crop":
        return ImageOps.fit(image, wanted, Image.Resampling.BILINEAR)
    colour = ImageColor.getcolor(how.background, image.mode)
    return ImageOps.pad(image, wanted, Image.Resampling.BILINEAR, color=colour)


def _said(fault: BaseException) -> str:
    return " ".join(str(fault).split())[:160] or type(fault).__name__


def _heic() -> bool:
    try:
        import pillow_heif  # pyright: ignore[reportMissingImports]
    except ImportError:
        return False
    pillow_heif.register_heif_opener()
    return True
