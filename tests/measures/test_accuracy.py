import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from sklearn.metrics import accuracy_score
from sklearn.metrics import confusion_matrix as oracle_confusion

from unseen.measures import accuracy, cell_accuracy, chance, confusion_matrix, geometric_mean
from unseen.vocabulary.errors import UnseenError

answers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(answers)
def test_accuracy_and_confusions_agree_with_scikit_learn(pairs):
    truth, response = np.array(pairs).T
    assert accuracy(truth, response) == pytest.approx(accuracy_score(truth, response))
    counts = confusion_matrix(truth, response, levels=5)
    np.testing.assert_array_equal(counts, oracle_confusion(truth, response, labels=range(5)))
    assert np.trace(counts) / counts.sum() == pytest.approx(accuracy(truth, response))


def test_nothing_asked_is_nan_with_n_zero():
    none = np.array([], int)
    assert np.isnan(accuracy(none, none))
    cells = cell_accuracy(none, none, none, none, shape=(2, 3))
    assert np.isnan(cells.accuracy).all()
    assert cells.n.sum() == 0
    assert confusion_matrix(none, none, levels=3).sum() == 0


@given(answers, st.data())
def test_cells_weighted_by_their_images_give_the_whole(pairs, data):
    truth, response = np.array(pairs).T
    column = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(pairs), max_size=len(pairs))))
    cells = cell_accuracy(truth, response, truth, column, shape=(5, 3))
    asked = cells.n > 0
    assert cells.n.sum() == len(pairs)
    assert np.isnan(cells.accuracy[~asked]).all()
    whole = np.average(cells.accuracy[asked], weights=cells.n[asked])
    assert whole == pytest.approx(accuracy(truth, response))


def test_in_a_balanced_grid_accuracy_is_the_plain_mean_of_the_cells():
    row, column = np.repeat([0, 1], 4), np.tile([0, 0, 1, 1], 2)
    response = np.array([0, 1, 0, 0, 1, 1, 0, 0])  # cells right: 1 of 2, 2 of 2, 2 of 2, 0 of 2
    cells = cell_accuracy(row, response, row, column, shape=(2, 2))
    np.testing.assert_array_equal(cells.accuracy, [[0.5, 1], [1, 0]])
    assert cells.accuracy.mean() == accuracy(row, response) == 0.625


def test_the_geometric_mean_is_the_root_of_the_product():
    # Madan's Cars, 20 cells: √(.9 · .4) = .6; three tasks: ∛(.5 · .5 · 1).
    assert geometric_mean(np.array([0.9, 0.4])) == pytest.approx(0.6)
    assert geometric_mean(np.array([0.5, 0.5, 1.0])) == pytest.approx(0.25 ** (1 / 3))
    np.testing.assert_allclose(geometric_mean(np.array([[[1.0, 0.0], [0.7, 0.7]]])), [[0, 0.7]])
    assert np.isnan(geometric_mean(np.array([[0.5, np.nan], [-0.1, -0.1]]))).all()
    assert geometric_mean(np.ones((4, 0))).shape == (4,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_the_geometric_mean_lies_within_its_tasks_and_below_their_mean(tasks):
    mean = float(geometric_mean(np.array(tasks)))
    assert min(tasks) - 1e-9 <= mean <= np.mean(tasks) + 1e-9


def test_chance_is_one_in_the_number_of_levels():
    assert chance(10) == 0.1
    assert chance(9, 9) == pytest.approx(1 / 9)
    assert chance(4, 9) == pytest.approx(np.sqrt(1 / 4 * 1 / 9))
    rng = np.random.default_rng(0)
    truth, guesses = rng.integers(0, 5, 20_000), rng.integers(0, 5, 20_000)
    assert accuracy(truth, guesses) == pytest.approx(chance(5), abs=0.01)


def test_what_does_not_fit_is_explained():
    with pytest.raises((UnseenError, TypeCheckError)):
        accuracy(np.array([1, 2, 3]), np.array([1, 2]))
    with pytest.raises(UnseenError, match="level 7"):
        confusion_matrix(np.array([0, 1]), np.array([0, 7]), levels=3)
    with pytest.raises(UnseenError, match="row holds level -1"):
        cell_accuracy(np.array([0]), np.array([0]), np.array([-1]), np.array([0]), shape=(2, 2))
    with pytest.raises(UnseenError, match="number of levels"):
        chance()
