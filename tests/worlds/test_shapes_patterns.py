"""Procedural textures tile, repeat from their seed, vary between seeds and differ from each other."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from unseen.worlds.shapes.patterns import PATTERNS


@cache
def draws(name: str) -> list[np.ndarray]:
    return [PATTERNS[name](np.random.default_rng(seed)) for seed in range(4)]


def steps(picture: np.ndarray, axis: int) -> np.ndarray:
    """The mean change from each line of pixels to the next; the last one goes round the edge of the tile."""
    lines = picture.astype(float)
    change = np.abs(lines - np.roll(lines, -1, axis))
    return change.mean(tuple({0, 1, 2} - {axis}))


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_pattern_tiles_going_over_its_edge_is_like_any_step_inside(name: str, axis: int) -> None:
    for picture in draws(name):
        inside = steps(picture, axis)[:-1]
        assert steps(picture, axis)[-1] <= inside.max() + 2


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_a_square_picture_of_the_size_asked_for(name: str) -> None:
    assert all(p.shape == (256, 256, 3) and p.dtype == np.uint8 for p in draws(name))
    small = PATTERNS[name](np.random.default_rng(0), side=64)
    assert small.shape == (64, 64, 3)
    assert small.dtype == np.uint8


@pytest.mark.parametrize("name", PATTERNS)
def test_the_same_generator_draws_the_same_pattern(name: str) -> None:
    np.testing.assert_array_equal(PATTERNS[name](np.random.default_rng(3)), draws(name)[3])


@pytest.mark.parametrize("name", PATTERNS)
def test_draws_of_a_pattern_differ_in_mean_colour_and_none_is_blank(name: str) -> None:
    means = np.array([p.mean((0, 1)) for p in draws(name)])
    gaps = np.linalg.norm(means[:, None] - means[None], axis=-1)[np.triu_indices(len(means), 1)]
    assert gaps.max() > 10
    assert gaps.min() > 0.5
    assert all(p.std((0, 1)).max() > 10 for p in draws(name))


def spectrum(picture: np.ndarray) -> np.ndarray:
    """How grey energy spreads over sizes and directions: blind to colour and to shifts of the tile."""
    grey = picture.mean(-1)
    power = np.abs(np.fft.fft2((grey - grey.mean()) / grey.std())) ** 2
    f = np.fft.fftfreq(len(grey)) * len(grey)
    radius = np.hypot(*np.meshgrid(f, f))
    edges = [0, 2, 4, 8, 16, 32, 64, 200]
    share = np.array([power[(radius > low) & (radius <= high)].sum() for low, high in pairwise(edges)])
    return share / share.sum()


def test_patterns_can_be_told_apart_from_their_colours_and_spatial_frequencies() -> None:
    """Nearest neighbour over other draws; a chance guess would be right once in thirteen."""
    rows = [
        (name, np.concatenate([spectrum(p), p.mean((0, 1)) / 255, p.std((0, 1)) / 255]))
        for name in PATTERNS
        for p in draws(name)
    ]
    names, features = np.array([n for n, _ in rows]), np.stack([f for _, f in rows])
    apart = np.linalg.norm(features[:, None] - features[None], axis=-1) + 1e9 * np.eye(len(rows))
    assert (names[apart.argmin(1)] == names).mean() > 0.5
