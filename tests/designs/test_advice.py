"""What the errors of held-out combinations advise works: whoever follows them is not refused again."""

import re

import numpy as np
import pytest
from grids import photos
from hypothesis import given
from hypothesis import strategies as st

from unseen.designs import DESIGNS
from unseen.vocabulary.errors import UnseenError

hold_out = DESIGNS["hold_out_combinations"]


def split(samples, seen_per_level, **arguments):
    return hold_out(samples, columns="view", seen_per_level=seen_per_level, seed=0, **arguments)


def refusal(*arguments, **options):
    with pytest.raises(UnseenError) as told:
        split(*arguments, **options)
    return str(told.value)


def suited(text):
    """The advised numbers of images, each with the ``seen_per_level`` that it is said to suit."""
    found = {}
    for images, words in re.findall(r"(\d+) images suit seen_per_level (\d+(?: to \d+|(?:, \d+)*))", text):
        numbers = [int(word) for word in re.findall(r"\d+", words)]
        found[int(images)] = list(range(numbers[0], numbers[1] + 1)) if "to" in words else numbers
    return found


def test_images_too_few_for_many_combinations_and_too_many_for_few_have_one_answer():
    samples = photos(np.full((8, 8), 9))  # six of nine to train on
    too_few = refusal(samples, 7, images=48)
    assert "design.images = 48; 56 cells need at least one image each" in too_few
    advice = suited(too_few)
    assert advice == {96: [2, 3, 4, 5, 6, 7], 48: [1, 2, 3, 4, 5, 6]}
    assert suited(refusal(samples, 1, images=56)) == {48: [1, 2, 3, 4, 5, 6], 96: [2, 3, 4, 5, 6, 7]}
    for images, levels in advice.items():
        for seen in levels:
            split(samples, seen, images=images)


@given(
    counts=st.lists(st.integers(4, 30), min_size=16, max_size=16),
    seen=st.integers(1, 3),
    images=st.integers(1, 400),
)
@pytest.mark.slow
def test_every_number_an_error_says_to_suit_does(counts, seen, images):
    samples = photos(np.reshape(counts, (4, 4)))
    options = {"shares": (0.5, 0.25, 0.25)}
    try:
        split(samples, seen, images=images, **options)
    except UnseenError as told:
        advice = suited(str(told))
        assert advice
        assert any(seen in levels for levels in advice.values())
        for number, levels in advice.items():
            for level in levels:
                split(samples, level, images=number, **options)


def test_a_cell_empty_in_a_pool_is_mended_as_the_error_says():
    few = photos(np.full((4, 4), 3))
    assert "design.shares = [0.34, 0.33, 0.33]" in refusal(few, 2)
    split(few, 2, shares=(0.34, 0.33, 0.33), images=8)
    pairs = photos(np.full((4, 4), 2))
    text = refusal(pairs, 2)
    assert "shares" not in text
    assert "avoid" not in text
    assert 'set design.disjoint_by = "nothing"' in text
    split(pairs, 2, disjoint_by="nothing", images=8)


def test_one_empty_cell_says_how_many_can_be_seen_around_it():
    counts = np.full((4, 4), 10)
    counts[3, 3] = 0
    samples = photos(counts)
    text = refusal(samples, 3)
    most = int(re.findall(r"seen_per_level up to (\d)", text)[0])
    split(samples, most, empty="avoid")
    assert f"set it to {most} or less" in refusal(samples, most + 1, empty="avoid")


def test_levels_that_stand_in_the_way_of_every_choice_are_named():
    counts = np.full((4, 4), 10)
    counts[2] = 0
    text = refusal(photos(counts), 1, empty="avoid")
    assert "Leave out category 2: name the others in world.levels.category" in text
    split(photos(counts[[0, 1, 3]]), 1, empty="avoid", balance="nearly_balanced")
