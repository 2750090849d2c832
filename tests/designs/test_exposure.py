"""Some categories are seen transformed, the others are asked (Zaidi et al. 2020): nested, uniform, nothing leaks."""

import json
from inspect import unwrap

import numpy as np
import pytest
from grids import images, listed
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import DESIGNS, audit, expose, paired_rows, shown_levels
from unseen.designs.exposure import exposed_categories, visits
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

LEVELS = ("none", "blur", "rotated")


def world(sizes=(20, 20, 20, 20), levels=LEVELS, views=0, **options):
    """So many images of each category, each of them at every transformation (and view)."""
    own = np.repeat(np.arange(len(sizes)), sizes)
    factors = {"category": [f"c{c}" for c in range(len(sizes))], "transformation": levels}
    if views:
        factors["view"] = range(views)
    grid = tuple(name for name in factors if name != "category")
    return Samples(FactorSpace(factors), (Block(len(own), {"category": own}, grid=grid, **options),))


def exposed(samples, seen, **options):
    return expose(samples, **{"level": "blur", "seen": seen, "seed": 0, **options})


def loosely(seen, samples=None, **options):
    """As a user may call it: types are checked in tests alone."""
    return unwrap(expose)(samples or world(), **{"level": "blur", "seen": seen, "seed": 0, **options})


sizes = st.lists(st.integers(10, 40), min_size=2, max_size=6)


@given(sizes, st.integers(0, 99), st.data())
def test_a_larger_number_of_categories_contains_a_smaller_one(counts, seed, data):
    samples = world(counts)
    few = data.draw(st.integers(0, len(counts)))
    many = data.draw(st.integers(few, len(counts)))
    small, large = (set(exposed(samples, n, seed=seed).facts["exposed"]) for n in (few, many))
    assert small <= large
    assert (len(small), len(large)) == (few, many)
    other = exposed(samples, many, seed=seed, level="rotated")
    assert set(other.facts["exposed"]) == large


def test_another_seed_exposes_other_categories():
    orders = {tuple(exposed_categories(8, seed).tolist()) for seed in range(20)}
    assert len(orders) == 20
    assert len({order[0] for order in orders}) > 4


@given(sizes, st.data(), st.integers(0, 9))
def test_training_is_uniform_over_categories_and_half_of_what_is_seen_is_transformed(counts, data, seed):
    samples = world(counts)
    seen = data.draw(st.integers(0, len(counts)))
    split = exposed(samples, seen, seed=seed)
    for name in ("train", "validation"):
        rows = listed(split, samples, name)
        assert len(set(rows.sum(1).tolist())) == 1  # every category is drawn equally often
        assert not rows[:, 2].any()  # and the other transformation never
        for c in range(len(counts)):
            plain, blurred = rows[c, :2]
            assert blurred == (plain if c in split.facts["exposed_numbers"] else 0)
        assert split.count(samples, name) == rows.sum()


@given(sizes, st.data())
def test_images_of_a_category_are_drawn_equally_often_to_within_one_round(counts, data):
    samples = world(counts)
    split = exposed(samples, data.draw(st.integers(0, len(counts))))
    rows = split.rows(samples, "train")
    own, often = np.unique(samples.locate(rows)[1], return_counts=True)
    for c in range(len(counts)):
        here = often[samples.blocks[0].stored["category"][own] == c]
        assert here.max() - here.min() <= 2
        assert (here % 2 == 0).all()


@settings(max_examples=15)
@given(sizes, st.data())
def test_nothing_depends_on_the_number_seen_but_which_images_are_transformed(counts, data):
    samples = world(counts)
    seen = data.draw(st.integers(0, len(counts) - 1))
    first, second = exposed(samples, seen), exposed(samples, seen + 1)
    for name in ("train", "validation", "plain"):
        visited = [np.sort(samples.locate(split.rows(samples, name))[1]) for split in (first, second)]
        assert visited[0].tolist() == visited[1].tolist()


