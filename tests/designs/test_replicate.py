"""A test set made anew, and with one factor shifted (after Recht et al. 2019)."""

import numpy as np
import pytest
from grids import digits, instances, listed, photos
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.designs import audit, replicate
from unseen.vocabulary.design_facts import Replicated, facts_of
from unseen.vocabulary.errors import UnseenError


def split_of(samples, **options):
    return replicate(samples, **{"factor": "view", "shifted": [3], "seed": 0, **options})


@settings(max_examples=15)
@given(st.integers(2, 4), st.integers(12, 30), st.integers(1, 2), st.integers(0, 9))
def test_sets_are_of_other_objects_and_shifted_ones_are_those_of_the_replica(rows, each, away, seed):
    samples = digits(rows, 4, each)
    split = split_of(samples, shifted=[3, 0][:away], seed=seed)
    found = {name: listed(split, samples, name) for name in ("train", "original", "replica", "shifted")}
    gone = [3, 0][:away]
    for name in ("train", "original", "replica"):
        assert not found[name][:, gone].any()
        kept = np.delete(found[name], gone, axis=1)
        assert np.ptp(kept, axis=1).max() <= 1  # levels take turns
        assert len(set(found[name].sum(axis=1).tolist())) == 1
    assert not np.delete(found["shifted"], gone, axis=1).any()
    objects = {name: set(instances(split, samples, name).tolist()) for name in found}
    assert objects["replica"] == objects["shifted"]
    assert not objects["original"] & objects["replica"]
    assert not objects["train"] & (objects["original"] | objects["replica"])
    assert audit(split, samples).problems == ()


def test_the_size_of_the_original_is_given_and_the_rest_is_the_replica():
    samples = digits(4, 4, 40)
    split = split_of(samples, original_per_category=5, images_per_category=7)
    counts = {name: listed(split, samples, name).sum() for name in ("train", "original", "replica", "shifted")}
    assert counts == {"train": 28, "original": 20, "replica": 44, "shifted": 44}


def test_the_shifted_level_is_never_asked_itself_and_facts_are_read_as_written():
    split = split_of(digits())
    assert split["shifted"].asks == ("category",)
    read = facts_of(dict(split.facts))
    assert isinstance(read, Replicated)
    assert (read.shifted, read.factor) == (("3",), "view")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: split_of(digits(), shifted=[]), "names no level"),
        (lambda: split_of(digits(), shifted=[0, 1, 2, 3]), "names every level"),
        (lambda: split_of(digits(), shifted=[9]), "no level"),
        (lambda: split_of(digits(), factor="category"), "name two factors"),
        (lambda: split_of(photos(np.full((3, 4), 9))), "stored with each image"),
        (lambda: split_of(digits(), original_per_category=16), "leaves none for the replica"),
        (lambda: split_of(digits(), images_per_category=21), "the smallest category has 20"),
        (lambda: split_of(digits(4, 4, 2)), "two are needed"),
    ],
)
def test_errors_teach(make, told):
    with pytest.raises(UnseenError, match=told):
        make()
