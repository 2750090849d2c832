"""The digits of scikit-learn, placed, scaled and turned."""

import inspect
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World
from unseen.worlds.digits import contents, digits

VIEWS = ("position", "scale", "rotation", "none")
WORLDS = {view: digits(view) for view in VIEWS}


@pytest.mark.parametrize("view", VIEWS)
def test_it_is_a_world(view):
    world = WORLDS[view]
    assert isinstance(world, World)
    images = world.images(np.arange(7))
    assert images.shape == (7, world.channels, *world.size)
    assert images.dtype == torch.uint8
    assert world.provenance["citation"]
    assert world.images(np.array([], dtype=np.int64)).shape == (0, 1, *world.size)
    assert torch.equal(images, world.images(np.arange(7), draw=3))


def test_nine_digits_without_the_nine_make_a_square_grid():
    for view in ("position", "scale"):
        space = WORLDS[view].samples.space
        assert space.shape == (9, 9)
        assert space["category"].levels == tuple(range(9))
        assert space["category"].texts[3] == "the digit 3"
    assert WORLDS["rotation"].samples.space.shape == (10, 10)
    assert WORLDS["none"].samples.space.names == ("category",)


@given(rows=st.lists(st.integers(0, 9 * 1617 - 1), min_size=1, max_size=20))
@settings(deadline=None, max_examples=40)
def test_a_picture_at_a_position_is_the_source_in_that_cell_and_zero_elsewhere(rows):
    world, rows = WORLDS["position"], np.array(rows)
    _, instances, levels = world.samples.locate(rows)
    for image, instance, level in zip(world.images(rows)[:, 0].numpy(), instances, levels):
        row, column = divmod(level, 3)
        expected = np.zeros((24, 24), dtype=np.uint8)
        expected[8 * row : 8 * row + 8, 8 * column : 8 * column + 8] = world.pictures[instance]
        assert np.array_equal(image, expected)


@pytest.mark.parametrize("view", ["position", "scale", "rotation"])
def test_row_to_cell_to_row(view):
    samples = WORLDS[view].samples
    rows = np.arange(len(samples))
    _, instances, levels = samples.locate(rows)
    assert np.array_equal(samples.rows_at(instances, {view: levels}), rows)
    assert np.array_equal(samples.levels(view, rows), levels)


def test_the_source_is_scikit_learns_in_order_with_sixteen_as_white():
    from sklearn.datasets import load_digits

    source = load_digits()
    world = WORLDS["none"]
    assert np.array_equal(world.pictures, np.rint(source.images / 16 * 255).astype(np.uint8))
    assert np.array_equal(world.samples.blocks[0].stored["category"], source.target)
    assert world.pictures.max() == 255


def test_a_scaled_picture_lies_inside_the_central_box_of_its_size_and_reaches_its_rim():
    world = WORLDS["scale"]
    for level, size in enumerate(world.samples.space["scale"].levels):
        rows = world.samples.rows_at(np.arange(300), {"scale": level})
        shown = world.images(rows)[:, 0].int().amax(dim=0)
        low = (24 - size) // 2
        box = torch.zeros(24, 24, dtype=torch.bool)
        box[low : low + size, low : low + size] = True
        assert (shown[~box] == 0).all()
        assert (shown[low] > 0).any()
        assert (shown[low + size - 1] > 0).any()


def test_a_scaled_picture_of_the_sources_own_size_is_the_source():
    world = WORLDS["scale"]
    level = world.samples.space["scale"].index(8)
    shown = world.images(world.samples.rows_at(np.arange(50), {"scale": level}))
    assert np.array_equal(shown[:, 0, 8:16, 8:16].numpy(), world.pictures[:50])


def test_a_turn_by_zero_is_the_source_and_by_half_is_the_source_upside_down():
    world = WORLDS["rotation"]
    plain = world.images(world.samples.rows_at(np.arange(50), {"rotation": 0}))[:, 0]
    assert np.array_equal(plain[:, 2:10, 2:10].numpy(), world.pictures[:50])
    assert plain.int().sum() == world.pictures[:50].astype(int).sum()
    half = world.images(world.samples.rows_at(np.arange(50), {"rotation": 5}))[:, 0]
    assert torch.equal(half, plain.flip(1, 2))


