"""`unseen init` sees what a folder holds: its factors, which is the category, and what is missing."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.folder import folder
from unseen.worlds.guess import readings
from unseen.worlds.propose import propose

KINDS = ("dog", "elephant", "giraffe", "guitar", "horse", "house", "person")


def draw(path: Path, size=(16, 16)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "teal").save(path)


@pytest.fixture
def photos(tmp_path):
    for category in ("bus", "car", "van", "tank"):
        for azimuth in (0, 90, 180, 270):
            for number in range(10):
                draw(tmp_path / "set" / category / str(azimuth) / f"{number}.png")
    return tmp_path / "set"


def test_a_two_factor_folder_is_read_as_the_world_it_proposes(photos):
    found = propose(photos)
    assert found.template == "{category}/{azimuth}/*.png"
    assert (found.rows, found.columns, found.missing) == ("category", "azimuth", "")
    assert found.factor("azimuth").kind == "circular"
    assert found.counts is not None
    assert found.counts.tolist() == [[10] * 4] * 4
    assert (found.empty_cells, found.own_size, found.objects) == ((), (16, 16), None)
    assert len(folder(**found.world).samples) == found.images == 160


def test_coil_is_objects_by_views(tmp_path):
    for number in range(1, 4):
        for view in range(0, 360, 40):
            draw(tmp_path / f"obj{number}__{view}.png")
    found = propose(tmp_path)
    assert (found.template, found.rows, found.columns) == ("obj{object}__{azimuth}.png", "object", "azimuth")
    assert found.world["category"] == "object"
    assert found.kinds == {"azimuth": "circular"}


def test_views_counted_round_a_turntable_go_round(tmp_path):
    for number in range(1, 4):
        for view in range(36):
            draw(tmp_path / f"obj{number}__{view}.png")
    found = propose(tmp_path)
    assert (found.template, found.columns) == ("obj{object}__{view}.png", "view")
    assert found.factor("view").period == 36
    assert "only count the images" in found.readings[1].why


@pytest.mark.parametrize(
    ("layout", "domains"),
    [
        ("{d}/{c}/pic_{n:03}.jpg", ("art_painting", "cartoon", "photo", "sketch")),
        ("{d}/{c}/{n:05}.jpg", ("Art", "Clipart", "Product", "Real World")),
        ("{d}/images/{c}/frame_{n:04}.jpg", ("amazon", "dslr", "webcam")),
        ("{d}/{c}/{n}.jpg", ("Caltech101", "LabelMe", "SUN09", "VOC2007")),
        ("{c}/{d}/{n}.jpg", ("day", "night")),
        ("{c}/{d}/{n}.jpg", ("on grass", "in water", "at home")),
    ],
)
def test_the_domain_is_not_taken_for_the_category(layout, domains):
    paths = [layout.format(d=d, c=c, n=n) for d in domains for c in KINDS for n in range(9 + len(d))]
    (found,) = readings(paths)
    assert found.template.count("{domain}") == found.template.count("{category}") == 1
    assert (found.template.index("{domain}") < found.template.index("{category}")) == (layout[:3] == "{d}")


def test_places_with_numbers_are_a_domain_and_have_no_order(tmp_path):
    for place in (38, 43, 100):
        for kind in KINDS[:3]:
            for number in range(4):
                draw(tmp_path / f"location_{place}" / kind / f"{number}.png")
    found = propose(tmp_path)
    assert (found.rows, found.columns) == ("category", "location")
    assert found.kinds == {"location": "nominal"}
    assert folder(**found.world).samples.space["location"].kind == "nominal"


def test_two_folders_of_words_can_be_read_both_ways_and_the_one_with_more_levels_is_the_category():
    paths = [f"{ground}/{kind}/{n}.jpg" for ground in ("grass", "sand", "stone") for kind in KINDS for n in range(9)]
    first, second = readings(paths)
    assert first.template == "{factor}/{category}/*.jpg"
    assert second.template == "{category}/{factor}/*.jpg"
    assert first.why.startswith("dog, elephant, giraffe … are what is to be named")


def test_folders_of_pools_are_pools_at_any_depth():
    paths = [
        f"{kind}/{pool}/{azimuth}/{n}.png"
        for kind in KINDS
        for pool in ("train", "val", "test")
        for azimuth in (0, 90, 180, 270)
        for n in range(3)
    ]
    assert readings(paths)[0].template == "{category}/{pool}/{azimuth}/*.png"


def test_the_photos_of_one_object_are_known_to_belong_together(tmp_path):
    for kind, first in (("cup", 0), ("jug", 3)):
        for thing in range(first, first + 3):
            for azimuth in (0, 90, 180, 270):
                for number in range(2):
                    draw(tmp_path / kind / f"thing{thing}" / f"{azimuth}_{number}.png")
    found = propose(tmp_path)
    assert (found.rows, found.columns, found.objects) == ("category", "azimuth", "thing")


def test_what_is_asked_for_is_taken(photos):
    found = propose(photos, template="{thing}/{turn}/*.png", category="thing", across="turn")
    assert (found.rows, found.columns) == ("thing", "turn")
    swapped = propose(photos, category="azimuth", across="category")
    assert (swapped.rows, swapped.columns) == ("azimuth", "category")
    with pytest.raises(UnseenError, match=r"no factor 'azimut' in these images.*Did you mean 'azimuth'"):
        propose(photos, across="azimut")
    with pytest.raises(UnseenError, match="are both 'azimuth'"):
        propose(photos, category="azimuth", across="azimuth")
    with pytest.raises(UnseenError, match=r"matches none of the 160 images.*Likely: \{category\}/\{azimuth\}"):
        propose(photos, template="{a}_{b}.png")


def test_empty_cells_other_sizes_and_broken_files_are_reported(photos):
    for path in (photos / "tank" / "270").iterdir():
        path.unlink()
    draw(photos / "car" / "0" / "big.png", size=(40, 30))
    (photos / "bus" / "0" / "1.png").write_bytes(b"")
    draw(photos / "cover.png")
    found = propose(photos)
    assert found.empty_cells == (("tank", "270"),)
    assert found.own_size is None
    assert len(found.sizes) == 2
    assert "bus/0/1.png (the file is empty)" in " ".join(found.problems)
    assert found.unmatched == 1


def test_one_factor_only_says_which_is_missing_and_how_to_add_it(tmp_path):
    for category in ("bus", "car"):
        for number in range(20):
            draw(tmp_path / category / f"{number:03}.png")
    found = propose(tmp_path, template="{category}/*.png")
    assert found.missing.startswith("only 'category' varies; a study of combinations also needs a second factor")
    assert "manifest.csv" in found.missing


def test_no_factor_at_all(tmp_path):
    for number in range(5):
        draw(tmp_path / f"IMG_{number}.png")
    found = propose(tmp_path)
    assert (found.template, found.rows, found.columns) == (None, None, None)
    assert found.missing.startswith("no factor was found")


def test_a_manifest_proposes_its_columns(photos):
    paths = sorted(path.relative_to(photos).as_posix() for path in photos.rglob("*.png"))
    pl.DataFrame(
        {
            "path": paths,
            "label": [path.split("/")[0] for path in paths],
            "angle": [int(path.split("/")[1]) for path in paths],
            "note": [f"seen on day {number}" for number, _ in enumerate(paths)],
        }
    ).write_csv(photos / "table.csv")
    found = propose(photos / "table.csv")
    assert (found.manifest, found.template, found.rows, found.columns) == ("table.csv", None, "label", "angle")
    assert found.ignored == ("note",)
    assert len(folder(**found.world).samples) == 160


def test_a_manifest_may_lie_elsewhere(photos, tmp_path, monkeypatch):
    paths = sorted(path.relative_to(photos).as_posix() for path in photos.rglob("*.png"))
    table = {"path": paths, "label": [p.split("/")[0] for p in paths], "angle": [p.split("/")[1] for p in paths]}
    (tmp_path / "notes [1]").mkdir()
    pl.DataFrame(table).write_csv(tmp_path / "notes [1]" / "table.csv")
    monkeypatch.chdir(tmp_path)
    found = propose("notes [1]/table.csv", root="set")
    assert (found.manifest, found.world["root"]) == ("notes [1]/table.csv", "set")
    assert len(folder(**found.world).samples) == 160


def test_an_empty_and_a_missing_folder_are_explained(tmp_path):
    with pytest.raises(UnseenError, match="no images below"):
        propose(tmp_path)
    with pytest.raises(UnseenError, match="no folder"):
        propose(tmp_path / "nowhere")
    (tmp_path / "read.me").write_text("words")
    with pytest.raises(UnseenError, match="neither a folder of images nor a table"):
        propose(tmp_path / "read.me")


def test_a_table_that_is_not_there_is_a_missing_file(tmp_path):
    (tmp_path / "table.csv").write_text("path,category\n")
    with pytest.raises(UnseenError, match=r"no file '.*tabel.csv'; .* holds the tables table.csv"):
        propose(tmp_path / "tabel.csv")
    with pytest.raises(UnseenError, match=r"no file '.*t.csv': there is no folder"):
        propose(tmp_path / "nowhere" / "t.csv")


@pytest.mark.parametrize("column", ["filename", "filepath", "image_path", "img", "file_name", "Image Path"])
def test_a_table_may_call_its_files_as_tables_do(photos, column):
    paths = sorted(path.relative_to(photos).as_posix() for path in photos.rglob("*.png"))
    table = {"label": [p.split("/")[0] for p in paths], column: paths, "angle": [p.split("/")[1] for p in paths]}
    pl.DataFrame(table).write_csv(photos / "table.csv")
    found = propose(photos / "table.csv")
    assert [factor.name for factor in found.factors] == ["label", "angle"]


@pytest.mark.parametrize(("views", "kept"), [(range(0, 361, 30), 0), (range(-180, 181, 45), 180)])
def test_a_circle_that_names_its_first_place_twice_has_it_once(tmp_path, views, kept):
    for category in ("bus", "car", "van"):
        for view in views:
            for number in range(2):
                draw(tmp_path / "set" / category / str(view) / f"{number}.png", size=(4 + view % 7, 4))
    found = propose(tmp_path / "set")
    assert (found.columns, found.kinds) == ("azimuth", {"azimuth": "circular"})
    assert found.counts is not None
    assert sorted(found.counts[0].tolist()) == [2] * (len(views) - 2) + [4]
    samples = folder(**found.world).samples
    assert len(samples) == found.images
    assert samples.space["azimuth"].levels == found.factor("azimuth").levels
    assert found.counts[0][found.factor("azimuth").index(kept)] == 4
    both = {"azimuth": [views[0], views[-1]]}
    with pytest.raises(UnseenError, match="which are one place on a circle of 360; name one of them"):
        folder(**found.world, levels=both)
    binned = folder(**found.world, bins={"azimuth": 4}).samples
    assert set(binned.attribute("azimuth_unbinned", np.arange(len(binned)))) == set(views)