@settings(max_examples=15)
@given(sizes, st.data(), st.integers(0, 9))
def test_pools_share_no_image_and_test_sets_are_what_they_say(counts, data, seed):
    samples = world(counts, views=3)
    seen = data.draw(st.integers(0, len(counts)))
    split = exposed(samples, seen, seed=seed)
    tested = images(split, samples, "plain")
    assert images(split, samples, "within") | images(split, samples, "across") == tested
    assert images(split, samples, "within").isdisjoint(images(split, samples, "across"))
    pools = [images(split, samples, "train"), images(split, samples, "validation"), tested]
    assert sum(map(len, pools)) == len(set.union(*pools)) == samples.instances
    assert images(split, samples, "probe") <= tested
    chosen = split.facts["exposed_numbers"]
    within, across, plain = (listed(split, samples, name) for name in ("within", "across", "plain"))
    assert sorted(np.flatnonzero(within.sum(1))) == sorted(chosen)
    assert sorted(np.flatnonzero(across.sum(1))) == sorted(set(range(len(counts))) - set(chosen))
    assert not within[:, [0, 2]].any()
    assert not across[:, [0, 2]].any()
    assert not plain[:, 1:].any()


@settings(max_examples=15)
@given(sizes, st.data())
def test_relabelling_the_transformations_changes_no_image(counts, data):
    order = data.draw(st.permutations(LEVELS))
    seen = data.draw(st.integers(0, len(counts)))
    first, second = world(counts), world(counts, tuple(order))
    for name in ("train", "within", "across", "plain"):
        found = []
        for samples in (first, second):
            rows = exposed(samples, seen).rows(samples, name)
            level = np.array(samples.space["transformation"].levels)[samples.levels("transformation", rows)]
            found.append(sorted(zip(samples.locate(rows)[1].tolist(), level.tolist())))
        assert found[0] == found[1]


def test_a_hand_made_world_is_split_as_computed_by_hand():
    samples = world((10, 20))
    split = exposed(samples, 1, shares=(0.5, 0.1, 0.4))
    one, other = split.facts["exposed_numbers"][0], 1 - split.facts["exposed_numbers"][0]
    train = listed(split, samples, "train")
    # Ten training images of the larger category, twice each; five of the smaller one, four times each.
    assert train[one].tolist() == [10, 10, 0]
    assert train[other].tolist() == [20, 0, 0]
    assert listed(split, samples, "plain")[:, 0].tolist() == [4, 8]
    assert split.count(samples, "within") + split.count(samples, "across") == 12
    assert split.facts["combinations"] == 3


def test_drawing_every_image_alike_leaves_categories_their_size():
    samples = world((10, 30))
    rows = listed(exposed(samples, 2, balance="images", shares=(0.5, 0.1, 0.4)), samples, "train")
    assert rows.tolist() == [[5, 5, 0], [15, 15, 0]]


def test_bounds_take_so_many_images_of_each_category():
    samples = world((30, 30, 30))
    split = exposed(samples, 2, images_per_category=7, test_images_per_category=3, probe_per_category=2)
    assert listed(split, samples, "train").sum(1).tolist() == [14, 14, 14]
    assert len(images(split, samples, "train")) == 21
    assert split.count(samples, "plain") == 9
    assert listed(split, samples, "probe").tolist() == [[2, 2, 0]] * 3


def test_none_and_all_categories_leave_one_test_set_empty():
    samples = world()
    none, every = exposed(samples, 0), exposed(samples, 4)
    assert none.count(samples, "within") == len(none.rows(samples, "within")) == 0
    assert every.count(samples, "across") == 0
    assert every.count(samples, "within") == none.count(samples, "across") > 0
    assert none["across"].asks == ("category",)  # no network can name a transformation it was never shown
    assert every["across"].asks is None


