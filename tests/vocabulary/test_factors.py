"""Factors and the grid they span."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.target import Target, target_of, targets_of

shapes = st.lists(st.integers(1, 7), min_size=0, max_size=5)


def space_of(shape):
    return FactorSpace({f"factor {place}": tuple(range(n)) for place, n in enumerate(shape)})


@given(shapes, st.data())
def test_cell_number_and_levels_say_the_same(shape, data):
    space = space_of(shape)
    numbers = np.array(data.draw(st.lists(st.integers(0, space.size - 1), max_size=20)), dtype=np.int64)
    cells = space.cells(numbers)
    assert cells.shape == (len(numbers), len(shape))
    assert (space.numbers(cells) == numbers).all()


def test_the_last_factor_runs_fastest():
    space = FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90, 180)})
    assert space.cells(np.arange(6)).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]


def test_factors_are_selected_in_the_order_asked():
    space = FactorSpace({"a": (0,), "b": (0, 1), "c": (0, 1, 2)})
    assert space.select(["c", "a"]).shape == (3, 1)
    assert space.select([]).size == 1
    assert "b" in space
    assert "d" not in space


def test_a_level_is_found_by_itself_or_by_its_text():
    factor = Factor("azimuth", (0, 22.5, 45))
    assert [factor.index(level) for level in (0, 22.5, 45)] == [0, 1, 2]
    assert [factor.index(level) for level in ("0", "22.5", "45")] == [0, 1, 2]
    assert Factor("digit", ("0", "1")).index(1) == 1


def test_texts_are_the_levels_unless_given():
    assert Factor("azimuth", (0, 90)).texts == ("0", "90")
    assert Factor("digit", (0, 1), texts=("zero", "one")).texts == ("zero", "one")


def test_places_are_where_distance_means_something():
    grid = Factor("position", ("left", "right"), coordinates=((0.0, 0.0), (0.0, 1.0)))
    assert grid.places().tolist() == [[0, 0], [0, 1]]
    assert Factor("azimuth", (0, 90, 180), kind="circular", period=360).places().tolist() == [[0], [90], [180]]
    assert Factor("size", ("small", "middle", "large"), kind="ordinal").places().tolist() == [[0], [1], [2]]
    nominal = Factor("colour", ("red", "green", "blue")).places()
    apart = np.linalg.norm(nominal[:, None] - nominal[None], axis=-1)
    assert apart == pytest.approx(1 - np.eye(3))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Factor("size", ()), "factor 'size' has no levels; give it at least one."),
        (lambda: Factor("size", (1, 2, 1)), "factor 'size' lists 1 more than once; levels must differ."),
        (lambda: Factor("size", (1, "1")), "factor 'size' has levels that read the same as text (1)"),
        (lambda: Factor("size", (1, 2), texts=("one",)), "factor 'size' has 2 levels but 1 texts."),
        (lambda: Factor("size", (1, 2), coordinates=((0.0,),)), "factor 'size' has 2 levels but 1 coordinates."),
        (lambda: Factor("size", (1, 2), coordinates=((0.0,), (0.0, 1.0))), "different numbers of dimensions"),
        (lambda: Factor("size", (1, 2), canonical=2), "canonical level number 2; possible: 0 to 1."),
        (
            lambda: Factor("colour", ("red", "blue")).index("rod"),
            "no level 'rod' in factor 'colour'; possible: red, blue",
        ),
        (lambda: FactorSpace([Factor("a", (1,)), Factor("a", (2,))]), "two factors share a name among a, a"),
        (lambda: space_of([2])["factor O"], "no factor 'factor O'; possible: factor 0. Did you mean 'factor 0'?"),
        (lambda: targets_of(space_of([2]), ("facto 0",)), "Did you mean 'factor 0'?"),
    ],
)
def test_errors_teach(make, sentence):
    with pytest.raises(UnseenError) as told:
        make()
    assert sentence in str(told.value)


def test_a_target_asks_for_the_level_in_words():
    target = target_of(Factor("digit", (0, 1), texts=("zero", "one")))
    assert (target.classes, target.outputs) == (("zero", "one"), 2)
    assert Target("x", "digit", (), kind="regression").outputs == 1
