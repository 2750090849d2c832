"""Official files in their true formats, written here small or hollow: read lazily, and refused when they are wrong."""

import importlib
import os
import pickle
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.worlds.cache_folder import cache_folder
from unseen.worlds.toys import archives, hdf
from unseen.worlds.toys.archive_files import archive
from unseen.worlds.toys.dsprites import FILE, dsprites
from unseen.worlds.toys.mpi3d import mpi3d
from unseen.worlds.toys.official import official
from unseen.worlds.toys.shapes3d import shapes3d

SPACE = FactorSpace({"shape": ("cube", "ball"), "scale": (0.5, 0.75, 1.0), "orientation": tuple(range(20))})  # 120 rows
GREY, COLOUR = (8, 8), (8, 8, 3)
RNG = np.random.default_rng(0)
SPRITES = RNG.integers(0, 2, (120, *GREY)).astype(np.uint8)
PHOTOS = RNG.integers(0, 256, (120, *COLOUR)).astype(np.uint8)
ROWS = np.array([7, 119, 0, 7, 8, 9, 64, 63, 3])


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def world(path, picture=COLOUR, member="images", **more):
    return official("toy", path, (path.name,), member, SPACE, picture, citation="us", licence="none", **more)


def sprites_file(folder: Path) -> Path:
    """As dSprites is: deflated, with latents beside the images."""
    path = folder / "sprites.npz"
    latents = SPACE.cells(np.arange(120))
    np.savez_compressed(path, metadata=np.array("words"), imgs=SPRITES, latents_classes=latents)
    return path


def photos_file(folder: Path) -> Path:
    """As MPI3D is: one array, stored."""
    path = folder / "photos.npz"
    np.savez(path, images=PHOTOS)
    return path


def shapes_file(folder: Path, **how) -> Path:
    """As 3D Shapes is: images and labels."""
    path = folder / "shapes.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("images", data=PHOTOS, **how)
        file["labels"] = SPACE.cells(np.arange(120)).astype(float)
    return path


H5 = [
    {},
    {"chunks": True},
    {"chunks": (50, 2, 4, 1), "compression": "gzip"},
    {"chunks": (1, 8, 8, 3), "compression": 9},
]


def test_a_deflated_archive_gives_its_pictures_black_and_white(tmp_path):
    toy = world(sprites_file(tmp_path), GREY, "imgs", binary=True)
    assert (toy.size, toy.channels, toy.name) == ((8, 8), 1, "toy-official")
    assert torch.equal(toy.images(ROWS), torch.from_numpy(SPRITES[ROWS] * 255)[:, None])
    assert toy.images(ROWS[:0]).shape == (0, 1, 8, 8)


def test_a_stored_archive_is_read_where_it_lies(tmp_path):
    toy = world(photos_file(tmp_path))
    assert torch.equal(toy.images(ROWS), torch.from_numpy(PHOTOS[ROWS]).permute(0, 3, 1, 2))
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("how", H5)
def test_an_h5_file_gives_its_pictures_packed_and_unpacked(tmp_path, how, monkeypatch):
    monkeypatch.setattr(hdf, "BUFFER", 7 * 192)  # seven pictures
    toy = world(shapes_file(tmp_path, **how))
    expected = torch.from_numpy(PHOTOS[ROWS]).permute(0, 3, 1, 2)
    assert torch.equal(toy.images(ROWS), expected)
    assert not (tmp_path / "cache").exists()
    toy.prepare()
    assert (tmp_path / "cache").exists() == bool(how)
    assert torch.equal(toy.images(ROWS), expected)
    assert torch.equal(toy.images(np.arange(120)), torch.from_numpy(PHOTOS).permute(0, 3, 1, 2))