@pytest.mark.parametrize("cells", [None, np.array([(t, v) for t in (2, 0, 1) for v in (0, 3, 4)])])
def test_pairs_are_the_same_image_in_the_same_view(cells):
    samples = world((12, 15), views=5, cells=cells)
    split = exposed(samples, 1)
    plain, blurred = paired_rows(samples, split)
    names = ("category", "view")
    assert samples.locate(plain)[1].tolist() == samples.locate(blurred)[1].tolist()
    assert samples.cells(plain, names).tolist() == samples.cells(blurred, names).tolist()
    assert set(samples.levels("transformation", plain)) == {0}
    assert set(samples.levels("transformation", blurred)) == {1}
    assert len(plain) == split.count(samples, "plain")
    with pytest.raises(UnseenError, match="'within' does not hold each image plain and transformed"):
        paired_rows(samples, split, "within")


def test_a_source_keeps_its_test_images():
    pool = np.array(["train"] * 15 + ["test"] * 5)
    samples = world((10, 10), pool=np.random.default_rng(0).permutation(pool))
    tested = images(exposed(samples, 1), samples, "plain")
    assert tested == set(np.flatnonzero(samples.blocks[0].pool == "test").tolist())


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 12), st.integers(0, 30))
def test_visits_are_equally_often_at_each_level(levels, times, supply, shown):
    parts = visits(0, range(levels), supply, shown, times=times)
    often = np.zeros((supply, levels), int)
    for part in parts:
        often[part.skip : part.skip + part.take, part.cell[1]] += 1
    assert often.sum() == shown * times
    if times % levels == 0:
        assert (often == often[:, :1]).all()
    rounds = -(-shown // supply)
    assert np.ptp(often.sum(0)) <= rounds * levels  # runs differ by at most one image
    each = often.sum(1)
    assert np.ptp(each) <= times


def test_the_audit_finds_no_leak():
    samples = world((20, 20, 20))
    found = audit(exposed(samples, 2), samples)
    assert not any(found.shared_images.values())
    assert not any(found.shared_instances.values())
    assert found.counts["train"][:, 2].sum() == 0


@pytest.mark.parametrize(
    ("make", "sentences"),
    [
        (lambda: exposed(world(), 5), ["design.seen = 5", "'category' has 4 levels", "from 0", "to 4"]),
        (lambda: exposed(world(), -1), ["design.seen = -1"]),
        (lambda: exposed(world(), True), ["design.seen = True"]),
        (lambda: loosely(np.bool_(True)), ["design.seen = np.True_"]),
        (lambda: loosely(2.0), ["design.seen = 2.0"]),
        (lambda: loosely(np.int64(5)), ["design.seen = np.int64(5)", "0 (none seen transformed) to 4 (all)"]),
        (lambda: loosely(2, images_per_category=np.float64(3)), ["design.images_per_category = np.float64"]),
        (lambda: loosely(2, level=None), ["design.level = None is neither", "possible: blur, rotated."]),
        (lambda: loosely(0, level=["blur", None]), ["design.level = ['blur', None] is neither"]),
        (lambda: exposed(world(), 2, level="blurr"), ["no level 'blurr'", "Did you mean 'blur'?"]),
        (lambda: exposed(world(), 2, level="none"), ["both 'none'", "blur, rotated"]),
        (lambda: exposed(world(), 2, plain="original"), ["no level 'original' in factor 'transformation'"]),
        (lambda: exposed(world(), 2, transformation="distortion"), ["no factor 'distortion'", "wrapped"]),
        (lambda: exposed(world(), 2, transformation="category"), ["both 'category'"]),
        (lambda: exposed(world(), 2, category="kind"), ["no factor 'kind'"]),
        (lambda: exposed(world(), 2, balance="cells"), ["design.balance", "categories, images"]),
        (lambda: exposed(world(), 2, images_per_category=99), ["the largest category has 14 images"]),
        (lambda: exposed(world(), 2, test_images_per_category=0), ["design.test_images_per_category = 0"]),
        (lambda: exposed(world((20,)), 1), ["'category' has one level", "at least two"]),
        (lambda: exposed(world((20, 1)), 1), ["1 of 2 levels of 'category' have no image", "c1"]),
        (lambda: exposed(world(), 1, shares=(0.5, 0.5, 0.0)), ["pool 'test'", "design.shares"]),
        (lambda: exposed(world(views=2, cells=np.array([[0, 0], [2, 0]])), 1), ["have no image in pool 'train'"]),
    ],
)
def test_what_cannot_be_exposed_is_refused_with_a_way_out(make, sentences):
    with pytest.raises(UnseenError) as told:
        make()
    for sentence in sentences:
        assert sentence in str(told.value)


def test_a_stored_transformation_is_refused():
    space = FactorSpace({"category": ("a", "b"), "transformation": LEVELS})
    levels = {"category": np.arange(60) % 2, "transformation": np.arange(60) // 2 % 3}
    with pytest.raises(UnseenError, match="stored with each image of this world"):
        exposed(Samples(space, (Block(60, levels),)), 1)


def test_without_a_share_for_validation_there_is_no_such_set():
    split = exposed(world(), 2, shares=(0.8, 0.0, 0.2))
    assert "validation" not in split.sets


def test_the_table_of_designs_has_both():
    assert {"expose", "matrix"} <= set(DESIGNS)


def test_one_plain_baseline_is_asked_every_level():
    samples = world()
    both = exposed(samples, 0, level=["blur", "rotated"])
    assert list(both.sets) == ["train", "validation", "across-blur", "across-rotated", "plain", "probe"]
    assert both.facts["levels"] == shown_levels(both) == ["blur", "rotated"]
    assert both.facts["level"] is None
    for level in ("blur", "rotated"):
        alone = exposed(samples, 0, level=level)
        assert shown_levels(alone) == [level]
        for name, other in (("train", "train"), ("validation", "validation"), ("across", f"across-{level}")):
            assert alone.rows(samples, name).tolist() == both.rows(samples, other).tolist()
            assert alone[name].asks == both[other].asks
        pairs, expected = paired_rows(samples, both, level=level), paired_rows(samples, alone)
        assert [rows.tolist() for rows in pairs] == [rows.tolist() for rows in expected]
    assert not audit(both, samples).problems
    assert listed(both, samples, "probe").min() > 0


def test_numbers_of_numpy_are_as_good_as_pythons_and_facts_stay_plain():
    samples = world()
    sizes = {"images_per_category": 5, "test_images_per_category": 3, "probe_per_category": 2}
    plain = exposed(samples, 3, **sizes)
    split = loosely(np.int64(3), samples, **{key: np.int16(n) for key, n in sizes.items()})
    assert json.dumps(dict(split.facts)) == json.dumps(dict(plain.facts))
    assert type(split.facts["seen"]) is int
    for name in plain.sets:
        assert split.rows(samples, name).tolist() == plain.rows(samples, name).tolist()
        assert split[name].reason == plain[name].reason
        assert {type(part.take) for part in split[name].parts} <= {int}


def test_a_list_of_one_level_is_a_list():
    split = exposed(world(), 0, level=["rotated"])
    assert "across-rotated" in split.sets
    assert len(paired_rows(world(), split)[0]) == len(paired_rows(world(), split, level="rotated")[1])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: exposed(world(), 1, level=["blur", "rotated"]), r"lists 2 levels \(blur, rotated\).*design.seen = 0"),
        (lambda: exposed(world(), 0, level=[]), r"names no level"),
        (lambda: exposed(world(), 0, level=["blur", "blur"]), r"names a level twice"),
        (lambda: exposed(world(), 0, level=["blur", "none"]), r"both 'none'.*blur, rotated"),
        (lambda: exposed(world(), 0, level=["blurr"]), r"blurr.*Did you mean 'blur'"),
        (lambda: paired_rows(world(), exposed(world(), 0, level=["blur", "rotated"])), r"2 levels; name the one"),
        (lambda: paired_rows(world(), exposed(world(), 0), level="rotated"), r"no level 'rotated'.*possible: blur"),
    ],
)
def test_levels_that_cannot_be_asked_together_are_refused(make, sentence):
    with pytest.raises(UnseenError, match=sentence):
        make()
