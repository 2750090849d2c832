"""An object is in one pool only, and the audit counts objects: two leaks that went unseen, and what must never leak."""

import numpy as np
import pytest
from grids import counts
from hypothesis import given
from hypothesis import strategies as st

from unseen.designs import audit, expose, from_lists, hold_out_combinations, hold_out_levels, leave_one_out, matrix
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples

PAIRS = [("train", "validation"), ("train", "test"), ("validation", "test")]


def shelf(categories=3, objects=10, views=3, each=1, kind="instance", name="object", grid=()):
    """Photos of some objects of every category, each from all sides: ``category/object/view``."""
    shape = (categories, objects, views, each)
    category, number, view, _ = (axis.ravel() for axis in np.indices(shape))
    own = category * objects + number
    factors = [
        Factor("category", tuple("abcdefgh"[:categories]), kind="category"),
        Factor(
            name, tuple(f"{'abcdefgh'[one // objects]}{one % objects}" for one in range(categories * objects)), kind
        ),
        Factor("view", tuple(range(views))),
    ]
    names = [f"{c}/{o}/{v}-{n}.png" for c, o, v, n in zip(category, own, view, np.arange(len(own)))]
    stored = {"category": category, name: own, "view": view}
    extra = [Factor("noise", ("none", "grain"))] if grid else []
    return Samples(FactorSpace([*factors, *extra]), (Block(len(own), stored, names=names, grid=tuple(grid)),))


def objects_of(split, samples, name, factor="object"):
    return set(samples.levels(factor, split.rows(samples, name)).tolist())


def leaked(split, samples):
    """Objects that training or validation share with what is asked."""
    used = {name: objects_of(split, samples, name) for name in split.sets if name != "probe"}
    asked = [name for name in used if name not in ("train", "validation")]
    found = used["train"] & used.get("validation", set())
    for name in asked:
        found |= used[name] & (used["train"] | used.get("validation", set()))
    return found


def test_lists_that_share_every_object_are_no_all_clear():
    samples = shelf()  # every object is in train, validation and test, each time from another side
    view = samples.levels("view", np.arange(len(samples)))
    lists = {name: np.flatnonzero(view == v).tolist() for v, name in enumerate(("train", "validation", "unseen"))}
    names = samples.blocks[0].names
    split = from_lists(samples, lists={k: [names[row] for row in rows] for k, rows in lists.items()}, columns="view")
    found = audit(split, samples)
    assert found.shared_images["train", "unseen"] == 0
    assert found.shared_instances["train", "unseen"] == found.shared_instances["train", "validation"] == 30
    assert any("30 of the 30 levels of object in 'unseen' are in 'train' too" in line for line in found.problems)


def test_held_out_combinations_do_not_tear_objects_apart():
    samples = shelf(each=4)
    split = hold_out_combinations(samples, columns="view", seen_per_level=2, seed=0)
    assert leaked(split, samples) == set()
    found = audit(split, samples)
    assert set(found.shared_instances.values()) == {0}
    assert found.problems == ()


DESIGNS = {
    "combinations": (
        hold_out_combinations,
        {"columns": "view", "seen_per_level": 1, "balance": "nearly_balanced", "probe_per_cell": 3},
    ),
    "matrix": (matrix, {"factor": "view", "train": [0]}),
    "one out": (leave_one_out, {"factor": "view", "left_out": 1}),
    "extrapolation": (hold_out_levels, {"mode": "extrapolation", "protect": ["category"], "share": 0.3}),
    "random": (hold_out_levels, {"mode": "random", "protect": ["category"], "share": 0.3}),
}


