"""Images in `unseen view` are the world's own, and what stands beside one differs in one factor."""

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.stats import binomtest

import unseen
from unseen.studies.store import Store
from unseen.viewer.neighbours import along_each
from unseen.viewer.pictures import Tiles, as_sheet
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

pytest_plugins = ("viewed",)
HERE = "here/combinations"


@pytest.fixture(scope="module")
def opened(studies):
    return unseen.open_study(studies / "here" / "combinations")


def sheet(client, **asked):
    """The tiles of a sheet."""
    told = client.get("/api/sheet", params=asked)
    assert told.status_code == 200, told.text
    columns, width, height = (int(told.headers[f"x-{name}"]) for name in ("columns", "width", "height"))
    whole = np.asarray(Image.open(io.BytesIO(told.content)))
    count = len(asked["rows"].split(","))
    places = [divmod(place, columns) for place in range(count)]
    return [whole[y * height : (y + 1) * height, x * width : (x + 1) * width] for y, x in places]


def test_a_sheet_holds_the_worlds_images_to_the_pixel(client, opened):
    rows = [5, 14_000, 77, 5]
    tiles = sheet(client, study=HERE, rows=",".join(map(str, rows)), trial="0")
    images = opened.world().images(rows).numpy()
    for tile, image in zip(tiles, images, strict=True):
        assert np.array_equal(tile, image[0])


def test_large_images_are_made_smaller_and_small_ones_stay(client):
    (tile,) = sheet(client, study="here/regression", rows="1000", side=16)
    assert tile.shape == (16, 16)
    (tile,) = sheet(client, study="here/regression", rows="1000", side=512)
    assert tile.shape == (64, 64)


def test_what_cannot_be_drawn_is_told(ask):
    assert "row 14553 asked of a world of 14553 rows" in ask("sheet", refused=400, study=HERE, rows="14553")
    assert "row numbers" in ask("sheet", refused=400, study=HERE, rows="1;2")
    assert "at most" in ask("sheet", refused=400, study=HERE, rows=",".join(map(str, range(300))))
    assert "no row was named" in ask("sheet", refused=400, study=HERE)
    assert "not at hand" in ask("sheet", refused=404, study="here/domains", rows="0")
    assert "not at hand" in ask("worlds", study="here/domains")["absent"]
    assert "not at hand" in ask("split", study="here/domains")["why"]


def test_one_image_has_its_factors_and_what_everybody_said(ask, opened):
    row = int(opened.trial(0).responses()["sample"][0])
    one = ask("image", study=HERE, row=row, answers=1)
    expected = opened.responses().filter(pl.col("sample") == row)
    assert len(one["answers"]) == len(expected)
    key = ["trial", "set", "target"]
    mine = {tuple(answer[k] for k in key): answer["response"] for answer in one["answers"]}
    theirs = {tuple(map(str, answer[:3])): str(answer[3]) for answer in expected.select(*key, "response").rows()}
    assert mine == theirs
    assert one["key"] == opened.world().keys([row])[0]


def test_one_image_has_the_units_that_fire_in_its_cell(ask, opened):
    trial = opened.trial(3)
    found = ask("image", study=HERE, row=4321, answers=1, trial="3")["units"]
    grids = trial.activity(found["layer"]).astype(np.float64)
    cell = tuple(opened.world().samples.cells(np.array([4321]))[0])
    flat = grids.reshape(len(grids), -1)
    shares = (grids[:, *cell] - flat.min(axis=1)) / np.ptp(flat, axis=1)
    assert [one["share"] for one in found["rows"]] == pytest.approx(sorted(shares, reverse=True)[:6])
    assert all(one["share"] == pytest.approx(shares[one["unit"]]) for one in found["rows"])
    assert ask("image", study="here/regression", row=7, answers=1)["units"] is None


def test_dragging_one_factor_changes_that_factor_alone(ask, opened):
    samples = opened.world().samples
    one = ask("image", study=HERE, row=4321)
    here = samples.cells(np.array([4321]))[0]
    for along in one["along"]:
        rows = [row for row in along["rows"] if row is not None]
        assert along["rows"][along["here"]] == 4321
        cells = samples.cells(np.array(rows))
        for place, name in enumerate(samples.space.names):
            if name == along["name"]:
                assert len(set(cells[:, place])) == len(rows) == len(along["levels"])
            else:
                assert set(cells[:, place]) == {here[place]}


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_neighbours_are_found_in_any_world_of_blocks(data):
    levels = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    space = FactorSpace({f"f{place}": tuple(range(count)) for place, count in enumerate(levels)})
    blocks = []
    for _ in range(data.draw(st.integers(1, 3))):
        count = data.draw(st.integers(1, 6))
        kept = data.draw(st.integers(1, len(levels)))
        stored = {f"f{n}": np.array(data.draw(st.lists(st.integers(0, levels[n] - 1), min_size=count, max_size=count)))
                  for n in range(kept)}  # fmt: skip
        grid = tuple(f"f{n}" for n in range(kept, len(levels)))
        cells = None
        if grid and data.draw(st.booleans()):
            every = space.select(grid).cells(np.arange(space.select(grid).size))
            cells = every[: data.draw(st.integers(1, len(every)))]
        blocks.append(Block(count, stored, grid, cells=cells))
    samples = Samples(space, tuple(blocks))
    row = data.draw(st.integers(0, len(samples) - 1))
    here = samples.cells(np.array([row]))[0]
    for along in along_each(samples, row):
        assert along.rows[along.here] == row
        for level, other in zip(along.levels, along.rows, strict=True):
            if other is None:
                continue
            cell = samples.cells(np.array([other]))[0]
            same = [name for name, a, b in zip(space.names, here, cell) if a == b]
            assert set(space.names) - set(same) <= {along.name}
            if along.name in space:
                assert str(cell[space.names.index(along.name)]) == level


