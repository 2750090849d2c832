"""Keys of samples: a text that names a row outside its world, and leads back to it."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.sample_keys import find_rows, rows_of_keys, sample_keys
from unseen.vocabulary.samples import Block, Samples

WORDS = st.text(st.sampled_from("ab_- /~.2é"), max_size=4)


@st.composite
def factors(draw):
    """Factors whose levels and names are awkward to spell."""
    names = draw(st.lists(WORDS | st.sampled_from(["block", "category", "again"]), min_size=1, max_size=3, unique=True))
    made = []
    for name in names:
        levels = draw(
            st.lists(WORDS, min_size=1, max_size=4, unique=True)
            | st.lists(st.integers(-3, 120), min_size=1, max_size=4, unique=True)
        )
        made.append(Factor(name, tuple(levels), kind=draw(st.sampled_from(["nominal", "category"]))))
    return made


@st.composite
def worlds(draw):
    """Blocks with and without names, grids and listed cells (some twice)."""
    space = FactorSpace(draw(factors()))
    blocks = []
    for _ in range(draw(st.integers(1, 3))):
        grid = tuple(draw(st.permutations(draw(st.lists(st.sampled_from(space.names), unique=True)))))
        n, inner = draw(st.integers(0, 4)), space.select(grid)
        stored = {
            name: np.array(draw(st.lists(st.integers(0, len(space[name]) - 1), min_size=n, max_size=n)), dtype=np.int64)
            for name in space.names
            if name not in grid
        }
        listed = draw(st.none() | st.lists(st.integers(0, inner.size - 1), max_size=6))
        cells = None if listed is None else inner.cells(np.array(listed, dtype=np.int64))
        names = draw(st.none() | st.lists(WORDS, min_size=n, max_size=n))
        blocks.append(Block(n, stored, grid=grid, cells=cells, names=names))
    return Samples(space, tuple(blocks))


@given(worlds(), st.randoms())
def test_every_row_has_a_key_of_its_own_that_leads_back_to_it(samples, random):
    rows = list(range(len(samples)))
    random.shuffle(rows)
    keys = sample_keys(samples, np.array(rows, dtype=np.int64))
    assert len(set(keys)) == len(keys)
    assert find_rows(samples, keys).tolist() == rows


@given(worlds(), st.lists(WORDS, max_size=5))
def test_what_is_no_key_of_a_world_leads_nowhere(samples, words):
    keys = set(sample_keys(samples, np.arange(len(samples))))
    for word, row in zip(words, find_rows(samples, words).tolist()):
        assert (row >= 0) == (word in keys)


@given(st.permutations(range(4)), st.permutations(range(5)))
def test_a_picture_keeps_its_key_when_levels_are_listed_in_another_order(poses, places):
    def world(pose_order, place_order):
        space = FactorSpace(
            {
                "category": ("cup", "mug"),
                "pose": tuple(30 * p for p in pose_order),
                "place": tuple("abcde"[p] for p in place_order),
            }
        )
        return Samples(space, (Block(3, {"category": np.array([1, 0, 1])}, grid=("pose", "place")),))

    one, other = world(range(4), range(5)), world(poses, places)
    shown = {
        (instance, one.space["pose"].levels[p], one.space["place"].levels[q]): key
        for key, row in zip(sample_keys(one, np.arange(len(one))), range(len(one)))
        for instance, (p, q) in [(row // 20, divmod(row % 20, 5))]
    }
    for (instance, pose, place), key in shown.items():
        levels = {"pose": other.space["pose"].index(pose), "place": other.space["place"].index(place)}
        assert rows_of_keys(other, [key])[0] == other.rows_at(np.array([instance]), levels)[0]


def test_an_image_of_a_folder_is_named_by_its_path():
    space = FactorSpace({"category": ("cat", "dog")})
    samples = Samples(space, (Block(2, {"category": np.array([0, 1])}, names=["cat/a_1.png", "dog/b.png"]),))
    assert sample_keys(samples, np.array([1, 0])) == ["dog/b.png", "cat/a_1.png"]


def test_a_billion_rows_cost_nothing():
    space = FactorSpace({"category": tuple("abcdefghij"), **{f"f{place}": tuple(range(100)) for place in range(4)}})
    block = Block(10, {"category": np.arange(10)}, grid=("f0", "f1", "f2", "f3"))
    samples = Samples(space, (block,))
    assert len(samples) == 10**9
    started = time.perf_counter()
    rows = np.random.default_rng(0).integers(0, len(samples), 1000)
    assert rows_of_keys(samples, sample_keys(samples, rows)).tolist() == rows.tolist()
    assert time.perf_counter() - started < 1
    assert sample_keys(samples, np.array([10**9 - 1])) == ["j-0000_f0-99_f1-99_f2-99_f3-99"]


def test_a_key_of_another_world_is_refused_with_one_that_is_like_it():
    space = FactorSpace({"category": ("cup", "mug"), "pose": (0, 30)})
    samples = Samples(space, (Block(2, {"category": np.array([0, 1])}, grid=("pose",)),))
    with pytest.raises(
        UnseenError, match=r"1 of 2 keys name no image of this world: mug-0000_pose-31.*mug-0000_pose-3"
    ):
        rows_of_keys(samples, ["mug-0000_pose-30", "mug-0000_pose-31"])
