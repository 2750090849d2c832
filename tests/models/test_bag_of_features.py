"""The classical bag of features: it knows textures, knows no places, and explains itself exactly."""

import numpy as np
import pytest

from unseen.explanations import explain
from unseen.models.bag_of_features import BagOfFeatures
from unseen.vocabulary.errors import UnseenError


def stripes(n, seed=0):
    """Images of three textures: stripes across, stripes down, a chequered floor; noise and places differ."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    rows, columns = np.mgrid[:24, :24]
    made = []
    for label in labels:
        shift = rng.integers(4)
        one = [(rows + shift) // 2 % 2, (columns + shift) // 2 % 2, ((rows + shift) // 2 + columns // 2) % 2][label]
        made.append(128 + 60 * (one - 0.5) + rng.normal(0, 8, (3, 24, 24)))
    return np.stack(made), labels


@pytest.fixture(scope="module")
def learned():
    return BagOfFeatures(patch=4, stride=4, words=12).fit(*stripes(30))


def test_textures_are_known_on_new_images_and_the_same_again(learned):
    images, labels = stripes(30, seed=1)
    assert (learned(images).argmax(1) == labels).mean() > 0.75  # chance is a third
    again = BagOfFeatures(patch=4, stride=4, words=12).fit(*stripes(30))
    np.testing.assert_array_equal(again(images), learned(images))


def test_patches_in_another_order_change_no_answer(learned):
    images, _ = stripes(6, seed=2)
    tiles = images.reshape(6, 3, 6, 4, 6, 4).transpose(2, 4, 0, 1, 3, 5).reshape(36, 6, 3, 4, 4)
    moved = tiles[np.random.default_rng(0).permutation(36)].reshape(6, 6, 6, 3, 4, 4)
    moved = moved.transpose(2, 3, 0, 4, 1, 5).reshape(images.shape)
    assert abs(moved - images).max() > 10
    np.testing.assert_allclose(learned(moved), learned(images), atol=1e-9)


def test_the_mean_of_the_evidence_is_the_score(learned):
    images, _ = stripes(4, seed=3)
    for label in range(3):
        np.testing.assert_allclose(learned.evidence(images, label).mean((1, 2)), learned(images)[:, label], atol=1e-9)


def test_two_classes_have_two_scores_and_occlusion_takes_it_as_a_function():
    images, labels = stripes(30)
    two = BagOfFeatures(patch=4, stride=4, words=8).fit(images[labels < 2], labels[labels < 2])
    assert two(images).shape == (30, 2)
    assert (two(images[labels < 2]).argmax(1) == labels[labels < 2]).mean() > 0.9
    assert explain(two, images[:2], "occlusion", 1, patch=8).maps.shape == (2, 24, 24)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: BagOfFeatures(patch=0), "one at least"),
        (lambda: BagOfFeatures()(stripes(1)[0]), "learned nothing yet"),
        (lambda: BagOfFeatures(patch=25).fit(*stripes(3)), "at least 25×25"),
        (lambda: BagOfFeatures(patch=24, words=9).fit(*stripes(3)), "9 words cannot be learned from 3 patches"),
    ],
)
def test_what_cannot_be_is_said(made, words):
    with pytest.raises(UnseenError, match=words):
        made()


def test_an_unknown_class_has_no_evidence(learned):
    with pytest.raises(UnseenError, match="no class 3"):
        learned.evidence(stripes(1)[0], 3)
