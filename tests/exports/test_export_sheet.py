"""The contact sheet shows each factor varying alone."""

import numpy as np
import pytest
from export_worlds import Arithmetic, samples
from hypothesis import given
from hypothesis import strategies as st

from unseen.exports import contact_sheet
from unseen.exports.sheet import GAP, HEAD, MARGIN
from unseen.exports.strips import strips
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.samples import Block, Samples


def test_each_strip_varies_one_factor_and_keeps_the_others_canonical_or_in_the_middle():
    rows = samples(12)
    first, *others = strips(rows)
    assert (first.title, len(first.rows), first.held) == ("at random", 8, None)
    assert [strip.title for strip in others] == list(rows.space.names)
    for number, strip in enumerate(others):
        cells = rows.cells(np.array(strip.rows))
        assert cells[:, number].tolist() == list(range(len(rows.space.factors[number])))
        rest = np.delete(cells, number, axis=1)
        assert (rest == np.delete([1, 2, 1, 1], number)).all()
        assert strip.held == [1, 2, 1, 1][number]
    assert others[1].captions == ("0", "90", "180", "270")
    assert others[2].captions == ("1", "0.5", "1e-07")


def test_an_instance_stays_the_same_where_the_factor_is_no_property_of_it():
    rows = samples(12)
    azimuth = next(strip for strip in strips(rows) if strip.title == "azimuth")
    assert len(set(rows.locate(np.array(azimuth.rows))[1])) == 1


@given(st.integers(9, 400), st.integers(2, 9), st.data())
def test_many_levels_are_spread_from_first_to_last_with_the_held_one(total, most, data):
    held = data.draw(st.integers(0, total - 1))
    factor = Factor("angle", tuple(range(total)), canonical=held)
    strip = strips(Samples(FactorSpace([factor]), (Block(1, {}, grid=("angle",)),)), levels=most)[1]
    shown = [int(word) for word in strip.captions]
    assert shown == sorted(set(shown))
    assert len(shown) <= most
    assert shown[strip.held] == held
    assert most < 4 or {0, total - 1} & set(shown)


def test_a_world_with_gaps_shows_the_nearest_row_or_none():
    space = FactorSpace({"shape": ("a", "b", "c"), "view": (0, 1, 2)})
    rows = Samples(space, (Block(3, {"shape": np.array([1, 0, 1]), "view": np.array([1, 2, 0])}),))
    _, shape, view = strips(rows)
    assert shape.rows == (1, 0, None)  # a is seen from view 2 only, and c never
    assert view.rows == (2, 0, 1)


def test_rows_come_from_whichever_block_has_them():
    space = FactorSpace([Factor("shape", ("a", "b"), canonical=0), Factor("pose", (0, 1, 2), canonical=1),
                         Factor("light", (0, 1, 2), canonical=1)])  # fmt: skip
    alone = [Block(2, {"shape": np.array([0, 1]), other: np.array([1, 1])}, grid=(name,))
             for name, other in (("pose", "light"), ("light", "pose"))]  # fmt: skip
    rows = Samples(space, tuple(alone))
    _, shape, pose, light = strips(rows)
    assert rows.cells(np.array(shape.rows)).tolist() == [[0, 1, 1], [1, 1, 1]]
    assert rows.cells(np.array(pose.rows)).tolist() == [[0, 0, 1], [0, 1, 1], [0, 2, 1]]
    assert rows.cells(np.array(light.rows)).tolist() == [[0, 1, 0], [0, 1, 1], [0, 1, 2]]


@pytest.mark.parametrize(
    ("size", "channels", "edge"), [((9, 7), 1, (98, 126)), ((100, 100), 3, (100, 100)), ((600, 520), 3, (174, 200))]
)
def test_pictures_are_enlarged_by_whole_numbers_or_shrunk_and_stand_where_they_should(size, channels, edge):
    world = Arithmetic(size=size, channels=channels)
    sheet = np.asarray(contact_sheet(world))
    wide, high = edge
    row = strips(world.samples)[0].rows[1]
    top, left = MARGIN + 58 + HEAD, MARGIN + wide + GAP
    shown = sheet[top : top + high, left : left + wide]
    pixels = np.broadcast_to(world.pixels(np.array([row]))[0], (3, *size)).transpose(1, 2, 0)
    if min(size) < 96:
        pixels = pixels.repeat(high // size[0], 0).repeat(wide // size[1], 1)
    if max(size) <= 256:
        np.testing.assert_array_equal(shown, pixels)
    assert (sheet[top - 1, left : left + wide] == 255).all()
    assert (sheet[top + high, left : left + wide] == 255).all()


@pytest.mark.parametrize("world", [Arithmetic(dtype="float32"), Arithmetic(channels=2), Arithmetic(channels=5)])
def test_worlds_of_other_numbers_are_shown_too(world):
    assert contact_sheet(world).mode == "RGB"


def test_the_same_seed_gives_the_same_sheet():
    sheets = [contact_sheet(Arithmetic(), seed=seed).tobytes() for seed in (0, 0, 1)]
    assert sheets[0] == sheets[1]
    assert sheets[0] != sheets[2]


def test_too_few_levels_and_no_rows_are_told():
    with pytest.raises(UnseenError, match="levels = 1"):
        contact_sheet(Arithmetic(), levels=1)
    empty = Samples(samples().space.select(["shape"]), (Block(0, {"shape": np.array([], int)}),))
    with pytest.raises(UnseenError, match="no rows"):
        contact_sheet(Arithmetic(samples=empty))
