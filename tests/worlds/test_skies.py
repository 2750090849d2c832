"""Sky maps and folders of photos. Radiance files are written here in the true format and by Mitsuba."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.rendering.skies import folder_of_pictures, read_sky, shown, smaller

SHARED = Path(__file__).resolve().parents[3] / Path("shared/data/hdri_cc0")


def rgbe(values: np.ndarray) -> np.ndarray:
    """Shared-exponent bytes, as Ward's float2rgbe writes them."""
    largest = values.max(-1)
    _, exponent = np.frexp(largest)
    scale = np.where(largest > 1e-32, np.ldexp(256.0, -exponent), 0)
    mantissa = (values * scale[..., None]).astype(np.uint8)
    return np.concatenate([mantissa, np.where(largest > 1e-32, exponent + 128, 0).astype(np.uint8)[..., None]], -1)


def run_length(row: bytes) -> bytes:
    """One channel of one line: runs of three and more, stretches of up to 128 plain bytes."""
    out, at, plain = b"", 0, b""
    while at < len(row):
        n = 1
        while at + n < len(row) and row[at + n] == row[at] and n < 127:
            n += 1
        if n >= 3:
            out += (bytes([len(plain)]) + plain if plain else b"") + bytes([128 + n, row[at]])
            plain = b""
        else:
            plain += row[at : at + n]
            while len(plain) > 128:
                out, plain = out + bytes([128]) + plain[:128], plain[128:]
        at += n
    return out + (bytes([len(plain)]) + plain if plain else b"")


def write_hdr(path: Path, values: np.ndarray, *, coded: bool = True) -> np.ndarray:
    data = rgbe(values)
    height, width = values.shape[:2]
    head = b"#?RADIANCE\n# by a test\nEXPOSURE=1\nFORMAT=32-bit_rle_rgbe\n\n" + f"-Y {height} +X {width}\n".encode()
    body = data.tobytes()
    if coded:
        start = bytes([2, 2, width >> 8, width & 255])
        body = b"".join(start + b"".join(run_length(line[:, c].tobytes()) for c in range(4)) for line in data)
    path.write_bytes(head + body)
    return data


@pytest.fixture
def values() -> np.ndarray:
    rng = np.random.default_rng(0)
    found = rng.random((12, 300, 3)) * rng.choice([1e-4, 1.0, 5000.0], (12, 300, 1))
    found[3:6] = 0.25  # long runs
    found[7] = 0.0
    return found


@pytest.mark.parametrize("coded", [True, False])
def test_a_written_map_is_read_to_the_last_bit(tmp_path: Path, values: np.ndarray, coded: bool) -> None:
    data = write_hdr(tmp_path / "sky.hdr", values, coded=coded)
    found = read_sky(tmp_path / "sky.hdr")
    by_hand = data[..., :3] * 2.0 ** (data[..., 3:].astype(float) - 136) * (data[..., 3:] > 0)
    assert found.dtype == np.float32
    assert np.array_equal(found, by_hand.astype(np.float32))
    assert np.all(np.abs(found - values) <= values.max(-1, keepdims=True) / 128 + 1e-30)


def test_mitsuba_reads_and_writes_the_same_light(tmp_path: Path, values: np.ndarray) -> None:
    mi = pytest.importorskip("mitsuba")
    mi.set_variant("scalar_rgb")
    write_hdr(tmp_path / "ours.hdr", values)
    assert np.array_equal(np.array(mi.Bitmap(str(tmp_path / "ours.hdr"))), read_sky(tmp_path / "ours.hdr"))
    mi.Bitmap(values.astype(np.float32)).write(str(tmp_path / "theirs.hdr"))
    assert np.array_equal(np.array(mi.Bitmap(str(tmp_path / "theirs.hdr"))), read_sky(tmp_path / "theirs.hdr"))


@pytest.mark.parametrize("coded", [True, False])
def test_a_truncated_map_is_refused_with_the_line_it_ends_at(tmp_path: Path, values: np.ndarray, coded: bool) -> None:
    path = tmp_path / "sky.hdr"
    write_hdr(path, values, coded=coded)
    whole = path.read_bytes()
    for share in (0.3, 0.9, 0.999):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(UnseenError, match=r"ends after \d+ of 12 lines"):
            read_sky(path)


def test_other_files_are_refused_by_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "sky.hdr"
    for data, reason in (
        (b"", "does not begin"),
        (b"\x89PNG", "does not begin"),
        (b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe", "no end"),
        (b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 2\n", "xyze"),
        (b"#?RADIANCE\n\n+X 2 +Y 2\n", "height"),
        (b"#?RADIANCE\n\n-Y 999999 +X 999999\n", "999999"),
    ):
        path.write_bytes(data)
        with pytest.raises(UnseenError, match=reason):
            read_sky(path)
    with pytest.raises(UnseenError, match="cannot be read"):
        read_sky(tmp_path / "none.hdr")


def test_shown_keeps_order_and_halving_keeps_light(values: np.ndarray) -> None:
    ramp = np.linspace(0, 50, 64, dtype=np.float32)[:, None, None] * np.ones((64, 128, 3), np.float32)
    picture = shown(ramp)
    assert picture.dtype == np.uint8
    assert (np.diff(picture[:, 0, 0].astype(int)) >= 0).all()
    assert np.isclose(smaller(ramp, 16).mean(), ramp.mean(), rtol=1e-5)
    assert smaller(ramp, 16).shape == (16, 32, 3)
    assert smaller(values.astype(np.float32), 256).shape == (12, 300, 3), "nothing is enlarged"


def test_folders_list_what_cannot_be_read_and_refuse_to_be_empty(tmp_path: Path) -> None:
    from PIL import Image

    with pytest.raises(UnseenError, match="no picture"):
        folder_of_pictures(tmp_path)
    with pytest.raises(UnseenError, match="does not exist"):
        folder_of_pictures(tmp_path / "nowhere")
    (tmp_path / "b").mkdir()
    Image.new("RGB", (60, 30), (200, 10, 10)).save(tmp_path / "b" / "red.png")
    Image.new("L", (20, 40), 77).save(tmp_path / "a.jpg")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG nothing")
    pictures, problems = folder_of_pictures(tmp_path, side=16)
    assert list(pictures) == ["a.jpg", "b/red.png"]
    assert all(p.shape == (16, 16, 3) for p in pictures.values())
    assert pictures["b/red.png"][8, 8].tolist() == [200, 10, 10]
    assert [name for name, _ in problems] == ["broken.png"]
    assert list(folder_of_pictures(tmp_path, most=1)[0]) == ["a.jpg"]
    for file in tmp_path.rglob("*"):
        if file.suffix in (".png", ".jpg"):
            file.write_bytes(b"")
    with pytest.raises(UnseenError, match=r"3 cannot be read: a\.jpg"):
        folder_of_pictures(tmp_path)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no sky maps on this machine")
def test_real_maps_are_read(tmp_path: Path) -> None:
    skies = [read_sky(file) for file in sorted(SHARED.rglob("*.hdr"))]
    assert skies
    assert all(sky.shape == (512, 1024, 3) and sky.max() > 5 for sky in skies)
