"""Train on one level, on several or on all but one, and ask every level (Geirhos et al. 2018)."""

import json
from inspect import unwrap

import numpy as np
import pytest
from grids import images, listed
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import audit, matrix
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

NAMES = ("colour", "grey", "low-pass", "uniform noise")


def computed(sizes=(20, 20, 20), levels=NAMES):
    """Each image can be shown with each distortion."""
    own = np.repeat(np.arange(len(sizes)), sizes)
    space = FactorSpace({"category": range(len(sizes)), "distortion": levels})
    return Samples(space, (Block(len(own), {"category": own}, grid=("distortion",)),))


def stored(counts):
    """As many photos of each cell as ``counts`` says."""
    counts = np.asarray(counts)
    category, distortion = (np.repeat(level.ravel(), counts.ravel()) for level in np.indices(counts.shape))
    space = FactorSpace({"category": range(counts.shape[0]), "distortion": NAMES[: counts.shape[1]]})
    return Samples(space, (Block(len(category), {"category": category, "distortion": distortion}),))


def split_of(samples, **options):
    return matrix(samples, **{"factor": "distortion", "seed": 0, **options})


@st.composite
def trained(draw):
    samples = computed(draw(st.lists(st.integers(10, 30), min_size=1, max_size=4)))
    levels = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return samples, levels, draw(st.integers(0, 9))


@given(trained())
def test_training_shows_the_named_levels_only_and_each_cell_equally_often(made):
    samples, levels, seed = made
    split = split_of(samples, train=levels, seed=seed)
    for name in ("train", "validation"):
        rows = listed(split, samples, name)
        chosen = [NAMES.index(level) for level in levels]
        assert len(set(rows[:, chosen].ravel().tolist())) == 1
        assert not np.delete(rows, chosen, axis=1).any()


@settings(max_examples=15)
@given(trained(), st.data())
def test_the_images_trained_and_tested_on_do_not_depend_on_the_levels(made, data):
    samples, levels, seed = made
    others = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    one, two = (split_of(samples, train=some, seed=seed) for some in (levels, others))
    assert images(one, samples, "train") == images(two, samples, "train")
    for level in NAMES:
        name = f"test-{level}"
        assert one.rows(samples, name).tolist() == two.rows(samples, name).tolist()
        assert images(one, samples, name) == images(one, samples, "test-colour")
        assert images(one, samples, name).isdisjoint(images(one, samples, "train") | images(one, samples, "validation"))


@given(trained(), st.integers(1, 6))
def test_a_fixed_number_of_visits_makes_every_epoch_as_long(made, visits):
    samples, levels, seed = made
    split = split_of(samples, train=levels, visits_per_image=visits, seed=seed, balance="images")
    each = np.unique(samples.locate(split.rows(samples, "train"))[1], return_counts=True)[1]
    assert set(each.tolist()) == {visits}
    rows = listed(split, samples, "train")
    chosen = [NAMES.index(level) for level in levels]
    assert (np.ptp(rows[:, chosen], axis=1) <= len(levels)).all()


def test_all_but_one_trains_on_the_rest_and_says_so():
    samples = computed()
    split = split_of(samples, train_all_but="uniform noise")
    assert (listed(split, samples, "train") > 0).tolist() == [[True, True, True, False]] * 3
    assert split.facts["trained"] == "all but uniform noise"
    assert split.facts["trained_levels"] == ["colour", "grey", "low-pass"]
    assert "never seen in training" in split["test-uniform noise"].reason
    assert split["test-uniform noise"].asks == ("category",)
    assert split["test-grey"].asks is None


def test_every_level_has_a_test_set_and_the_probe_has_every_cell():
    samples = computed((10, 30))
    split = split_of(samples, train=["grey", "colour"], test_images_per_category=2, probe_per_cell=1)
    assert {name for name in split.sets if name.startswith("test-")} == {f"test-{level}" for level in NAMES}
    assert split.facts["trained"] == "colour + grey"
    for place, level in enumerate(NAMES):
        found = listed(split, samples, f"test-{level}")
        assert found[:, place].tolist() == [2, 2]
        assert found.sum() == 4
    assert listed(split, samples, "probe").tolist() == [[1] * 4] * 2
    assert not any(audit(split, samples).shared_instances.values())


