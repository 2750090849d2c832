"""Maps compared: against scikit-image, against scipy, and where the answer is known."""

import numpy as np
import pytest

from unseen.measures.similarity import (
    DOES,
    DOES_NOT,
    OPEN,
    agreement,
    hog,
    hog_similarity,
    judge_dependence,
    map_similarity,
    map_spearman,
    ssim,
)
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream


def maps(n=3, height=48, width=64, name="a"):
    return stream(0, "similarity", name).normal(size=(n, height, width))


def test_ranks_are_scipys_with_and_without_sign():
    from scipy.stats import spearmanr

    a, b = maps(), maps() * 0.5 + maps(name="b")
    for absolute in (False, True):
        right = [spearmanr(*(abs(m).ravel() if absolute else m.ravel() for m in pair)).statistic for pair in zip(a, b)]
        np.testing.assert_allclose(map_spearman(a, b, absolute=absolute), right, atol=1e-12)
    np.testing.assert_allclose(map_spearman(a, -a), -1)
    np.testing.assert_allclose(map_spearman(a, -a, absolute=True), 1)


def test_ssim_and_hog_are_scikit_images():
    feature, metrics = pytest.importorskip("skimage.feature"), pytest.importorskip("skimage.metrics")
    a, b = (np.clip(m / 6 + 0.5, 0, 1) for m in (maps(), maps() + maps(name="b")))
    right = [metrics.structural_similarity(x, y, data_range=1.0) for x, y in zip(a, b)]
    np.testing.assert_allclose(ssim(a, b), right, atol=1e-10)
    for cell in (16, 7):
        theirs = feature.hog(a[0], orientations=9, pixels_per_cell=(cell, cell), cells_per_block=(3, 3))
        np.testing.assert_allclose(hog(a[0], cell=cell), theirs, atol=1e-6)  # theirs are sums in float32


def test_a_map_is_like_itself_and_unlike_another_by_every_measure():
    same, other = map_similarity(maps(), 3 * maps()), map_similarity(maps(), maps(name="b"))
    for name in ("spearman", "spearman_absolute", "ssim", "hog"):
        np.testing.assert_allclose(getattr(same, name), 1, atol=1e-9)
        assert (abs(getattr(other, name)) < 0.6).all()


def test_a_constant_map_is_like_nothing():
    flat = np.zeros((3, 48, 64))
    found = map_similarity(flat, maps())
    assert np.isnan(found.spearman).all()
    assert np.isnan(found.hog).all()
    assert np.isnan(ssim(flat, flat)).all()
    assert np.isnan(hog_similarity(flat, flat)).all()


def test_agreement_is_symmetric_and_one_on_the_diagonal():
    table = agreement({"a": maps(), "minus a": -maps(), "b": maps(name="b")})
    assert table["a"]["a"] == 1
    assert table["a"]["b"] == table["b"]["a"]
    assert table["a"]["minus a"] == pytest.approx(1)
    assert abs(table["a"]["b"]) < 0.1


@pytest.mark.parametrize(
    ("alike", "words"),
    [
        (np.linspace(0.7, 0.9, 12).reshape(3, 4), DOES_NOT),
        (np.linspace(0.0, 0.2, 12).reshape(3, 4), DOES),
        (np.concatenate([np.full((2, 4), 0.9), np.zeros((2, 4))]) + np.arange(4) / 100, DOES_NOT),  # the upper half
        (np.concatenate([np.full((2, 4), 0.1), np.ones((2, 4))]) + np.arange(4) / 100, DOES),
        (np.array([[0.1, 0.9, 0.2, 0.8]] * 3), OPEN),
        (np.full((3, 1), 0.9), OPEN),
        (np.array([[0.9, 0.91]] * 3), OPEN),  # two images decide nothing
        (np.full((3, 4), np.nan), OPEN),
    ],
)
def test_the_verdict_follows_its_rule(alike, words):
    assert judge_dependence(alike).words == words


def test_maps_of_different_sizes_are_refused():
    with pytest.raises(UnseenError, match="pair by pair"):
        map_similarity(maps(), maps(n=2))
    with pytest.raises(UnseenError, match="odd window"):
        ssim(maps(), maps(), window=4)
