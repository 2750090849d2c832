"""Augmentation: what each does, and draws that belong to a row and its visit, whatever the company."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageEnhance, ImageOps
from scipy import stats

from unseen.training.augment import AUGMENT, augment, brightness, check_plan, flip, shift, uniform
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import seed_of
from unseen.worlds import make
from unseen.worlds.transforms.transformed import transformed

VISIT = torch.tensor(0)


def pictures(n=6, side=8, seed=0):
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.integers(0, 256, (n, 3, side, side), dtype=np.uint8))


def draw_for(offset, reach):
    """The middle of the interval of draws that gives an offset."""
    return (offset + reach + 0.5) / (2 * reach + 1)


def test_draws_are_uniform_in_the_unit_interval():
    draws = uniform(torch.arange(100_000), VISIT, seed_of(0, "augment"), 2).numpy()
    assert draws.dtype == np.float32
    assert draws.min() >= 0
    assert draws.max() < 1
    for column in draws.T:
        observed = np.histogram(column, bins=100, range=(0, 1))[0]
        assert stats.chisquare(observed).pvalue > 1e-4
    assert abs(np.corrcoef(draws.T)[0, 1]) < 0.02
    together = np.histogram2d(*draws.T, bins=10, range=[(0, 1), (0, 1)])[0]
    assert stats.chisquare(together.ravel()).pvalue > 1e-4


def test_draws_of_one_row_over_many_visits_are_uniform_too():
    draws = np.concatenate([uniform(torch.tensor([7]), torch.tensor(visit), 3, 2).numpy() for visit in range(4000)])
    assert stats.chisquare(np.histogram(draws, bins=50, range=(0, 1))[0]).pvalue > 1e-4
    assert abs(np.corrcoef(draws[:-1, 0], draws[1:, 0])[0, 1]) < 0.06


def test_a_draw_that_would_round_up_to_one_stays_below_it():
    rows = torch.arange(2_000_000) + 6 * 2_000_000  # one of these rounds to one in float32
    assert uniform(rows, torch.tensor(5), 123456789012345678, 2).max() < 1


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=20), st.integers(0, 10**6), st.integers(0, 2**63 - 1))
def test_a_rows_draw_depends_on_its_number_visit_and_seed_alone(rows, visit, seed):
    table = torch.tensor(rows)
    together = uniform(table, torch.tensor(visit), seed, 2)
    alone = torch.cat([uniform(table[k : k + 1], torch.tensor(visit), seed, 2) for k in range(len(rows))])
    assert torch.equal(together, alone)
    assert ((together >= 0) & (together < 1)).all()


def test_visits_seeds_and_rows_give_other_draws():
    rows = torch.arange(50)
    base = uniform(rows, VISIT, 1, 2)
    assert not (uniform(rows, torch.tensor(1), 1, 2) == base).any()
    assert not (uniform(rows, VISIT, 2, 2) == base).any()
    assert base.unique().numel() == 100


@pytest.mark.parametrize(("down", "right"), [(0, 0), (2, 0), (0, -1), (-2, 2), (1, -2)])
def test_shift_moves_by_whole_pixels_with_black_beyond_the_edge(down, right):
    images = pictures(2)
    draws = torch.tensor([[draw_for(-down, 2), draw_for(-right, 2)]] * 2)
    expected = torch.roll(images, (down, right), (-2, -1))
    if down:
        expected[..., (slice(0, down) if down > 0 else slice(down, None)), :] = 0
    if right:
        expected[..., (slice(0, right) if right > 0 else slice(right, None))] = 0
    moved = shift(images, 2.0, draws)
    assert moved.dtype == torch.uint8
    assert torch.equal(moved, expected)


def test_shift_reaches_every_offset_and_none_beyond():
    image = torch.zeros(1, 1, 9, 9)
    image[0, 0, 4, 4] = 1
    rows = torch.arange(2000)
    moved = shift(image.expand(2000, -1, -1, -1), 2.0, uniform(rows, VISIT, 0, 2))
    places = moved.flatten(1).argmax(1)
    y, x = places // 9 - 4, places % 9 - 4
    assert set(zip(y.tolist(), x.tolist())) == {(a, b) for a in range(-2, 3) for b in range(-2, 3)}


def test_flip_mirrors_as_pil_does_with_its_probability():
    images = pictures(4)
    draws = torch.tensor([[0.0, 0.9], [0.49, 0.9], [0.5, 0.0], [0.99, 0.0]])
    flipped = flip(images, 0.5, draws)
    for k in range(4):
        picture = Image.fromarray(images[k].permute(1, 2, 0).numpy())
        expected = ImageOps.mirror(picture) if k < 2 else picture
        assert np.array_equal(flipped[k].permute(1, 2, 0).numpy(), np.asarray(expected))
    rows = torch.arange(20_000)
    share = (uniform(rows, VISIT, 0, 2)[:, 0] < 0.3).float().mean()
    assert share == pytest.approx(0.3, abs=0.02)


def test_brightness_multiplies_as_pil_does():
    images = pictures(3)
    draws = torch.tensor([[0.0, 0.0], [0.5, 0.0], [0.75, 0.0]])
    changed = brightness(images, 0.4, draws)
    for k, factor in enumerate((0.6, 1.0, 1.2)):
        picture = Image.fromarray(images[k].permute(1, 2, 0).numpy())
        expected = np.asarray(ImageEnhance.Brightness(picture).enhance(factor), dtype=float)
        ours = changed[k].permute(1, 2, 0).numpy()
        assert np.abs(ours - expected).max() <= 1
        np.testing.assert_allclose(ours, np.clip(np.asarray(picture) * factor, 0, 255), atol=1e-3)


def test_an_augmented_picture_is_the_same_in_any_company_and_new_at_every_visit():
    images, rows = pictures(6, 12), torch.tensor([5, 900, 17, 3, 44, 2])
    plan = {"shift": 3.0, "flip": 0.5, "brightness": 0.3}
    together = augment(images, plan, rows, VISIT, 11)
    order = torch.tensor([4, 1, 0])
    assert torch.equal(augment(images[order], plan, rows[order], VISIT, 11), together[order])
    assert torch.equal(augment(images, plan, rows, VISIT, 11), together)
    later = augment(images, plan, rows, torch.tensor(1), 11)
    assert all(not torch.equal(a, b) for a, b in zip(together, later))


def test_an_augmentation_draws_by_its_place_in_the_table_whatever_else_is_named():
    images, rows = pictures(6, 12), torch.arange(6)
    for other, name in (("flip", "shift"), ("shift", "flip"), ("shift", "brightness")):
        alone = augment(images, {name: 0.5 if name != "shift" else 3.0}, rows, VISIT, 11)
        both = augment(images, {other: 0.0, name: 0.5 if name != "shift" else 3.0}, rows, VISIT, 11)
        assert torch.equal(both, alone)


def test_the_order_in_which_a_recipe_names_augmentations_means_nothing():
    images, rows = pictures(6, 12), torch.arange(6)
    plan = {"brightness": 0.9, "shift": 3.0, "flip": 0.5}
    assert torch.equal(
        augment(images, plan, rows, VISIT, 11), augment(images, dict(reversed(plan.items())), rows, VISIT, 11)
    )


@pytest.mark.parametrize("name", list(AUGMENT))
def test_no_strength_changes_nothing(name):
    images = pictures()
    draws = uniform(torch.arange(6), VISIT, 0, 2)
    assert torch.equal(AUGMENT[name](images, 0.0, draws).to(torch.uint8), images)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"shift": -2}, "training.augment.shift = -2 must be a whole number of pixels from 0 to 7 (pictures are 8×9)."),
        ({"shift": 1.5}, "training.augment.shift = 1.5 must be a whole number of pixels from 0 to 7 "),
        ({"shift": 8}, "training.augment.shift = 8 must be a whole number of pixels from 0 to 7 "),
        ({"flip": 7}, "training.augment.flip = 7 must be a number from 0 to 1."),
        ({"brightness": float("nan")}, "training.augment.brightness = nan must be a number from 0 to 1."),
        ({"brightnes": 0.1}, "Did you mean 'brightness'?"),
    ],
)
def test_a_strength_that_would_do_something_else_than_it_says_is_refused(plan, message):
    with pytest.raises(UnseenError) as refused:
        check_plan({"flip": 0.5, **plan}, (8, 9))
    assert message in str(refused.value)


def test_strengths_in_range_pass():
    check_plan({"shift": 3.0, "flip": 1, "brightness": 0.0}, (4, 4))


def test_brightness_leaves_pictures_that_are_no_bytes_their_range():
    world = transformed(make("digits", viewpoint="none"), ["horizontal"])
    rows = np.arange(1, 40, 2)
    images = world.images(rows)
    assert images.min() < 0
    assert images.max() > 255
    same, other = (augment(images, {"brightness": s}, torch.from_numpy(rows), VISIT, 0) for s in (0.0, 0.5))
    assert torch.equal(same, images)
    factor = other.flatten(1).amax(1) / images.flatten(1).amax(1)
    torch.testing.assert_close(other, images * factor[:, None, None, None])
    assert len(factor.unique()) > 10
