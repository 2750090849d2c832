"""What may lie behind and around a scene: Radiance sky maps and folders of photos.

A sky map is equirectangular: its left edge to its right edge is one turn, its top row looks up. Radiance files (.hdr)
hold linear light as shared-exponent bytes (Ward 1991, "Real pixels", Graphics Gems II), either plain or run-length
coded per channel; both are read here with numpy alone. A ``u8`` version is tone-mapped for show.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
from jaxtyping import Float32, UInt8

from unseen.vocabulary.errors import UnseenError, listed

_SIZE = re.compile(rb"([-+])([XY])\s+(\d+)\s+([-+])([XY])\s+(\d+)\s*")
MOST_PIXELS = 200_000_000


def read_sky(path: str | Path) -> Float32[np.ndarray, "h w 3"]:
    """A Radiance picture as linear float32, top row first."""
    file = Path(path).expanduser()
    try:
        data = file.read_bytes()
    except OSError as fault:
        raise UnseenError(f"the sky map '{file}' cannot be read: {fault.strerror or fault}.") from None
    try:
        height, width, start = _header(data)
        return _linear(_pixels(np.frombuffer(data, np.uint8, offset=start), height, width))
    except _Broken as fault:
        raise UnseenError(f"'{file}' is no whole Radiance .hdr picture: {fault}.") from None


def shown(linear: np.ndarray, exposure: float | None = None) -> UInt8[np.ndarray, "h w 3"]:
    """Linear light as uint8 sRGB. Without an ``exposure`` the geometric mean becomes 0.3, a bright middle grey;
    highlights are rolled off with a white point of 4 (both after Reinhard et al. 2002), so that a sun stays a sun."""
    light = np.maximum(np.asarray(linear, np.float32), 0)
    if exposure is None:
        exposure = 0.3 / float(np.exp(np.log(light.mean(-1) + 1e-4).mean()))
    x = light * np.float32(exposure)
    x = x * (1 + x / 16) / (1 + x)
    x = np.clip(x, 0, 1)
    encoded = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(np.maximum(x, 1e-9), 1 / 2.4) - 0.055)
    return np.rint(encoded * 255).astype(np.uint8)


def smaller(linear: np.ndarray, height: int) -> Float32[np.ndarray, "h w 3"]:
    """A map of ``height`` × twice that, by averaging whole blocks: light is kept, a resized sun does not vanish."""
    rows = np.array_split(np.asarray(linear, np.float32), min(height, len(linear)))
    short = np.stack([part.mean(0) for part in rows])
    columns = np.array_split(short, min(2 * height, short.shape[1]), axis=1)
    return np.stack([part.mean(1) for part in columns], axis=1)


def folder_of_pictures(
    root: str | Path, *, side: int = 256, most: int | None = None
) -> tuple[dict[str, np.ndarray], list[tuple[str, str]]]:
    """The photos below a folder as backgrounds: the middle square of each, ``[side, side, 3]`` uint8, by relative path
    in order; and files that cannot be read, with the reason. ``most`` takes the first that many."""
    pictures: dict[str, np.ndarray] = {}
    problems = []
    for name, found in _photos(root, side):
        if isinstance(found, str):
            problems.append((name, found))
        else:
            pictures[name] = found
        if len(pictures) == most:
            break
    _some(root, pictures, problems)
    return pictures, problems


def described(root: str | Path, *, side: int = 256) -> tuple[tuple[str, ...], str, list[tuple[str, str]]]:
    """Of the same photos: names, the hash of their pixels, and files that cannot be read. One is held at a time."""
    digest = hashlib.blake2b(digest_size=16)
    names, problems = [], []
    for name, found in _photos(root, side):
        if isinstance(found, str):
            problems.append((name, found))
        else:
            names.append(name)
            digest.update(found.data)
    _some(root, names, problems)
    return tuple(names), digest.hexdigest(), problems


def _photos(root: str | Path, side: int) -> Iterator[tuple[str, np.ndarray | str]]:
    """Each photo below a folder by relative path, or why it cannot be read."""
    from unseen.worlds.decode import SUFFIXES, Decoding, Unreadable, decode, quiet

    base = _folder(root)
    how = Decoding((side, side), resize="crop")
    for file in sorted(base.rglob("*")):
        parts = file.relative_to(base).parts
        if file.suffix.lower() not in SUFFIXES or any(part.startswith(".") for part in parts) or not file.is_file():
            continue
        found: np.ndarray | str
        try:
            with quiet():
                found = np.ascontiguousarray(decode(file.read_bytes(), how).transpose(1, 2, 0))
        except Unreadable as fault:
            found = str(fault)
        except OSError as fault:
            found = f"cannot be read: {fault.strerror}"
        yield "/".join(parts), found


def _some(root: str | Path, found: Collection[object], problems: list[tuple[str, str]]) -> None:
    if not found:
        raise UnseenError(
            f"no picture to show behind things below {_folder(root)}; looked for files such as .png, .jpg, .webp."
            + _reasons(problems)
        )


def _folder(root: str | Path) -> Path:
    base = Path(root).expanduser()
    if not base.is_dir():
        kind = "is a file" if base.exists() else "does not exist"
        raise UnseenError(f"'{base}' {kind}; give the folder that holds the backgrounds.")
    return base.resolve()


def _reasons(problems: list[tuple[str, str]]) -> str:
    if not problems:
        return ""
    return f" {len(problems)} cannot be read: {listed([f'{name} ({reason})' for name, reason in problems], 10)}."


class _Broken(Exception):
    """The bytes are not what the format says."""


def _header(data: bytes) -> tuple[int, int, int]:
    """Height, width, and where the pixels begin."""
    if not data.startswith((b"#?RADIANCE", b"#?RGBE")):
        raise _Broken("it does not begin with #?RADIANCE")
    end = data.find(b"\n\n")
    stop = data.find(b"\n", end + 2)
    if end < 0 or stop < 0:
        raise _Broken("its header has no end")
    form = [line for line in data[:end].split(b"\n") if line.startswith(b"FORMAT=")]
    if form and form[0] != b"FORMAT=32-bit_rle_rgbe":
        raise _Broken(f"its pixels are {form[0][7:].decode(errors='replace')}; only 32-bit_rle_rgbe is read")
    found = _SIZE.fullmatch(data[end + 2 : stop])
    if not found or (found[1], found[2], found[4], found[5]) != (b"-", b"Y", b"+", b"X"):
        raise _Broken(f"its size reads {data[end + 2 : stop][:40]!r}; '-Y height +X width' is read")
    height, width = int(found[3]), int(found[6])
    if not 0 < height * width <= MOST_PIXELS:
        raise _Broken(f"it claims {width}×{height} pixels")
    return height, width, stop + 1


def _pixels(data: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bytes ``[height, width, 4]``. A line that begins with 2, 2 and its width is coded channel by channel."""
    coded = 8 <= width < 32768 and len(data) >= 4 and data[0] == 2 and data[1] == 2 and data[2] < 128
    if not coded:
        if len(data) < height * width * 4:
            raise _Broken(f"it ends after {len(data) // (4 * width)} of {height} lines")
        return data[: height * width * 4].reshape(height, width, 4)
    out = np.empty((height, 4, width), np.uint8)
    raw, at = data.tobytes(), 0
    for line in range(height):
        head = raw[at : at + 4]
        if len(head) < 4:
            raise _Broken(f"it ends after {line} of {height} lines")
        if head[:2] != b"\x02\x02" or head[2] * 256 + head[3] != width:
            raise _Broken(f"line {line} has no valid start")
        at += 4
        for channel in range(4):
            at = _channel(raw, at, out[line, channel], line, height)
    return out.transpose(0, 2, 1)


def _channel(raw: bytes, at: int, row: np.ndarray, line: int, height: int) -> int:
    """One channel of one line, from runs (above 128: the next byte, that often less 128) and plain stretches."""
    x, width = 0, len(row)
    while x < width:
        count = raw[at] if at < len(raw) else 0
        run = count > 128
        n = count - 128 if run else count
        if n == 0 or at + 1 + (1 if run else n) > len(raw):
            raise _Broken(f"it ends after {line} of {height} lines")
        if x + n > width:
            raise _Broken(f"line {line} is longer than its {width} pixels")
        if run:
            row[x : x + n] = raw[at + 1]
            at += 2
        else:
            row[x : x + n] = np.frombuffer(raw, np.uint8, n, at + 1)
            at += 1 + n
        x += n
    return at


def _linear(rgbe: np.ndarray) -> np.ndarray:
    """Mantissas times their shared power of two; exponent 0 is black. Without Ward's half: as OpenCV and imageio do."""
    scale = np.ldexp(np.float32(1), rgbe[..., 3:].astype(np.int32) - 136)
    return np.where(rgbe[..., 3:] > 0, rgbe[..., :3].astype(np.float32) * scale, np.float32(0)).astype(np.float32)
