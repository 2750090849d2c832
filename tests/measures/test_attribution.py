"""Evidence on the object: known by construction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.measures.attribution import area_under, energy_gain, energy_on, pointing_game, rank_by_region
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream


def square(n=2, side=8):
    mask = np.zeros((n, side, side), bool)
    mask[:, 2:4, 2:6] = True
    return mask


def test_a_map_on_the_object_has_all_its_energy_there_and_points_at_it():
    mask = square()
    np.testing.assert_allclose(energy_on(mask.astype(float), mask), 1)
    np.testing.assert_allclose(energy_gain(mask.astype(float), mask), 8)
    np.testing.assert_allclose(pointing_game(mask.astype(float), mask), 1)
    np.testing.assert_allclose(energy_on(1.0 - mask, mask), 0)
    np.testing.assert_allclose(pointing_game(1.0 - mask, mask), 0)


@given(st.integers(0, 1000))
def test_a_map_that_knows_nothing_has_what_the_area_gives_it(seed):
    maps, mask = np.ones((2, 8, 8)), stream(seed, "mask").random((2, 8, 8)) < 0.5
    np.testing.assert_allclose(energy_on(maps, mask), mask.mean((1, 2)))
    ranks = rank_by_region(maps, mask.astype(int), {"in": 1, "out": 0})
    np.testing.assert_allclose(np.stack([ranks["in"], ranks["out"]]), 0.5)
    assert np.isnan(pointing_game(maps, mask)).all()


@given(st.integers(0, 1000), st.floats(0.1, 10))
def test_scale_changes_nothing_and_regions_share_the_ranks(seed, scale):
    rng = stream(seed, "maps")
    maps, labels = rng.normal(size=(2, 8, 8)), rng.integers(-2, 1, size=(2, 8, 8))
    regions = {"object": 0, "behind": -1, "floor": -2}
    ranks, again = rank_by_region(maps, labels, regions), rank_by_region(maps * scale, labels, regions)
    for name, number in regions.items():
        np.testing.assert_allclose(ranks[name], again[name])
        assert (ranks[name] > 0).all()
        assert (ranks[name] < 1).all()
        mask = labels == number
        np.testing.assert_allclose(energy_on(maps, mask), energy_on(maps * scale, mask))
    whole = sum(ranks[name] * (labels == number).mean((1, 2)) for name, number in regions.items())
    np.testing.assert_allclose(whole, 0.5)


def test_signs_count_as_asked():
    maps = np.array([[[1.0, -3.0]]])
    mask = np.array([[[False, True]]])
    assert energy_on(maps, mask)[0] == 0
    assert energy_on(maps, mask, evidence="absolute")[0] == 0.75
    with pytest.raises(UnseenError, match="Did you mean 'positive'"):
        energy_on(maps, mask, evidence="positiv")


def test_pointing_near_the_object_counts_within_the_tolerance():
    maps = np.zeros((2, 8, 8))
    maps[:, 2, 0] = 1
    assert (pointing_game(maps, square(), tolerance=1) == 0).all()
    assert (pointing_game(maps, square(), tolerance=2) == 1).all()


def test_what_is_not_there_is_not_a_number():
    maps = np.stack([np.zeros((8, 8)), np.full((8, 8), np.nan)])
    assert np.isnan(energy_on(maps[:1], square(1))).all()
    assert np.isnan(energy_gain(np.ones((1, 8, 8)), np.zeros((1, 8, 8), bool))).all()
    assert np.isnan(pointing_game(maps, square())).all()
    ranks = rank_by_region(maps, square().astype(int), {"object": 1, "moon": 7})
    assert np.isnan(ranks["moon"]).all()
    assert np.isnan(ranks["object"][1])
    with pytest.raises(UnseenError, match="differ in size"):
        energy_on(np.ones((1, 4, 4)), square(1))


def test_areas_are_those_of_trapezoids():
    curve = stream(0, "curve").random((3, 11))
    np.testing.assert_allclose(area_under(curve), np.trapezoid(curve, dx=0.1, axis=1))
    with pytest.raises(UnseenError, match="two steps"):
        area_under(curve[:, :1])
