"""MNIST's files: read strictly, fetched when asked, and the worlds made from them."""

import functools
import gzip
import hashlib
import http.server
import inspect
import struct
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import Pools, membership
from unseen.worlds import idx, make
from unseen.worlds.digits import mnist

SHARED = Path(__file__).parents[3] / "shared" / "data"
HALVES = {"train": 40, "t10k": 20}


def encoded(values: np.ndarray) -> bytes:
    return bytes((0, 0, 8, values.ndim)) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()


def write(root: Path, *, edge: int = 28, compress: bool = True, seed: int = 0) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for half, n in HALVES.items():
        files = {
            f"{half}-images-idx3-ubyte": random.integers(0, 256, (n, edge, edge)),
            f"{half}-labels-idx1-ubyte": np.arange(n) % 10,
        }
        for name, values in files.items():
            data = encoded(values.astype(np.uint8))
            (root / (f"{name}.gz" if compress else name)).write_bytes(
                gzip.compress(data, mtime=0) if compress else data
            )
    return root


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "set")


@pytest.mark.parametrize("name", ["mnist", "fashion-mnist"])
def test_a_folder_of_idx_files_is_a_world_with_the_official_halves_as_pools(folder, name):
    world = make(name, root=str(folder))
    assert world.size == (84, 84)
    assert world.samples.space.shape == (9, 9)
    assert world.samples.instances == 54
    assert (world.samples.pools == "train").sum() == 36
    assert (world.samples.pools == "test").sum() == 18
    assert make(name, root=folder, viewpoint="rotation").samples.space.shape == (10, 10)


def test_validation_is_cut_from_the_official_training_half_only(folder):
    samples = make("mnist", root=folder).samples
    member = membership(samples, Pools(shares=(0.8, 0.2, 0.0), within="category"))
    assert (member[samples.pools == "test"] == 2).all()
    assert (member[samples.pools == "train"] != 2).all()


def test_images_are_those_of_the_file(folder):
    world = make("mnist", root=folder, viewpoint="none", categories=[3])
    stored = idx.read(folder / "train-images-idx3-ubyte.gz", dimensions=3)
    assert np.array_equal(world.images(np.arange(4))[:, 0].numpy(), stored[3::10])


def test_fashion_categories_have_names_and_the_ankle_boot_is_left_out(folder):
    world = make("fashion-mnist", root=folder)
    assert "Ankle boot" not in world.samples.space["category"].levels
    chosen = make("fashion-mnist", root=folder, categories=["Ankle boot", "Bag"])
    assert chosen.samples.space["category"].levels == ("Ankle boot", "Bag")


def test_the_fingerprint_knows_content_and_not_place_or_compression(folder, tmp_path):
    elsewhere = write(tmp_path / "else" / "where", compress=False)
    other = write(tmp_path / "other", seed=1)
    first, same, different = (make("mnist", root=root).fingerprint for root in (folder, elsewhere, other))
    assert first == same != different


def test_plain_files_dotted_names_and_other_picture_sizes_are_read(tmp_path):
    root = write(tmp_path / "dots", edge=10, compress=False)
    for path in list(root.iterdir()):
        path.rename(root / path.name.replace("-idx", ".idx"))
    world = make("mnist", root=root)
    assert world.size == (30, 30)


def test_a_copy_across_halves_has_the_same_content(folder):
    images = idx.read(folder / "train-images-idx3-ubyte.gz", dimensions=3)
    (folder / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(encoded(images[:20])))
    block = make("mnist", root=folder).samples.blocks[0]
    assert len(np.unique(block.content)) == 36


def damage(folder: Path, case: str) -> None:
    images, labels = folder / "train-images-idx3-ubyte.gz", folder / "train-labels-idx1-ubyte.gz"
    plain = gzip.decompress(images.read_bytes())
    match case:
        case "truncated gz":
            images.write_bytes(images.read_bytes()[:-2000])
        case "damaged gz":
            whole = bytearray(images.read_bytes())
            whole[500:540] = bytes(40)
            images.write_bytes(bytes(whole))
        case "short":
            images.write_bytes(gzip.compress(plain[:-1]))
        case "long":
            images.write_bytes(gzip.compress(plain + b"\0"))
        case "only a header":
            images.write_bytes(plain[:6])
        case "huge header":
            images.write_bytes(plain[:4] + b"\xff" * 12 + plain[16:])
        case "empty":
            images.write_bytes(b"")
        case "web page":
            images.write_bytes(b"<!DOCTYPE html>")
        case "labels as images":
            images.write_bytes(labels.read_bytes())
        case "images as labels":
            labels.write_bytes(images.read_bytes())
        case "fewer labels":
            labels.write_bytes(encoded(np.zeros(39, dtype=np.uint8)))
        case "foreign label":
            labels.write_bytes(encoded(np.full(40, 10, dtype=np.uint8)))
        case "not square":
            images.write_bytes(encoded(np.zeros((40, 28, 20), dtype=np.uint8)))
        case "missing":
            labels.unlink()
        case _:
            raise AssertionError(case)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("truncated gz", r"train-images-idx3-ubyte.gz is truncated or damaged"),
        ("damaged gz", "is truncated or damaged"),
        ("short", r"truncated: its header promises 31,376 bytes, it has 31,375"),
        ("long", "too long"),
        ("only a header", "truncated"),
        ("huge header", "truncated"),
        ("empty", "begins with nothing"),
        ("web page", "begins with 3c 21 44 4f; an idx file of images begins with 00 00 08 03"),
        ("labels as images", "holds labels; an idx file of images"),
        ("images as labels", "holds images; an idx file of labels"),
        ("fewer labels", "holds 40 images but train-labels-idx1-ubyte.gz 39 labels"),
        ("foreign label", "holds label 10; mnist has 10 categories"),
        ("not square", "square and of one size"),
        ("missing", "lacks train-labels-idx1-ubyte .*world.download=true"),
    ],
)
def test_a_broken_file_is_named_and_explained(folder, case, says):
    damage(folder, case)
    with pytest.raises(UnseenError, match=says):
        make("mnist", root=folder)


