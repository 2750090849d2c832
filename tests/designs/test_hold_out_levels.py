"""Splits by levels (Schott et al. 2022) are as the paper defines them, for any grid, and say so within 80 columns."""

import itertools
import math
from inspect import unwrap

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from small_study import written
from unseen.designs import audit, hold_out_levels
from unseen.designs.levels import MODES, always_seen, held_out
from unseen.designs.pairs import Pair, pairs_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.samples import Block, Samples

pytest_plugins = ("studies_fixtures",)

DSPRITES = {"shape": 3, "scale": 6, "orientation": 40, "x": 32, "y": 32}
SHAPES3D = {"floor": 10, "wall": 10, "object": 10, "scale": 8, "shape": 4, "azimuth": 15}
MPI3D = {"colour": 6, "shape": 6, "size": 2, "height": 3, "background": 3, "axis-1": 40, "axis-2": 40}
X_OUT = [2, 7, 11, 15, 20, 24, 29]
NAMES = "pqrst"


def grid(levels):
    space = FactorSpace({name: range(n) for name, n in levels.items()})
    return Samples(space, (Block(1, {}, grid=space.names),))


def whole(samples, **options):
    """A split of all rows, none left out by a bound."""
    return hold_out_levels(samples, **{"seed": 0, "test_images": None, **options})


def numbers(split, samples):
    return {name: set(split.rows(samples, name).tolist()) for name in split.sets}


@st.composite
def splits(draw, modes=MODES):
    """A split of a small grid that the mode can split at all."""
    levels = dict(zip(NAMES, draw(st.lists(st.integers(2, 7), min_size=1, max_size=4))))
    protect = [name for name in levels if draw(st.integers(0, 3)) == 0]
    mode = draw(st.sampled_from(modes))
    options = {"mode": mode, "share": draw(st.integers(1, 12)) / 20, "protect": protect}
    options |= {"validation": draw(st.sampled_from([0.0, 0.05, 0.3])), "seed": draw(st.integers(0, 9))}
    samples = grid(levels)
    try:
        split = whole(samples, **options)
    except UnseenError:
        assume(False)
        raise
    return samples, split, options


def test_numbers_of_numpy_are_as_good_as_pythons():
    samples = grid({"p": 5, "q": 6})
    sizes = {"images": 8, "test_images": 5, "probe_images": 7}
    plain = hold_out_levels(samples, mode="extrapolation", seed=0, **sizes)
    sizes = {key: np.int64(n) for key, n in sizes.items()}
    split = unwrap(hold_out_levels)(samples, mode="extrapolation", seed=0, **sizes)  # types are checked in tests alone
    assert numbers(split, samples) == numbers(plain, samples)
    assert split.facts == plain.facts


def defined(samples, mode, share, protect):
    """Training rows and held-out levels as the facts define them, row by row."""
    shape = dict(zip(samples.space.names, samples.space.shape))
    vary = [name for name in shape if name not in protect]
    gone = {name: math.ceil(round(share * 20) * shape[name] / 20 - 1e-9) for name in vary}
    if mode == "extrapolation":
        out = {name: set(range(shape[name] - gone[name], shape[name])) for name in vary}
    else:
        kept = {name: np.round(np.linspace(0, shape[name] - 1, shape[name] - gone[name])) for name in vary}
        out = {name: set(range(shape[name])) - set(kept[name].astype(int).tolist()) for name in vary}
    train = set()
    for row, cell in enumerate(itertools.product(*map(range, shape.values()))):
        at = dict(zip(shape, cell))
        if mode == "composition":
            q = 1 - (1 - (1 - share) ** len(vary)) ** (1 / len(vary))
            seen = any(at[name] < math.floor(q * shape[name] + 1e-9) for name in vary)
        else:
            seen = not any(at[name] in out[name] for name in vary)
        train |= {row} if seen else set()
    return train, out


@given(splits())
def test_training_rows_and_test_rows_are_the_whole_grid_once(made):
    samples, split, _ = made
    sets = numbers(split, samples)
    parts = [sets["train"], sets.get("validation", set()), sets["test"]]
    assert set.union(*parts) == set(range(len(samples)))
    assert sum(map(len, parts)) == len(samples)
    assert all(parts[::2])


