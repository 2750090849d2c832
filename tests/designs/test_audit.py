"""The audit finds what a reviewer would ask about, and nothing in a sound split."""

import numpy as np
import pytest
from grids import digits, photos

from unseen.designs import audit, hold_out_combinations
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.split import Part, RowSet, Split

SAMPLES = photos(np.full((3, 3), 4))
TRAIN = [0, 1, 16, 17, 32, 33]  # two images of each cell of the diagonal
NEXT = [4, 5, 20, 21, 24, 25]  # two images of each cell beside it

NO_VALIDATION = "no validation set: the epoch would be chosen on training images"


def listed(samples=SAMPLES, facts=None, **sets):
    rows = {name: RowSet("as listed", listed=np.array(found)) for name, found in sets.items()}
    return Split(("category", "view"), rows, Pools(by="nothing"), facts or {})


def told(split, samples):
    """The problems, but for the set that most of these lack."""
    return tuple(problem for problem in audit(split, samples).problems if problem != NO_VALIDATION)


def problems(samples=SAMPLES, **sets):
    return told(listed(samples, **sets), samples)


def test_a_split_without_a_validation_set_says_on_what_the_epoch_would_be_chosen():
    assert audit(listed(train=TRAIN, unseen=NEXT), SAMPLES).problems == (NO_VALIDATION,)
    assert audit(listed(train=TRAIN, validation=[2, 18], unseen=NEXT), SAMPLES).problems == ()


@pytest.mark.parametrize("make", [lambda: digits(4, 4, 60), lambda: photos(np.full((4, 4), 40))])
def test_a_sound_split_is_clean(make):
    samples = make()
    split = hold_out_combinations(samples, columns="view", seen_per_level=2, seed=0)
    found = audit(split, samples)
    assert found.problems == ()
    assert found.reused == 0
    assert found.per_row == {"category": (2, 2), "view": (2, 2)}
    assert set(found.shared_images.values()) == set(found.shared_instances.values()) == {0}
    assert {name: table.sum() for name, table in found.counts.items()} == {
        name: split.count(samples, name) for name in split.sets if name != "probe"
    }


def test_images_in_two_sets_are_found():
    assert problems(train=TRAIN, unseen=[*NEXT, 0]) == (
        "1 images are in both 'train' and 'unseen'",
        "1 cells are both trained on and asked as 'unseen'",
    )


def test_validation_images_that_are_asked_again_are_found():
    assert problems(train=TRAIN, validation=NEXT[:3], unseen=NEXT) == (
        "3 images are in both 'validation' and 'unseen'",
    )


def test_test_sets_may_share_images_with_each_other():
    assert problems(train=TRAIN, seen=[2, 18], also_seen=[2, 18]) == ()


def test_one_instance_in_two_pools_is_found_though_its_images_differ():
    samples = digits(2, 2, each=3)  # row = 2 × instance + view
    assert problems(samples, train=[0, 3], unseen=[1, 6]) == (
        "1 instances are in both 'train' and 'unseen' (disjoint by nothing)",
    )


def test_an_instance_in_two_training_cells_is_found():
    samples = digits(2, 2, each=3)
    found = audit(listed(train=[0, 1, 2, 3], unseen=[4]), samples)
    assert found.reused == 2
    assert "2 training instances are used in more than one cell (diversity is confounded with reuse)" in found.problems


def test_copies_of_training_images_are_found():
    content = np.arange(36)
    content[[4, 5, 20]] = [0, 0, 16]
    samples = photos(np.full((3, 3), 4), content=content)
    found = audit(listed(train=TRAIN, unseen=NEXT), samples)
    assert found.copies == {("train", "unseen"): 3}
    assert told(listed(train=TRAIN, unseen=NEXT), samples) == (
        "3 images of 'unseen' are identical copies of images of 'train'",
    )


def test_an_image_shared_as_itself_is_no_copy():
    samples = photos(np.full((3, 3), 4), content=np.zeros(36, dtype=int))
    assert audit(listed(train=TRAIN, unseen=TRAIN), samples).copies == {("train", "unseen"): 0}


def test_levels_seen_unequally_often_are_found():
    found = audit(listed(train=[*TRAIN, 4, 5], unseen=NEXT[2:]), SAMPLES)
    assert found.per_row == {"category": (1, 2), "view": (1, 2)}
    assert "levels of category are seen in 1 to 2 cells (not exactly balanced)" in found.problems
    assert "levels of view are seen in 1 to 2 cells (not exactly balanced)" in found.problems


def test_a_level_that_is_never_trained_is_found_unless_the_design_withholds_it():
    rows = {"train": TRAIN[:4], "unseen": NEXT}
    assert "levels of view are seen in 0 to 1 cells (not exactly balanced)" in problems(**rows)
    assert {"category 2 is never trained on", "view 2 is never trained on"} <= set(problems(**rows))
    facts = {"withheld": {"category": [2], "view": [2]}}
    assert told(listed(facts=facts, **rows), SAMPLES) == ()


def test_cells_of_unequal_size_are_found():
    assert problems(train=[*TRAIN, 2, 3], unseen=NEXT) == ("training cells hold 2 to 4 images",)
    assert problems(train=[*TRAIN, 2], unseen=NEXT) == ()  # one apart is what rounding does


def test_nearly_balanced_is_shown():
    samples = digits(3, 4, 60)
    split = hold_out_combinations(samples, columns="view", seen_per_level=2, balance="nearly_balanced", seed=0)
    assert audit(split, samples).problems == ("levels of view are seen in 1 to 2 cells (nearly balanced, as asked)",)


def test_a_level_that_a_nearly_balanced_design_leaves_unseen_is_a_fault():
    samples = digits(3, 4, 60)
    split = hold_out_combinations(samples, columns="view", seen_per_level=1, balance="nearly_balanced", seed=0)
    (gone,) = set(range(4)) - {cell[1] for cell in np.argwhere(split.mask(samples, "train")).tolist()}
    assert audit(split, samples).problems == (
        f"view {gone} is never trained on",
        "levels of view are seen in 0 to 1 cells (not exactly balanced)",
    )


def test_rules_are_audited_like_lists():
    samples = digits(3, 3, 20)
    twice = tuple(Part((0, view), 4) for view in range(2))  # without `skip`: the same four digits in both cells
    split = Split(
        ("category", "view"), {"train": RowSet("", "train", twice), "seen": RowSet("", "test", twice)}, Pools()
    )
    found = audit(split, samples)
    assert found.reused == 4
    assert found.shared_instances["train", "seen"] == 0