def test_a_missing_folder_names_the_files_and_the_way_to_get_them(tmp_path):
    with pytest.raises(UnseenError) as told:
        make("mnist", root=tmp_path / "nowhere")
    for word in (
        *(name.removesuffix(".gz") for name in idx.ORIGINS["mnist"].md5),
        "download = true",
        "--set world.download=true",
    ):
        assert word in str(told.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(UnseenError, match="is not a folder"):
        make("mnist", root=tmp_path / "file")


def test_files_one_folder_deeper_are_pointed_at(tmp_path):
    write(tmp_path / "MNIST" / "raw")
    with pytest.raises(UnseenError, match=r"They lie in .*raw: give that as `root`"):
        make("mnist", root=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "says"), [({"root": ""}, "`root` is the folder"), ({"root": ".", "download": "yes"}, "true or false")]
)
def test_wrong_arguments_are_explained(arguments, says):
    with pytest.raises(UnseenError, match=says):
        inspect.unwrap(mnist)(**arguments)  # as a recipe calls it: without the tests' type checks


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked: list[str] = []  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A mirror on this machine, after one that has nothing."""
    mirror = write(tmp_path / "mirror")
    md5 = {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in mirror.iterdir()}
    Quiet.asked = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(mirror)))
    serving = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    serving.start()
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setitem(idx.ORIGINS, "mnist", idx.Origin((address + "gone/", address), md5))
    yield mirror
    server.shutdown()
    serving.join()
    server.server_close()


def test_a_download_happens_only_when_asked(published, tmp_path):
    with pytest.raises(UnseenError, match="there is no folder"):
        make("mnist", root=tmp_path / "new")
    assert Quiet.asked == []
    world = make("mnist", root=tmp_path / "new", download=True)
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == sorted(p.name for p in published.iterdir())
    assert world.fingerprint == make("mnist", root=published).fingerprint


def test_only_what_is_missing_is_fetched_and_what_a_user_has_need_not_be_the_official_file(published, tmp_path):
    mine = write(tmp_path / "mine", seed=5)
    (mine / "t10k-labels-idx1-ubyte.gz").unlink()
    make("mnist", root=mine, download=True)
    assert {Path(path).name for path in Quiet.asked} == {"t10k-labels-idx1-ubyte.gz"}
    asked = len(Quiet.asked)
    make("mnist", root=mine, download=True)
    assert len(Quiet.asked) == asked


def test_a_wrong_hash_leaves_nothing_behind_and_says_so(published, tmp_path):
    (published / "train-images-idx3-ubyte.gz").write_bytes(b"something else")
    with pytest.raises(UnseenError, match=r"nothing was kept of it.*MD5 .* instead of .*thrown away"):
        make("mnist", root=tmp_path / "new", download=True)
    left = [path.name for path in (tmp_path / "new").iterdir()] if (tmp_path / "new").exists() else []
    assert not any("train-images" in name for name in left)


def test_no_network_is_told_apart_and_makes_no_folder(tmp_path, monkeypatch):
    closed = idx.Origin(("http://127.0.0.1:9/",), idx.ORIGINS["mnist"].md5)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setitem(idx.ORIGINS, "mnist", closed)
    with pytest.raises(UnseenError, match=r"could not be fetched.*by other means"):
        make("mnist", root=tmp_path / "new", download=True)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_made_is_told(published, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnseenError, match="cannot write to"):
        make("mnist", root=tmp_path / "file" / "new", download=True)


def real(name: str) -> Path:
    root = SHARED / name
    if not root.is_dir():
        pytest.skip(f"{name} is not in the shared data folder beside this checkout")
    return root


def test_the_real_mnist_has_nine_digits_in_its_official_numbers_and_no_picture_twice():
    world = make("mnist", root=real("mnist"))
    block = world.samples.blocks[0]
    assert (world.samples.pools == "train").sum() == 60_000 - 5_949
    assert (world.samples.pools == "test").sum() == 10_000 - 1_009
    assert np.bincount(block.stored["category"][world.samples.pools == "train"]).min() == 5_421
    assert len(np.unique(block.content)) == block.instances
    rows = np.random.default_rng(0).choice(len(world.samples), 3000, replace=False)
    start = time.perf_counter()
    images = world.images(rows)
    assert time.perf_counter() - start < 3
    again = world.images(rows[::-1].copy()[:500])
    assert torch.equal(again, images.flip(0)[:500])


def test_the_real_fashion_mnist_loads():
    world = make("fashion-mnist", root=real("fashion_mnist"), viewpoint="scale")
    assert world.samples.instances == 63_000
    assert world.images(np.arange(9)).shape == (9, 1, 84, 84)
