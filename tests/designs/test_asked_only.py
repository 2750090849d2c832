"""A split without training rows is audited for what it asks: how much of what, and what counts twice."""

import numpy as np
import pytest
from grids import digits, photos

from unseen.designs import audit
from unseen.designs.asked_only import NO_TRAINING
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.rules import EVERY_ROW
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.split import Part, RowSet, Split

SAMPLES = photos(np.full((3, 3), 4))


def asked(samples=SAMPLES, factors=("category", "view"), **sets):
    rows = {name: RowSet("as listed", "test", listed=np.array(found)) for name, found in sets.items()}
    return audit(Split(factors, rows, Pools(by="nothing")), samples)


def test_images_are_counted_in_each_cell_and_it_is_said_that_nothing_is_trained_on():
    found = asked(easy=[0, 1, 4], hard=[16])
    assert not found.trains
    assert found.counts["easy"].tolist() == [[2, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert found.shown.tolist() == [[2, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert (found.cells, found.sizes["easy"].images, found.sizes["hard"].cells) == (3, 3, 1)
    assert (found.problems, found.notes, found.per_row) == ((), (NO_TRAINING,), {})
    assert found.verdicts == ("no image counts twice in a set",)
    assert not any("disjoint" in words or "training" in words for words in found.sharing.words)


def test_an_image_that_a_set_asks_again_is_found():
    again = RowSet("again", "test", parts=(Part((0, 0)), Part((0, 0), take=2)))
    found = audit(Split(("category", "view"), {"asked": again}, Pools(by="nothing")), SAMPLES)
    assert found.problems == ("2 images are more than once in 'asked', and would count that many times",)
    assert found.counts["asked"][0, 0] == 6


def test_files_of_the_same_bytes_in_one_set_are_found_by_name():
    content = np.arange(36)
    content[[4, 5]] = content[0]
    samples = photos(np.full((3, 3), 4), content=content, names=tuple(f"{n}.png" for n in range(36)))
    (problem,) = asked(samples, asked=[0, 4, 5, 6]).problems
    assert problem == "2 images of 'asked' are identical copies of others in it: 4.png = 0.png; 5.png = 0.png"
    assert asked(samples, asked=[0, 6]).problems == ()


def test_an_image_shown_at_several_levels_is_no_copy_of_itself():
    samples = digits(3, 3, 4, content=np.zeros(12, dtype=int))
    assert asked(samples, asked=[0, 1, 2]).problems == ()


def test_sets_that_ask_the_same_images_or_copies_are_told_and_no_fault():
    content = np.arange(36)
    content[8] = content[1]
    samples = photos(np.full((3, 3), 4), content=content)
    found = asked(samples, first=[0, 1], second=[0, 8], third=[20])
    assert found.problems == ()
    assert found.notes[1:] == (
        "1 image is in both 'first' and 'second'",
        "1 image of 'second' has an identical copy in 'first'",
    )
    assert found.shared_images == {("first", "second"): 1, ("first", "third"): 0, ("second", "third"): 0}
    assert found.shared_instances == {}


@pytest.mark.parametrize("factors", [("category",), ("category", "view", "hue")])
def test_of_one_factor_or_many_the_part_that_is_asked_at_each_level_is_told(factors):
    space = FactorSpace({"category": range(2), "view": range(2), "hue": range(3)})
    samples = Samples(space, (Block(2, {"category": np.arange(2)}, grid=("view", "hue")),))
    rows = {"asked": RowSet("one category", "test", listed=np.arange(6))}
    found = audit(Split(factors, rows, Pools(by="nothing")), samples)
    assert found.shares["category"].tolist() == [1, 0]
    assert found.cells == (1 if len(factors) == 1 else 6)
    assert len(found.pairs) == (0 if len(factors) == 1 else 3)
    assert (found.problems, found.counts) == ((), {})


def test_rows_that_a_rule_asks_are_counted_too_and_the_probe_is_left_out():
    sets = {"asked": RowSet("every row", "test", rule=EVERY_ROW), "probe": RowSet("probe", "test", rule=EVERY_ROW)}
    found = audit(Split(("category", "view"), sets, Pools(by="nothing")), SAMPLES)
    assert list(found.sizes) == ["asked"]
    assert found.shown.tolist() == np.full((3, 3), 4).tolist()


def test_a_split_that_asks_nothing_has_nothing_to_tell():
    found = audit(Split(("category", "view"), {}, Pools()), SAMPLES)
    assert (found.cells, found.sizes, found.problems) == (0, {}, ())
