"""Pictures dealt to rows by chance: as many in every cell, none in two pools, and nothing to be told from them."""

import inspect
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unseen.designs import hold_out_combinations
from unseen.designs.audit import audit
from unseen.studies.identities import identity
from unseen.studies.tables import open_world
from unseen.studies.trials import describe, expand
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.recipe import recipe_from
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.world import World
from unseen.worlds import make
from unseen.worlds.shuffled import permuted, shuffled

POSITIONS = {"name": "digits", "viewpoint": "position"}


@dataclass(frozen=True, eq=False)
class Stored:
    """Two blocks, source pools, two stored factors, and a picture that is the row's own number."""

    samples: Samples
    name: str = "stored"
    channels: int = 1
    size: tuple[int, int] = (1, 1)
    dtype: str = "float32"
    fingerprint: str = "stored"
    provenance: dict = field(default_factory=dict)

    def images(self, rows, device="cpu", draw=0):
        return torch.from_numpy(np.asarray(rows, dtype=np.float32) + draw / 1024).reshape(-1, 1, 1, 1)


def stored(n=120):
    rng = np.random.default_rng(0)
    space = FactorSpace({"category": range(3), "domain": range(4), "angle": range(5)})

    def block(**more):
        levels = {"category": rng.integers(0, 3, n), "domain": rng.integers(0, 4, n)}
        return Block(n, levels, grid=("angle",), names=[f"{number}.png" for number in range(n)], **more)

    cells = np.array([[0], [2], [4]])
    pool = np.array(["train", "test", ""])[rng.integers(0, 3, n)]
    return Stored(Samples(space, (block(pool=pool), block(cells=cells))))


@given(size=st.integers(1, 700), seed=st.integers(0, 9), one=st.integers(0, 2**40))
def test_for_every_instance_cells_are_permuted_one_to_one(size, seed, one):
    found = permuted(np.arange(size), size, seed, "cells", np.full(size, one))
    assert sorted(found.tolist()) == list(range(size))


@pytest.mark.parametrize("size", [2, 3, 9, 20])
def test_over_instances_every_cell_is_dealt_every_other_equally_often(size):
    from scipy.stats import chi2_contingency

    instances = np.repeat(np.arange(4000), size)
    cells = np.tile(np.arange(size), 4000)
    found = permuted(cells, size, 3, "cells", instances)
    table = np.zeros((size, size), int)
    np.add.at(table, (cells, found), 1)
    assert chi2_contingency(table).pvalue > 0.001


def test_every_cell_keeps_its_number_and_its_pool_and_a_row_shows_its_own_instance():
    inner = stored()
    world = shuffled(inner, seed=1)
    rows = np.arange(len(inner.samples))
    assert isinstance(world, World)
    for one, two in zip(inner.samples.blocks, world.samples.blocks):
        pools = np.full(one.instances, "") if one.pool is None else one.pool
        for pool in np.unique(pools):
            tuples = [sorted(zip(*(b.stored[f][pools == pool].tolist() for f in b.stored))) for b in (one, two)]
            assert tuples[0] == tuples[1]
    assert sorted(world.shown(rows).tolist()) == rows.tolist()
    here, there = (inner.samples.locate(some)[:2] for some in (rows, world.shown(rows)))
    assert np.array_equal(here, there)
    assert world.samples.own_names(rows)[1] == inner.samples.own_names(rows)[1]


def test_no_factor_can_be_told_from_what_a_row_shows():
    from scipy.stats import chi2_contingency

    inner = stored(6000)
    world = shuffled(inner, seed=2)
    for rows in np.split(np.arange(len(inner.samples)), [6000 * 5]):  # a block each: the second has other cells
        for name in inner.samples.space.names:
            some = rows if name == "angle" else rows[:: len(rows) // 6000]  # what an instance carries counts once
            said, shown = world.samples.levels(name, some), inner.samples.levels(name, world.shown(some))
            table = np.zeros((len(inner.samples.space[name]),) * 2, int)
            np.add.at(table, (said, shown), 1)
            assert chi2_contingency(table[table.any(1)][:, table.any(0)]).pvalue > 0.001, name


def test_splits_have_as_many_images_and_leak_nothing():
    plain, null = make("digits", viewpoint="position"), make("shuffled", of=POSITIONS)
    splits = [hold_out_combinations(w.samples, columns="position", seen_per_level=3, seed=0) for w in (plain, null)]
    counts = [{s: split.count(w.samples, s) for s in split.sets} for split, w in zip(splits, (plain, null))]
    assert counts[0] == counts[1]
    assert audit(splits[1], null.samples).problems == ()


def test_an_image_depends_on_its_row_alone():
    world = make("shuffled", of=POSITIONS)
    rows = np.array([5, 77, 3, 12_000])
    whole = world.images(rows)
    assert torch.equal(whole, torch.cat([world.images(rows[place : place + 1]) for place in range(4)]))
    assert torch.equal(world.images(rows[::-1].copy()), whole.flip(0))
    assert not torch.equal(whole, world.inner.images(rows))


def test_noise_of_the_world_inside_stays_fresh():
    world = make(
        "shuffled", of={"name": "transformed", "levels": ["white-noise"], "of": {**POSITIONS, "viewpoint": "none"}}
    )
    rows = np.arange(40)
    noisy = world.inner.samples.levels("transformation", world.shown(rows)) == 1
    assert np.array_equal(world.fresh(rows), noisy)
    assert 8 < noisy.sum() < 32
    other = (world.again(rows, draw=3) != world.images(rows)).flatten(1).any(1).numpy()
    assert np.array_equal(other, noisy)
    assert not shuffled(POSITIONS).fresh(rows).any()
    assert torch.equal(shuffled(POSITIONS).again(rows, draw=2), shuffled(POSITIONS).images(rows))


def test_another_seed_or_another_world_is_another_fingerprint_and_so_another_trial():
    inner = stored()
    prints = {
        shuffled(one, seed=seed).fingerprint for one in (inner, replace(inner, fingerprint="other")) for seed in (0, 1)
    }
    assert len(prints | {inner.fingerprint}) == 5
    recipe = {"title": "null", "design": {"name": "hold_out_combinations", "columns": "position", "seen_per_level": 2}}
    names = set()
    for world in (POSITIONS, {"name": "shuffled", "of": POSITIONS}, {"name": "shuffled", "of": POSITIONS, "seed": 1}):
        (trial,) = expand(recipe_from({**recipe, "seeds": [0], "world": world}))
        names.add(identity(describe(trial, open_world(trial.recipe.world), "float32")))
    assert len(names) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"of": 3}, "`of` is a world, or a table with its name"),
        ({"of": {"viewpoint": "none"}}, "needs the `name` of the world to shuffle"),
        ({"of": POSITIONS, "seed": 0.5}, "`seed` of a shuffled world is a whole number"),
        ({"of": {"name": "digts"}}, "no world 'digts'"),
    ],
)
def test_what_cannot_be_shuffled_is_told(arguments, says):
    with pytest.raises(UnseenError, match=says):
        inspect.unwrap(shuffled)(**arguments)  # in tests beartype would be faster