@given(splits(modes=("composition", "interpolation", "extrapolation")))
def test_training_rows_are_those_of_the_definition(made):
    samples, split, options = made
    sets = numbers(split, samples)
    train, _ = defined(samples, options["mode"], options["share"], options["protect"])
    assert sets["train"] | sets.get("validation", set()) == train


@given(splits())
def test_counts_in_closed_form_are_those_of_the_rows(made):
    samples, split, _ = made
    for name, row_set in split.sets.items():
        rows = split.rows(samples, name)
        assert split.count(samples, name) == len(rows)
        assert np.flatnonzero(row_set.rule.holds(samples, np.arange(len(samples)))).tolist() == rows.tolist()
    assert split.facts["trained_share"] + split.facts["test_share"] == pytest.approx(1)


@given(splits(modes=("interpolation", "extrapolation")))
def test_a_held_out_level_is_never_trained_on_and_every_other_is(made):
    samples, split, options = made
    _, out = defined(samples, options["mode"], options["share"], options["protect"])
    cells = samples.cells(np.concatenate([split.rows(samples, n) for n in ("train", "validation") if n in split.sets]))
    for name, column in zip(samples.space.names, cells.T):
        assert set(column.tolist()) == set(range(len(samples.space[name]))) - out.get(name, set())
        if options["mode"] == "interpolation":
            assert {0, len(samples.space[name]) - 1} <= set(column.tolist())


@given(splits(modes=("composition",)))
def test_composition_shows_every_level_that_it_can(made):
    samples, split, options = made
    vary = [factor for factor in samples.space.factors if factor.name not in options["protect"]]
    giving = [factor.name for factor in vary if always_seen(len(factor), options["share"], len(vary))]
    cells = samples.cells(np.concatenate([split.rows(samples, n) for n in ("train", "validation") if n in split.sets]))
    for name, column in zip(samples.space.names, cells.T):
        if giving != [name]:  # else this factor's lowest levels are all there is to train on
            assert len(np.unique(column)) == len(samples.space[name])


@given(splits(modes=("interpolation", "extrapolation")))
def test_sets_by_factors_out_are_disjoint_and_make_up_the_test_set(made):
    samples, split, options = made
    _, out = defined(samples, options["mode"], options["share"], options["protect"])
    rows = split.rows(samples, "test")
    at = dict(zip(samples.space.names, samples.cells(rows).T))
    beyond = {name: np.isin(at[name], sorted(levels)) for name, levels in out.items()}
    many = sum(flag.astype(int) for flag in beyond.values())
    wanted = {f"one-out-{name}": set(rows[(many == 1) & flag].tolist()) for name, flag in beyond.items()}
    wanted |= {"two-out": set(rows[many == 2].tolist()), "many-out": set(rows[many > 2].tolist())}
    found = {name: some for name, some in numbers(split, samples).items() if name.endswith("out") or "one-out" in name}
    assert found == {name: some for name, some in wanted.items() if some}
    assert sum(map(len, found.values())) == len(rows)


@given(splits())
def test_the_same_seed_makes_the_same_split(made):
    samples, split, options = made
    again = grid(dict(zip(samples.space.names, samples.space.shape)))
    assert numbers(whole(again, **options), again) == numbers(split, samples)


@given(splits(modes=("random",)))
def test_random_trains_on_exactly_as_many_rows_as_extrapolation(made):
    samples, split, options = made
    other = whole(samples, **{**options, "mode": "extrapolation"})
    assert split.facts["trained_share"] == other.facts["trained_share"]
    assert split.count(samples, "test") == other.count(samples, "test")


def test_another_seed_draws_another_mask():
    samples = grid({"p": 8, "q": 8, "r": 8})
    first, second = (whole(samples, mode="random", seed=seed).rows(samples, "test") for seed in (0, 1))
    expected = len(first) ** 2 / len(samples)
    assert abs(len(np.intersect1d(first, second)) - expected) < 40


