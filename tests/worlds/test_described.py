"""A world whose categories have properties, as further factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds import make

DIGITS: Any = {"name": "digits", "viewpoint": "position"}


def test_pictures_and_rows_are_those_inside_and_each_concept_is_that_of_the_category():
    world: Any = make(
        "described", of=DIGITS, concepts={"loop": [0, 6, 8], "strokes": {"one": ["1"], "more": [0, *range(2, 9)]}}
    )
    rows = np.arange(0, len(world.samples), 997)
    category = world.samples.levels("category", rows)
    assert torch.equal(world.images(rows), world.inner.images(rows))
    assert (world.samples.levels("loop", rows) == np.isin(category, [0, 6, 8])).all()
    assert (world.samples.levels("strokes", rows) == (category != 1)).all()
    assert world.samples.space["loop"].levels == ("no", "yes")
    assert world.fingerprint != world.inner.fingerprint
    assert len(world.samples) == len(world.inner.samples)


def test_other_concepts_are_another_world():
    made = [make("described", of=DIGITS, concepts={"loop": which}).fingerprint for which in ([0, 6, 8], [0, 6])]
    assert made[0] != made[1]


@pytest.mark.parametrize(
    ("concepts", "words"),
    [
        ({}, "is a table of names"),
        (["loop"], "is a table of names"),
        ({"loop": "0"}, "is a list of levels"),
        ({"loop": 3}, "is a list of levels"),
        ({"loop": [0, "nine"]}, "no level 'nine'"),
        ({"loop": []}, "no category has concept 'loop'"),
        ({"loop": list(range(9))}, "every category has concept 'loop'"),
        ({"loop": {"a": [0, 1], "b": [1, 2]}}, "twice"),
        ({"loop": {"a": [0, 1], "b": [2]}}, "says nothing of 3"),
        ({"loop": {"a": list(range(9))}}, "has one level"),
        ({"position": [0]}, "has a factor 'position' already"),
    ],
)
def test_concepts_that_make_no_sense_are_refused(concepts, words):
    with pytest.raises(UnseenError, match=words):
        make("described", of=DIGITS, concepts=concepts)


def test_a_factor_that_is_not_there_or_not_of_the_instance_is_refused():
    with pytest.raises(UnseenError, match="no factor 'colour'"):
        make("described", of=DIGITS, concepts={"loop": [0]}, factor="colour")
    with pytest.raises(UnseenError, match="is computed for each image"):
        make("described", of=DIGITS, concepts={"high": [0]}, factor="position")
