"""Nearest neighbours vote as scikit-learn's do; how alike images are is the mean over all pairs."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from unseen.measures.neighbours import alike, nearest_classes, neighbour_accuracy
from unseen.vocabulary.errors import UnseenError


def clouds(n=300, features=12, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    return rng.normal(size=(classes, features))[labels] + 1.5 * rng.normal(size=(n, features)), labels


@pytest.mark.parametrize("neighbours", [1, 5, 20, 500])
def test_neighbours_vote_as_scikit_learns_do(neighbours):
    x, y = clouds()
    known, asked = x[:200], x[200:]
    theirs = KNeighborsClassifier(
        min(neighbours, 200), metric="cosine", algorithm="brute", weights=lambda far: np.exp((1 - far) / 0.07)
    ).fit(known, y[:200])
    found = nearest_classes(known, y[:200], asked, neighbours=neighbours)
    np.testing.assert_allclose(found, theirs.predict_proba(asked), atol=1e-9)


def test_votes_do_not_depend_on_the_length_of_features_or_on_how_many_are_asked_at_a_time(monkeypatch):
    x, y = clouds()
    found = nearest_classes(x[:200], y[:200], x[200:])
    np.testing.assert_allclose(found, nearest_classes(7 * x[:200], y[:200], x[200:] / 3), atol=1e-9)
    monkeypatch.setattr("unseen.measures.neighbours.CHUNK", 7)
    np.testing.assert_allclose(found, nearest_classes(x[:200], y[:200], x[200:]), atol=1e-12)


def test_an_image_is_no_neighbour_of_its_own_instance():
    """Instances that are far from all others of their class, and whose images are all alike: by themselves they would
    be named right."""
    rng = np.random.default_rng(0)
    instances = np.repeat(np.arange(20), 5)
    middles = rng.normal(size=(20, 40))
    x = middles[instances] + 0.01 * rng.normal(size=(100, 40))
    labels = instances % 2
    right, asked = neighbour_accuracy(x, labels, instances, neighbours=3)
    assert asked == 100
    assert right < 0.9
    assert neighbour_accuracy(x, labels, np.arange(100), neighbours=3)[0] == 1.0


def test_how_alike_images_are_is_the_mean_over_all_pairs():
    x, labels = clouds(60)
    instances = np.arange(60) // 3
    labels = labels[instances * 3]
    found = alike(x, labels, instances)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    cosine, apart = unit @ unit.T, ~np.eye(60, dtype=bool)
    own, same = instances[:, None] == instances, labels[:, None] == labels
    wanted = [cosine[mask & apart].mean() for mask in (own, same & ~own, ~same)]
    assert [found.instance, found.category, found.other] == pytest.approx(wanted)


def test_where_there_is_no_pair_there_is_no_number():
    found = alike(np.eye(2), np.array([0, 1]), np.array([0, 1]))
    assert np.isnan([found.instance, found.category]).all()
    assert found.other == 0
    with pytest.raises(UnseenError, match="no image to search for neighbours"):
        nearest_classes(np.zeros((0, 2)), np.zeros(0, int), np.eye(2))
