"""A folder of images is a world: factors from paths or tables, pictures as they are, teaching errors."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.split import available
from unseen.vocabulary.world import World
from unseen.worlds.folder import folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


def draw(path: Path, shade: int, size=(12, 10)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (shade % 256, shade // 256, 7)).save(path)


@pytest.fixture
def photos(tmp_path):
    """Two categories × three azimuths × two photos, each of its own shade; one cell is empty."""
    shade = 0
    for category in ("car", "bus"):
        for azimuth in (0, 90, 180):
            for number in range(0 if (category, azimuth) == ("bus", 180) else 2):
                draw(tmp_path / "set" / category / str(azimuth) / f"{number}.png", shade := shade + 1)
    return tmp_path / "set"


TEMPLATE = "{category}/{azimuth}/*.png"


def test_a_folder_fulfils_the_contract_of_worlds(photos):
    world = folder(photos, template=TEMPLATE)
    assert isinstance(world, World)
    assert len(world.samples) == 10
    assert world.samples.space.names == ("category", "azimuth")
    assert [factor.kind for factor in world.samples.space.factors] == ["category", "ordinal"]
    assert world.samples.space["azimuth"].levels == (0, 90, 180)
    assert (world.channels, world.size, world.dtype) == (3, (10, 12), "uint8")
    assert world.samples.name(0) == "bus/0/0.png"
    assert not world.problems


def test_images_are_those_of_the_rows_in_any_order_and_company(photos):
    world = folder(photos, template=TEMPLATE)
    rows = np.array([7, 0, 3, 7])
    together = world.images(rows)
    assert together.shape == (4, 3, 10, 12)
    for row, image in zip(rows, together):
        with Image.open(photos / world.samples.name(int(row))) as original:
            assert (np.asarray(original).transpose(2, 0, 1) == image.numpy()).all()
        assert (world.images(np.array([row]), draw=3)[0] == image).all()
    assert (world.stored[world.slots[rows]] == together.numpy()).all()


def test_empty_cells_are_counted_as_empty(photos):
    samples = folder(photos, template=TEMPLATE).samples
    counts = available(samples, Pools(by="nothing"), "train", ("category", "azimuth"))
    assert counts.tolist() == [[2, 2, 0], [2, 2, 2]]


def test_levels_restrict_and_order_and_what_is_left_out_is_counted(photos):
    world = folder(photos, template=TEMPLATE, levels={"azimuth": [90, 0], "category": ["car"]})
    assert world.samples.space["azimuth"].levels == (90, 0)
    assert len(world.samples) == 4
    assert world.problems.left_out == {"category": 4, "azimuth": 2}
    assert "problems" in world.provenance


def test_kinds_are_the_users_to_say(photos):
    world = folder(photos, template=TEMPLATE, kinds={"azimuth": "circular"})
    assert (world.samples.space["azimuth"].kind, world.samples.space["azimuth"].period) == ("circular", 360)


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_a_manifest_says_the_same_as_a_template(photos, form):
    by_template = folder(photos, template=TEMPLATE)
    names = [by_template.samples.name(row) for row in range(10)][::-1]
    frame = pl.DataFrame(
        {
            "image": names,
            "category": [name.split("/")[0] for name in names],
            "azimuth": [int(name.split("/")[1]) for name in names],
        }
    )
    if form == "parquet":
        frame.write_parquet(photos / "table.parquet")
    else:
        frame.write_csv(photos / f"table.{form}", separator="," if form == "csv" else "\t")
    world = folder(photos, manifest=f"table.{form}")
    assert world.fingerprint == by_template.fingerprint
    assert (world.images(np.arange(10)) == by_template.images(np.arange(10))).all()


def manifest(photos, **columns):
    pl.DataFrame({"path": ["car/0/0.png", "car/90/0.png", "bus/0/1.png"], **columns}).write_csv(photos / "m.csv")
    return photos


def test_a_manifest_may_name_pools(photos):
    world = folder(manifest(photos, category=["a", "b", "a"], pool=["train", "val", None]), manifest="m.csv")
    assert world.samples.pools.tolist() == ["", "train", "validation"]  # rows are sorted by path
    assert world.samples.space.names == ("category",)


def test_editing_a_manifest_changes_the_fingerprint(photos):
    first = folder(manifest(photos, category=["a", "b", "a"]), manifest="m.csv").fingerprint
    assert folder(manifest(photos, category=["a", "b", "b"]), manifest="m.csv").fingerprint != first


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"category": ["a", None, "b"]}, r"no 'category' for 1 images: car/90/0.png"),
        ({"azimuth": ["1", "nan", "2"]}, r"no 'azimuth' for 1 images"),
        ({}, "add a column per factor"),
        ({"category": list("abc"), "pool": ["x", "x", "x"]}, "no pool 'x'"),
    ],
)
def test_holes_in_a_manifest_are_named(photos, columns, said):
    with pytest.raises(UnseenError, match=said):
        folder(manifest(photos, **columns), manifest="m.csv")


def test_a_manifest_names_missing_files_and_duplicates(photos):
    (photos / "m.csv").write_text("path,category\ncar/0/0.png,a\ncar/0/7.png,b\n")
    with pytest.raises(UnseenError, match=r"1 files named .* are not in .*: car/0/7.png"):
        folder(photos, manifest="m.csv")
    (photos / "m.csv").write_text("path,category\ncar/0/0.png,a\n./car/0/0.png,b\n")
    with pytest.raises(UnseenError, match=r"lists 1 files more than once: car/0/0.png"):
        folder(photos, manifest="m.csv")
    (photos / "m.csv").write_text("path,category\n../x.png,a\n")
    with pytest.raises(UnseenError, match="outside the folder"):
        folder(photos, manifest="m.csv")
    (photos / "m.csv").write_text("name,category\ncar/0/0.png,a\n")
    with pytest.raises(UnseenError, match="name it path, image, file"):
        folder(photos, manifest="m.csv")
    with pytest.raises(UnseenError, match=r"no manifest 'n.csv'.*m.csv"):
        folder(photos, manifest="n.csv")
    (photos / "m.csv").write_text("path,category\ncar/0/0.png,a\n")
    with pytest.raises(UnseenError, match=r"no column 'kategory'.*Did you mean 'category'"):
        folder(photos, manifest="m.csv", factors=["kategory"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"template": "{category}/{azimuth}.png"}, r"matches none of the 10 images.*Did you mean '\{category\}/"),
        ({"template": TEMPLATE, "kinds": {"azimut": "circular"}}, "Did you mean 'azimuth'"),
        ({"template": TEMPLATE, "levels": {"azimuth": [45]}}, "no level '45'"),
        ({"template": TEMPLATE, "category": "object"}, "no factor 'object'"),
        ({"template": "*/*/*.png"}, "names no factor"),
        ({}, "has neither"),
        ({"template": TEMPLATE, "manifest": "x.csv"}, "not both"),
        ({"template": TEMPLATE, "on_unreadable": "ignore"}, "list, error"),
        ({"template": TEMPLATE, "size": [3]}, "height, width"),
    ],
)
def test_wrong_arguments_are_explained(photos, arguments, said):
    with pytest.raises(UnseenError, match=said):
        folder(photos, **arguments)


def test_a_missing_an_empty_and_a_false_folder_are_explained(tmp_path, photos):
    with pytest.raises(UnseenError, match=r"no folder '.*/sett'; .* holds the folders set.* --set world.root=PATH"):
        folder(tmp_path / "sett", template=TEMPLATE)
    (tmp_path / "bare").mkdir()
    with pytest.raises(UnseenError, match="no images below"):
        folder(tmp_path / "bare", template=TEMPLATE)
    with pytest.raises(UnseenError, match="is a file"):
        folder(photos / "car/0/0.png", template=TEMPLATE)


def test_unreadable_files_are_left_out_and_listed_by_name(photos):
    (photos / "car/0/2.png").write_bytes(b"")
    (photos / "car/0/3.png").write_bytes((photos / "car/0/0.png").read_bytes()[:50])
    (photos / "car/._0.png").write_bytes(b"a Mac's shadow file is no image and no problem")
    world = folder(photos, template=TEMPLATE)
    assert len(world.samples) == 10
    assert [name for name, _ in world.problems.unreadable] == ["car/0/2.png", "car/0/3.png"]
    assert "car/0/2.png (the file is empty)" in world.provenance["problems"]
    with pytest.raises(UnseenError, match=r"2 files .* car/0/2.png \(the file is empty\)"):
        folder(photos, template=TEMPLATE, on_unreadable="error")


def test_a_file_that_only_fails_in_decoding_is_named_then_left_out(photos):
    raw = bytearray((photos / "car/0/0.png").read_bytes())
    at = raw.index(b"IDAT") + 8
    raw[at : at + 4] = b"\xff\xff\xff\xff"
    (photos / "car/0/2.png").write_bytes(raw)
    world = folder(photos, template=TEMPLATE)
    assert len(world.samples) == 11
    with pytest.raises(UnseenError, match=r"1 images opened well but would not decode: car/0/2.png"):
        world.images(np.array([0]))
    again = folder(photos, template=TEMPLATE)
    assert [name for name, _ in again.problems.unreadable] == ["car/0/2.png"]
    assert again.images(np.arange(10)).shape[0] == 10


def test_copies_are_reported_and_share_their_content(photos):
    (photos / "bus/90/9.png").write_bytes((photos / "car/0/0.png").read_bytes())
    world = folder(photos, template=TEMPLATE)
    assert world.problems.duplicates == (("bus/90/9.png", "car/0/0.png"),)
    content = world.samples.blocks[0].content
    assert content is not None
    assert len(np.unique(content)) == len(content) - 1
    assert (world.images(np.arange(11)).flatten(1)[4] == world.images(np.arange(11)).flatten(1)[5]).all()


def test_files_outside_the_template_are_counted(photos):
    draw(photos / "cover.png", 3)
    assert folder(photos, template=TEMPLATE).problems.unmatched == ("cover.png",)


def test_mixed_sizes_become_224_and_the_report_says_so(photos):
    draw(photos / "car/0/5.png", 99, size=(30, 20))
    world = folder(photos, template=TEMPLATE)
    assert world.size == (224, 224)
    assert "our choice since the images have 2 sizes" in world.provenance["size"]
    assert folder(photos, template=TEMPLATE, size=16).size == (16, 16)
    assert folder(photos, template=TEMPLATE, size=[8, 16]).images(np.array([0])).shape == (1, 3, 8, 16)


def test_coil_fruits_and_ilab_layouts_load(tmp_path):
    for number in range(1, 4):
        for view in (0, 5, 10):
            draw(tmp_path / "coil" / f"obj{number * 5}__{view}.png", number * 40 + view)
    coil = folder(tmp_path / "coil", template="obj{object}__{view}.png", category="object")
    assert coil.samples.space["object"].levels == (5, 10, 15)
    assert coil.samples.space["object"].kind == "category"
    for pool in ("Training", "Test"):
        draw(tmp_path / "fruits" / pool / "Apple Red 1" / "r_0_100.jpg", 5)
        draw(tmp_path / "fruits" / pool / "Pear" / "12_100.jpg", 9)
    fruits = folder(tmp_path / "fruits", template="{pool}/{category}/*.jpg")
    assert fruits.samples.pools.tolist() == ["test", "test", "train", "train"]
    draw(tmp_path / "ilab" / "car" / "car-i0001-b0023-c00-r07.jpg", 5)
    ilab = folder(tmp_path / "ilab", template="{category}/{category}-i{instance}-b*-c{camera}-r{rotation}.jpg")
    assert ilab.samples.space.names == ("category", "instance", "camera", "rotation")
    assert ilab.samples.space["instance"].kind == "instance"


def test_links_that_lead_back_do_not_loop(photos):
    os.symlink(photos, photos / "car" / "loop")
    assert len(folder(photos, template=TEMPLATE).samples) == 10
