"""The natural-variation world: three blocks over five factors, each with a canonical level."""

import numpy as np
import pytest
import torch

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.natural_variation import SCALARS, canonical_cell, coarser, natural_variation
from unseen.worlds.stage import scalar_factor

SMALL = {"levels": 5, "backgrounds": 4, "pair_levels": 3, "pair_backgrounds": 2, "combinations": 6, "side": 24}


def test_the_published_grid_has_the_published_number_of_images():
    world = natural_variation(2, 1)
    assert [len(block.cells) for block in world.samples.blocks] == [4 * 101 + 25, 6 * 121 + 4 * 110, 1000]
    # 54 classes × 50 objects: 1.1 M + 3.1 M + 2.7 M (seed 003, section 3)
    assert [round(2700 * len(b.cells) / 1e5) / 10 for b in world.samples.blocks] == [1.2, 3.1, 2.7]


def test_one_factor_varies_alone_then_two_then_all():
    world = natural_variation(2, 2, **SMALL)
    factors = [world.samples.space[name] for name in (*SCALARS, "background")]
    usual = canonical_cell(factors)
    single, pairs, every = (block.cells for block in world.samples.blocks)
    assert (single != usual).sum(1).max() == 1
    assert (pairs != usual).sum(1).max() == 2
    assert len(np.unique(every, axis=0)) == 6
    for place, factor in enumerate(factors):
        assert set(single[:, place]) == set(range(len(factor)))
        assert set(pairs[:, place]) == set(coarser(factor, 2 if factor.name == "background" else 3))
        assert set(every[:, place]) <= set(pairs[:, place])


@pytest.mark.parametrize("levels", [1, 2, 3, 10, 11, 100, 101, 500])
def test_a_coarser_grid_keeps_the_canonical_level(levels):
    factor = scalar_factor("pose", 101)
    chosen = coarser(factor, levels)
    assert 50 in chosen
    assert len(chosen) == min(levels, 101)
    assert (np.diff(chosen) > 0).all()


def test_an_object_at_one_cell_looks_the_same_in_every_block():
    world = natural_variation(2, 2, **SMALL)
    samples = world.samples
    wanted = {name: samples.space[name].canonical or 0 for name in (*SCALARS, "background")}
    rows = np.concatenate([samples.rows_at(np.array([3]), wanted, block) for block in (0, 1)])
    first, second = world.images(rows)
    assert torch.equal(first, second)


def test_objects_are_a_factor_so_that_pools_can_be_kept_apart_over_blocks():
    world = natural_variation(2, 3, **SMALL)
    assert world.samples.space["object"].kind == "instance"
    groups = world.samples.groups("object")
    assert len(groups) == 3 * 6
    assert len(np.unique(groups)) == 6


def test_blocks_are_chosen_by_name_and_a_wrong_name_teaches():
    assert len(natural_variation(1, 1, blocks=["all"], **SMALL).samples) == 6
    with pytest.raises(UnseenError, match="no block 'pair'; possible: single, pairs, all"):
        natural_variation(1, 1, blocks=["pair"])
    with pytest.raises(UnseenError, match="at least one block"):
        natural_variation(1, 1, blocks=[])
