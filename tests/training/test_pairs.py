"""Partners are training rows that differ in as many factors as promised, whatever the split."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.training.objectives import OBJECTIVES
from unseen.training.pairs import PAIRS, few, laplace, pair_grid
from unseen.vocabulary.errors import UnseenError

DSPRITES = (3, 6, 40, 32, 32)


def cells(shape):
    return np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1)


def visit(number=0):
    return torch.tensor(number)


@st.composite
def grids(draw):
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=2, max_size=5)))
    if max(shape) == 1:
        shape = (2, *shape)
    total = int(np.prod(shape))
    seed = draw(st.integers(0, 99))
    share = draw(st.sampled_from([0.05, 0.3, 0.7, 1.0]))
    training = np.flatnonzero(np.random.default_rng(seed).random(total) < share)
    return shape, training if len(training) else np.array([total - 1]), seed


@settings(max_examples=40, deadline=None)
@given(made=grids(), name=st.sampled_from(sorted(PAIRS)))
def test_partners_are_training_rows_and_differ_as_promised_unless_it_is_said(made, name):
    shape, training, seed = made
    grid = pair_grid(shape, training, device="cpu")
    found = PAIRS[name](grid, grid.training, visit(seed), seed=seed)
    assert np.isin(found.rows.numpy(), training).all()
    assert torch.equal(grid.training[found.places], found.rows)
    levels = cells(shape)
    differing = (levels[found.rows.numpy()] != levels[training]).sum(1)
    assert (found.changed.numpy() == differing).all()
    assert (differing[~found.short.numpy()] >= 1).all()
    if name == "laplace":
        alone = ~found.short.numpy()
        neighbours = [(levels[training] != levels[row]).sum(1) for row in training]
        able = np.array([(near == 1).any() for near in neighbours])
        assert (alone == able).all(), "whoever has a neighbour among the training rows gets a partner"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), number=st.integers(0, 10_000))
@pytest.mark.parametrize("name", sorted(PAIRS))
def test_a_partner_depends_on_seed_row_and_visit_and_not_on_its_company(name, seed, number):
    shape = (3, 4, 5)
    training = np.flatnonzero(cells(shape).sum(1) < 7)
    grid = pair_grid(shape, training, device="cpu")
    rows = grid.training
    whole = PAIRS[name](grid, rows, visit(number), seed=seed).rows
    assert torch.equal(PAIRS[name](grid, rows, visit(number), seed=seed).rows, whole)
    assert torch.equal(PAIRS[name](grid, rows.flip(0)[:7], visit(number), seed=seed).rows, whole.flip(0)[:7])


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_another_visit_and_another_seed_bring_other_partners(name):
    grid = pair_grid(DSPRITES, np.arange(0, 737280, 7), device="cpu", categories=(0,))
    rows = grid.training[::500]
    first = PAIRS[name](grid, rows, visit(0), seed=0).rows
    for other in (PAIRS[name](grid, rows, visit(1), seed=0).rows, PAIRS[name](grid, rows, visit(0), seed=1).rows):
        assert (other != first).float().mean() > 0.5


def test_on_a_whole_grid_exactly_k_factors_change_and_every_k_and_factor_is_as_frequent():
    shape = (4, 5, 6, 7)
    grid = pair_grid(shape, np.arange(840), device="cpu")
    rows = grid.training.repeat(20)
    stacked = [few(grid, grid.training, visit(v), seed=0) for v in range(20)]
    changed = torch.cat([found.changed for found in stacked])
    assert not torch.cat([found.short for found in stacked]).any()
    shares = torch.bincount(changed, minlength=5) / len(changed)
    assert shares[0] == shares[4] == 0
    assert (shares[1:4] - 1 / 3).abs().max() < 0.02
    found = torch.cat([pair.rows for pair in stacked])
    differing = cells(shape)[found.numpy()] != cells(shape)[rows.numpy()]
    assert np.abs(differing.mean(0) - 0.5).max() < 0.02
    # a factor that changes takes each other level equally often
    to = np.bincount(cells(shape)[found.numpy()][differing[:, 0], 0], minlength=4)
    assert np.abs(to / to.sum() - 0.25).max() < 0.02
    single = few(grid, grid.training, visit(), seed=0, most=1)
    assert (single.changed == 1).all()


def test_laplace_steps_have_the_weights_of_the_released_code():
    """One factor alone, from its middle: scipy's Laplace density at the levels, as Klindt et al. 2021 draw."""
    from scipy.stats import laplace as density

    grid = pair_grid((9, 1000), np.arange(9000), device="cpu", categories=(1,))
    rows = torch.arange(3000, 4000)
    steps = torch.cat([laplace(grid, rows, visit(v), seed=0).rows for v in range(10)]) // 1000
    weights = density.pdf(np.arange(9), loc=3, scale=np.log(9))
    weights[3] = 0  # where none moved, another level is drawn
    share = torch.bincount(steps, minlength=9) / len(steps)
    assert np.abs(share.numpy() - weights / weights.sum()).max() < 0.015


def test_categories_stay_and_near_levels_are_likelier():
    levels = cells(DSPRITES)
    training = np.flatnonzero((levels[:, 1] < 4) & (levels[:, 2] < 32) & (levels[:, 3] < 25) & (levels[:, 4] < 25))
    grid = pair_grid(DSPRITES, training, device="cpu", categories=(0,))
    rows = grid.training[::97]
    found = laplace(grid, rows, visit(), seed=0)
    moved = levels[found.rows.numpy()] - levels[rows.numpy()]
    assert not moved[:, 0].any()
    assert not found.short.any()
    distance = np.bincount(np.abs(moved[:, 3]), minlength=6)
    assert distance[1] > distance[2] > distance[4]
    pairs = few(grid, rows, visit(), seed=0)
    assert (levels[pairs.rows.numpy()] != levels[rows.numpy()])[:, 0].any(), "categories may change in these"
    assert not pairs.short.any()


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_a_row_alone_in_its_split_is_its_own_partner_and_counted(name):
    grid = pair_grid((3, 3), np.array([4]), device="cpu")
    found = PAIRS[name](grid, grid.training, visit(), seed=0)
    assert (found.rows.tolist(), found.changed.tolist(), found.short.tolist()) == ([4], [0], [True])


@pytest.mark.parametrize(
    ("shape", "training", "options", "taught"),
    [
        ((2, 3), [], {}, "among training rows.*whole grid of 6; given: no rows"),
        ((2, 3), [1, 9], {}, "given: rows 1 to 9"),
        ((1, 1), [0], {}, "nothing to pair by"),
        ((3, 1), [0, 1], {"categories": (0,)}, "nothing to pair by"),
        ((3, 0), [0], {}, "at least one level"),
        ((3, 3), [0], {"rate": 0.0}, "a rate is above zero"),
    ],
)
def test_what_can_go_wrong_with_pairs_is_told(shape, training, options, taught):
    with pytest.raises(UnseenError, match=taught):
        pair_grid(shape, np.array(training, dtype=np.int64), device="cpu", **options)


def test_objectives_name_pairs_that_exist():
    assert {row.pairs for row in OBJECTIVES.values()} - {None} == set(PAIRS)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_drawing_partners_never_waits_for_the_device(name):
    """On the meta device there are no numbers to wait for: what runs there can be captured as a CUDA graph."""
    grid = pair_grid(DSPRITES, np.arange(1000), device="meta", categories=(0,))
    found = PAIRS[name](grid, torch.zeros(8, dtype=torch.long, device="meta"), visit().to("meta"), seed=0)
    assert found.rows.shape == found.places.shape == found.changed.shape == found.short.shape == (8,)
