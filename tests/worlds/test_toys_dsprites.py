"""dSprites drawn anew: the official order of rows, and sprites that do what their factors say."""

import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.world import World
from unseen.worlds.toys.dsprites import dsprites

WORLD = dsprites()
SPACE = WORLD.samples.space
OFFICIAL = {"shape": 3, "scale": 6, "orientation": 40, "position_x": 32, "position_y": 32}  # the release's README


def row(**levels: int) -> int:
    usual = {"shape": 0, "scale": 5, "orientation": 0, "position_x": 16, "position_y": 16}
    return int(np.ravel_multi_index([{**usual, **levels}[name] for name in OFFICIAL], tuple(OFFICIAL.values())))


def pictures(rows: list[int], world: World = WORLD) -> np.ndarray:
    return world.images(np.array(rows))[:, 0].numpy()


def centroid(picture: np.ndarray) -> tuple[float, float]:
    y, x = np.nonzero(picture)
    return float(x.mean()), float(y.mean())


def test_it_is_a_world_named_as_a_re_render():
    assert isinstance(WORLD, World)
    assert WORLD.name == "dsprites"
    assert "re-render" in WORLD.provenance["source"]
    assert (WORLD.size, WORLD.channels, WORLD.dtype) == ((64, 64), 1, "uint8")
    assert WORLD.images(np.array([], dtype=np.int64)).shape == (0, 1, 64, 64)


def test_rows_are_in_the_official_order():
    assert dict(zip(SPACE.names, SPACE.shape)) == OFFICIAL
    assert len(WORLD.samples) == 737_280
    rows = np.random.default_rng(0).integers(0, 737_280, 500)
    expected = np.stack(np.unravel_index(rows, (3, 6, 40, 32, 32)), axis=1)
    assert np.array_equal(WORLD.samples.cells(rows), expected)
    # The bases that the release's own notebook computes from the latents' sizes.
    assert (
        row(shape=1, scale=2, orientation=3, position_x=4, position_y=5) == 245760 + 2 * 40960 + 3 * 1024 + 4 * 32 + 5
    )


