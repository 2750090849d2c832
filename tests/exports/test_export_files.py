"""Exports hold the pictures and the levels they should, and other programs read them."""

import gc
import io
import json
import tarfile
import warnings

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
import webdataset
from export_worlds import AZIMUTH, CODE, SIZE, Arithmetic, Framed, samples
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unseen.exports import encoding, export
from unseen.worlds import make
from unseen.worlds.digits import digits


@pytest.fixture(scope="module")
def placed_digits():
    return digits()


def read_by_webdataset(*tars, decode=False):
    """Samples as its users see them. It leaves its files to the garbage collector, which would complain."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        pipeline = webdataset.WebDataset([str(path) for path in tars], shardshuffle=False)
        found = list(pipeline.decode() if decode else pipeline)
        del pipeline
        gc.collect()
    return found


def pixels_of(data):
    picture = np.asarray(Image.open(io.BytesIO(data)))
    return picture[None] if picture.ndim == 2 else picture.transpose(2, 0, 1)


def same_rows(world, back, rows):
    """A world read back: row n is the n-th row exported. Things on several of them have a factor besides."""
    places = np.arange(len(rows))
    assert len(back.samples) == len(rows)
    names = world.samples.space.names
    assert back.samples.space.select(names) == world.samples.space  # levels and their order, kinds, texts, coordinates
    assert back.samples.space.names in (names, (*names, "instance"))
    np.testing.assert_array_equal(back.samples.cells(places, names), world.samples.cells(rows))
    of, again = (np.unique(found.instance_numbers(some), return_inverse=True)[1] for found, some in (
        (world.samples, rows), (back.samples, places)))  # fmt: skip
    if "instance" in back.samples.space:
        assert back.samples.space["instance"].kind == "instance"
        again = back.samples.levels("instance", places)
    assert len(np.unique(np.stack([of, again]), axis=1).T) == len(np.unique(of)) == len(np.unique(again))
    np.testing.assert_array_equal(back.images(places).numpy(), world.images(rows).numpy())


@pytest.mark.parametrize("format", ["png", "webp"])
def test_a_folder_export_of_digits_read_by_folder_gives_the_same_rows(placed_digits, tmp_path, format):
    done = export(placed_digits, tmp_path / "out", format=format, rows="100:700", shard=250)
    assert (done.images, done.shards, done.written, done.out_of_frame) == (600, 3, 3, None)
    back = make("folder", root=tmp_path / "out", manifest="manifest.parquet")
    same_rows(placed_digits, back, np.arange(100, 700))
    assert back.channels == 1


@pytest.mark.parametrize("format", ["png", "webp"])
@pytest.mark.parametrize("channels", [1, 3])
def test_awkward_levels_pools_and_shapes_come_back_from_folder(tmp_path, format, channels):
    world = Arithmetic(channels=channels)
    export(world, tmp_path, format=format, shard=10)
    back = make("folder", root=tmp_path, manifest="manifest.parquet")
    same_rows(world, back, np.arange(72))
    assert back.samples.pools.tolist() == np.repeat(world.samples.pools, 12).tolist()
    assert back.size == (9, 7)


def test_levels_without_an_exported_row_stay_levels(tmp_path):
    world = Arithmetic()
    export(world, tmp_path, rows=[13, 2])
    same_rows(world, make("folder", root=tmp_path, manifest="manifest.parquet"), np.array([2, 13]))


def test_what_the_reader_asks_for_goes_before_what_the_manifest_declares(tmp_path):
    export(Arithmetic(), tmp_path)
    world = make("folder", root=tmp_path, manifest="manifest.parquet", factors=["azimuth", "row"], size=5,
                 levels={"azimuth": [180, 0]}, channels=1)  # fmt: skip
    assert world.samples.space.names == ("azimuth", "row")
    assert world.samples.space["azimuth"].levels == (180, 0)
    assert (world.size, world.channels, len(world.samples)) == ((5, 5), 1, 36)


def test_a_damaged_declaration_is_told(tmp_path):
    from unseen.vocabulary.errors import UnseenError

    export(Arithmetic(), tmp_path, rows="0:4")
    table = pq.read_table(tmp_path / "manifest.parquet").replace_schema_metadata({b"unseen": b'{"factors": [{}]}'})
    pq.write_table(table, tmp_path / "manifest.parquet")
    with pytest.raises(UnseenError, match="declares factors that cannot be read"):
        make("folder", root=tmp_path, manifest="manifest.parquet")


def test_the_manifest_tells_each_picture_in_plain_columns(tmp_path):
    world = Arithmetic()
    export(world, tmp_path, shard=50)
    table = pl.read_parquet(tmp_path / "manifest.parquet")
    assert table.columns == ["path", "row", "key", "shape", "azimuth", "size", "code", "instance_name", "pool"]
    assert table["path"][49:51].to_list() == ["images/000000/000049.png", "images/000001/000050.png"]
    assert table.row(50, named=True) == {
        "path": "images/000001/000050.png", "row": 50, "key": "thing 4_azimuth-000_size-1e-07", "shape": "jar",
        "azimuth": 0, "size": 1e-7, "code": "1", "instance_name": "thing 4", "pool": "test",
    }  # fmt: skip
    assert table["path"].is_sorted()


def test_the_card_says_what_the_files_show(tmp_path):
    world = Arithmetic()
    export(world, tmp_path, sample=10, seed=3, arguments={"cell": 8, "sizes": (1, 2)})
    card = json.loads((tmp_path / "export.json").read_text())
    assert (card["world"], card["fingerprint"], card["images"], card["finished"]) == ("arithmetic", "f0", 10, True)
    assert card["arguments"] == {"cell": 8, "sizes": [1, 2]}
    assert card["provenance"] == {"source": "tests", "licence": "none"}
    assert card["versions"]["pillow"]
    assert [tuple(f["levels"]) for f in card["factors"][1:]] == [AZIMUTH.levels, SIZE.levels, CODE.levels]


def test_tars_are_read_by_webdataset_and_hold_no_time_and_no_owner(tmp_path):
    world = Arithmetic()
    export(world, tmp_path, format="webdataset", shard=30)
    tars = sorted(tmp_path.glob("*.tar"))
    assert [path.name for path in tars] == [f"arithmetic-00000{n}.tar" for n in range(3)]
    read = read_by_webdataset(*tars)
    assert [sample["__key__"] for sample in read] == [f"{row:06}" for row in range(72)]
    for row, sample in enumerate(read):
        np.testing.assert_array_equal(pixels_of(sample["png"]), world.pixels(np.array([row]))[0])
    assert json.loads(read[50]["json"]) == {
        "row": 50, "key": "thing 4_azimuth-000_size-1e-07", "shape": "jar", "azimuth": 0, "size": 1e-7, "code": "1",
        "instance_name": "thing 4", "pool": "test",
    }  # fmt: skip
    with tarfile.open(tars[2]) as archive:
        members = archive.getmembers()
    assert [m.name for m in members[:3]] == ["000060.png", "000060.json", "000061.png"]
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {(0, 0, 0, "", "", 0o644)}


def test_parquet_holds_images_as_hugging_face_expects_them(tmp_path):
    world = Arithmetic(channels=1)
    export(world, tmp_path, format="parquet", shard=40)
    table = pl.read_parquet(sorted(tmp_path.glob("*.parquet")))
    assert table["row"].to_list() == list(range(72))
    assert table["azimuth"].to_list() == [AZIMUTH.levels[n] for n in world.samples.levels("azimuth", np.arange(72))]
    for row, image in enumerate(table["image"].to_list()):
        assert image["path"] == f"{row:06}.png"
        np.testing.assert_array_equal(pixels_of(image["bytes"]), world.pixels(np.array([row]))[0])
    schema = pq.read_schema(tmp_path / "arithmetic-000000.parquet")
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert features["image"] == {"_type": "Image"}
    assert features["size"] == {"dtype": "float64", "_type": "Value"}
    assert list(features) == schema.names


def test_numbers_that_are_no_picture_stay_numbers(tmp_path):
    world = Arithmetic(dtype="float32", channels=2)
    export(world, tmp_path / "tar", format="webdataset")
    export(world, tmp_path / "parquet", format="parquet")
    wanted = world.pixels(np.arange(72))
    read = read_by_webdataset(tmp_path / "tar/arithmetic-000000.tar", decode=True)
    np.testing.assert_array_equal(np.stack([sample["npy"] for sample in read]), wanted)
    table = pl.read_parquet(tmp_path / "parquet/arithmetic-000000.parquet")
    np.testing.assert_array_equal(np.stack(table["pixels"].to_list()).reshape(wanted.shape), wanted)


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([1, 3]), st.randoms(use_true_random=False))
def test_pillow_reads_back_every_pixel(height, width, channels, random):
    values = [random.randrange(256) for _ in range(channels * height * width)]
    pixels = np.array(values, np.uint8).reshape(channels, height, width)
    np.testing.assert_array_equal(pixels_of(encoding.png(pixels)), pixels)
    np.testing.assert_array_equal(pixels_of(encoding.webp(pixels)), np.broadcast_to(pixels, (3, height, width)))


@pytest.mark.parametrize("format", ["png", "webdataset", "parquet"])
def test_batches_and_threads_change_no_byte(tmp_path, format):
    world = Arithmetic()
    export(world, tmp_path / "a", format=format, shard=30, batch=1, workers=1)
    export(world, tmp_path / "b", format=format, shard=30, batch=64, workers=3)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_pictures_without_their_object_are_counted_over_all_shards(tmp_path):
    done = export(Framed(), tmp_path, shard=30)
    assert done.out_of_frame == 15  # rows 0, 5, ... 70
    assert json.loads((tmp_path / "export.json").read_text())["out_of_frame"] == 15
    assert export(Framed(), tmp_path, shard=30).out_of_frame == 15


def test_a_world_of_several_blocks_without_names_is_exported(tmp_path):
    from unseen.vocabulary.samples import Block, Samples

    space = samples().space.select(["shape", "azimuth"])
    blocks = (Block(2, {"shape": np.array([0, 2])}, grid=("azimuth",)),
              Block(3, {"shape": np.array([1, 1, 0]), "azimuth": np.array([3, 0, 1])}))  # fmt: skip
    world = Arithmetic(samples=Samples(space, blocks))
    export(world, tmp_path)
    table = pl.read_parquet(tmp_path / "manifest.parquet")
    assert table["instance_name"].to_list() == ["0"] * 4 + ["1"] * 4 + ["2", "3", "4"]
    same_rows(world, make("folder", root=tmp_path, manifest="manifest.parquet"), np.arange(11))


def four_things():
    """Of two categories, from four sides each."""
    from unseen.vocabulary.samples import Block, Samples

    block = Block(4, {"shape": np.array([0, 0, 1, 1])}, grid=("azimuth",))
    return Arithmetic(samples=Samples(samples().space.select(["shape", "azimuth"]), (block,)))


def test_the_instance_of_an_export_is_a_factor_of_that_kind_where_it_tells_something(tmp_path):
    world = four_things()

    def read(name, rows, of=world):
        export(of, tmp_path / name, rows=rows)
        return make("folder", root=tmp_path / name, manifest="manifest.parquet").samples.space

    assert (space := read("all", None)).names == ("shape", "azimuth", "instance")
    assert (space["instance"].levels, space["instance"].kind) == (("0", "1", "2", "3"), "instance")
    assert read("one image of each", [0, 5, 10, 15]).names == ("shape", "azimuth")
    assert read("one thing", [0, 1, 2, 3]).names == ("shape", "azimuth")
    assert read("one thing of each category", [0, 1, 8, 9]).names == ("shape", "azimuth"), "the category is the thing"
    again = make("folder", root=tmp_path / "all", manifest="manifest.parquet")
    assert read("exported again", None, again).names == ("shape", "azimuth", "instance")


def test_the_instance_of_an_export_may_be_left_out_or_taken_as_the_column_it_is(tmp_path):
    export(four_things(), tmp_path)
    for asked in (["shape", "azimuth"], ["shape", "instance_name"], ["instance", "azimuth"]):
        world = make("folder", root=tmp_path, manifest="manifest.parquet", factors=asked)
        assert world.samples.space.names == tuple(asked)


def test_pools_of_an_export_are_those_of_its_things(tmp_path):
    from unseen.vocabulary.instances import kept_together
    from unseen.vocabulary.pools import Pools, membership

    export(four_things(), tmp_path)
    back = make("folder", root=tmp_path, manifest="manifest.parquet").samples
    by = kept_together(back, "instance", ("shape", "azimuth"))
    pools = membership(back, Pools(shares=(0.5, 0.0, 0.5), by=by, within="shape"))
    assert pools.reshape(4, 4).std(axis=1).tolist() == [0] * 4, "the four pictures of a thing are in one pool"
    assert sorted(pools.reshape(4, 4)[:, 0].tolist()) == [0, 0, 2, 2]
