"""The rows of a world: stored instances times computed grids."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.target import Target


@st.composite
def listed_cells(draw, grid):
    """Some cells of a grid, in any order, none twice."""
    numbers = draw(st.lists(st.integers(0, grid.size - 1), unique=True, max_size=8))
    return grid.cells(np.array(numbers, dtype=np.int64))


@st.composite
def worlds(draw):
    """One to four blocks over up to four factors; each block stores some and computes the others; some are empty."""
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    space = FactorSpace({f"f{place}": tuple(range(n)) for place, n in enumerate(shape)})
    blocks = []
    for _ in range(draw(st.integers(1, 4))):
        grid = tuple(draw(st.permutations(draw(st.lists(st.sampled_from(space.names), unique=True)))))
        n = draw(st.integers(0, 6))
        stored = {
            name: np.array(draw(st.lists(st.integers(0, len(space[name]) - 1), min_size=n, max_size=n)), dtype=np.int64)
            for name in space.names
            if name not in grid
        }
        blocks.append(Block(n, stored, grid=grid, cells=draw(st.none() | listed_cells(space.select(grid)))))
    return Samples(space, tuple(blocks))


@given(worlds())
def test_row_to_cell_to_row_is_exact(samples):
    rows = np.arange(len(samples))
    block, instance, number = samples.locate(rows)
    for place, here in enumerate(samples.blocks):
        own = block == place
        grid = samples.space.select(here.grid)
        levels = grid.cells(number[own]) if here.cells is None else here.cells[number[own]]
        again = samples.rows_at(instance[own], dict(zip(here.grid, levels.T)), place)
        assert (again == rows[own]).all()
        for name, column in here.stored.items():
            assert (samples.levels(name, rows[own]) == column[instance[own]]).all()
        for name, level in zip(here.grid, levels.T):
            assert (samples.levels(name, rows[own]) == level).all()
    assert len(samples) == sum(b.instances * samples.grid_size(place) for place, b in enumerate(samples.blocks))


def test_a_block_may_list_its_cells_and_what_it_does_not_list_is_refused_by_name():
    space = FactorSpace({"pose": tuple(range(5)), "size": ("small", "large")})
    crossed = np.array([[0, 0], [3, 0], [0, 1], [0, 0]])
    samples = Samples(space, (Block(2, {}, grid=("pose", "size"), cells=crossed),))
    assert len(samples) == 8
    assert samples.cells(np.arange(4, 8)).tolist() == crossed.tolist()
    assert samples.rows_at(np.array([1]), {"pose": 0, "size": 1}).tolist() == [6]
    assert samples.rows_at(np.array([1]), {"pose": 0, "size": 0}).tolist() == [4]  # of a cell listed twice, the first
    with pytest.raises(UnseenError, match="does not show pose=3, size=large: it lists 4 of its grid's 10 cells"):
        samples.rows_at(np.array([0]), {"pose": 3, "size": 1})
    with pytest.raises(UnseenError, match="a level of factor 'size' that does not exist; it has level numbers 0 to 1"):
        Samples(space, (Block(1, {}, grid=("pose", "size"), cells=np.array([[0, 2]])),))
    with pytest.raises(UnseenError, match=r"cells of shape \(1, 1\) for a grid of 2 factors"):
        Block(1, {}, grid=("pose", "size"), cells=np.array([[0]]))


@given(worlds(), st.data())
def test_cells_are_the_levels_side_by_side_whatever_the_order_of_rows(samples, data):
    picked = st.lists(st.integers(0, len(samples) - 1), max_size=10) if len(samples) else st.just([])
    rows = np.array(data.draw(picked), dtype=np.int64)
    cells = samples.cells(rows)
    assert cells.shape == (len(rows), len(samples.space.names))
    for place, name in enumerate(samples.space.names):
        assert (cells[:, place] == samples.levels(name, rows)).all()
        assert (samples.cells(rows, [name])[:, 0] == cells[:, place]).all()


@given(worlds(), st.integers(1, 7))
def test_chunks_give_every_row_once_in_order(samples, size):
    assert [row for chunk in samples.chunks(size) for row in chunk.tolist()] == list(range(len(samples)))


def test_a_billion_rows_cost_nothing():
    space = FactorSpace({"category": range(10), "x": range(1000), "y": range(1000), "size": range(10)})
    stored = {"category": np.arange(100) % 10}
    tracemalloc.start()
    try:
        samples = Samples(space, (Block(100, stored, grid=("x", "y", "size")),))
        rows = np.array([0, len(samples) - 1])
        cells = samples.cells(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(samples) == 1_000_000_000
    assert cells.tolist() == [[0, 0, 0, 0], [9, 999, 999, 9]]
    assert peak < 1_000_000


def test_a_row_has_a_name_for_messages():
    space = FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90)})
    named = Samples(space, (Block(1, {"category": np.array([1])}, grid=("azimuth",), names=("bus.png",)),))
    plain = Samples(space, (Block(1, {"category": np.array([1]), "azimuth": np.array([0])}),))
    assert named.name(1) == "bus.png (azimuth=90)"
    assert plain.name(0) == "instance 0"


def test_groups_are_instances_or_levels_of_a_stored_factor():
    space = FactorSpace({"object": range(3), "view": range(2)})
    samples = Samples(space, (Block(4, {"object": np.array([0, 0, 2, 1])}, grid=("view",)),))
    assert samples.groups(None).tolist() == samples.groups("instance").tolist() == [0, 1, 2, 3]
    assert samples.groups("object").tolist() == [0, 0, 2, 1]
    with pytest.raises(UnseenError, match="cannot be disjoint by 'view': one instance takes all its levels"):
        samples.groups("view")


def test_a_target_may_join_levels_into_classes():
    space = FactorSpace({"breed": ("poodle", "pug", "siamese"), "view": (0, 1)})
    samples = Samples(space, (Block(3, {"breed": np.array([2, 0, 1])}, grid=("view",)),))
    animal = Target("animal", "breed", ("dog", "cat"), class_map=(0, 0, 1))
    assert animal.truth(samples, np.arange(6)).tolist() == [1, 1, 0, 0, 0, 0]


SPACE = FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90, 180)})
CARS = np.array([0, 1])
SAMPLES = Samples(SPACE, (Block(2, {"category": CARS}, grid=("azimuth",)),))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Block(3, {"category": CARS}), "factor 'category' has 2 stored levels for 3 instances."),
        (lambda: Block(2, {"category": CARS}, names=["a"]), "a block has 1 entries in 'names' for 2 instances."),
        (lambda: Block(2, {"category": CARS}, pool=np.array(["train"])), "1 entries in 'pool' for 2 instances."),
        (lambda: Block(2, {"category": CARS}, content=np.array([1])), "1 entries in 'content' for 2 instances."),
        (lambda: Samples(SPACE, (Block(2, {"categori": CARS}),)), "Did you mean 'category'?"),
        (
            lambda: Samples(SPACE, (Block(2, {"category": CARS}),)),
            "each factor once, stored or as grid; azimuth is missing",
        ),
        (
            lambda: Samples(SPACE, (Block(2, {"category": CARS}, grid=("azimuth", "category")),)),
            "category is given twice",
        ),
        (
            lambda: Samples(SPACE, (Block(2, {"category": CARS + 1}, grid=("azimuth",)),)),
            "stored levels of factor 'category' are numbers from 1 to 2; it has levels 0 to 1.",
        ),
        (lambda: SAMPLES.locate(np.array([0, 6])), "row 6 asked of a world of 6 rows (0 to 5)."),
        (lambda: SAMPLES.locate(np.array([3, -1])), "row -1 asked of a world of 6 rows (0 to 5)."),
        (lambda: SAMPLES.levels("azimut", np.array([0])), "Did you mean 'azimuth'?"),
        (lambda: SAMPLES.rows_at(np.array([2]), {"azimuth": 0}), "instance 2 asked of a block of 2 (0 to 1)."),
        (
            lambda: SAMPLES.rows_at(np.array([0]), {"azimuth": 3}),
            "level number 3 of factor 'azimuth' asked; it has 0 to 2.",
        ),
        (lambda: SAMPLES.rows_at(np.array([0]), {}), "a row of this block needs a level of 'azimuth'; given: none."),
        (lambda: SAMPLES.groups("categry"), "Did you mean 'category'?"),
    ],
)
def test_errors_teach(make, sentence):
    with pytest.raises(UnseenError) as told:
        make()
    assert sentence in str(told.value)