def test_levels_have_the_values_of_the_release():
    assert SPACE["scale"].levels == (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert np.allclose(SPACE["orientation"].places()[:3, 0], [0, 0.16110732, 0.32221463])
    assert np.allclose(SPACE["position_x"].places()[[1, 31], 0], [0.03225806, 1], atol=1e-4)
    assert SPACE["orientation"].period == pytest.approx(2 * np.pi)


def test_ink_is_as_in_the_official_file():
    """Mean pixel and mean of the images' own standard deviations, as others computed them from the official file."""
    sprites = pictures([1024 * k + 16 * 32 + 16 for k in range(720)]) / 255
    assert sprites.mean() == pytest.approx(0.042494, rel=0.01)
    assert sprites.std((1, 2)).mean() == pytest.approx(0.195166, rel=0.01)
    assert set(np.unique(sprites)) == {0.0, 1.0}


def test_every_picture_differs_but_for_the_angle_that_is_listed_twice():
    """0 and 2π are one angle. Sprites that differ even when cropped differ at any two positions."""
    seen = set()
    for picture in pictures([1024 * k + 16 * 32 + 16 for k in range(720)]):
        y, x = np.nonzero(picture)
        cut = picture[y.min() : y.max() + 1, x.min() : x.max() + 1]
        seen.add((cut.shape, cut.tobytes()))
    assert len(seen) == 3 * 6 * 39
    assert np.array_equal(*pictures([row(shape=2, orientation=0), row(shape=2, orientation=39)]))


@pytest.mark.parametrize("shape", range(3))
def test_area_grows_with_the_square_of_scale(shape):
    area = np.array([(p > 0).sum() for p in pictures([row(shape=shape, scale=s, orientation=7) for s in range(6)])])
    assert (np.diff(area) > 0).all()
    assert np.allclose(area / area[-1], np.linspace(0.5, 1, 6) ** 2, rtol=0.05)


@pytest.mark.parametrize("shape", range(3))
def test_sprites_move_by_one_pixel_right_with_x_and_down_with_y(shape):
    along_x = [centroid(p) for p in pictures([row(shape=shape, position_x=k) for k in range(32)])]
    along_y = [centroid(p) for p in pictures([row(shape=shape, position_y=k) for k in range(32)])]
    assert np.allclose(np.diff(along_x, axis=0), [1, 0])
    assert np.allclose(np.diff(along_y, axis=0), [0, 1])
    assert centroid(pictures([row(shape=shape)])[0]) == pytest.approx((32, 32), abs=0.5)


def test_no_sprite_leaves_the_frame():
    sprites = pictures([row(shape=s, orientation=o, position_x=k, position_y=k)
                        for s in range(3) for o in range(40) for k in (0, 31)])  # fmt: skip
    assert not sprites[:, [0, -1]].any()
    assert not sprites[:, :, [0, -1]].any()


def test_turning_keeps_the_area_and_the_centroid():
    for shape in range(3):
        turned = pictures([row(shape=shape, orientation=o) for o in range(40)])
        area = (turned > 0).sum((1, 2))
        assert area.max() < 1.05 * area.min()
        assert np.ptp([centroid(p) for p in turned], axis=0).max() < 0.5


def test_a_heart_at_rest_stands_on_its_tip_and_turns_clockwise_as_pillow_turns_it():
    upright, turned = pictures([row(shape=2), row(shape=2, orientation=5)])
    lowest = np.nonzero(upright)[0].max()
    assert (upright[lowest] > 0).sum() <= 3
    middle = tuple(np.array(centroid(upright)) + 0.5)
    for sense, least, most in ((-1, 0.93, 1.0), (1, 0.0, 0.88)):  # Pillow's angles run the other way
        expected = np.asarray(Image.fromarray(upright).rotate(sense * 360 * 5 / 39, center=middle)) > 0
        overlap = (expected & (turned > 0)).sum() / (expected | (turned > 0)).sum()
        assert least <= overlap <= most


@given(st.lists(st.integers(0, 737_279), min_size=1, max_size=40), st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_a_picture_is_the_same_to_the_bit_in_any_batch(rows, size):
    together = WORLD.images(np.array(rows))
    parts = [WORLD.images(np.array(rows[k : k + size])) for k in range(0, len(rows), size)]
    assert torch.equal(together, torch.cat(parts))


@pytest.mark.parametrize("side", [32, 48, 96, 128])
def test_another_side_shows_the_same_sprites(side):
    world = dsprites(side=side)
    rows = [
        row(shape=s, orientation=7, position_x=x, position_y=31 - x) for s in range(3) for x in (0, 1, 2, 3, 17, 31)
    ]
    for small, large in zip(pictures(rows, world), pictures(rows)):
        assert small.shape == (side, side)
        assert (small > 0).mean() == pytest.approx((large > 0).mean(), rel=0.08)
        near = (np.array(centroid(small)) + 0.5) * 64 / side
        assert near == pytest.approx(np.array(centroid(large)) + 0.5, abs=0.6)
    assert world.fingerprint != WORLD.fingerprint


def test_it_travels_to_another_process():
    copy = pickle.loads(pickle.dumps(WORLD))
    assert torch.equal(copy.images(np.array([5, 700_000])), WORLD.images(np.array([5, 700_000])))
    assert dsprites().fingerprint == WORLD.fingerprint


@pytest.mark.parametrize(("wrong", "why"), [
    ({"side": 50}, "a multiple of 16"),
    ({"side": True}, "edge of the pictures"),
    ({"side": 0}, "edge of the pictures"),
    ({"root": "/nowhere", "side": 128}, "64 pixels a side"),
    ({"root": "/nowhere"}, "nothing at /nowhere"),
    ({"root": ""}, "`root` is dsprites's official file"),
])  # fmt: skip
def test_wrong_arguments_are_said_clearly(wrong, why):
    with pytest.raises(UnseenError, match=why):
        dsprites(**wrong)


def test_a_row_beyond_the_grid_is_refused():
    with pytest.raises(UnseenError, match="row 737280"):
        WORLD.images(np.array([737_280]))