@pytest.mark.parametrize("view", VIEWS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 700))
@settings(deadline=None, max_examples=8)
def test_an_image_is_the_same_to_the_bit_in_any_company(view, seed, n):
    world, random = WORLDS[view], np.random.default_rng(seed)
    rows = random.integers(0, len(world.samples), n)
    together = world.images(rows)
    order = random.permutation(n)
    assert torch.equal(world.images(rows[order]), together[torch.from_numpy(order)])
    for place in random.integers(0, n, 3):
        assert torch.equal(world.images(rows[place : place + 1])[0], together[place])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("view", VIEWS)
def test_a_gpu_draws_the_same_bits_as_a_cpu(view):
    rows = np.random.default_rng(0).integers(0, len(WORLDS[view].samples), 2000)
    assert torch.equal(WORLDS[view].images(rows, device="cuda").cpu(), WORLDS[view].images(rows))


def test_no_instance_comes_twice():
    block = WORLDS["position"].samples.blocks[0]
    assert block.instances == 1617
    assert len(np.unique(block.content)) == 1617
    assert set(WORLDS["position"].samples.pools) == {""}


@given(
    shape=st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9)),
    place=st.integers(0, 10**6),
    by=st.integers(1, 255),
)
def test_content_tells_pictures_apart_by_a_single_grey_level_and_finds_copies(shape, place, by):
    shown = np.random.default_rng(place).integers(0, 256, shape).astype(np.uint8)
    assert np.array_equal(contents(shown), contents(shown.copy()))
    other = shown.copy()
    other.flat[place % other.size] ^= np.uint8(by)
    assert (contents(shown) != contents(other)).sum() == 1
    assert np.array_equal(contents(np.concatenate([other, shown])), np.concatenate([contents(other), contents(shown)]))


def test_the_fingerprint_changes_with_whatever_changes_an_image_and_with_nothing_else():
    made = [
        WORLDS["position"],
        WORLDS["scale"],
        WORLDS["rotation"],
        WORLDS["none"],
        digits("position", canvas=30),
        digits("position", cell=10),
        digits("position", categories=[1, 2]),
        digits("position", categories=[2, 1]),
        digits("scale", sizes=[8, 16]),
        digits("rotation", angles=[0, 90]),
        digits("rotation", angles=[0, 91]),
    ]
    assert len({world.fingerprint for world in made}) == len(made)
    assert digits("position").fingerprint == digits("position", categories=list(range(9))).fingerprint


def test_categories_are_numbered_in_the_order_asked():
    world = digits("none", categories=["7", 2])
    assert world.samples.space["category"].texts == ("the digit 7", "the digit 2")
    rows = np.arange(len(world.samples))
    whole = WORLDS["none"]
    sevens = np.flatnonzero(whole.samples.levels("category", np.arange(len(whole.samples))) == 7)
    assert np.array_equal(world.pictures[world.samples.levels("category", rows) == 0], whole.pictures[sevens])


def test_a_cell_makes_the_pictures_as_large_as_mnists():
    world = digits("position", cell=28)
    assert world.size == (84, 84)
    assert world.pictures.shape[1:] == (28, 28)
    assert world.images(np.array([0]))[0, 0, :28, :28].sum() > 0


def test_a_world_travels_to_another_process_without_what_lies_on_a_device():
    world = WORLDS["scale"]
    before = world.images(np.arange(9))
    there = pickle.loads(pickle.dumps(world))
    assert there._held._held == {}
    assert torch.equal(there.images(np.arange(9)), before)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"viewpoint": "positon"}, "Did you mean 'position'"),
        ({"viewpoint": "scale", "angles": [0, 90]}, "belongs to viewpoint rotation, not to 'scale'"),
        ({"sizes": [8, 9]}, "belongs to viewpoint scale"),
        ({"viewpoint": "scale", "sizes": 8}, "takes a list"),
        ({"categories": [0, 12]}, "no level '12'"),
        ({"categories": [0, 0]}, "more than once"),
        ({"categories": []}, "no levels"),
        ({"categories": "012"}, "takes a list"),
        ({"cell": 0}, "whole number from 1"),
        ({"cell": 2.5}, "whole number from 1"),
        ({"canvas": 10}, "needs at least 24"),
    ],
)
def test_wrong_arguments_are_explained(arguments, says):
    with pytest.raises(UnseenError, match=says):
        inspect.unwrap(digits)(**arguments)  # as a recipe calls it: without the tests' type checks


def test_a_row_that_does_not_exist_is_refused():
    with pytest.raises(UnseenError, match="asked of a world of 14553 rows"):
        WORLDS["position"].images(np.array([14553]))
