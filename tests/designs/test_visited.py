"""The audit of designs that list images several times on purpose says how often and where, and complains of nothing."""

import numpy as np
import pytest

from unseen.designs import audit, expose, matrix
from unseen.designs.visited import visits
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.split import Split

LEVELS = ("none", "blur", "noise")


def world(sizes=(20, 20, 20, 20)):
    own = np.repeat(np.arange(len(sizes)), sizes)
    space = FactorSpace({"category": range(len(sizes)), "transformation": LEVELS})
    return Samples(space, (Block(len(own), {"category": own}, grid=("transformation",)),))


def exposed(samples, **options):
    return expose(samples, **{"level": "blur", "seen": 2, "seed": 0, **options})


def distorted(samples, **options):
    return matrix(samples, **{"factor": "transformation", "seed": 0, **options})


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (0, "each image is visited twice per epoch: plain both times"),
        (1, "each image is visited twice per epoch: once plain and once blur for the one level of category seen so, "
            "plain both times for the 3 others"),
        (4, "each image is visited twice per epoch: once plain and once blur for the 4 levels of category seen so"),
    ],
)  # fmt: skip
def test_exposed_categories_are_told_plainly_and_nothing_is_wrong(seen, words):
    samples = world()
    found = audit(exposed(samples, seen=seen), samples)
    assert found.problems == ()
    assert found.notes == (words,)


def test_one_plain_baseline_for_many_transformations_is_told():
    samples = world()
    found = audit(exposed(samples, seen=0, level=["blur", "noise"]), samples)
    assert found.problems == ()
    assert found.notes == ("each image is visited twice per epoch: plain both times",)


def test_smaller_categories_are_said_to_be_listed_again():
    samples = world((20, 20, 10, 20))
    found = audit(exposed(samples), samples)
    assert found.problems == ()
    assert "images of smaller categories are listed again, up to 4 visits" in found.notes[1]


def test_categories_that_count_by_their_images_are_said_to():
    samples = world((20, 20, 10, 20))
    found = audit(exposed(samples, balance="images"), samples)
    assert found.problems == ()
    assert (
        found.notes[1] == "levels of category have 14 to 28 visits per epoch, since every image counts alike, as asked"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"train": ["none"]}, "once per epoch: always plain"),
        ({"train": ["none"], "visits_per_image": 2}, "twice per epoch: always plain"),
        ({"train": ["none", "blur"]}, "twice per epoch: once at each of the 2 trained levels"),
        ({"train_all_but": "blur", "visits_per_image": 4}, "4 times per epoch: twice at each of the 2 trained levels"),
        ({"train": ["none", "blur", "noise"], "visits_per_image": 2}, "images take turns over the 3 trained levels"),
    ],
)
def test_levels_trained_on_are_told(options, words):
    samples = world()
    found = audit(distorted(samples, **options), samples)
    assert found.problems == ()
    assert words in found.notes[0]


def test_images_that_are_listed_again_take_turns_too():
    samples = world((100, 20))
    split = distorted(samples, train=list(LEVELS), visits_per_image=2)
    found = audit(split, samples)
    assert found.problems == ()
    assert np.ptp(found.counts["train"], axis=1).max() <= 2
    rows = split.rows(samples, "train")
    few = rows[samples.levels("category", rows) == 1]
    _, instance, _ = samples.locate(few)
    shown = np.zeros((samples.instances, len(LEVELS)), int)
    np.add.at(shown, (instance, samples.levels("transformation", few)), 1)
    assert np.ptp(shown[np.unique(instance)], axis=1).max() <= 1


def test_photos_that_have_one_level_each_are_told_so():
    category, level = np.repeat(np.indices((2, 3)).reshape(2, -1), 10, axis=1)
    space = FactorSpace({"category": range(2), "transformation": LEVELS})
    samples = Samples(space, (Block(60, {"category": category, "transformation": level}),))
    found = audit(distorted(samples, train=["none", "blur"]), samples)
    assert found.problems == ()
    assert found.notes == ("each image is visited once per epoch: at the transformation it has, one of 2 trained",)


def test_what_is_uneven_is_still_a_problem():
    samples = world()
    split = exposed(samples)
    counts = np.array([[28, 0, 0], [14, 14, 0], [30, 0, 0], [20, 8, 0]])
    _, problems = visits(split, samples, np.arange(10), counts)
    assert problems == (
        "levels of category have 28 to 30 visits per epoch",
        "the cells of one category differ by up to 12 visits per epoch",
    )


def test_leaks_are_found_as_in_any_split():
    samples = world()
    split = exposed(samples)
    leaky = Split(split.factors, {**split.sets, "plain": split["train"]}, split.pools, split.facts)
    assert any("images are in both 'train' and 'plain'" in problem for problem in audit(leaky, samples).problems)