def test_pictures_come_in_pieces_and_in_the_order_asked(tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.worlds.toys.official.PIECE", 5 * 192)
    toy = world(photos_file(tmp_path))
    rows = RNG.integers(0, 120, 100)
    assert torch.equal(toy.images(rows), torch.from_numpy(PHOTOS[rows]).permute(0, 3, 1, 2))
    assert torch.equal(pickle.loads(pickle.dumps(toy)).images(rows), toy.images(rows))


def test_inflating_happens_once_and_reports_progress(tmp_path):
    toy, told = world(sprites_file(tmp_path), GREY, "imgs"), []
    toy.prepare(progress=lambda done, total: told.append((done, total)))
    size = SPRITES.nbytes + 128
    assert told == [(size, size)]
    toy.prepare(progress=lambda done, total: told.append((done, total)))
    assert len(told) == 1
    assert [p.suffix for p in sorted((tmp_path / "cache/archives").iterdir())] == [".lock", ".npy"]


def test_a_cut_copy_in_the_cache_is_made_again(tmp_path):
    toy = world(sprites_file(tmp_path), GREY, "imgs")
    toy.prepare()
    copy = next((tmp_path / "cache/archives").glob("*.npy"))
    os.truncate(copy, 1000)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = copy.with_name(f".{copy.name}-{socket.gethostname()}-{gone.pid}-abcdef01.part")
    left.write_bytes(b"left by a process that was killed")
    assert torch.equal(toy.images(ROWS), torch.from_numpy(SPRITES[ROWS])[:, None])
    assert not list((tmp_path / "cache/archives").glob("*.part"))


def test_a_fingerprint_follows_the_content_not_the_place(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    one, other = world(photos_file(tmp_path)), world(photos_file(tmp_path / "elsewhere"))
    assert one.fingerprint == other.fingerprint
    changed = PHOTOS.copy()
    changed[57, 4, 4, 1] ^= 1
    np.savez(tmp_path / "photos.npz", images=changed)
    assert world(tmp_path / "photos.npz").fingerprint != one.fingerprint
    first = world(shapes_file(tmp_path)).fingerprint
    assert first == world(shapes_file(tmp_path / "elsewhere")).fingerprint
    with h5py.File(tmp_path / "shapes.h5", "r+") as file:
        file["images"][57, 4, 4, 1] ^= 1
    assert world(tmp_path / "shapes.h5").fingerprint != first


# --- what is refused -------------------------------------------------------------------------------------------------


def test_wrong_shapes_types_and_arrays_are_refused_when_opened(tmp_path):
    path = tmp_path / "wrong.npz"
    for arrays, why in (
        ({"images": PHOTOS[:119]}, "119 × 8 × 8 × 3; this world has 120 × 8 × 8 × 3"),
        ({"images": PHOTOS.astype(np.float32)}, "holds float32; pictures are uint8"),
        ({"pictures": PHOTOS, "labels": np.arange(3)}, "no array 'images', only pictures, labels"),
        ({"images": np.asfortranarray(PHOTOS)}, "column by column"),
        ({"images": np.float64(3)}, "a single number"),
    ):
        np.savez(path, **arrays)
        with pytest.raises(UnseenError, match=why):
            world(path)
    with h5py.File(tmp_path / "wrong.h5", "w") as file:
        file["images"] = PHOTOS[:, :4]
        file.create_group("labels")
    with pytest.raises(UnseenError, match="this world has"):
        world(tmp_path / "wrong.h5")
    with pytest.raises(UnseenError, match="no dataset 'labels', only images, labels"):
        world(tmp_path / "wrong.h5", member="labels")
    with pytest.raises(UnseenError, match="no dataset 'imgs'"):
        world(tmp_path / "wrong.h5", member="imgs")


@pytest.mark.parametrize("maker", [sprites_file, photos_file, shapes_file])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.999])
def test_a_truncated_file_is_refused_when_opened(tmp_path, maker, share):
    path = maker(tmp_path)
    os.truncate(path, int(path.stat().st_size * share))
    picture, member = (GREY, "imgs") if maker is sprites_file else (COLOUR, "images")
    with pytest.raises(UnseenError, match=r"fetch it again"):
        world(path, picture, member)


def test_damage_inside_a_deflated_member_is_found_when_it_is_inflated(tmp_path):
    path = sprites_file(tmp_path)
    with zipfile.ZipFile(path) as file:
        info = file.getinfo("imgs.npy")
    data = bytearray(path.read_bytes())
    middle = info.header_offset + info.compress_size - 40
    data[middle] ^= 0xFF
    path.write_bytes(data)
    toy = world(path, GREY, "imgs")
    with pytest.raises(UnseenError, match="damaged: 'imgs' does not inflate"):
        toy.images(ROWS)
    assert not list((tmp_path / "cache/archives").glob("*.npy"))
    assert not list((tmp_path / "cache/archives").glob("*.part"))


def test_a_file_cut_after_it_was_opened_is_an_error_not_a_crash(tmp_path):
    path = photos_file(tmp_path)
    toy = world(path)
    os.truncate(path, 5000)
    with pytest.raises(UnseenError, match="cut short or moved"):
        toy.images(np.array([110]))


