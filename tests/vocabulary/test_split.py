"""Splits are rules: pools of instances, cells and quotas, enumerated only when asked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import Factor, FactorSpace
from unseen.vocabulary.pools import POOLS, Pools, membership
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.split import Part, RowSet, Split, available, cell_name, part_rows

SPACE = FactorSpace({"category": range(3), "object": range(12), "view": range(4), "light": range(5)})
seeds = st.integers(0, 1000)


@st.composite
def share_triples(draw):
    cuts = sorted(draw(st.tuples(st.integers(0, 20), st.integers(0, 20))))
    return cuts[0] / 20, (cuts[1] - cuts[0]) / 20, (20 - cuts[1]) / 20


def photos(n=240, seed=0, **options):
    """Photos of twelve objects in three categories, at stored views; the light is computed."""
    rng = np.random.default_rng(seed)
    objects = rng.integers(0, 12, n)
    stored = {"category": objects % 3, "object": objects, "view": rng.integers(0, 4, n)}
    return Samples(SPACE, (Block(n, stored, grid=("light",), **options),))


def mixed(seed=0):
    """One block of photos at stored views, two that can be shown at any view, one that lists what it shows."""
    rng = np.random.default_rng(seed)

    def block(n, grid, cells=None):
        objects = rng.integers(0, 12, n)
        stored = {"category": objects % 3, "object": objects, "view": rng.integers(0, 4, n), "light": np.zeros(n, int)}
        return Block(n, {name: column for name, column in stored.items() if name not in grid}, grid=grid, cells=cells)

    some = np.array([(light, view) for view in (0, 2) for light in (1, 3)])
    blocks = block(60, ()), block(40, ("view",)), block(30, ("light", "view")), block(20, ("light", "view"), some)
    return Samples(SPACE, blocks)


def pool_rows(samples, pools, factors=("category", "view"), **options):
    """A split that asks for everything in each pool."""
    cells = np.argwhere(np.ones(samples.space.select(factors).shape, dtype=bool))
    parts = tuple(Part(tuple(cell), **options) for cell in cells.tolist())
    return Split(tuple(factors), {pool: RowSet("all", pool, parts) for pool in POOLS}, pools)


@given(share_triples(), seeds, st.integers(0, 200))
def test_pools_have_exact_shares_within_each_stratum(shares, seed, n):
    samples = photos(n, seed)
    member = membership(samples, Pools(shares, within="category", seed=seed))
    for category in range(3):
        here = member[samples.blocks[0].stored["category"] == category]
        ends = np.cumsum(np.bincount(here, minlength=3))
        assert np.abs(ends - np.cumsum(shares) * len(here)).max() <= 0.5 + 1e-6  # each end is rounded
    for pool, share in zip(range(3), shares):
        assert share or not (member == pool).any()


def test_seventy_ten_twenty_of_a_hundred_is_exactly_that():
    samples = Samples(FactorSpace({"category": (0, 1)}), (Block(200, {"category": np.arange(200) % 2}),))
    member = membership(samples, Pools((0.7, 0.1, 0.2), within="category"))
    assert [np.bincount(member[c::2]).tolist() for c in (0, 1)] == [[70, 10, 20], [70, 10, 20]]


def test_another_seed_draws_other_pools():
    samples = photos()
    assert (membership(samples, Pools(seed=0)) != membership(samples, Pools(seed=1))).any()
    assert (membership(samples, Pools(seed=0)) == membership(photos(), Pools(seed=0))).all()


@given(seeds, st.booleans())
def test_official_test_images_stay_in_the_test_pool(seed, with_validation):
    names = ["train", "test", "validation"][: 2 + with_validation]
    source = np.random.default_rng(seed).choice(names, 240, p=[0.7, 0.3] if len(names) == 2 else [0.6, 0.3, 0.1])
    member = membership(photos(pool=source), Pools((0.7, 0.1, 0.2), within="category", seed=seed))
    assert (member[source == "test"] == POOLS.index("test")).all()
    assert (member[source == "validation"] == POOLS.index("validation")).all()
    assert (member[source == "train"] != POOLS.index("test")).all()
    kept = (member[source == "train"] == POOLS.index("train")).mean()
    assert kept == 1 if with_validation else abs(kept - 0.875) < 0.02


def test_images_of_which_the_source_says_nothing_are_shared_out():
    source = np.repeat(["", "test"], 120)
    member = membership(photos(pool=source), Pools((0.5, 0.25, 0.25)))
    assert np.bincount(member[:120]).tolist() == [60, 30, 30]
    assert (member[120:] == 2).all()


def test_a_source_can_be_disregarded():
    source = np.repeat(["train", "test"], 120)
    member = membership(photos(pool=source), Pools((0.5, 0.25, 0.25), respect_source=False))
    assert np.bincount(member).tolist() == [120, 60, 60]


@given(seeds)
def test_groups_are_never_torn_apart(seed):
    samples = photos(seed=seed)
    member = membership(samples, Pools((0.5, 0.25, 0.25), by="object", within="category", seed=seed))
    objects = samples.blocks[0].stored["object"]
    assert all(len(np.unique(member[objects == one])) <= 1 for one in range(12))
    assert set(member.tolist()) == {0, 1, 2}


def test_a_group_that_the_source_divides_goes_with_its_test_images():
    source = np.where(np.arange(240) % 40 == 0, "test", "train")
    samples = photos(pool=source)
    member = membership(samples, Pools(by="object"))
    assert (member[source == "test"] == 2).all()
    objects = samples.blocks[0].stored["object"]
    assert all(len(np.unique(member[objects == one])) <= 1 for one in range(12))


def test_a_factor_called_instance_says_what_an_instance_is():
    space = FactorSpace({"instance": range(5), "view": range(6)})
    stored = {"instance": np.repeat(np.arange(5), 6), "view": np.tile(np.arange(6), 5)}
    member = membership(Samples(space, (Block(30, stored),)), Pools((0.6, 0.2, 0.2)))
    assert (member.reshape(5, 6) == member.reshape(5, 6)[:, :1]).all()
    assert np.bincount(member).tolist() == [18, 6, 6]


def recurring(kind="instance", row="category"):
    """Ten objects of each of three categories, counted anew in each, from four sides, eight photos of each."""
    category, number, view, _ = (axis.ravel() for axis in np.indices((3, 10, 4, 8)))
    kinds = {"category": (3, "category"), "object": (10, kind), "view": (4, "nominal")}
    space = FactorSpace([Factor(name, tuple(range(n)), kind=word) for name, (n, word) in kinds.items()])
    samples = Samples(space, (Block(len(view), {"category": category, "object": number, "view": view}),))
    member = membership(samples, Pools((0.5, 0.2, 0.3), by="object", within=(row,)))
    return member.reshape(3, 10, 4, 8)


def test_objects_that_are_counted_anew_in_each_category_are_objects_of_their_own():
    member = recurring()
    assert (member == member[:, :, :1, :1]).all(), "an object seen from several sides is torn apart"
    assert [np.bincount(row).tolist() for row in member[:, :, 0, 0]] == [[5, 2, 3]] * 3
    assert (member[0] != member[1]).any()


@pytest.mark.parametrize("options", [{"kind": "nominal"}, {"row": "view"}])
def test_what_is_no_id_or_is_shared_out_within_viewpoints_stays_together_everywhere(options):
    member = recurring(**options)  # a background behind things of every category; an object from every side
    assert (member == member[:1, :, :1, :1]).all()


def test_disjoint_by_nothing_makes_every_pool_everything():
    samples, pools = photos(), Pools(by="nothing")
    split = pool_rows(samples, pools)
    assert (split.rows(samples, "train") == split.rows(samples, "test")).all()
    assert split.count(samples, "validation") == 240
    assert available(samples, pools, "test", ("category", "view")).sum() == 240


@pytest.mark.parametrize("make", [photos, mixed])
@given(seed=seeds)
def test_pools_share_no_instance_and_together_are_everything(make, seed):
    samples = make(seed=seed)
    split = pool_rows(samples, Pools(seed=seed, within="category"), factors=("object",))
    found = {pool: _instances(samples, split.rows(samples, pool)) for pool in POOLS}
    every = np.concatenate(list(found.values()))
    assert len(every) == len(np.unique(every)) == samples.instances


@pytest.mark.parametrize("make", [photos, mixed])
@given(seed=seeds, skip=st.integers(0, 3), take=st.integers(0, 4) | st.none())
def test_rows_are_sorted_unique_counted_and_in_their_cells(make, seed, skip, take):
    samples, pools = make(seed=seed), Pools((1.0, 0.0, 0.0), seed=seed)
    has = available(samples, pools, "train", ("view", "category"))
    parts = tuple(
        Part((view, category), None if take is None else min(take, max(0, int(has[view, category]) - skip)), skip)
        for view in range(4)
        for category in range(3)
    )
    split = Split(("view", "category"), {"train": RowSet("some", "train", parts)}, pools)
    rows = split.rows(samples, "train")
    assert (np.diff(rows) > 0).all()
    assert split.count(samples, "train") == len(rows)
    counts = np.zeros((4, 3), dtype=int)
    np.add.at(counts, tuple(samples.cells(rows, ("view", "category")).T), 1)
    for part in parts:
        assert counts[part.cell] == (max(0, has[part.cell] - skip) if take is None else part.take)
    if take is not None:
        assert (split.mask(samples, "train") == (counts > 0)).all()


@given(seeds)
def test_skip_keeps_an_instance_out_of_a_second_cell_in_any_mix_of_blocks(seed):
    samples = mixed(seed)
    parts = tuple(Part((1, view), 4, skip=4 * view) for view in range(3))
    split = Split(("category", "view"), {"train": RowSet("", "train", parts)}, Pools((1.0, 0.0, 0.0), seed=seed))
    rows = split.rows(samples, "train")
    used = _instances(samples, rows)
    assert len(rows) == 12
    assert len(np.unique(used)) == 12


def test_blocks_that_can_show_the_same_cells_are_mixed():
    space = FactorSpace({"category": (0,), "view": range(3)})
    blocks = tuple(Block(100, {"category": np.zeros(100, int)}, grid=("view",)) for _ in range(2))
    samples = Samples(space, blocks)
    parts = tuple(Part((0, view), 50, skip=50 * view) for view in range(3))
    split = Split(("category", "view"), {"train": RowSet("", "train", parts)}, Pools((1.0, 0.0, 0.0)))
    rows = split.rows(samples, "train")
    assert len(np.unique(_instances(samples, rows))) == 150
    assert 50 < (samples.locate(rows)[0] == 0).sum() < 100


@given(seeds, st.sampled_from(["instance", "object", "nothing"]), st.sets(st.sampled_from(SPACE.names), min_size=1))
def test_a_set_has_the_rows_of_each_of_its_parts(seed, by, factors):
    samples, pools = photos(seed=seed), Pools(by=by, seed=seed)
    factors = tuple(name for name in SPACE.names if name in factors)
    there, rng = available(samples, pools, "train", factors), np.random.default_rng(seed)
    parts = []
    for cell in rng.permutation(np.argwhere(there >= 0))[:20].tolist():
        take = int(rng.integers(0, there[tuple(cell)] + 1))
        parts += [Part(tuple(cell), take, int(rng.integers(0, there[tuple(cell)] - take + 1))), Part(tuple(cell))]
    split = Split(factors, {"some": RowSet("some", "train", tuple(parts))}, pools)
    one_by_one = np.concatenate([part_rows(samples, split, "train", part) for part in parts])
    assert split.rows(samples, "some").tolist() == np.sort(one_by_one).tolist()


def test_a_smaller_quota_is_a_part_of_a_larger_one():
    samples = photos()

    def rows(take):
        return set(pool_rows(samples, Pools(), take=take).rows(samples, "train").tolist())

    assert rows(1) < rows(3) < rows(5)


def test_free_grid_factors_take_one_level_for_each_instance_and_use_them_all():
    samples = photos()
    rows = pool_rows(samples, Pools((1.0, 0.0, 0.0))).rows(samples, "train")
    assert len(rows) == len(np.unique(_instances(samples, rows))) == 240
    assert np.bincount(samples.levels("light", rows), minlength=5).min() > 30


@given(seeds)
def test_available_counts_what_the_rows_then_give(seed):
    samples, pools = mixed(seed), Pools(within="category", seed=seed)
    split = pool_rows(samples, pools)
    for pool in POOLS:
        counts = np.zeros((3, 4), dtype=int)
        np.add.at(counts, tuple(samples.cells(split.rows(samples, pool), ("category", "view")).T), 1)
        assert (available(samples, pools, pool, ("category", "view")) == counts).all()
        assert (available(samples, pools, pool, ("view", "category")) == counts.T).all()


def test_blocks_that_list_different_cells_cannot_be_mixed_and_the_error_says_what_to_do():
    views = [np.array([[0, view]]) for view in (1, 2)]
    blocks = [
        Block(5, {"category": np.zeros(5, int), "object": np.arange(5)}, ("light", "view"), cells=c) for c in views
    ]
    with pytest.raises(UnseenError, match=r"blocks 0, 1 .* show different combinations of category, view"):
        pool_rows(Samples(SPACE, tuple(blocks)), Pools()).rows(Samples(SPACE, tuple(blocks)), "train")
    one = Samples(SPACE, tuple(blocks[:1]))
    assert set(one.levels("view", pool_rows(one, Pools((1.0, 0.0, 0.0))).rows(one, "train"))) == {1}


def test_listed_rows_are_given_as_listed_and_once():
    samples = photos()
    listed = np.array([7, 3, 3, 900])
    split = Split(("category", "view"), {"train": RowSet("as listed", listed=listed)}, Pools())
    assert split.rows(samples, "train").tolist() == [3, 7, 900]
    assert split.count(samples, "train") == 3
    assert split.mask(samples, "train").sum() == len(np.unique(samples.cells(listed, ("category", "view")), axis=0))


def test_a_set_without_parts_is_empty():
    split = Split(("category", "view"), {"train": RowSet("none")}, Pools())
    assert split.rows(photos(), "train").tolist() == []
    assert split.count(photos(), "train") == 0


def _split(part, pool="train"):
    return Split(("category", "view"), {"train": RowSet("", pool, (part,))}, Pools())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Pools((0.5, 0.5, 0.5)), "must be three numbers"),
        (lambda: Pools((-0.5, 0.5, 1.0)), "add up to 1"),
        (
            lambda: _split(Part((0, 0)))["trian"],
            "no row set 'trian' in this split; possible: train. Did you mean 'train'?",
        ),
        (lambda: _split(Part((1, 2), 500)).rows(photos(), "train"), "cell category=1 view=2 has "),
        (lambda: _split(Part((1, 2), 500)).rows(photos(), "train"), "images in pool 'train', but 500 are asked for."),
        (lambda: _split(Part((0, 0)), "tset").rows(photos(), "train"), "Did you mean 'test'?"),
        (lambda: available(photos(), Pools(), "val", ("view",)), "Did you mean 'validation'?"),
        (lambda: available(photos(), Pools(), "test", ("views",)), "Did you mean 'view'?"),
        (lambda: membership(photos(), Pools(by="objects")), "Did you mean 'object'?"),
        (lambda: membership(photos(), Pools(by="light")), "pools cannot be disjoint by 'light'"),
        (lambda: membership(photos(), Pools(within="categories")), "Did you mean 'category'?"),
        (lambda: membership(photos(pool=np.full(240, "val")), Pools()), "no pool 'val' in what the source says"),
    ],
)
def test_errors_teach(make, sentence):
    with pytest.raises(UnseenError) as told:
        make()
    assert sentence in str(told.value)


def test_a_cell_has_a_name_in_words():
    assert cell_name(FactorSpace({"category": ("car", "bus"), "azimuth": (0, 90)}), (0, 1)) == "category=car azimuth=90"


def _instances(samples, rows):
    block, instance, _ = samples.locate(rows)
    return np.cumsum([0, *(b.instances for b in samples.blocks)])[block] + instance
