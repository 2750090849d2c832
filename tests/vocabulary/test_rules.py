"""Rules over levels: counting, asking a row and listing all rows agree with looking at every row, for any world."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unseen.vocabulary import rules
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.factors import FactorSpace
from unseen.vocabulary.pools import Pools
from unseen.vocabulary.rules import EVERY_ROW, Drawn, at_most, marked
from unseen.vocabulary.samples import Block, Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.split import Part, RowSet, Split

NAMES = ("a", "b", "c", "d")


def grid(*shape):
    space = FactorSpace({name: range(n) for name, n in zip(NAMES, shape)})
    return Samples(space, (Block(1, {}, grid=space.names),))


@st.composite
def worlds(draw):
    """Blocks that store some factors, compute others, or list the cells they show."""
    space = FactorSpace({name: range(draw(st.integers(1, 5))) for name in NAMES[: draw(st.integers(1, 4))]})
    rng = np.random.default_rng(draw(st.integers(0, 100)))
    blocks = []
    for _ in range(draw(st.integers(1, 3))):
        inside = tuple(name for name in space.names if draw(st.booleans()))
        n = draw(st.integers(1, 6))
        cells = None
        if inside and draw(st.booleans()):
            cells = rng.integers(0, space.select(inside).shape, (draw(st.integers(0, 6)), len(inside)))
        stored = {name: rng.integers(0, len(space[name]), n) for name in space.names if name not in inside}
        blocks.append(Block(n, stored, grid=inside, cells=cells))
    samples = Samples(space, tuple(blocks))
    assume(len(samples) > 0)
    return samples


@st.composite
def marked_rules(draw, samples):
    names = draw(st.lists(st.sampled_from(samples.space.names), unique=True))
    marks = {name: draw(st.sets(st.integers(0, len(samples.space[name]) - 1))) for name in names}
    least = draw(st.integers(0, 3))
    most = draw(st.none() | st.integers(least, 4))
    return marked(marks, least=least, most=most, also=draw(st.sampled_from([None, *names])))


def looked_at(rule, samples):
    """The rows of a rule over marks, by looking at each row as a person would."""
    found = []
    for row, cell in enumerate(samples.cells(np.arange(len(samples)))):
        at = dict(zip(samples.space.names, cell))
        out = [name for name, levels in rule.marks if at[name] in levels]
        many = len(out) >= rule.least and (rule.most is None or len(out) <= rule.most)
        if many and (rule.also is None or rule.also in out):
            found.append(row)
    return found


@given(st.data())
def test_counting_asking_and_listing_agree_with_looking_at_every_row(data):
    samples = data.draw(worlds())
    rule = data.draw(marked_rules(samples))
    wanted = looked_at(rule, samples)
    assert rule.count(samples) == len(wanted)
    assert rule.rows(samples).tolist() == wanted
    assert np.flatnonzero(rule.holds(samples, np.arange(len(samples)))).tolist() == wanted


@given(st.data())
def test_a_row_is_answered_alike_in_any_company(data):
    samples = data.draw(worlds())
    rule = Drawn(data.draw(marked_rules(samples)), "some", 0, skip=1, take=3)
    some = np.array(data.draw(st.lists(st.integers(0, len(samples) - 1), max_size=12)), dtype=np.int64)
    assert rule.holds(samples, some).tolist() == np.isin(some, rule.rows(samples)).tolist()


@given(st.data(), st.integers(0, 60), st.none() | st.integers(0, 60), st.integers(0, 5), st.sampled_from([1, 2, 16]))
def test_a_draw_takes_exactly_the_rows_of_its_ranks(data, skip, take, seed, digits):
    samples = data.draw(worlds())
    of = data.draw(marked_rules(samples))
    rule = Drawn(of, "a name", seed, skip, take)
    rows = of.rows(samples)
    in_order = rows[np.argsort(keyed(seed, "a name", rows))]
    wanted = sorted(in_order[skip : None if take is None else skip + take].tolist())
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(rules, "DIGITS", digits)  # few heaps with many rows, or many with one
        assert rule.rows(samples).tolist() == wanted
    assert rule.count(samples) == len(wanted)


@given(st.data(), st.integers(0, 40))
def test_a_draw_and_the_rest_are_the_whole(data, first):
    samples = data.draw(worlds())
    of = data.draw(marked_rules(samples))
    left, right = Drawn(of, "x", 0, take=first), Drawn(of, "x", 0, skip=first)
    both = np.concatenate([left.rows(samples), right.rows(samples)])
    assert np.sort(both).tolist() == of.rows(samples).tolist()


def test_draws_of_draws_are_exact_and_other_names_draw_others():
    samples = grid(10, 10, 10)
    half = Drawn(EVERY_ROW, "half", 0, take=500)
    first, second = Drawn(half, "one", 0, take=100), Drawn(half, "two", 0, take=100)
    assert len(first.rows(samples)) == len(second.rows(samples)) == 100
    assert np.isin(first.rows(samples), half.rows(samples)).all()
    assert 5 < len(np.intersect1d(first.rows(samples), second.rows(samples))) < 40  # 20 expected of chance


def test_at_most_leaves_a_rule_that_is_not_bounded_as_it_is():
    rule = marked({"a": [0]}, least=1)
    assert at_most(rule, None, name="n", seed=0) is rule
    assert at_most(rule, 3, name="n", seed=0).count(grid(4, 4)) == 3


def test_a_large_grid_is_looked_at_in_pieces_with_tables_of_bounded_size(monkeypatch):
    samples = grid(7, 5, 6, 9)
    rule = marked({"a": [1, 2], "b": [4], "c": [0, 5], "d": [3]}, least=1, most=2, also="c")
    wanted = looked_at(rule, samples)
    monkeypatch.setattr(rules, "CHUNK", 100)
    monkeypatch.setattr(rules, "TABLE", 12)
    tables = rules._weights(samples, rule.marks, rule.also)[0][1]
    assert [len(table) for table in tables] == [7, 5, 6, 9]
    assert rule.rows(samples).tolist() == wanted
    assert max(map(len, rule.chunks(samples))) <= 100
    assert np.flatnonzero(rule.holds(samples, np.arange(len(samples)))).tolist() == wanted


def test_a_grid_too_large_to_list_is_counted():
    samples = grid(1000, 1000, 1000, 1000)
    inside = marked({name: range(800, 1000) for name in NAMES}, most=0)
    assert inside.count(samples) == 800**4
    assert Drawn(inside, "some", 0, take=50).count(samples) == 50
    assert inside.holds(samples, np.array([0, 799, 800, 10**12 - 1])).tolist() == [True, True, False, False]


def test_a_level_or_factor_that_does_not_exist_is_named():
    with pytest.raises(UnseenError, match="marks level 9 of factor 'a'; it has level numbers 0 to 3"):
        marked({"a": [9]}, least=1).count(grid(4, 4))
    samples = Samples(FactorSpace({"a": range(4)}), (Block(4, {"a": np.arange(4)}),))
    with pytest.raises(UnseenError, match="marks level 9 of factor 'a'"):
        marked({"a": [9]}, least=1).rows(samples)


def test_a_split_honours_its_rules_and_other_sets_are_as_they_were():
    samples = grid(4, 3)
    corner = RowSet("the corner", rule=marked({"a": [3], "b": [2]}, least=2))
    split = Split(("a", "b"), {"train": corner, "old": RowSet("a cell", parts=(Part((0, 1)),))}, Pools(by="nothing"))
    assert split.rows(samples, "train").tolist() == [11]
    assert split.count(samples, "train") == 1
    assert np.argwhere(split.mask(samples, "train")).tolist() == [[3, 2]]
    assert split.rows(samples, "old").tolist() == [1]
    assert RowSet("as before").rule is None
