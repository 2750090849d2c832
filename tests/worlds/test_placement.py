"""Viewpoints made from one picture, checked against other people's resizing and turning."""

import inspect
import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.placement import none, position, resize_taps, resized, rotated, rotation, scale


def pictures(n: int = 5, edge: int = 28, seed: int = 0) -> torch.Tensor:
    """Smooth random pictures: what a resampler may be asked about to the grey level."""
    noise = np.random.default_rng(seed).uniform(0, 255, (n, edge, edge))
    smooth = ndimage.gaussian_filter(noise, (0, 1.5, 1.5)) if edge > 4 else noise
    stretched = (smooth - smooth.min()) / (smooth.max() - smooth.min()) * 255
    return torch.from_numpy(stretched.astype(np.uint8))


@pytest.mark.parametrize("size", [1, 6, 12, 20, 27, 29, 52, 84])
def test_resizing_agrees_with_pillow_and_with_torch_to_one_grey_level(size):
    shown = pictures()
    ours = resized(shown, size).int()
    theirs = np.stack(
        [np.asarray(Image.fromarray(one).resize((size, size), Image.Resampling.BILINEAR)) for one in shown.numpy()]
    )
    assert (ours - torch.from_numpy(theirs.astype(np.int32))).abs().max() <= 1
    exact = torch.nn.functional.interpolate(shown[:, None].double(), size=(size, size), mode="bilinear", antialias=True)
    assert (ours - exact[:, 0]).abs().max() < 0.75


@given(source=st.integers(1, 40), size=st.integers(1, 120), grey=st.integers(0, 255))
@settings(deadline=None, max_examples=60)
def test_an_even_grey_stays_what_it_is_at_any_size(source, size, grey):
    even = torch.full((1, source, source), grey, dtype=torch.uint8)
    assert (resized(even, size) == grey).all()
    places, weights = resize_taps(source, size)
    assert places.min() >= 0
    assert places.max() < source
    assert weights.min() >= 0


@pytest.mark.parametrize("angle", [0, 36, 72, 90, 144, 200.5, 270, 324, -36])
@pytest.mark.parametrize("canvas", [28, 40, 33])
def test_turning_agrees_with_scipy_to_one_grey_level(angle, canvas):
    shown = pictures()
    turn, edge = math.radians(angle), 28
    # Anti-clockwise on the screen: (down, right) of the canvas is read at the place turned back.
    matrix = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    offset = (edge - 1) / 2 - matrix @ np.full(2, (canvas - 1) / 2)
    theirs = np.stack(
        [
            ndimage.affine_transform(
                one.astype(float), matrix, offset, output_shape=(canvas, canvas), order=1, mode="grid-constant", cval=0
            )
            for one in shown.numpy()
        ]
    )
    assert np.abs(rotated(shown, angle, canvas).numpy() - theirs).max() <= 1


def test_quarter_turns_are_exact_and_anti_clockwise():
    shown = pictures(edge=9)
    for quarters in range(4):
        assert torch.equal(rotated(shown, 90 * quarters, 9), torch.rot90(shown, quarters, dims=(1, 2)))


def test_turning_agrees_with_pillow_about_the_sense_of_an_angle():
    shown = pictures(n=1, edge=28)
    theirs = np.asarray(Image.fromarray(shown[0].numpy()).rotate(36, Image.Resampling.BILINEAR)).astype(int)
    inside = np.s_[9:19, 9:19]
    assert np.abs(rotated(shown, 36, 28)[0].numpy().astype(int)[inside] - theirs[inside]).max() <= 2


@pytest.mark.parametrize("cell", [7, 8, 28])
def test_the_canvas_of_a_rotation_cuts_nothing_off(cell):
    made = rotation(cell)
    assert made.canvas % 2 == cell % 2
    white = torch.full((1, cell, cell), 255, dtype=torch.uint8)
    for placing in made.placings:
        ink = rotated(white, placing.angle, made.canvas).int().sum().item() / 255
        assert ink == pytest.approx(cell**2, rel=0.03)


def test_the_makers_offer_nine_positions_nine_sizes_and_ten_angles():
    for cell in (8, 28):
        assert len(position(cell).factor) == len(scale(cell).factor) == 9
        assert len(rotation(cell).factor) == 10
        assert none(cell).factor is None
    assert position(28).canvas == scale(28).canvas == 84
    assert position(8).canvas == 24


def test_distance_between_levels_means_something():
    where = position(8).factor.places()
    assert np.linalg.norm(where[0] - where[8]) == pytest.approx(2 * math.sqrt(2))
    sizes = scale(28, sizes=[12, 24, 48]).factor.places()[:, 0]
    assert np.diff(sizes) == pytest.approx([1, 1])
    assert rotation(28).factor.period == 360


@given(edge=st.integers(20, 300))
def test_sizes_grow_by_an_almost_constant_ratio_up_to_the_whole_canvas(edge):
    sizes = np.array(scale(8, canvas=edge).factor.levels)
    assert sizes[-1] == edge
    assert np.abs(sizes - np.geomspace(max(6, edge / 7), edge, 9)).max() <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (partial(position, 28, canvas=80), "needs at least 84"),
        (partial(none, 28, canvas=27), "needs at least 28"),
        (partial(scale, 28, sizes=[10, 10]), "must grow"),
        (partial(scale, 28, sizes=[20, 10]), "must grow"),
        (partial(scale, 28, sizes=[10, 85]), "larger `canvas`"),
        (partial(scale, 28, sizes=[0, 8]), "between 1 and"),
        (partial(scale, 28, sizes=[10.5, 11]), "whole numbers"),
        (partial(scale, 1), "must grow"),
        (partial(scale, 28, sizes=[]), "must grow"),
        (partial(rotation, 28, angles=[0, 360]), "twice"),
        (partial(rotation, 28, angles=["up"]), "degrees"),
        (partial(rotation, 28, angles=[math.inf]), "degrees"),
        (partial(rotation, 28, canvas=0), "too small"),
    ],
)
def test_impossible_viewpoints_are_explained(make, says):
    untyped = inspect.unwrap(make.func)  # as a recipe calls it: without the tests' type checks
    with pytest.raises(UnseenError, match=says):
        untyped(*make.args, **make.keywords)