def test_something_else_is_refused(tmp_path):
    path = tmp_path / "page.npz"
    path.write_text("<html>Not found</html>")
    with pytest.raises(UnseenError, match=r"neither an \.npz nor an \.h5"):
        world(path)


def test_a_full_disk_is_said_before_anything_is_written(tmp_path, monkeypatch):
    usage = archives.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(archives.shutil, "disk_usage", lambda place: usage._replace(free=1000))
    with pytest.raises(UnseenError, match=r"no room to unpack .*Set UNSEEN_CACHE"):
        world(sprites_file(tmp_path), GREY, "imgs").images(ROWS)
    assert not list((tmp_path / "cache/archives").glob("*.[np]*"))
    toy = world(shapes_file(tmp_path, chunks=True))  # which can be read without a copy
    toy.prepare()
    assert torch.equal(toy.images(ROWS), torch.from_numpy(PHOTOS[ROWS]).permute(0, 3, 1, 2))


def test_a_missing_or_ambiguous_file_is_named(tmp_path):
    with pytest.raises(UnseenError, match=f"no {FILE}"):
        dsprites(tmp_path)
    with pytest.raises(UnseenError, match=r"no mpi3d_real.npz or mpi3d_realistic.npz or mpi3d_toy.npz"):
        mpi3d(tmp_path)
    for name in ("mpi3d_real.npz", "mpi3d_toy.npz"):
        np.savez(tmp_path / name, images=PHOTOS)
    with pytest.raises(UnseenError, match=r"mpi3d_real.npz, mpi3d_toy.npz; name the one"):
        mpi3d(tmp_path)
    with pytest.raises(UnseenError, match=r"120 × 8 × 8 × 3; this world has 1,036,800 × 64 × 64 × 3"):
        mpi3d(tmp_path / "mpi3d_toy.npz")
    with pytest.raises(UnseenError, match=r"this world has 480,000 × 64 × 64 × 3"):
        shapes3d(shapes_file(tmp_path))


