"""Hold out combinations: every level is seen, some combinations are not (Madan et al. 2022, Fig. 1)."""

import json
from inspect import unwrap
from itertools import pairwise

import numpy as np
import pytest
from grids import counts, digits, instances, photos
from hypothesis import given
from hypothesis import strategies as st

from unseen.designs import DESIGNS, audit, hold_out_combinations
from unseen.designs.balance import combinations
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

sides = st.integers(2, 7)
seeds = st.integers(0, 10_000)
TESTS = ("seen", "unseen")


def held_out(samples, k, *, seed=0, **options):
    return hold_out_combinations(samples, columns="view", seen_per_level=k, seed=seed, **options)


def exact_sizes(rows, columns):
    """Sizes with equal counts per row and column that leave one cell out for each level of the longer factor."""
    room = columns - -(-max(rows, columns) // rows)
    return [k for k in range(1, room + 1) if rows * k % columns == 0]


@pytest.mark.parametrize("computed", [True, False])
@given(n=st.integers(2, 6), seed=seeds)
def test_on_a_square_grid_every_number_of_combinations_is_balanced_nested_and_constant(computed, n, seed):
    samples = digits(n, n, 60) if computed else photos(np.full((n, n), 60))
    splits = [held_out(samples, k, seed=seed) for k in range(1, n)]
    unseen = [split.mask(samples, "unseen") for split in splits]
    seen = [split.mask(samples, "train") for split in splits]
    assert all((mask == unseen[0]).all() for mask in unseen)
    assert (unseen[0].sum(0) == 1).all()
    assert (unseen[0].sum(1) == 1).all()  # a permutation
    for k, mask in enumerate(seen, start=1):
        assert (mask.sum(0) == k).all()
        assert (mask.sum(1) == k).all()
        assert not (mask & unseen[0]).any()
    assert all((fewer <= more).all() for fewer, more in pairwise(seen))
    for name in ("train", "validation", "seen", "unseen"):
        assert len({split.count(samples, name) for split in splits}) == 1, f"the size of {name} changes"
    for split in splits:
        assert (split.mask(samples, "validation") == split.mask(samples, "train")).all()
        assert (split.mask(samples, "seen") == split.mask(samples, "train")).all()
        train = counts(split, samples, "train")
        assert np.ptp(train[train > 0]) <= 1


@pytest.mark.parametrize("computed", [True, False])
@given(rows=sides, columns=sides, seed=seeds)
def test_on_any_grid_the_offered_sizes_are_exactly_balanced(computed, rows, columns, seed):
    samples = digits(rows, columns, 80) if computed else photos(np.full((rows, columns), 12))
    for k in exact_sizes(rows, columns):
        mask = held_out(samples, k, seed=seed).mask(samples, "train")
        assert (mask.sum(1) == k).all()
        assert (mask.sum(0) == rows * k / columns).all()


@given(rows=sides, columns=sides, seed=seeds)
def test_nearly_balanced_counts_differ_by_at_most_one(rows, columns, seed):
    samples = digits(rows, columns, 80)
    least = columns - -(-max(rows, columns) // rows)
    masks = [held_out(samples, k, seed=seed, balance="nearly_balanced").mask(samples, "train") for k in range(1, least)]
    unseen = held_out(samples, 1, seed=seed, balance="nearly_balanced").mask(samples, "unseen") if least else None
    for k, mask in enumerate(masks, start=1):
        assert (mask.sum(1) == k).all()
        assert np.ptp(mask.sum(0)) <= 1
        assert not (mask & unseen).any()
    assert all((fewer <= more).all() for fewer, more in pairwise(masks))


@given(rows=sides, columns=sides, seed=seeds)
def test_held_out_cells_are_one_for_each_level_of_the_longer_factor(rows, columns, seed):
    asked, _ = combinations(np.ones((rows, columns), dtype=bool).tobytes(), (rows, columns), seed)
    assert asked.sum() == max(rows, columns)
    assert np.ptp(asked.sum(0)) <= 1
    assert np.ptp(asked.sum(1)) <= 1
    assert min(asked.sum(0).min(), asked.sum(1).min()) >= 1


@given(n=st.integers(2, 5), k=st.integers(1, 4), seed=seeds)
def test_no_instance_is_in_two_pools_nor_in_two_training_cells(n, k, seed):
    samples = digits(n, n, 50)
    split = held_out(samples, min(k, n - 1), seed=seed)
    train = instances(split, samples, "train")
    assert len(np.unique(train)) == len(train)
    asked = {name: set(instances(split, samples, name)) for name in ("train", "validation", "probe", *TESTS)}
    assert not asked["train"] & (asked["validation"] | asked["seen"] | asked["unseen"] | asked["probe"])
    assert not asked["validation"] & (asked["seen"] | asked["unseen"] | asked["probe"])
    assert audit(split, samples).problems == ()


def test_a_cell_with_one_photo_cannot_keep_the_total_and_the_error_says_what_can_be_done():
    coil = photos(np.ones((4, 4), dtype=int))
    with pytest.raises(
        UnseenError, match=r"'train' would have 4 images for 8 cells.*Set another: design.images may be 8"
    ):
        held_out(coil, 2, disjoint_by="nothing")
    assert held_out(coil, 2, disjoint_by="nothing", images=8).count(coil, "train") == 8


def test_small_test_sets_grow_to_show_every_seen_cell():
    samples = photos(np.full((5, 5), 10))
    for k in (1, 2, 3, 4):
        split = held_out(samples, k)
        assert split.count(samples, "train") == 35
        assert split.count(samples, "validation") == 5 * k
        assert (split.mask(samples, "validation") == split.mask(samples, "train")).all()
        assert audit(split, samples).problems == ()


def test_photos_of_every_cell_are_shared_out_exactly():
    samples = photos(np.full((4, 4), 30))
    split = held_out(samples, 1)
    assert counts(split, samples, "train").max() == 21
    assert counts(split, samples, "validation").max() == 3
    assert counts(split, samples, "unseen").max() == 6


def test_numbers_of_numpy_are_as_good_as_pythons_and_facts_stay_plain():
    samples = digits(4, 4)
    sizes = {"seen_per_level": 2, "images": 16, "validation_images": 8, "test_images": 8}
    plain = hold_out_combinations(samples, columns="view", seed=0, **sizes)
    sizes = {key: np.int64(n) for key, n in sizes.items()}
    split = unwrap(hold_out_combinations)(samples, columns="view", seed=0, **sizes)  # types are checked in tests alone
    assert json.dumps(dict(split.facts)) == json.dumps(dict(plain.facts))
    assert split.rows(samples, "train").tolist() == plain.rows(samples, "train").tolist()


def test_another_seed_holds_out_other_combinations():
    samples = digits(8, 8)
    masks = {held_out(samples, 2, seed=seed).mask(samples, "unseen").tobytes() for seed in range(6)}
    assert len(masks) == 6
    first, again = held_out(samples, 2), held_out(digits(8, 8), 2)
    assert all((first.rows(samples, name) == again.rows(samples, name)).all() for name in first.sets)


def test_these_cells_never_change():
    """Golden: published studies stand on them. Regenerate consciously, and raise the design's VERSION."""
    samples = digits(5, 5)
    split = held_out(samples, 2, seed=3)
    assert split.mask(samples, "unseen").argmax(1).tolist() == [0, 1, 4, 2, 3]
    assert split.mask(samples, "train").astype(int).tolist() == [
        [0, 1, 0, 1, 0],
        [0, 0, 1, 1, 0],
        [1, 0, 1, 0, 0],
        [1, 0, 0, 0, 1],
        [0, 1, 0, 0, 1],
    ]
    assert split.rows(samples, "train")[:5].tolist() == [8, 12, 19, 28, 37]


def test_the_total_is_what_one_cell_per_row_can_give():
    samples = digits(3, 3, each=100)
    assert [held_out(samples, k).count(samples, "train") for k in (1, 2)] == [210, 210]
    uneven = photos([[30, 20, 50], [40, 30, 30], [60, 30, 10]])
    totals = {held_out(uneven, k, shares=(0.5, 0.25, 0.25)).count(uneven, "train") for k in (1, 2)}
    assert len(totals) == 1
    assert totals.pop() % 3 == 0


@given(images=st.integers(12, 60), k=st.integers(1, 3))
def test_the_number_of_images_is_as_asked_and_even(images, k):
    samples = digits(4, 4, 60)
    split = held_out(samples, k, images=images, validation_images=13, test_images=17)
    assert [split.count(samples, name) for name in ("train", "validation", "seen", "unseen")] == [images, 13, 17, 17]
    train = counts(split, samples, "train")
    assert train.sum() == images
    assert np.ptp(train[train > 0]) <= 1


def test_fewer_images_are_a_part_of_more():
    samples = photos(np.full((4, 4), 50))
    few, many = (set(held_out(samples, 2, images=n).rows(samples, "train").tolist()) for n in (40, 160))
    assert few < many


def test_the_probe_shows_the_same_instances_in_every_cell():
    samples = digits(3, 4, 50)
    split = held_out(samples, 2, balance="nearly_balanced", probe_per_cell=4)
    assert (counts(split, samples, "probe") == 4).all()
    rows = split.rows(samples, "probe")
    shown = {tuple(sorted(samples.locate(rows[samples.levels("view", rows) == view])[1])) for view in range(4)}
    assert len(shown) == 1
    assert held_out(samples, 2, balance="nearly_balanced", probe_per_cell=0).count(samples, "probe") == 0


def test_both_factors_may_be_computed():
    space = FactorSpace({"row": range(4), "view": range(4), "category": range(2)})
    samples = Samples(space, (Block(400, {"category": np.arange(400) % 2}, grid=("row", "view")),))
    splits = [hold_out_combinations(samples, rows="row", columns="view", seen_per_level=k, seed=0) for k in (1, 2, 3)]
    assert len({split.count(samples, "train") for split in splits}) == 1
    for split in splits:
        train = instances(split, samples, "train")
        assert len(train) == len(np.unique(train)) > 200
        assert audit(split, samples).problems == ()


@pytest.mark.parametrize(("rows", "columns", "k"), [(6, 3, 1), (3, 6, 2), (4, 4, 2)])
def test_rows_may_be_computed_and_columns_stored(rows, columns, k):
    space = FactorSpace({"category": range(rows), "view": range(columns)})
    samples = Samples(space, (Block(600, {"view": np.arange(600) % columns}, grid=("category",)),))
    split = held_out(samples, k)
    train = instances(split, samples, "train")
    assert len(train) == len(np.unique(train))
    assert (counts(split, samples, "train") > 0).sum() == rows * k


def test_objects_can_be_kept_whole():
    rng = np.random.default_rng(0)
    space = FactorSpace({"category": range(3), "view": range(3), "object": range(30)})
    objects = rng.integers(0, 30, 3000)
    stored = {"category": objects % 3, "view": rng.integers(0, 3, 3000), "object": objects}
    samples = Samples(space, (Block(3000, stored),))
    split = held_out(samples, 2, disjoint_by="object")
    used = {name: set(samples.levels("object", split.rows(samples, name)).tolist()) for name in split.sets}
    assert not used["train"] & (used["validation"] | used["seen"] | used["unseen"])


def test_where_the_category_is_the_instance_nothing_is_disjoint_and_the_audit_says_so():
    coil = photos(np.full((4, 4), 2))
    split = held_out(coil, 1, disjoint_by="nothing")
    found = audit(split, coil)
    assert split.count(coil, "unseen") == 8
    assert found.shared_images["train", "unseen"] == 0
    assert found.shared_images["train", "seen"] > 0
    assert any("in both 'train' and 'seen'" in problem for problem in found.problems)


def test_pools_that_are_one_share_no_image_while_there_are_others():
    few = {"disjoint_by": "nothing", "images": 24, "validation_images": 16, "test_images": 24}
    for samples in (photos(np.full((4, 4), 8)), digits(4, 4, 16)):
        split = held_out(samples, 2, **few)
        assert [split.count(samples, name) for name in ("train", "validation", "seen")] == [24, 16, 24]
        shared = audit(split, samples).shared_images
        assert {pair: shared[pair] for pair in shared if pair[1] != "unseen"} == {
            ("train", "validation"): 0,
            ("train", "seen"): 0,
            ("validation", "seen"): 0,
        }


def test_pools_that_are_one_share_no_more_than_they_must():
    samples = photos(np.full((4, 4), 5))
    split = held_out(samples, 2, disjoint_by="nothing", images=24, validation_images=16, test_images=16)
    shared = audit(split, samples).shared_images
    assert shared["train", "validation"] == shared["train", "seen"] == 0  # 3 and 2 of 5
    assert shared["validation", "seen"] == 16  # the same 2
    split = held_out(samples, 2, disjoint_by="nothing", images=32, validation_images=16, test_images=16)
    assert audit(split, samples).shared_images["train", "seen"] == 8  # 4 and 2 of 5, from the other end


class TestWithheldLevels:
    samples = digits(5, 5, 60)

    def test_they_are_asked_of_the_other_factor_only_and_never_trained(self):
        split = held_out(self.samples, 2, withhold_rows=[3], withhold_columns=[0, "4"], balance="nearly_balanced")
        rows, columns = split["new-rows"], split["new-columns"]
        assert (rows.asks, columns.asks) == (("view",), ("category",))
        assert split["unseen"].asks is None
        new_rows, new_columns = split.mask(self.samples, "new-rows"), split.mask(self.samples, "new-columns")
        assert np.flatnonzero(new_rows.any(1)).tolist() == [3]
        assert np.flatnonzero(new_rows.any(0)).tolist() == [1, 2, 3]
        assert np.flatnonzero(new_columns.any(1)).tolist() == [0, 1, 2, 4]
        assert np.flatnonzero(new_columns.any(0)).tolist() == [0, 4]
        for name in ("train", "validation", "seen", "unseen", "probe"):
            mask = split.mask(self.samples, name)
            assert not mask[3].any()
            assert not mask[:, [0, 4]].any()
        train = set(instances(split, self.samples, "train"))
        assert not train & set(instances(split, self.samples, "new-rows"))
        assert not train & set(instances(split, self.samples, "new-columns"))

    def test_a_sound_split_with_them_is_clean(self):
        split = held_out(self.samples, 2, withhold_rows=[3], withhold_columns=[0])
        assert audit(split, self.samples).problems == ()
        assert audit(split, self.samples).per_row == {"category": (2, 2), "view": (2, 2)}
        assert split.facts["grid"] == [4, 4]

    def test_without_them_there_are_no_such_sets(self):
        assert set(held_out(self.samples, 2).sets) == {"train", "validation", "seen", "unseen", "probe"}


class TestEmptyCells:
    """As in UIUC-3D: some combinations were never photographed."""

    full = np.full((6, 6), 30)
    gaps = ((0, 0), (2, 4), (5, 1))

    @property
    def samples(self):
        counts = self.full.copy()
        counts[tuple(np.array(self.gaps).T)] = 0
        return photos(counts)

    def test_they_are_listed(self):
        with pytest.raises(UnseenError) as told:
            held_out(self.samples, 4)
        message = str(told.value)
        named = [f"category={i} view={j}" in message for i, j in self.gaps]
        assert any(named)
        assert message.count("category=") == sum(named)
        assert "have no image in pool 'train'" in message
        assert 'design.empty = "avoid"' in message

    @given(seed=seeds)
    def test_the_grid_is_built_around_them_and_stays_balanced_nested_and_constant(self, seed):
        samples = self.samples
        splits = [held_out(samples, k, seed=seed, empty="avoid") for k in (1, 2, 3)]
        masks = [split.mask(samples, "train") for split in splits]
        for k, (split, mask) in enumerate(zip(splits, masks), start=1):
            assert (mask.sum(0) == k).all()
            assert (mask.sum(1) == k).all()
            unseen = split.mask(samples, "unseen")
            assert (unseen.sum(0) == 1).all()
            assert (unseen.sum(1) == 1).all()
            assert not any((mask | unseen)[gap] for gap in self.gaps)
            assert not (mask & unseen).any()
            assert audit(split, samples).problems == ()
        assert all((fewer <= more).all() for fewer, more in pairwise(masks))
        assert len({split.count(samples, "train") for split in splits}) == 1

    def test_how_many_can_be_seen_is_told(self):
        with pytest.raises(
            UnseenError, match=r"held out and 3 empty cells left out at most [234] of the 6 levels of 'view'"
        ):
            held_out(self.samples, 5, empty="avoid")

    def test_a_row_without_any_image_cannot_be_avoided(self):
        counts = self.full.copy()
        counts[2] = 0
        with pytest.raises(UnseenError, match="no balanced choice of cells on this 6×6 grid with 6 empty cells"):
            held_out(photos(counts), 2, empty="avoid")


@pytest.mark.parametrize(
    ("make", "sentences"),
    [
        (
            lambda: held_out(digits(4, 6), 2),
            [
                "seen_per_level = 2 cannot be balanced on a 4×6 grid of category × view",
                "sizes are 3.",
                "nearly_balanced",
            ],
        ),
        (lambda: held_out(digits(3, 4), 2), ["no size is exactly balanced"]),
        (lambda: held_out(digits(6, 3), 0), ["seen_per_level = 0; give a whole number from 1 to 2."]),
        (lambda: held_out(digits(4, 4), 4), ["seen_per_level = 4, but with the OOD cells held out at most 3 of the 4"]),
        (lambda: held_out(digits(4, 4), 9), ["at most 3 of the 4 levels of 'view'"]),
        (
            lambda: held_out(digits(4, 4, each=10), 1, images=60),
            ["too few images in pool 'train' for 60 over 4 cells", "(has 7, needs 15)", "Ask for fewer images"],
        ),
        (lambda: held_out(photos(np.full((3, 3), 10)), 1, test_images=60), ["pool 'test'", "(has 2, needs 20)"]),
        (lambda: held_out(digits(4, 4), 2, images=7), ["design.images = 7; 8 cells need at least one image each"]),
        (lambda: held_out(digits(4, 4), 2, validation_images=0), ["design.validation_images = 0; 8 cells"]),
        (lambda: held_out(digits(4, 4, each=10), 3), ["'validation' would have 4 images for 12 cells", "empty in 8"]),
        (lambda: held_out(digits(4, 4), 2, shares=(0.9, 0.1, 0.0)), ["16 of the 16 cells", "no image in pool 'test'"]),
        (lambda: held_out(digits(4, 4), 2, shares=(0.9, 0.2, 0.0)), ["add up to 1"]),
        (lambda: held_out(digits(4, 4), 2, shares=(0.9, 0.1)), ["three numbers"]),
        (
            lambda: held_out(digits(4, 4), 2, balance="nearly"),
            ["no value for design.balance 'nearly'", "'nearly_balanced'?"],
        ),
        (
            lambda: held_out(digits(4, 4), 2, empty="skip"),
            ["no value for design.empty 'skip'; possible: error, avoid."],
        ),
        (lambda: held_out(digits(4, 4), 2, rows="categori"), ["Did you mean 'category'?"]),
        (
            lambda: held_out(digits(4, 4), 2, rows="view"),
            ["design.rows and design.columns are both 'view'; name two of"],
        ),
        (lambda: held_out(digits(4, 4), 2, withhold_rows=[7]), ["no level '7' in factor 'category'"]),
        (lambda: held_out(digits(4, 4), 1, withhold_columns=[0, 1, 2]), ["'view' has 1 levels left to train on"]),
        (lambda: held_out(digits(4, 4), 2, disjoint_by="object"), ["no factor 'object'"]),
        (lambda: held_out(digits(4, 4), 2, disjoint_by="view"), ["pools cannot be disjoint by 'view'"]),
    ],
)
def test_errors_teach(make, sentences):
    with pytest.raises(UnseenError) as told:
        make()
    for sentence in sentences:
        assert sentence in str(told.value)


def test_designs_are_a_visible_table():
    assert set(DESIGNS) == {
        "hold_out_combinations", "hold_out_levels", "leave_one_out", "expose", "matrix", "vary_some",
        "from_lists", "ask", "vary_each", "decorrelate", "replicate",
    }  # fmt: skip