def test_photos_that_have_one_distortion_each_are_balanced_by_cell():
    samples = stored([[10, 20, 10], [10, 10, 40]])
    split = split_of(samples, train=["colour", "low-pass"], shares=(0.5, 0.1, 0.4))
    assert listed(split, samples, "train").tolist() == [[20, 0, 20], [20, 0, 20]]
    assert len(images(split, samples, "train")) == 5 + 5 + 5 + 20
    assert listed(split, samples, "test-low-pass").tolist() == [[0, 0, 4], [0, 0, 16]]
    alike = split_of(samples, train=["colour", "low-pass"], shares=(0.5, 0.1, 0.4), balance="images")
    assert listed(alike, samples, "train").tolist() == [[5, 0, 5], [5, 0, 20]]


@settings(max_examples=15)
@given(trained(), st.data())
def test_relabelling_the_levels_changes_no_image(made, data):
    samples, levels, seed = made
    again = computed(np.bincount(samples.blocks[0].stored["category"]), tuple(data.draw(st.permutations(NAMES))))
    found = []
    for world in (samples, again):
        rows = split_of(world, train=levels, seed=seed).rows(world, "train")
        names = np.array(world.space["distortion"].levels)[world.levels("distortion", rows)]
        found.append(sorted(zip(world.locate(rows)[1].tolist(), names.tolist())))
    assert found[0] == found[1]


def test_numbers_of_numpy_are_as_good_as_pythons_and_facts_stay_plain():
    samples = computed()
    sizes = {"visits_per_image": 3, "images_per_category": 5, "test_images_per_category": 2, "probe_per_cell": 1}
    plain = split_of(samples, train=["grey"], **sizes)
    sizes = {key: np.int64(n) for key, n in sizes.items()}
    split = unwrap(matrix)(
        samples, factor="distortion", train=["grey"], seed=0, **sizes
    )  # types are checked in tests alone
    assert json.dumps(dict(split.facts)) == json.dumps(dict(plain.facts))
    for name in plain.sets:
        assert split.rows(samples, name).tolist() == plain.rows(samples, name).tolist()


@pytest.mark.parametrize(
    ("samples", "options", "sentences"),
    [
        (computed(), {}, ["design.train", "design.train_all_but", "neither", "colour, grey"]),
        (computed(), {"train": ["grey"], "train_all_but": "grey"}, ["both"]),
        (computed(), {"train": ["grey", "grey"]}, ["names grey more than once"]),
        (computed(), {"train": []}, ["is empty"]),
        (computed(), {"train": "grey"}, ["must be a list", '["grey"]']),
        (computed(), {"train": ["gray"]}, ["no level 'gray'", "Did you mean 'grey'?"]),
        (computed(), {"train_all_but": "pink"}, ["no level 'pink' in factor 'distortion'"]),
        (computed(), {"train": ["grey"], "factor": "noise"}, ["no factor 'noise'"]),
        (computed(), {"train": ["grey"], "factor": "category"}, ["both 'category'"]),
        (computed(levels=("colour",)), {"train_all_but": "colour"}, ["leaves nothing to train on"]),
        (computed(), {"train": ["grey"], "visits_per_image": 0}, ["design.visits_per_image = 0"]),
        (computed(), {"train": ["grey"], "visits_per_image": True}, ["design.visits_per_image = True"]),
        (computed(), {"train": ["grey"], "images_per_category": 0}, ["design.images_per_category = 0"]),
        (stored([[9, 9], [9, 9]]), {"train": ["grey"], "visits_per_image": 2}, ["it has one level to show"]),
        (stored([[9, 9], [9, 0]]), {"train": ["colour"]}, ["no image in pool 'test': 1"]),
    ],
)
def test_what_cannot_be_trained_on_is_refused_with_a_way_out(samples, options, sentences):
    with pytest.raises(UnseenError) as told:
        split_of(samples, **options)
    for sentence in sentences:
        assert sentence in str(told.value)