@pytest.mark.parametrize("n", range(2, 65))
@pytest.mark.parametrize("share", [0.07, 0.1, 0.15, 0.2, 0.25, 0.5])
def test_as_many_levels_are_held_out_as_the_share_says(n, share):
    gone = -(-round(share * 100) * n // 100)
    assert len(held_out(n, share, "extrapolation")) == gone
    if n - gone >= 2:
        between = held_out(n, share, "interpolation")
        assert len(between) == gone
        assert {0, n - 1}.isdisjoint(between)


class TestTheFiguresOfThePaper:
    def test_dsprites_holds_out_the_published_levels(self):
        samples = grid(DSPRITES)
        between = whole(samples, mode="interpolation", protect=["shape"]).facts["withheld"]
        assert between == {"scale": [1, 4], "orientation": list(range(2, 40, 5)), "x": X_OUT, "y": X_OUT}
        beyond = whole(samples, mode="extrapolation", protect=["shape"]).facts["withheld"]
        last = list(range(25, 32))
        assert beyond == {"scale": [4, 5], "orientation": list(range(32, 40)), "x": last, "y": last}

    @pytest.mark.parametrize(
        ("mode", "train"),
        [
            ("random", 4 * 32 * 25 * 25 * 3),
            ("interpolation", 4 * 32 * 25 * 25 * 3),
            ("extrapolation", 4 * 32 * 25 * 25 * 3),
            ("composition", 737280 - 6 * 36 * 29 * 29 * 3),
        ],
    )
    def test_dsprites_has_the_published_shares(self, mode, train):
        samples = grid(DSPRITES)
        split = whole(samples, mode=mode, protect=["shape"])
        both = split.count(samples, "train") + split.count(samples, "validation")
        assert both == train == len(samples) - split.count(samples, "test")
        assert split.facts["test_share"] == pytest.approx(0.739 if mode == "composition" else 0.6745, abs=2e-4)
        assert split.count(samples, "validation") == round(0.05 * train)

    def test_composition_of_dsprites_trains_on_few_levels_of_the_long_factors(self):
        assert [always_seen(n, 0.2, 4) for n in (6, 40, 32, 32)] == [0, 4, 3, 3]

    @pytest.mark.parametrize(
        ("levels", "share", "protect", "kept"),
        [
            (SHAPES3D, 0.15, ["shape"], 8 * 8 * 8 * 6 * 4 * 12),
            (MPI3D, 0.1, ["shape", "size"], 5 * 6 * 2 * 2 * 2 * 36 * 36),
        ],
    )
    def test_about_thirty_percent_are_trained_on(self, levels, share, protect, kept):
        samples = grid(levels)
        for mode in MODES:
            split = whole(samples, mode=mode, share=share, protect=protect)
            trained = split.count(samples, "train") + split.count(samples, "validation")
            assert mode == "composition" or trained == kept
            assert 0.27 < trained / len(samples) < 0.33

    def test_a_million_rows_are_listed_as_they_are_counted(self):
        samples = grid(MPI3D)
        split = hold_out_levels(samples, mode="extrapolation", share=0.1, protect=["shape", "size"], seed=0)
        sizes = {name: len(split.rows(samples, name)) for name in split.sets}
        assert sizes == {name: split.count(samples, name) for name in split.sets}
        assert sizes["test"] == sizes["one-out-height"] == 20_000
        assert sizes["probe"] == 10_000


class TestBounds:
    samples = grid({"p": 6, "q": 7, "r": 8})

    def test_bounded_sets_are_drawn_from_the_whole_ones(self):
        every = numbers(whole(self.samples, mode="extrapolation"), self.samples)
        split = whole(self.samples, mode="extrapolation", images=20, test_images=30, probe_images=9)
        some = numbers(split, self.samples)
        assert (len(some["train"]), len(some["test"]), len(some["probe"])) == (20, 30, 9)
        assert all(len(rows) <= 30 for rows in some.values())
        assert all(rows <= every[name] for name, rows in some.items())
        assert len(some["validation"]) == 1  # 5 % of twenty: few images to train on need few to choose by
        assert not some["train"] & every["validation"]
        assert split["test"].reason.endswith(f"(30 of {len(every['test'])}, by chance)")

    def test_without_validation_there_is_no_such_set_and_the_audit_says_so(self):
        split = whole(self.samples, mode="extrapolation", validation=0.0)
        assert "validation" not in split.sets
        assert "no validation set: the epoch would be chosen on training images" in audit(split, self.samples).problems

    def test_every_set_says_why_it_is_asked(self):
        split = whole(self.samples, mode="interpolation", protect=["r"])
        assert split["one-out-p"].reason == "p alone is out of range, the others are at levels trained on"
        assert all(len(row_set.reason) > 10 for row_set in split.sets.values())
        assert "many-out" not in split.sets  # two factors vary


def test_worlds_with_instances_of_their_own_are_split_by_level_too():
    space = FactorSpace({"object": range(3), "view": range(5), "light": range(4)})
    photos = Block(30, {"object": np.arange(30) % 3, "view": np.arange(30) % 5}, grid=("light",))
    some = Block(6, {"object": np.arange(6) % 3}, grid=("view", "light"), cells=np.array([[0, 0], [4, 3], [1, 2]]))
    samples = Samples(space, (photos, some))
    split = whole(samples, mode="extrapolation", protect=["object"])
    train = samples.cells(np.concatenate([split.rows(samples, "train"), split.rows(samples, "validation")]))
    assert train[:, 1].max() == 3
    assert train[:, 2].max() == 2
    found = audit(split, samples)
    assert found.problems == ()
    assert found.sizes["test"].images == split.count(samples, "test")
    assert found.sizes["test"].most > 1


@pytest.mark.parametrize(
    ("levels", "options", "sentences"),
    [
        ({"p": 4, "tint": 1}, {}, ["'tint' has one level", "variance", 'design.protect = ["tint"]']),
        ({"p": 4, "q": 4}, {"protect": ["r"]}, ["no factor 'r'", "design.protect", "possible: p, q"]),
        ({"p": 4, "q": 4}, {"protect": "p"}, ["must be a list", '["p"]']),
        ({"p": 4, "q": 4}, {"protect": ["p", "q"]}, ["names all factors (p, q)"]),
        ({"p": 4, "q": 4}, {"mode": "extrapolate"}, ["no value for design.mode 'extrapolate'", "'extrapolation'?"]),
        ({"p": 4, "q": 4}, {"share": 0.0}, ["design.share = 0.0", "between 0 and 1"]),
        ({"p": 4, "q": 4}, {"share": 1.5}, ["design.share = 1.5"]),
        ({"p": 9, "q": 3}, {"share": 0.8}, ["3 of the 3 levels of factor 'q'", "leaves 0", "needs at least 1"]),
        ({"p": 9, "q": 3}, {"share": 0.8, "mode": "random"}, ["3 of the 3 levels of factor 'q'"]),
        ({"p": 9, "q": 2}, {"mode": "interpolation"}, ["leaves 1 to interpolate between", "needs at least 2"]),
        ({"p": 5, "q": 4}, {"mode": "composition"}, ["leaves no training cell", "share of at most 0.4"]),
        ({"p": 4, "q": 4}, {"validation": 1.0}, ["design.validation = 1.0", "less than 1"]),
        ({"p": 2, "q": 2}, {"validation": 0.5}, ["leave none to train on"]),
        ({"p": 4, "q": 4}, {"test_images": 0}, ["design.test_images = 0"]),
    ],
)
def test_what_cannot_be_split_is_refused_with_a_way_out(levels, options, sentences):
    if options.get("mode") == "composition":
        options = {"share": 0.5, **options}
    with pytest.raises(UnseenError) as told:
        whole(grid(levels), **{"mode": "extrapolation", **options})
    for sentence in sentences:
        assert sentence in str(told.value)


def test_the_share_that_an_error_offers_is_one_that_works():
    samples = grid({"p": 5, "q": 4, "r": 3})
    with pytest.raises(UnseenError) as told:
        whole(samples, mode="composition", share=0.5)
    offered = float(str(told.value).partition("at most ")[2].partition(",")[0])
    assert whole(samples, mode="composition", share=offered).count(samples, "train") > 0


def test_a_factor_of_one_level_that_is_protected_is_left_out_of_the_split():
    split = whole(grid({"p": 6, "tint": 1, "q": 6}), mode="extrapolation", protect=["tint"])
    assert split.factors == ("p", "q")


def test_a_world_without_a_kind_of_row_says_which():
    space = FactorSpace({"p": range(4), "q": range(4)})
    samples = Samples(space, (Block(1, {}, grid=("p", "q"), cells=np.array([[0, 0], [1, 1], [2, 0]])),))
    with pytest.raises(UnseenError, match="leaves no test row in this world; give a larger share"):
        whole(samples, mode="extrapolation")


class TestAudit:
    @given(splits())
    def test_what_training_shows_of_each_level_and_pair_is_counted(self, made):
        samples, split, _ = made
        found = audit(split, samples)
        used = np.concatenate([split.rows(samples, name) for name in ("train", "validation") if name in split.sets])
        at = dict(zip(samples.space.names, samples.cells(used).T))
        for name, share in found.shares.items():
            n = len(samples.space[name])
            assert (share * (len(samples) / n)).round().tolist() == np.bincount(at[name], minlength=n).tolist()
        assert len(found.pairs) == math.comb(len(split.factors), 2)
        for pair in found.pairs:
            table = np.zeros(pair.trained.shape, dtype=int)
            np.add.at(table, (at[pair.rows], at[pair.columns]), 1)
            assert pair.trained.tolist() == table.tolist()
            assert (pair.there == len(samples) // pair.there.size).all()

    def test_levels_that_training_cannot_show_are_told(self):
        samples = grid({"p": 20, "q": 3})
        split = whole(samples, mode="composition", share=0.65)  # only the lowest of p is trained on
        assert "training never shows p 1, 2, 3, 4, 5, 6 … (19 in all), though it is not held out" in (
            audit(split, samples).problems
        )

    def test_rows_there_are_counted_without_looking_at_them(self):
        space = FactorSpace({"a": range(3), "b": range(130), "c": range(4)})
        rng = np.random.default_rng(0)
        blocks = (
            Block(9, {"a": rng.integers(0, 3, 9)}, grid=("b", "c")),
            Block(5, {"a": rng.integers(0, 3, 5), "b": rng.integers(0, 130, 5)}, grid=("c",)),
            Block(4, {"c": rng.integers(0, 4, 4)}, grid=("b", "a"), cells=rng.integers(0, (130, 3), (7, 2))),
        )
        samples = Samples(space, blocks)
        for pair in pairs_of(samples, space.names, [np.arange(len(samples))]):
            assert pair.trained.tolist() == pair.there.tolist()
            assert pair.there.sum() == len(samples)
            assert max(pair.there.shape) <= 64

    def test_a_coarser_pair_holds_the_same_rows(self):
        there = np.arange(35).reshape(5, 7)
        pair = Pair("p", "q", there // 2, there)
        less = pair.coarser(3, 3)
        assert less.there.shape == (3, 3)
        assert less.each == (2, 3)
        assert (less.there.sum(), less.trained.sum()) == (there.sum(), (there // 2).sum())
        assert less.there[0, 0] == there[:2, :3].sum()
        assert pair.turned().share[3, 2] == pair.share[2, 3]


RECIPE = {
    "title": "sprites",
    "world": {"name": "dsprites", "side": 16},
    "design": {"name": "hold_out_levels", "mode": "extrapolation", "protect": ["shape"]},
    "targets": ["shape"],
    "network": {"backbone": "resnet18-w8", "channels": 1},
    "recordings": {"sets": ["test", "one-out-scale", "one-out-orientation", "two-out"], "layers": "none"},
    "seeds": [0],
    "grid": {"design.mode": ["interpolation", "extrapolation"]},
}


def test_commands_show_a_split_of_five_factors_within_80_columns(say, tmp_path):
    path = written(tmp_path / "sprites.toml", RECIPE)
    said = {command: say(command, path, *more) for command, *more in (["check"], ["plan", "--no-time"], ["audit"])}
    assert all(one.code == 0 for one in said.values()), said
    assert "the splits are sound" in said["check"].out
    for command in ("plan", "audit"):
        lines = said[command].out.splitlines()
        assert [line for line in lines if len(line) > 80 and "/" not in line] == []
        assert "scale         6 levels  ████··  2 held out" in lines
        assert "scale         6 levels  █·██·█  2 held out" in lines
    assert "one-out-orientation 20,000" in said["plan"].out
    assert "scale ↓ orientation →, 53 % seen" in said["audit"].out


def test_activity_per_cell_of_many_factors_is_refused_before_training(say, tmp_path):
    recordings = {**RECIPE["recordings"], "layers": "last"}
    said = say("check", written(tmp_path / "sprites.toml", {**RECIPE, "recordings": recordings}))
    assert said.code != 0
    assert 'Set recordings.layers = "none"' in " ".join(said.err.split())