def test_drawn_images_are_kept_below_a_budget():
    tiles = Tiles(budget=1000)
    for row in range(20):
        tiles.put(("world", 8, row), np.zeros(100, np.uint8))
    assert tiles.bytes <= 1000
    assert tiles.get(("world", 8, 0)) is None
    assert tiles.get(("world", 8, 19)) is not None


def test_a_sheet_of_colour_stays_colour():
    tiles = [np.full((3, 5, 3), value, np.uint8) for value in (10, 20, 30)]
    body, columns = as_sheet(tiles)
    whole = np.asarray(Image.open(io.BytesIO(body)))
    assert columns == 2
    assert whole.shape == (6, 10, 3)
    assert whole[4, 2].tolist() == [30, 30, 30]


def test_two_subjects_are_compared_on_the_images_that_both_were_asked(ask, opened):
    first, second = (opened.trial(place) for place in (2, 3))
    found = ask("pair", study=HERE, first=first.identity, second="3", set="unseen", target="category")
    answers = [one.responses().with_columns(pl.selectors.categorical().cast(pl.String)) for one in (first, second)]
    right = [one.filter(set="unseen", target="category").sort("sample") for one in answers]
    assert right[0]["sample"].to_list() == right[1]["sample"].to_list()
    a, b = ((one["truth"] == one["response"]).to_numpy() for one in right)
    assert found["n"] == len(a)
    assert found["counts"] == {"both": (a & b).sum(), "first": (a & ~b).sum(), "second": (~a & b).sum(),
                               "neither": (~a & ~b).sum()}  # fmt: skip
    if found["test"].startswith("McNemar"):
        assert found["p"] == pytest.approx(binomtest(int((a & ~b).sum()), int((a ^ b).sum())).pvalue)
    assert found["difference"]["value"] == pytest.approx(a.mean() - b.mean())
    told = [(row["first_right"] != row["second_right"], row["first"] != row["second"]) for row in found["rows"]]
    assert told == sorted(told, reverse=True)
    some = ask("pair", study=HERE, first="2", second="3", set="unseen", target="category", outcome="second")
    assert some["found"] == found["counts"]["second"]


def test_a_pair_needs_two_subjects_that_share_images_and_say_which(ask):
    assert "name both" in ask("pair", refused=404, study=HERE, first="0")
    assert "not the same one twice" in ask("pair", refused=404, study=HERE, first="0", second="0")
    assert "no image in common" in ask("pair", refused=400, study=HERE, first="0", second="1", set="seen", truth="none")
    assert "numbers" in ask("pair", refused=400, study="here/regression", first="0", second="1")


def test_units_are_the_studys_and_the_most_specialised_come_first(ask, opened):
    found = ask("units", study=HERE, trial="3")
    mine = opened.trial(3).units()
    assert found["n"] == len(mine)
    scores = [row["specialization"] for row in found["rows"]]
    assert scores == sorted(scores, reverse=True)
    best = mine.sort("specialization", descending=True, nulls_last=True)["unit"][0]
    assert found["rows"][0]["unit"] == best
    assert found["rows"][0]["grid"].startswith("<svg")
    grid, samples = opened.trial(3).activity()[best], opened.world().samples
    cells = samples.cells(np.array(found["rows"][0]["images"]), ("category", "position"))
    activity = [grid[tuple(cell)] for cell in cells]
    assert activity == sorted(activity, reverse=True)
    assert activity[0] == grid.max()
    assert ask("units", study="here/regression")["trials"] == []
    assert found["weights"] is False
    assert "no weights of trial" in ask("exciting", refused=400, study=HERE, trial="3", unit=0)


def test_the_split_is_drawn_with_its_sets_and_their_reasons(ask, opened, studies):
    found = ask("split", study=HERE)
    assert len(found["splits"]) == 6
    facts = Store(studies / "here" / "combinations").read(opened.trial(0).identity)
    assert {one["name"]: one["images"] for one in found["sets"]} == facts["sets"]
    assert "9 of 81 cells seen" in found["pictures"][0]["words"]
    assert "<svg" in found["pictures"][0]["svg"]
    other = ask("split", study=HERE, trial=found["splits"][1]["trial"])
    assert other["pictures"][0]["words"] != found["pictures"][0]["words"]
    assert len(ask("split", study="here/regression")["pictures"]) > 1


def test_worlds_tell_their_factors(ask):
    (one,) = ask("worlds", study="here/regression")["worlds"]
    assert [factor["name"] for factor in one["factors"]] == [
        "shape", "scale", "orientation", "position_x", "position_y",
    ]  # fmt: skip
