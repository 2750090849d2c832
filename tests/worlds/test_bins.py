"""Many views become a few bins: around a circle or along a line, named, with distances kept and no view forgotten."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor
from unseen.vocabulary.responses import responses_table
from unseen.vocabulary.target import target_of
from unseen.worlds import make
from unseen.worlds.binning import binned
from unseen.worlds.bins import Bins, asked_bins
from unseen.worlds.folder import folder
from unseen.worlds.template import Template

VIEWS = tuple(range(0, 360, 5))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def coil(tmp_path_factory):
    """Three objects × 72 views, as COIL names its files."""
    place = tmp_path_factory.mktemp("coil")
    for thing, view in itertools.product(range(1, 4), VIEWS):
        Image.new("RGB", (4, 4), (thing, view // 2, 9)).save(place / f"obj{thing}__{view}.png")
    return place


def circle(levels=VIEWS):
    return Factor("view", tuple(levels), kind="circular", period=360)


def line(*levels):
    return Factor("height", levels, kind="ordinal")


def inside(factor, how):
    """The levels in each bin."""
    found = binned(factor, np.arange(len(factor)), asked_bins({factor.name: how})[factor.name])
    names = found.factor.levels
    return {name: [factor.levels[n] for n in np.flatnonzero(found.codes == b)] for b, name in enumerate(names)}


def test_views_become_bins_around_the_circle_with_the_front_in_the_middle_of_the_first():
    bins = inside(circle(), 8)
    assert list(bins) == ["340-20", "25-65", "70-110", "115-155", "160-200", "205-245", "250-290", "295-335"]
    assert sorted(bins["340-20"]) == [0, 5, 10, 15, 20, 340, 345, 350, 355]
    assert all(len(own) == 9 for own in bins.values())
    factor = binned(circle(), np.arange(72), Bins(8)).factor
    assert (factor.kind, factor.period) == ("circular", 360)
    assert factor.places().ravel().tolist() == [0, 45, 90, 135, 180, 225, 270, 315]


def test_the_first_bin_may_begin_elsewhere_and_bins_may_have_names():
    bins = inside(circle(), {"count": 4, "start": 0, "names": ["a", "b", "c", "d"]})
    assert bins["a"] == list(range(0, 90, 5))
    assert bins["d"] == list(range(270, 360, 5))
    assert inside(circle(), {"count": 4, "start": -45})["315-40"][-1] == 355


def test_a_line_is_binned_in_equal_widths_over_its_range():
    assert inside(line(*range(72)), 8)["0-8"] == list(range(9))
    assert inside(line(0, 10, 20, 30, 100), 2) == {"0-30": [0, 10, 20, 30], "100": [100]}
    assert inside(line(-20, -10, 0, 10), 2) == {"-20 to -10": [-20, -10], "0 to 10": [0, 10]}
    assert inside(line(0.1, 0.2, 0.3, 0.4), 3) == {"0.1-0.2": [0.1], "0.2-0.3": [0.2], "0.3-0.4": [0.3, 0.4]}
    factor = binned(line(0, 10, 20, 30, 100), np.arange(5), Bins(2)).factor
    assert factor.places().ravel().tolist() == [25, 75]


def test_bins_of_equally_many_images_follow_the_images():
    codes = np.array([0] * 10 + [1] * 10 + [2] * 10 + [3] * 10)
    found = binned(line(0, 1, 2, 100), codes, Bins(2, by="count"))
    assert np.bincount(found.codes).tolist() == [20, 20]
    assert found.factor.levels == ("0-1", "2-100")
    assert {len(own) for own in inside(circle(), {"count": 8, "by": "count"}).values()} == {9}
    assert 0 in next(iter(inside(circle(), {"count": 8, "by": "count"}).values()))


def test_a_level_on_an_edge_is_in_the_bin_that_begins_there_however_the_circle_is_counted():
    bins = inside(circle((*range(0, 360, 90), 31.8)), {"edges": [-58.2, 31.8, 121.8, 211.8, 301.8]})
    assert 31.8 in bins["31.8 to 121.8"]
    assert list(inside(line(0.0, 0.3, 0.9), {"edges": [0, 0.1 + 0.2, 0.9]}).values()) == [[0.0], [0.3, 0.9]]


def test_edges_are_the_users_and_what_lies_outside_is_left_out():
    bins = inside(line(*range(0, 100, 10)), {"edges": [0, 30, 60]})
    assert bins == {"0-30": [0, 10, 20], "30-60": [30, 40, 50, 60]}
    assert sorted(inside(circle(), {"edges": [-45, 45, 135, 225, 315]})["-45 to 45"])[:2] == [0, 5]
    with pytest.raises(UnseenError, match="more than its full turn of 360"):
        inside(circle(), {"edges": [0, 180, 720]})


@given(
    levels=st.lists(st.integers(-400, 400), min_size=2, max_size=40, unique=True),
    count=st.integers(2, 12),
    kind=st.sampled_from(["ordinal", "circular"]),
    by=st.sampled_from(["width", "count"]),
)
def test_every_level_lies_in_one_bin_in_order_or_the_reason_is_said(levels, count, kind, by):
    factor = Factor("x", tuple(sorted(levels)), kind=kind, period=360 if kind == "circular" else None)
    try:
        found = binned(factor, np.arange(len(factor)), Bins(count, by=by))
    except UnseenError:  # too many bins, or an empty one; anything else is a fault
        return
    assert len(found.factor) == len(set(found.factor.levels)) == count
    assert set(found.codes.tolist()) == set(range(count))
    assert found.before.tolist() == list(factor.levels)
    middles = found.factor.places().ravel()
    assert (np.diff(middles) > 0).all()
    if kind == "ordinal":
        assert (np.diff(found.codes) >= 0).all()
    elif by == "width":
        away = np.abs((np.asarray(factor.levels) - middles[found.codes] + 180) % 360 - 180)
        assert away.max() <= 180 / count + 1e-6


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (1, "1 bins asked of factor 'view'; give a whole number of at least 2"),
        (2.5, "give their number"),
        (True, "give their number"),
        ({"count": 0}, "at least 2"),
        ({"cuont": 8}, "no setting 'cuont'.*Did you mean 'count'"),
        ({"count": 8, "edges": [0, 1, 2]}, "both a count and edges"),
        ({}, "neither a count nor edges"),
        ({"count": 8, "by": "area"}, "no way to bin 'area'"),
        ({"edges": [0, 1]}, "at least three, rising"),
        ({"edges": [0, 2, 1]}, "at least three, rising"),
        ({"edges": [0, "x", 1]}, "give numbers"),
        ({"edges": [0, float("nan"), 1]}, "give numbers"),
        ({"edges": [0, 1, 2], "start": 3}, "leave no use for 'start'"),
        ({"count": 2, "start": "left"}, "give a number"),
        ({"count": 3, "names": ["a", "b"]}, "3 bins and 2 names"),
        ({"count": 2, "names": ["a", "a"]}, "share a name"),
        ({"count": 2, "names": "ab"}, "give a list"),
    ],
)
def test_wrong_bins_are_explained(how, said):
    with pytest.raises(UnseenError, match=said):
        asked_bins({"view": how})
    with pytest.raises(UnseenError, match="name the factor and the number of bins"):
        asked_bins(8)


@pytest.mark.parametrize(
    ("factor", "how", "said"),
    [
        (line(0, 1, 2), 4, r"4 bins asked of factor 'height', which has 3 levels: 0, 1, 2. Ask for at most 3"),
        (line(0, 1, 2, 100), 4, r"2 of 4 bins of factor 'height' hold none of its 4 levels: 25-50, 50-75"),
        (Factor("height", ("low", "high")), 2, "its levels are words, such as low, high"),
        (Factor("height", (1, 2, 3), kind="category"), 2, "is of kind 'category', whose levels have no order"),
        (line(0, 1, 2), {"count": 2, "start": 0}, "which only a circle needs"),
    ],
)
def test_what_cannot_be_binned_is_said(factor, how, said):
    with pytest.raises(UnseenError, match=said):
        inside(factor, how)


def test_a_recipe_a_template_and_a_manifest_ask_for_the_same_bins(coil, tmp_path):
    told = {"kinds": {"view": "circular"}, "category": "object"}
    asked = folder(coil, template="obj{object}__{view}.png", bins={"view": 8}, **told)
    assert asked.samples.space.shape == (3, 8)
    rows = np.arange(len(asked.samples))
    assert asked.samples.attributes == ("view_unbinned",)
    assert asked.samples.attribute("view_unbinned", rows[:3]).tolist() == [0, 10, 100]  # rows are sorted by path
    for template in ("obj{object}__{view:bins=8}.png", "obj{object}__{view:d:bins=8}.png"):
        assert folder(coil, template=template, **told).fingerprint == asked.fingerprint
    files = [f"obj{thing}__{view}.png" for thing in (1, 2, 3) for view in VIEWS]
    table = {"path": files, "object": [n[3] for n in files], "view:bins=8": [n[6:-4] for n in files]}
    pl.DataFrame(table).write_csv(tmp_path / "table.csv")
    assert folder(coil, manifest=tmp_path / "table.csv", **told).fingerprint == asked.fingerprint
    finer = folder(coil, manifest=tmp_path / "table.csv", bins={"view": 12}, **told)
    assert finer.samples.space.shape == (3, 12)  # what the recipe asks goes before what the table says
    with pytest.raises(UnseenError, match="no factor 'veiw' in these images; possible: object, view"):
        folder(coil, template="obj{object}__{view}.png", bins={"veiw": 8}, **told)


def test_levels_choose_among_bins_by_name_or_among_what_is_binned(coil):
    def world(levels):
        return folder(
            coil, template="obj{object}__{view}.png", category="object", levels={"view": levels},
            bins={"view": {"edges": [0, 90, 180, 270], "names": ["one", "two", "three"]}},
        )  # fmt: skip

    by_name = world(["three", "one"])
    assert by_name.samples.space["view"].levels == ("three", "one")
    assert by_name.samples.space["view"].places().ravel().tolist() == [225, 45]
    assert by_name.problems.left_out == {"view": 3 * (18 + 17)}
    assert world([0, 90, 180]).samples.space["view"].levels == ("one", "two", "three")
    assert len(world([0, 90, 180]).samples) == 9


def test_bins_change_the_fingerprint_and_their_absence_does_not(coil):
    told = {"template": "obj{object}__{view}.png", "category": "object"}
    plain = folder(coil, **told)
    assert plain.fingerprint == folder(coil, bins={}, **told).fingerprint
    prints = {
        folder(coil, bins={"view": how}, **told).fingerprint for how in (8, 9, {"count": 8, "names": list("abcdefgh")})
    }
    assert len(prints | {plain.fingerprint}) == 4
    assert plain.samples.attributes == ()


def test_a_world_without_bins_keeps_the_fingerprint_it_had_before_there_were_bins(tmp_path):
    for thing, view in itertools.product((1, 2), (0, 90, 180, 270)):
        picture = b"P6 2 2 255\n" + bytes([thing, view % 256, 3] * 4)
        (tmp_path / f"obj{thing}__{view}.ppm").write_bytes(picture)
    world = folder(tmp_path, template="obj{object}__{view}.ppm", category="object", kinds={"view": "circular"})
    assert world.fingerprint == "37e24bd483c18e3f814a978a173343c5"


def test_the_view_within_its_bin_reaches_the_table_of_answers_also_through_transformations(coil):
    of = {"name": "folder", "root": str(coil), "template": "obj{object}__{view:bins=8}.png", "category": "object"}
    world = make("transformed", of=of, levels=["none", "blur"])
    samples, rows = world.samples, np.arange(0, len(world.samples), 7)
    target = target_of(samples.space["object"])
    answers = {"object": (np.zeros(len(rows), int), np.ones(len(rows)))}
    table = responses_table(samples, (target,), subject="s", trial="t", asked="test", rows=rows, answers=answers)
    views = [int(samples.name(int(row)).partition("__")[2].partition(".")[0]) for row in rows]
    assert table["view_unbinned"].to_pylist() == views
    assert table["view"].to_pylist()[0] == samples.space["view"].levels[0]


@pytest.mark.parametrize("text", ["{a:bins}", "{a:bins=x}", "{a:bins=8:bins=8}", "{a:d:d}", "{a:bins=-1}"])
def test_a_template_says_how_bins_are_written(text):
    with pytest.raises(UnseenError, match=r"\{azimuth:bins=8\} for eight bins"):
        Template(text)


def test_a_column_with_bins_is_a_column_once(coil, tmp_path):
    (tmp_path / "m.csv").write_text("path,object,view,view:bins=8\nobj1__0.png,1,0,0\n")
    with pytest.raises(UnseenError, match="has the columns 'view' and 'view:bins=8'"):
        folder(coil, manifest=tmp_path / "m.csv")
    (tmp_path / "m.csv").write_text("path,object,view:bins=many\nobj1__0.png,1,0\n")
    with pytest.raises(UnseenError, match="bins are asked for as 'view:bins=8'"):
        folder(coil, manifest=tmp_path / "m.csv")
