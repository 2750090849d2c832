"""Canonical pictures and some that vary; whole objects are asked that were never shown (Ibrahim et al. 2022)."""

import json
from inspect import unwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import DESIGNS, audit, vary_some
from unseen.designs.off_canonical import along, objects_of, supports, views
from unseen.vocabulary.design_facts import Varied, facts_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.worlds.natural_variation import coarser, pair_cells, random_cells, single_cells

NAMES = ("pose", "size", "light")


def world(classes=3, each=8, levels=5, combinations=60, whole=False):
    """Objects of some classes: each factor alone, in pairs and together as natural-variation lists them, or all."""
    factors = tuple(Factor(name, tuple(range(levels)), kind="ordinal", canonical=levels // 2) for name in NAMES)
    n = classes * each
    category, thing = np.repeat(np.arange(classes), each), np.arange(n)
    space = FactorSpace((
        Factor("category", tuple(f"c{c}" for c in range(classes)), kind="category"),
        Factor("object", tuple(f"o{o}" for o in range(n)), kind="instance"),
        *factors,
    ))  # fmt: skip
    stored = {"category": category, "object": thing}
    if whole:
        return Samples(space, (Block(n, stored, grid=NAMES),))
    coarse = [coarser(factor, levels) for factor in factors]
    lists = (single_cells(factors), pair_cells(factors, coarse), random_cells(coarse, combinations, 0))
    return Samples(space, tuple(Block(n, stored, grid=NAMES, cells=cells) for cells in lists))


WORLD, WHOLE = world(), world(whole=True)


def split(samples=WORLD, **options):
    return vary_some(samples, **{"seed": 0, **options})


def loosely(samples=WORLD, **options):
    """As a user may call it: types are checked in tests alone."""
    return unwrap(vary_some)(samples, **{"seed": 0, **options})


def objects(samples, found, name):
    return set(samples.levels("object", found.rows(samples, name)).tolist())


def off(samples, rows):
    """Which factors are off canonical in each row."""
    return samples.cells(rows, NAMES) != np.array([samples.space[name].canonical for name in NAMES])


def times(samples, found, name="train"):
    """How often each row comes."""
    return dict(zip(*np.unique(found.rows(samples, name), return_counts=True)))


def varying(samples, found, name="train"):
    rows = found.rows(samples, name)
    return set(rows[off(samples, rows).any(1)].tolist())


REGIMES = st.sampled_from(["samples", "instances", "classes"])
VARY = st.sampled_from(["pose", ["pose", "size"], "all"])
SHARES = st.sampled_from([0.25, 0.5, 0.75, 1.0])
SAMPLES = st.sampled_from([WORLD, WHOLE])


@settings(max_examples=40, deadline=None)
@given(SAMPLES, REGIMES, VARY, SHARES, SHARES, st.integers(0, 9))
def test_what_varies_at_a_smaller_share_varies_at_a_larger_one_and_totals_are_the_same(
    samples, regime, vary, one, other, seed
):
    low, high = sorted((one, other))
    few, many = (split(samples, regime=regime, vary=vary, share=share, seed=seed) for share in (low, high))
    assert varying(samples, few) <= varying(samples, many)
    canonical = split(samples, seed=seed)
    for name in ("train", "validation"):
        counts = {found.count(samples, name) for found in (canonical, few, many)}
        assert len(counts) == 1
    assert len(few.rows(samples, "train")) == few.count(samples, "train") == few.facts["images"]


@settings(max_examples=40, deadline=None)
@given(SAMPLES, REGIMES, VARY, SHARES, st.integers(0, 9))
def test_training_shows_the_factors_asked_for_together_and_no_other(samples, regime, vary, share, seed):
    found = split(samples, regime=regime, vary=vary, share=share, seed=seed)
    wanted = [name in (NAMES if vary == "all" else vary if isinstance(vary, list) else [vary]) for name in NAMES]
    shown = off(samples, found.rows(samples, "train"))
    assert ((shown == wanted).all(1) | ~shown.any(1)).all()
    assert shown.any()


@settings(max_examples=30, deadline=None)
@given(SAMPLES, REGIMES, SHARES, st.integers(2, 4), st.integers(0, 9))
def test_folds_are_disjoint_ask_every_object_once_and_leak_none(samples, regime, share, folds, seed):
    asked = []
    for fold in range(folds):
        found = split(samples, regime=regime, vary="size", share=share, folds=folds, fold=fold, seed=seed)
        assert audit(found, samples).problems == ()
        pools = [objects(samples, found, name) for name in ("train", "validation")]
        held = set.union(*(objects(samples, found, name) for name in found.sets if name.startswith("canonical")))
        assert not pools[0] & pools[1]
        assert not held & (pools[0] | pools[1])
        assert held | pools[0] | pools[1] == set(range(samples.instances // len(samples.blocks)))
        asked += sorted(held)
    assert sorted(asked) == sorted(set(asked)) == list(range(24))


def test_a_share_of_the_samples_varies_in_every_object():
    found = split(regime="samples", vary="pose", share=0.25, images_per_object=12)
    rows = found.rows(WORLD, "train")
    thing, shown = WORLD.levels("object", rows), off(WORLD, rows).any(1)
    assert {(int((thing == o).sum()), int(shown[thing == o].sum())) for o in set(thing.tolist())} == {(12, 3)}


def test_a_share_of_the_objects_of_every_class_varies_and_the_others_never_do():
    found = split(regime="instances", vary="pose", share=0.5, held_out=2, validation=0)
    rows = found.rows(WORLD, "train")
    thing, shown = WORLD.levels("object", rows), off(WORLD, rows).any(1)
    parts = {int(o): float(shown[thing == o].mean()) for o in set(thing.tolist())}
    assert set(parts.values()) == {0.0, 1.0}
    by_class = [sum(parts[o] for o in parts if o // 8 == c) for c in range(3)]
    assert by_class == [3, 3, 3]


def test_half_of_the_classes_vary_and_sets_are_told_apart_by_them():
    found = split(world(classes=4), regime="classes", vary="pose")
    facts = Varied.of(found.facts)
    assert len(facts.exposed) == 2
    samples = world(classes=4)
    rows = found.rows(samples, "train")
    shown = {f"c{c}" for c in samples.levels("category", rows[off(samples, rows).any(1)])}
    assert shown == set(facts.exposed)
    of = {f"c{c}" for c in samples.levels("category", found.rows(samples, "varying-pose-exposed"))}
    others = {f"c{c}" for c in samples.levels("category", found.rows(samples, "varying-pose-others"))}
    assert of == shown
    assert not others & shown
    assert len(others) == 2


def test_a_canonical_object_shows_one_picture_as_often_as_a_varying_one_shows_all_of_its_own():
    found = split(regime="instances", vary="pose", share=0.5, images_per_object=4)
    often = times(WORLD, found)
    kinds = {bool(off(WORLD, np.array([row])).any()): n for row, n in often.items()}
    assert kinds == {False: 4, True: 1}


def test_listing_each_picture_once_makes_few_varying_objects_most_of_the_training_set():
    found = split(regime="instances", vary="pose", share=0.25, images_per_object=4, balance="pictures")
    assert set(times(WORLD, found).values()) == {1}
    assert len(varying(WORLD, found)) / found.count(WORLD, "train") > 0.4


@given(st.integers(0, 30))
@settings(max_examples=15, deadline=None)
def test_what_is_asked_does_not_depend_on_what_training_shows(seed):
    plain, other = split(seed=seed), split(seed=seed, regime="samples", vary="all", share=0.5)
    for name in ("canonical", "varying-pose", "varying-all", "trained-canonical"):
        assert plain.rows(WORLD, name).tolist() == other.rows(WORLD, name).tolist()


def test_sets_are_canonical_each_factor_alone_pairs_and_all_together():
    found = split(pairs=True)
    for name, factors in found.facts["asked"].items():
        shown = off(WORLD, found.rows(WORLD, name))
        assert (shown == [one in factors for one in NAMES]).all(), name
    assert {"canonical", "varying-pose", "varying-pose+size", "varying-all"} <= set(found.sets)
    assert not [name for name in split().sets if "+" in name]


def test_so_many_levels_are_asked_evenly_and_of_every_object_the_same():
    samples = world(levels=9)
    found = split(samples, asked_per_object=4)
    levels = samples.levels("pose", found.rows(samples, "varying-pose"))
    values, counts = np.unique(levels, return_counts=True)
    assert values.tolist() == [0, 2, 6, 8]
    assert len(set(counts.tolist())) == 1
    assert len(found.rows(samples, "varying-all")) == 4 * found.facts["held_out"]


def test_the_probe_is_of_held_out_objects_each_factor_alone():
    found = split()
    shown = off(WORLD, found.rows(WORLD, "probe"))
    assert shown.sum(1).max() == 1
    assert shown.any(0).all()
    assert objects(WORLD, found, "probe") <= objects(WORLD, found, "canonical")


def test_random_bases_give_fewer_cells_and_all_lie_near_a_line_through_the_canonical_one():
    samples = world(levels=11, whole=True)
    seen = views(samples, "category", NAMES)
    few = along(samples, NAMES, seen.cells, 1, 0)
    points = (seen.cells[few] - 5) / 5
    _, sizes, directions = np.linalg.svd(points)
    far = points - (points @ directions[0])[:, None] * directions[0]
    assert np.abs(far).max() < 0.25
    assert sizes[0] > 4 * sizes[1]
    assert (points @ directions[0]).min() < -0.5
    assert (points @ directions[0]).max() > 0.5
    assert len(few) < len(along(samples, NAMES, seen.cells, 4, 0)) < len(seen.cells)
    on = split(samples, regime="samples", vary="all", share=1.0, images_per_object=500)
    free = split(samples, regime="samples", vary="all", share=1.0, images_per_object=500, bases=0)
    assert len(varying(samples, on)) < len(varying(samples, free))


def test_a_world_that_lists_a_canonical_picture_for_every_factor_shows_it_once():
    assert views(WORLD, "category", ()).rows.shape == (24, 1)
    assert supports(WORLD, "category")[-1] == NAMES
    assert len(supports(WORLD, "category")) == 7
    assert objects_of(WORLD, "category").circumstances == NAMES


def test_facts_are_read_back_from_a_stored_trial():
    facts = split(regime="classes", vary="pose").facts
    again = facts_of(json.loads(json.dumps(dict(facts))))
    assert isinstance(again, Varied)
    assert dict(again) == dict(facts)
    assert again.name == facts.name
    assert again.asked["varying-pose-exposed"] == ("pose",)


def test_a_world_of_one_block_has_the_sets_it_has_rows_for():
    samples = Samples(WORLD.space, WORLD.blocks[:1])
    assert [name for name in split(samples).sets if "all" in name or "+" in name] == []
    with pytest.raises(UnseenError, match='needs the block "all"'):
        split(samples, regime="samples", vary="all")


@pytest.mark.parametrize(("options", "words"), [
    ({"folds": 9}, r"class 'c0' has 8 objects: with design.folds = 9 .* set design.folds = 8, or give each class 9"),
    ({"held_out": 7}, r"with design.held_out = 7 .* design.held_out = 1, or any number up to 6"),
    ({"held_out": 0.01}, r"there must be one to hold out and one to train on and one to choose the epoch by"),
    ({"folds": 4, "fold": 4}, r"there are 4 folds; give 0 to 3"),
    ({"fold": 1}, r"set design.folds"),
    ({"regime": "some"}, r"no value for design.regime 'some'"),
    ({"regime": "samples"}, r"needs design.vary: one factor, two, or \"all\""),
    ({"vary": "pose"}, r"varies nothing, and design.vary names pose"),
    ({"regime": "samples", "vary": "poze"}, r"Did you mean 'pose'"),
    ({"regime": "samples", "vary": "pose", "share": 1.5}, r"design.share = 1.5 is the part that varies"),
    ({"regime": "samples", "vary": "pose", "share": 0.01}, r"give design.images_per_object = 100"),
    ({"regime": "instances", "vary": "pose", "share": 0.05}, r"7? ?.*trained objects per class is nothing"),
    ({"balance": "even"}, r"no value for design.balance 'even'"),
    ({"held_out": 2.5}, r"a share of each class below 1, or a number of objects"),
])  # fmt: skip
def test_what_cannot_be_is_refused_with_what_can(options, words):
    with pytest.raises(UnseenError, match=words):
        loosely(**options)


def test_worlds_without_objects_or_canonical_levels_are_refused():
    photos = Samples(
        FactorSpace({"category": ("a", "b"), "view": range(3)}),
        (Block(4, {"category": np.arange(4) % 2}, grid=("view",)),),
    )
    with pytest.raises(UnseenError, match="no factor of this world says which object a row shows"):
        split(photos)
    space = FactorSpace(
        (Factor("category", ("a", "b")), Factor("object", tuple(range(4)), kind="instance"), Factor("view", (0, 1, 2)))
    )
    own = {"category": np.arange(4) % 2, "object": np.arange(4)}
    with pytest.raises(UnseenError, match="view has no canonical level"):
        split(Samples(space, (Block(4, own, grid=("view",)),)))
    with pytest.raises(UnseenError, match="nothing varies in this world"):
        split(Samples(FactorSpace(space.factors[:2]), (Block(4, own),)))


def test_three_factors_of_more_are_no_choice():
    factors = tuple(Factor(name, (0, 1, 2), canonical=1) for name in "abcd")
    space = FactorSpace((Factor("category", ("x", "y")), Factor("object", tuple(range(8)), kind="instance"), *factors))
    samples = Samples(space, (Block(8, {"category": np.arange(8) % 2, "object": np.arange(8)}, grid=tuple("abcd")),))
    with pytest.raises(UnseenError, match='one, two, or "all" 4 of them'):
        split(samples, regime="samples", vary=["a", "b", "c"])
    assert split(samples, regime="samples", vary="all", held_out=1).facts["vary"] == list("abcd")


def test_it_is_in_the_table_of_designs():
    assert DESIGNS["vary_some"] is vary_some
