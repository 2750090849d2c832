"""The design that varies each factor alone, two at once and all together, of the same objects."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen import worlds
from unseen.designs import audit, vary_each
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples

CLASSES = ("cup", "mug", "pot")


def drawn(levels=(5, 4, 3), objects=4, classes=CLASSES):
    """A world that draws every object at every level."""
    named = zip(("pose", "size", "light"), levels)
    factors = [Factor(name, tuple(range(n)), kind="ordinal", canonical=n // 2) for name, n in named]
    space = FactorSpace([Factor("category", classes, kind="category"), *factors])
    kinds = np.repeat(np.arange(len(classes)), objects)
    block = Block(len(kinds), {"category": kinds}, grid=tuple(one.name for one in factors))
    return Samples(space, (block,))


def photos(canonical=True, instance=True):
    """Photos of objects: each at some pose before some wall."""
    rows = [(c, o, p, w) for c in range(2) for o in range(3) for p in range(3) for w in range(2)]
    table = np.array(rows)
    factors = [Factor("category", ("cup", "pot"), kind="category")]
    factors += [Factor("thing", (0, 1, 2), kind="instance")] if instance else []
    factors += [Factor("pose", (0, 45, 90)), Factor("wall", ("white", "brick"))]
    stored = {"category": table[:, 0], "pose": table[:, 2], "wall": table[:, 3]}
    stored |= {"thing": table[:, 1]} if instance else {}
    names = [f"{at}.png" for at in range(len(rows))]
    return Samples(FactorSpace(factors), (Block(len(rows), stored, names=names),))


def changed(samples, rows, factors):
    """How many images have each factor away from its canonical level, by factor."""
    stand = [samples.space[name].canonical for name in factors]
    return samples.cells(rows, factors) != np.array(stand)


@given(
    st.tuples(st.integers(2, 6), st.integers(2, 5), st.integers(2, 4)), st.integers(1, 5), st.integers(0, 9),
    st.integers(60, 400),
)  # fmt: skip
def test_a_set_changes_its_own_factors_and_no_others(levels, objects, seed, images):
    samples = drawn(levels, objects)
    split = vary_each(samples, images=images, seed=seed)
    factors = ("pose", "size", "light")
    every = []
    for name in split.sets:
        rows = split.rows(samples, name)
        away = changed(samples, rows, factors)
        wanted = {"canonical": (), "all": factors}.get(name, tuple(name.split(" × ")))
        assert (away == [factor in wanted for factor in factors]).all(), name
        every.append(rows)
    rows = np.concatenate(every)
    assert len(np.unique(rows)) == len(rows) <= images
    assert len(rows) == images or len(rows) == len(np.unique(samples.instance_numbers(rows))) * np.prod(levels)


def test_the_same_objects_are_in_every_set_and_levels_take_turns():
    samples = drawn((13, 11, 9), objects=6)
    split = vary_each(samples, images=240, objects=4)
    objects = {name: set(samples.instance_numbers(split.rows(samples, name)).tolist()) for name in split.sets}
    assert all(own == objects["canonical"] for own in objects.values())
    assert len(objects["canonical"]) == 3 * 4
    assert split.facts.objects == 12
    for name in ("pose", "size", "light"):
        counts = np.bincount(samples.levels(name, split.rows(samples, name)), minlength=len(samples.space[name]))
        counts = np.delete(counts, samples.space[name].canonical)
        assert counts.max() - counts.min() <= 1
        each = np.bincount(samples.instance_numbers(split.rows(samples, name)))
        assert np.ptp(each[each > 0]) <= 1
    by_class = np.bincount(samples.levels("category", split.rows(samples, "pose")))
    assert np.ptp(by_class) <= 4


def test_more_factors_changed_at_once_than_two_are_all():
    factors = [Factor(name, (0, 1, 2), canonical=1) for name in "abcd"]
    space = FactorSpace([Factor("category", ("x", "y"), kind="category"), *factors])
    samples = Samples(space, (Block(4, {"category": np.array([0, 0, 1, 1])}, grid=tuple("abcd")),))
    split = vary_each(samples, images=200)
    assert changed(samples, split.rows(samples, "all"), tuple("abcd")).sum(1).min() == 3
    assert sum(" × " in name for name in split.sets) == 6
    assert "all" not in vary_each(samples, images=200, together=False).sets
    assert not any(" × " in name for name in vary_each(samples, images=200, pairs=False).sets)


def test_only_named_factors_vary_and_the_others_stay_canonical():
    samples = drawn()
    split = vary_each(samples, images=60, factors=["size"])
    assert list(split.sets) == ["canonical", "size"]
    rows = np.concatenate([split.rows(samples, name) for name in split.sets])
    assert not changed(samples, rows, ("pose", "light")).any()


def test_a_drawn_world_that_lists_a_picture_several_times_shows_it_once():
    world = worlds.make(
        "natural-variation", classes=["mug", "chair"], instances=2, levels=3, backgrounds=3, pair_levels=3,
        pair_backgrounds=3, combinations=20, side=16,
    )  # fmt: skip
    split = vary_each(world.samples, images=None)
    assert split.count(world.samples, "canonical") == 4  # the world has it five times, and again in pairs
    assert split.count(world.samples, "pose") == 4 * 2
    assert split.count(world.samples, "pose × size") == 4 * 4
    assert set(split.facts.varied) == {"pose", "position", "size", "light", "background"}
    assert audit(split, world.samples).problems == ()


def test_a_large_grid_is_not_listed():
    factors = [Factor(f"f{at}", tuple(range(40)), canonical=20) for at in range(5)]
    space = FactorSpace([Factor("category", ("x", "y"), kind="category"), *factors])
    samples = Samples(space, (Block(8, {"category": np.arange(8) % 2}, grid=tuple(f"f{at}" for at in range(5))),))
    split = vary_each(samples, images=500)
    assert sum(split.count(samples, name) for name in split.sets) == 500
    away = changed(samples, split.rows(samples, "f1 × f3"), [one.name for one in factors])
    assert (away == [False, True, False, True, False]).all()


def test_photos_have_the_canonical_levels_that_are_said():
    samples = photos()
    split = vary_each(samples, images=None, canonical={"pose": 0, "wall": "white"})
    cells = {name: samples.cells(split.rows(samples, name), ("pose", "wall")).tolist() for name in split.sets}
    assert all(cell == [0, 0] for cell in cells["canonical"])
    assert all(pose > 0 and wall == 0 for pose, wall in cells["pose"])
    assert all(pose == 0 and wall == 1 for pose, wall in cells["wall"])
    assert len(cells["pose × wall"]) == 2 * 3 * 2
    assert split.facts.objects == 6
    assert split.facts.canonical == {"pose": 0, "wall": "white"}


def test_a_factor_without_a_canonical_level_is_not_held():
    samples = photos()
    split = vary_each(samples, images=None, canonical={"pose": 0})
    assert list(split.sets) == ["canonical", "pose"]
    assert split.count(samples, "canonical") == 2 * 3 * 2
    assert split.facts.by_level == ("wall",)


def test_photos_without_objects_are_each_their_own():
    samples = photos(instance=False)
    split = vary_each(samples, images=24, canonical={"pose": 0, "wall": "white"})
    assert split.facts.objects == 0
    assert sum(split.count(samples, name) for name in split.sets) <= 24
    for name in split.sets:
        counts = np.bincount(samples.levels("category", split.rows(samples, name)), minlength=2)
        assert np.ptp(counts) <= 1, name


def test_without_any_canonical_level_all_is_one_set():
    samples = photos()
    split = vary_each(samples, images=20)
    assert list(split.sets) == ["asked"]
    assert split.count(samples, "asked") == 20
    assert split.facts.by_level == ("pose", "wall")
    counts = np.bincount(
        samples.space.select(["pose", "wall"]).numbers(samples.cells(split.rows(samples, "asked"), ["pose", "wall"]))
    )
    assert np.ptp(counts) <= 1


def test_another_seed_asks_other_objects_and_the_same_seed_the_same():
    samples = drawn(objects=20)
    rows = [vary_each(samples, images=200, seed=seed).rows(samples, "pose").tolist() for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"factors": ["poze"]}, "Did you mean 'pose'"),
        ({"factors": ["category"]}, "says what an image shows"),
        ({"factors": "pose"}, "must be a list"),
        ({"images": 5}, "too few for 3 objects and 7 ways"),
        ({"images": 0}, "from 1"),
        ({"objects": 9, "images": 4000}, "has 4 objects"),
        ({"canonical": {"pose": 17}}, "level"),
        ({"category": "pose"}, "computed in this world"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(given, said):
    with pytest.raises(UnseenError, match=said):
        vary_each(drawn(), **{"images": 100, **given})


def test_a_folder_that_says_one_canonical_level_must_say_those_of_what_varies():
    with pytest.raises(UnseenError, match=r"no canonical level.*design\.canonical"):
        vary_each(photos(), canonical={"pose": 0}, factors=["pose", "wall"])
    with pytest.raises(UnseenError, match="one level"):
        vary_each(drawn((5, 1, 3)), factors=["size"])
    samples = photos()
    kept = samples.levels("pose", np.arange(len(samples))) > 0
    few = Samples(samples.space, (Block(int(kept.sum()), {n: c[kept] for n, c in samples.blocks[0].stored.items()}),))
    with pytest.raises(UnseenError, match="too few images"):
        vary_each(few, canonical={"pose": 0})


def test_every_pair_is_told_by_its_two_factors():
    from unseen.vocabulary.varied_sets import pair_name, pair_of

    for a, b in itertools.permutations(("pose", "size", "light"), 2):
        assert pair_of(pair_name(a, b), ["pose", "size", "light"]) == (a, b)