@pytest.mark.parametrize("name", DESIGNS)
@given(
    categories=st.integers(2, 4),
    objects=st.integers(6, 14),
    views=st.integers(2, 4),
    each=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_no_design_leaks_an_object_and_shares_are_exact_by_objects(name, categories, objects, views, each, seed):
    samples = shelf(categories, objects, views, each)
    design, arguments = DESIGNS[name]
    try:
        split = design(samples, **arguments, shares=(0.5, 0.25, 0.25), seed=seed)
    except UnseenError as told:
        if name == "random" and "no row is left in pool" in str(told):
            return  # few rows by chance may leave a pool empty, which is said
        raise
    assert leaked(split, samples) == set()
    found = audit(split, samples)
    assert not any(found.shared_instances.values())
    assert found.sharing.instance == split.pools.by == "object"
    asked = objects_of(split, samples, "test" if "test" in split.sets else list(split.sets)[2])
    per_category = np.bincount([one // objects for one in objects_of(split, samples, "train")], minlength=categories)
    most = int(np.floor(0.5 * objects + 0.5 + 1e-9))  # the nearest whole number of objects
    assert per_category.max() <= most
    assert all(np.bincount([one // objects for one in asked], minlength=categories) <= objects - most)


@given(objects=st.integers(6, 20), views=st.integers(3, 4), each=st.integers(1, 3), seed=st.integers(0, 99))
def test_with_whole_objects_every_level_is_seen_equally_often_and_quotas_are_met(objects, views, each, seed):
    samples = shelf(views, objects, views, each)  # a square grid
    totals = set()
    for seen in range(1, views):
        split = hold_out_combinations(samples, columns="view", seen_per_level=seen, shares=(0.5, 0.25, 0.25), seed=seed)
        found = audit(split, samples)
        assert found.problems == ()
        assert found.per_row == {"category": (seen, seen), "view": (seen, seen)}
        table = counts(split, samples, "train")
        assert np.ptp(table[table > 0]) <= 1
        totals.add(int(table.sum()))
    assert len(totals) == 1


def test_transformed_photos_of_an_object_stay_together():
    samples = shelf(objects=10, each=2, grid=("noise",))
    split = expose(samples, transformation="noise", level="grain", seen=1, seed=0)
    assert leaked(split, samples) == set()
    assert audit(split, samples).problems == ()


def test_objects_that_are_counted_anew_in_each_category_are_told_with_it():
    plain = shelf()
    number = plain.levels("object", np.arange(len(plain))) % 10
    factors = [*plain.space.factors]
    factors[1] = Factor("object", tuple(range(10)), kind="instance")
    block = plain.blocks[0]
    samples = Samples(FactorSpace(factors), (Block(block.instances, {**block.stored, "object": number}),))
    split = hold_out_combinations(samples, columns="view", seen_per_level=2, seed=0)
    assert not any(audit(split, samples).shared_instances.values())
    torn = hold_out_combinations(samples, columns="view", seen_per_level=2, disjoint_by="image", images=9, seed=0)
    (line, *_) = (one for one in audit(torn, samples).problems if "'unseen' are in 'train' too" in one)
    assert "levels of object in 'unseen' are in 'train' too: a 5, b 8 (disjoint by image)" in line


def test_whoever_asks_for_images_gets_them_and_the_audit_names_what_is_shared():
    samples = shelf(each=4)
    split = hold_out_combinations(samples, columns="view", seen_per_level=2, disjoint_by="image", seed=0)
    found = audit(split, samples)
    assert found.sharing.words[1] == "pools are disjoint by image: no image is in two of them"
    assert any(line.endswith("(disjoint by image)") for line in found.problems)
    plain = shelf(each=4, kind="nominal")
    same = hold_out_combinations(plain, columns="view", seen_per_level=2, seed=0)
    assert (split.rows(samples, "train") == same.rows(plain, "train")).all()  # as before there were instances
    assert audit(same, plain).problems == ()
    assert "no factor is of kind instance" in audit(same, plain).sharing.words[0]


def test_where_the_object_is_what_is_named_images_are_kept_apart_and_the_audit_says_so():
    samples = shelf(categories=1, objects=4, views=4, each=12)
    split = hold_out_combinations(samples, rows="object", columns="view", seen_per_level=2, seed=0)
    found = audit(split, samples)
    assert found.problems == ()
    assert "is itself a factor of this design" in found.sharing.words[0]


FEW = {
    "combinations": (hold_out_combinations, {"columns": "view", "seen_per_level": 1}),
    "matrix": (matrix, {"factor": "view", "train": [0]}),
    "levels": (hold_out_levels, {"mode": "random", "protect": ["category"], "share": 0.3}),
}


@pytest.mark.parametrize("name", FEW)
def test_two_objects_cannot_fill_three_pools_and_the_error_offers_what_helps(name):
    samples = shelf(objects=2, each=12)
    design, arguments = FEW[name]
    with pytest.raises(UnseenError) as told:
        design(samples, **arguments, seed=0)
    other = "nothing" if name == "levels" else "image"
    assert f'design.disjoint_by = "{other}"' in str(told.value)
    assert "disjoint by object" in str(told.value)
    if other == "image":
        assert "category a has 2, and 3 pools need 3 at least" in str(told.value)
        assert "share them out more evenly" not in str(told.value)
    design(samples, **arguments, disjoint_by=other, seed=0)


def test_three_objects_need_other_shares_and_the_error_gives_them():
    samples = shelf(objects=3, each=2)
    with pytest.raises(UnseenError, match=r"share them out more evenly \(design.shares = \[0.34, 0.33, 0.33\]\)"):
        hold_out_combinations(samples, columns="view", seen_per_level=1, seed=0)
    split = hold_out_combinations(samples, columns="view", seen_per_level=1, shares=(0.34, 0.33, 0.33), seed=0)
    assert audit(split, samples).problems == ()


def test_a_grid_around_empty_cells_does_not_hide_that_objects_are_too_few():
    with pytest.raises(UnseenError, match="category a has 2, and 3 pools need 3 at least"):
        hold_out_combinations(shelf(objects=2, each=9), columns="view", seen_per_level=1, empty="avoid", seed=0)


def test_objects_of_one_domain_each_may_all_be_asked():
    samples = shelf(objects=12)
    own = np.repeat(np.arange(36) % 3, 3)
    block = samples.blocks[0]
    nested = Samples(samples.space, (Block(block.instances, {**block.stored, "view": own}),))
    split = leave_one_out(nested, factor="view", left_out=1, asked="all", shares=(0.5, 0.25, 0.25), seed=0)
    assert leaked(split, nested) == set()
    with pytest.raises(UnseenError, match="some object is at several levels of view"):
        leave_one_out(samples, factor="view", left_out=1, asked="all", seed=0)