def test_without_h5py_the_fix_is_named(tmp_path, monkeypatch):
    path = shapes_file(tmp_path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(UnseenError, match=r"needs the package h5py, in the optional extra 'h5': uv sync --extra h5"):
        world(path)


# --- size ------------------------------------------------------------------------------------------------------------


class Hollow:
    """A file whose zeros are holes, so that gigabytes take no room on disk."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")

    def write(self, data: bytes) -> int:
        if len(data) > 2**20:
            return self.file.seek(len(data), os.SEEK_CUR) and len(data)
        return self.file.write(data)

    def __getattr__(self, name: str):
        return getattr(self.file, name)


def hollow_npz(path: Path, member: str, shape: tuple[int, ...], marks: dict[int, int], monkeypatch) -> None:
    """A stored ``.npz`` as numpy writes it, black but for the rows in ``marks``."""
    monkeypatch.setattr(zipfile, "crc32", lambda data, start=0: 12345)  # of gigabytes of zeros; nobody checks it here
    record, total = int(np.prod(shape[1:])), int(np.prod(shape))
    zeros = bytes(2**26)
    hollow = Hollow(path)
    with zipfile.ZipFile(hollow, "w") as file, file.open(f"{member}.npy", "w", force_zip64=True) as out:
        np.lib.format.write_array_header_1_0(out, {"descr": "|u1", "fortran_order": False, "shape": shape})
        start = hollow.tell()
        for place in range(0, total, len(zeros)):
            out.write(zeros[: min(len(zeros), total - place)])
    hollow.close()
    with path.open("r+b") as file:
        for row, value in marks.items():
            file.seek(start + row * record)
            file.write(bytes([value]) * record)


MEASURE = """
import resource, sys, numpy as np
from pathlib import Path
from unseen.worlds.toys.archive_files import archive
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = archive(Path(sys.argv[1]), "images", (1036800, 64, 64, 3))
rows = np.concatenate([np.random.default_rng(0).integers(0, 1036800, 2000), [1036799, 518400, 0]])
got = found.read(rows)
assert got[-3].max() == got[-3].min() == 9, got[-3]
assert got[-2].max() == got[-2].min() == 7 and not got[-1].any()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_twelve_gigabytes_are_read_in_a_hundred_megabytes(tmp_path, monkeypatch):
    path = tmp_path / "mpi3d_real.npz"
    hollow_npz(path, "images", (1_036_800, 64, 64, 3), {518_400: 7, 1_036_799: 9}, monkeypatch)
    assert path.stat().st_size > 12.7e9
    assert path.stat().st_blocks * 512 < 100e6, "this file system has no holes"
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100
    images = mpi3d(tmp_path).images(np.array([0, 518_400, 1_036_799]))
    assert images.shape == (3, 3, 64, 64)
    assert images.flatten(1).min(1).values.tolist() == images.flatten(1).max(1).values.tolist() == [0, 7, 9]


def test_the_official_dsprites_grid_is_read_at_its_own_indices(tmp_path, monkeypatch):
    cell = (2, 3, 11, 30, 4)
    row = int(np.ravel_multi_index(cell, (3, 6, 40, 32, 32)))
    hollow_npz(tmp_path / FILE, "imgs", (737_280, 64, 64), {row: 1}, monkeypatch)
    toy, ours = dsprites(tmp_path), dsprites()
    assert toy.samples.space == ours.samples.space
    assert tuple(toy.samples.cells(np.array([row]))[0]) == cell
    assert [int(picture.min()) for picture in toy.images(np.array([row - 1, row, row + 1]))] == [0, 255, 0]
    assert toy.fingerprint != ours.fingerprint
    assert toy.name == "dsprites-official"


def test_opening_reads_little_even_of_a_large_h5_file(tmp_path):
    path = tmp_path / "3dshapes.h5"
    with h5py.File(path, "w") as file:
        images = file.create_dataset("images", (480_000, 64, 64, 3), "u1", chunks=(200, 64, 64, 3), compression="gzip")
        images[479_999] = np.full((64, 64, 3), 5, np.uint8)
    toy = shapes3d(tmp_path)
    assert [int(picture.max()) for picture in toy.images(np.array([479_999, 0, 479_998]))] == [5, 0, 0]
    assert archive(path, "images", (480_000, 64, 64, 3)).fingerprint


def test_unpacked_arrays_lie_beside_the_other_caches(monkeypatch):
    for named, base in (("/some/place", "/any"), (None, "/any"), (None, None)):
        for variable, value in (("UNSEEN_CACHE", named), ("XDG_CACHE_HOME", base)):
            if value is None:
                monkeypatch.delenv(variable, raising=False)
            else:
                monkeypatch.setenv(variable, value)
        assert archives.unpacked_folder() == cache_folder() / "archives"


def test_toy_worlds_load_neither_h5py_nor_polars_nor_torch():
    code = "import sys; from unseen.worlds.toys import dsprites, mpi3d, shapes3d; dsprites.dsprites(), mpi3d.mpi3d()"
    check = "; print([name for name in ('h5py', 'polars', 'torch', 'trimesh') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- the benchmark ----------------------------------------------------------------------------------------------------


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return importlib.import_module("bench.archives")


@pytest.mark.parametrize("name", ["dsprites.npz", "images.h5", "images.npz"])
def test_the_benchmark_reads_the_same_pictures_on_both_sides_and_stops_where_it_does_not(bench, tmp_path, name):
    bench.write(tmp_path / name, "images", PHOTOS[:50], 120)
    bench.write(tmp_path / f"dsprites other {name}", "images", PHOTOS[50:], 120)
    ours, usual = (bench.measured(side, tmp_path / name, "images", PHOTOS.shape, 2, 16) for side in ("ours", "usual"))
    bench.agree("toy", ours, usual)
    other = bench.measured("usual", tmp_path / f"dsprites other {name}", "images", PHOTOS.shape, 2, 16)
    with pytest.raises(SystemExit, match="toy: the sides read different pictures"):
        bench.agree("toy", ours, other)


@pytest.mark.parametrize(
    ("option", "given", "said"),
    [("--batches", "0", "0 is less than 1"), ("--batch", "-1", "-1 is less than 1"), ("--batches", "x", "invalid")]
    + [("--share", given, "not above 0 and at most 1") for given in ("0", "-0.1", "1.5", "nan")],
)
def test_the_benchmark_refuses_what_it_cannot_measure(bench, monkeypatch, capsys, option, given, said):
    monkeypatch.setattr(sys, "argv", ["bench.archives", f"{option}={given}"])
    with pytest.raises(SystemExit, match="2"):
        bench.main()
    assert said in capsys.readouterr().err


def test_the_benchmark_tells_a_share_below_one_per_cent(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench.archives", "--share", "0.0005"])
    monkeypatch.setattr(bench, "FILES", {})
    bench.main()
    assert "0.05 % of the official rows" in capsys.readouterr().out
