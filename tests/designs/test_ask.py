"""A design that asks and trains nothing."""

import numpy as np
import pytest

from unseen.designs import ask, audit
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples


def world(instances=6, poses=4):
    space = FactorSpace(
        [
            Factor("category", ("cup", "mug", "pot"), kind="category"),
            Factor("pose", tuple(range(poses))),
            Factor("light", ("day", "night")),
        ]
    )
    return Samples(space, (Block(instances, {"category": np.arange(instances) % 3}, grid=("pose", "light")),))


def test_every_row_is_asked_and_none_is_trained_on():
    samples = world()
    split = ask(samples)
    assert list(split.sets) == ["asked"]
    assert split.rows(samples, "asked").tolist() == list(range(len(samples)))
    assert split.factors == ("category", "pose")


def test_only_some_levels_are_asked_of_any_factor():
    samples = world()
    split = ask(samples, only={"pose": [0, 2], "light": ["night"]})
    cells = samples.cells(split.rows(samples, "asked"), ("pose", "light"))
    assert {tuple(cell) for cell in cells.tolist()} == {(0, 1), (2, 1)}
    assert split.count(samples, "asked") == 6 * 2


def test_so_many_images_of_each_cell_are_of_different_instances():
    samples = world(instances=9)
    split = ask(samples, images_per_cell=2, only={"pose": [1, 3]}, seed=5)
    rows = split.rows(samples, "asked")
    cells = samples.cells(rows, split.factors)
    kinds, counts = np.unique(cells, axis=0, return_counts=True)
    assert set(kinds[:, 1].tolist()) == {1, 3}
    assert set(counts.tolist()) == {2}
    for kind in kinds:
        assert len(set(samples.instance_numbers(rows[(cells == kind).all(axis=1)]).tolist())) == 2
    assert (
        rows.tolist() != ask(samples, images_per_cell=2, only={"pose": [1, 3]}, seed=6).rows(samples, "asked").tolist()
    )


def test_a_billion_rows_are_asked_without_being_listed():
    space = FactorSpace({"category": tuple(range(10)), **{f"f{place}": tuple(range(100)) for place in range(4)}})
    samples = Samples(space, (Block(10, {"category": np.arange(10)}, grid=("f0", "f1", "f2", "f3")),))
    split = ask(samples, only={"f0": [3]})
    assert split.count(samples, "asked") == 10**7
    assert split["asked"].rule.holds(samples, np.array([0, 3_000_000])).tolist() == [False, True]


def test_its_audit_counts_what_is_asked():
    samples = world()
    found = audit(ask(samples), samples)
    assert found.sizes["asked"].images == len(samples)
    assert found.counts["asked"].tolist() == [[4] * 4] * 3
    assert found.problems == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"category": "kind"}, "no factor 'kind'"),
        ({"only": {"pose": [9]}}, "no level '9'"),
        ({"only": {"pose": []}}, "must be a list of levels"),
        ({"only": {"colour": ["red"]}}, "no factor 'colour'"),
        ({"images_per_cell": 0}, "is a number of images, from 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments, words):
    with pytest.raises(UnseenError, match=words):
        ask(world(), **arguments)
