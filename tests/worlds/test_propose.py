"""`unseen init` sees what a folder holds, proposes a study, and says plainly what is missing."""

import tomllib
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.folder import folder
from unseen.worlds.propose import propose


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


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


def test_a_two_factor_folder_gives_a_recipe_that_loads_it(photos):
    found = propose(photos)
    assert found.template == "{category}/{azimuth}/*.png"
    assert (found.rows, found.columns, found.missing) == ("category", "azimuth", "")
    assert found.factor("azimuth").kind == "circular"
    assert found.counts is not None
    assert found.counts.tolist() == [[10] * 4] * 4
    assert (found.images_per_cell_min, found.empty_cells, found.size) == (10, (), 16)
    recipe = tomllib.loads(found.recipe_toml())
    world = recipe.pop("world")
    assert world.pop("name") == "folder"
    assert len(folder(**world).samples) == found.images == 160
    assert recipe["design"] == {
        "name": "hold_out_combinations", "rows": "category", "columns": "azimuth", "images": 28,
    }  # fmt: skip
    assert recipe["grid"] == {"design.seen_per_level": [1, 2, 3], "network.sharing": ["shared", "separate"]}
    assert recipe["seeds"] == [0, 1, 2]


def test_coil_is_objects_by_views(tmp_path):
    for number in range(1, 4):
        for view in range(0, 360, 40):
            draw(tmp_path / f"obj{number}__{view}.png")
    found = propose(tmp_path)
    assert (found.template, found.rows, found.columns) == ("obj{object}__{azimuth}.png", "object", "azimuth")
    recipe = tomllib.loads(found.recipe_toml("COIL"))
    assert recipe["title"] == "COIL"
    assert recipe["world"]["category"] == "object"
    assert recipe["world"]["kinds"] == {"azimuth": "circular"}


def test_empty_cells_other_sizes_and_broken_files_are_reported(photos):
    for path in (photos / "tank" / "270").iterdir():
        path.unlink()
    draw(photos / "car" / "0" / "big.png", size=(40, 30))
    (photos / "bus" / "0" / "1.png").write_bytes(b"")
    draw(photos / "cover.png")
    found = propose(photos)
    assert found.empty_cells == (("tank", "270"),)
    assert found.size == 224
    assert len(found.sizes) == 2
    assert "bus/0/1.png (the file is empty)" in " ".join(found.problems)
    assert found.unmatched == 1
    text = found.recipe_toml()
    assert "1 of 16 cells are EMPTY: tank/270" in text
    tomllib.loads(text)


def test_one_factor_only_says_which_is_missing_and_how_to_add_it(tmp_path):
    for category in ("bus", "car"):
        for number in range(20):
            draw(tmp_path / category / f"{number:03}.png")
    found = propose(tmp_path)
    assert found.template == "{category}/*.png"
    assert found.missing.startswith("only 'category' varies; a study of combinations also needs a second factor")
    assert "manifest.csv" in found.missing
    assert "NOT READY" in found.recipe_toml()
    tomllib.loads(found.recipe_toml())


def test_no_factor_at_all(tmp_path):
    for number in range(5):
        draw(tmp_path / f"IMG_{number}.png")
    found = propose(tmp_path)
    assert (found.template, found.rows, found.columns) == (None, None, None)
    assert found.missing.startswith("no factor was found")
    tomllib.loads(found.recipe_toml())


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
    recipe = tomllib.loads(found.recipe_toml())
    assert len(folder(**{k: v for k, v in recipe["world"].items() if k != "name"}).samples) == 160


def test_an_empty_and_a_missing_folder_are_explained(tmp_path):
    with pytest.raises(UnseenError, match="no images below"):
        propose(tmp_path)
    with pytest.raises(UnseenError, match="no folder"):
        propose(tmp_path / "nowhere")


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (5, 3), (4, 4)])
def test_the_recipe_for_a_grid_of_any_shape_can_be_split(tmp_path, rows, columns):
    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import parse, recipe_from

    for row in range(rows):
        for column in range(columns):
            for number in range(12):
                draw(tmp_path / "set" / "abcde"[row] / str(10 * column) / f"{number}.png")
    recipe = recipe_from(parse(propose(tmp_path / "set").recipe_toml()))
    study = Study(recipe, tmp_path / "study")
    assert len(study.check()) == len(recipe.grid[0]["design.seen_per_level"])
    assert ("balance" in recipe.design.arguments) == (rows != columns)


def test_small_pictures_get_a_small_stem(photos):
    text = propose(photos).recipe_toml()
    assert 'stem = "small"' in text
