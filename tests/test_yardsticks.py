"""The yardsticks of bench/: which pictures they ask, how they count, what they say of bad input."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.class_maps import class_map
from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # bench is no part of the package
canonical = importlib.import_module("bench.canonical")
difficulty = importlib.import_module("bench.difficulty")
intervals = importlib.import_module("bench.intervals")
realism = importlib.import_module("bench.realism")
yardsticks = importlib.import_module("bench.yardsticks")
harder_worlds = importlib.import_module("bench.harder_worlds")
lite0 = importlib.import_module("bench.lite0")

NATURAL = {"levels": 5, "backgrounds": 3, "pair_levels": 3, "pair_backgrounds": 2, "combinations": 4, "side": 32}


def worlds():
    """Listed cells in three blocks with an object factor, and a full grid without one."""
    yield make("natural-variation", classes=["mug", "chair"], instances=4, **NATURAL).samples
    yield make("objects", categories=["mug", "chair"], instances=4, pose=6, size=3, backgrounds=3, side=32).samples


@pytest.mark.parametrize("place", [0, 1], ids=["natural-variation", "objects"])
def test_one_factor_alone_leaves_its_canonical_level_and_all_others_keep_theirs(place):
    samples = list(worlds())[place]
    factors = {factor.name: factor for factor in canonical.varying(samples)}
    for free in (None, *factors):
        rows = canonical.rows_with(samples, free)
        assert len(rows)
        for name, factor in factors.items():
            still = samples.levels(name, rows) == factor.canonical
            assert (~still).all() if name == free else still.all(), (free, name)
        if free is not None:
            assert set(samples.levels(free, rows)) == set(range(len(factors[free]))) - {factors[free].canonical}


@pytest.mark.parametrize("place", [0, 1], ids=["natural-variation", "objects"])
def test_every_object_is_asked_once_canonical_and_so_often_with_each_factor(place):
    samples = list(worlds())[place]
    asked = difficulty.asked_of(samples, objects=3, views=2, least=0, seed=0)
    assert asked.names == ("mug", "chair")
    assert asked.classes.tolist() == [0] * 3 + [1] * 3
    numbers = canonical.objects_of(samples, asked.rows)
    for at in range(len(asked.conditions)):
        here = asked.condition == at
        assert np.bincount(asked.objects[here], minlength=6).tolist() == [1 if at == 0 else 2] * 6
        names = samples.levels("category", asked.rows[here])
        assert (names == asked.classes[asked.objects[here]]).all()
    assert len(np.unique(np.stack([numbers, asked.objects]), axis=1).T) == 6  # a number for each object


def test_the_pictures_of_an_object_do_not_depend_on_which_others_are_asked():
    samples = next(worlds())
    few = difficulty.asked_of(samples, objects=3, views=2, least=0, seed=0)
    all_of_them = difficulty.asked_of(samples, objects=None, views=2, least=0, seed=0)
    assert set(few.rows) <= set(all_of_them.rows)


@given(sizes=st.lists(st.integers(3, 12), min_size=2, max_size=6), folds=st.integers(3, 6), seed=st.integers(0, 5))
def test_folds_are_even_in_every_class_and_overall(sizes, folds, seed):
    classes = np.repeat(np.arange(len(sizes)), sizes)
    fold = difficulty.folds_of(classes, folds, seed)
    for one in range(len(sizes)):
        counts = np.bincount(fold[classes == one], minlength=folds)
        assert counts.max() - counts.min() <= 1
    whole = np.bincount(fold, minlength=folds)
    assert whole.max() - whole.min() <= 1


def test_a_probe_knows_held_out_objects_by_what_their_class_shares_and_not_by_what_is_their_own():
    samples = make("natural-variation", classes=["mug", "chair", "dog"], instances=10, **NATURAL).samples
    asked = difficulty.asked_of(samples, objects=None, views=2, least=0, seed=0)
    rng = np.random.default_rng(0)
    own = rng.normal(size=(30, 20))[asked.objects]
    fold = difficulty.folds_of(asked.classes, 5, 0)
    shared = np.eye(3)[asked.classes[asked.objects]] * 4
    right = {}
    for name, features in (("shared", np.hstack([own, shared])), ("own", own)):
        said, _ = difficulty.answers(torch.from_numpy(features).float(), asked, fold, 5)
        right[name] = (said == asked.classes[asked.objects]).mean()
    assert right["shared"] == 1
    assert right["own"] < 0.65  # chance is a third; an object that is also trained on would be known


def test_the_gap_is_that_of_the_same_objects_and_every_cell_has_its_n():
    samples = next(worlds())
    asked = difficulty.asked_of(samples, objects=3, views=2, least=0, seed=0)
    truth = asked.classes[asked.objects]
    pose = asked.conditions.index("pose")
    said = np.where((asked.condition == pose) & (truth == 0), 1, truth)  # every mug that turns is called a chair
    table = {(row["class"], row["condition"]): row for row in difficulty.table_of(asked, said, "some")}
    assert table["mug", "pose"]["gap"].value == -1
    assert table["chair", "pose"]["gap"].value == 0
    assert table["all", "pose"]["gap"].value == -0.5
    assert table["all", "size"]["accuracy"].value == 1
    assert table["all", "pose"]["accuracy"].n == 6
    assert table["all", "pose"]["pictures"] == 12
    assert difficulty.taken_for(asked, said)["mug"].startswith("chair 0.18")


def test_an_interval_draws_whole_objects_within_their_classes():
    alike = intervals.over_objects(np.array([0.0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    assert (alike.value, alike.low, alike.high) == (0.5, 0.5, 0.5)  # classes are the same in every world
    apart = intervals.over_objects(np.array([0.0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    assert (apart.low, apart.high) == (0, 1)
    assert intervals.over_objects(np.array([1.0, np.nan]), np.array([0, 0])).dropped == 1


def test_many_pictures_of_one_object_count_as_one_object():
    means = intervals.object_means(np.array([1.0] * 99 + [0.0]), np.array([0] * 99 + [1]), 3)
    np.testing.assert_array_equal(means, [1, 0, np.nan])


def test_a_name_is_right_where_it_is_in_the_map_and_a_choice_where_its_category_has_most():
    own = class_map()
    probabilities = np.zeros((3, 1000))
    probabilities[0, [504, 883]] = 0.6, 0.4  # coffee mug before vase
    probabilities[1, [883, 831, 504]] = 0.5, 0.3, 0.2  # vase before studio couch
    probabilities[2, [831, 504]] = 0.9, 0.1
    found = realism.scores(probabilities, np.array([0, 1, 2]), ("mug", "sofa", "bed"), own)
    assert found["top-1"].tolist() == [1, 0, 1]  # a studio couch is a day bed
    assert found["top-5"].tolist() == [1, 1, 1]
    assert found["choice"].tolist() == [1, 1, 0]  # but where sofas are asked for, it is one of them


def test_untrained_features_depend_on_the_seed_alone_and_tell_pictures_apart():
    pictures = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (4, 3, 64, 64), dtype=np.uint8))
    pictures[2:] //= 4
    with torch.inference_mode():
        first, again, other = (lite0.untrained(64, "cpu", seed)(pictures) for seed in (0, 0, 1))
    torch.testing.assert_close(first, again)
    assert not torch.allclose(first, other)
    assert first.isfinite().all()
    assert (first.std(0) > 1e-3 * first.mean(0).abs()).float().mean() > 0.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["objects", "--set", "textures=2"], "texture: no canonical level"),
        (["natural-variation", "--objects", "2"], "--objects is a whole number from 3"),
        (["objects", "--set", "instances=2"], "at least two classes with 3 objects each"),
        (["objects", "--folds", "2"], "--folds is a whole number from 3"),
        (["objects", "--set", "instances"], "has no argument and value"),
        (["objects", "--set", "instnces=3"], "Did you mean 'instances'"),
        (["objects", "--out", "table.txt"], "written as .parquet or .csv"),
        (["digits"], "too small"),
        (["objcts"], "Did you mean 'objects'"),
    ],
)
def test_bad_input_is_said_before_anything_is_drawn(arguments, words, capsys):
    assert difficulty.main(arguments) == 1
    assert words in capsys.readouterr().err


def test_realism_needs_a_world_that_can_stand_on_a_plain_floor():
    with pytest.raises(UnseenError, match="take one that has, such as objects or meshes"):
        realism.conditions("natural-variation", {}, 64)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_are_written_as_they_are(tmp_path, suffix):
    rows = [{"class": "mug", "value": 0.5}, {"class": "all", "value": 1.0}]
    intervals.write_table(str(tmp_path / f"table{suffix}"), rows)
    import polars as pl

    read = pl.read_csv if suffix == ".csv" else pl.read_parquet
    assert read(tmp_path / f"table{suffix}").to_dicts() == rows


def test_both_yardsticks_make_one_table_that_goes_on_where_it_was_cut_off(tmp_path, monkeypatch, capsys):
    asked = []

    def measure(words):
        asked.append(words)
        own = {"class": "mug", "condition": "canonical", "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6,
               "objects": 3, "pictures": 3}  # fmt: skip
        name = "features" if "natural-variation" in words else "category"
        row = {**own, "features": "random"} if name == "features" else {**own, "category": own.pop("class")}
        intervals.write_table(words[words.index("--out") + 1], [row])
        return 1 if "classes=38" in words else 0

    monkeypatch.setattr(difficulty, "main", measure)
    monkeypatch.setattr(realism, "main", measure)
    out = tmp_path / "both.parquet"
    words = ["--meshes", str(tmp_path / "models"), "--device", "cpu", "--out", str(out)]
    assert yardsticks.main(words) == 1  # the third run fails: two are kept
    first = yardsticks.table_of(out)
    assert [row["run"] for row in first] == ["difficulty, everyday", "realism, everyday"]
    assert [row["features"] for row in first] == ["random", "ImageNet"]
    assert {row["class"] for row in first} == {"mug"}
    assert yardsticks.main([*words, "--only", "realism, everyday", "realism, meshes"]) == 0
    assert [row["run"] for row in yardsticks.table_of(out)][2:] == ["realism, meshes"]
    assert len(asked) == 4
    assert str(tmp_path) not in "".join(row["command"] for row in yardsticks.table_of(out)), "a place of this machine"
    assert yardsticks.main([*words, "--only", "realism, mesh"]) == 1
    assert "no run realism, mesh; there are difficulty, everyday" in capsys.readouterr().err
    assert yardsticks.main(["--out", str(tmp_path / "both.csv")]) == 1


@pytest.mark.slow
def test_each_feature_of_a_world_is_priced_beside_the_row_that_it_adds_to(tmp_path):
    assert (
        harder_worlds.main(["--side", "16", "--instances", "1", "--rounds", "1", "--out", str(tmp_path / "t.csv")]) == 0
    )
    text = (tmp_path / "t.csv").read_text()
    assert text.count("\n") == 1 + len(harder_worlds.ROWS)
    assert all(base is None or base in harder_worlds.ROWS for base, _ in harder_worlds.ROWS.values())
