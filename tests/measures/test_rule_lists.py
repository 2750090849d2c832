"""Rules about failures: the best rule against scikit-learn and brute force, areas and tests against scikit-learn and
scipy, planted rules found again, and nothing found where there is nothing."""

import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from unseen.measures.rules import NOTHING, Column, RuleList, failure_rules, rule_list, score_test
from unseen.measures.rules.conditions import conditions_of
from unseen.measures.rules.ranked import ranking
from unseen.vocabulary.errors import UnseenError

NAMES = tuple("abcdef")


def table(rng, n):
    """A nominal, an ordered and a circular factor, of n rows."""
    return [
        Column("background", NAMES, rng.integers(0, 6, n)),
        Column("size", ("0.4", "0.6", "0.8", "1.0", "1.2"), rng.integers(0, 5, n), "ordered"),
        Column("pose", tuple(str(30 * step) for step in range(12)), rng.integers(0, 12, n), "circular"),
    ]


def small_city(columns):
    return (columns[1].places <= 1) & (columns[0].places == 2)


def test_a_planted_rule_is_found_with_its_rate_on_rows_it_was_not_found_on():
    rng = np.random.default_rng(1)
    columns = table(rng, 4000)
    wrong = rng.random(4000) < np.where(small_city(columns), 0.72, 0.08)
    found = failure_rules(wrong, columns)
    assert found.tells
    first = found.rules[0]
    assert {str(one) for one in first.rule.conditions} == {"background = c", "size ≤ 0.6"}
    assert first.holds
    assert first.wrong.low < 0.72 < first.wrong.high
    assert found.otherwise.wrong.low < 0.08 < found.otherwise.wrong.high
    assert first.rows + sum(one.rows for one in found.rules[1:]) + found.otherwise.rows == found.judged_on == 2000


def test_an_arc_over_the_end_of_a_circle_is_one_condition():
    rng = np.random.default_rng(2)
    columns = table(rng, 3000)
    back = np.isin(columns[2].places, (10, 11, 0, 1))
    found = failure_rules(rng.random(3000) < np.where(back, 0.9, 0.1), columns, compare=False)
    assert str(found.rules[0].rule) == "pose from 300 around to 30"


def test_the_first_rule_of_one_condition_is_the_stump_of_scikit_learn():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        columns = [Column(name, ("no", "yes"), rng.integers(0, 2, 500)) for name in NAMES]
        wrong = rng.random(500) < 0.2 + 0.3 * columns[seed % 6].places
        lists = rule_list(wrong, columns, np.arange(500), longest=1, conditions=1)
        features = np.stack([one.places for one in columns], 1)
        stump = DecisionTreeClassifier(criterion="log_loss", max_depth=1, min_samples_leaf=20).fit(features, wrong)
        assert lists[1].rules[0].conditions[0].factor == NAMES[stump.tree_.feature[0]]


def test_no_pair_of_conditions_gains_more_than_the_one_that_is_found():
    rng = np.random.default_rng(3)
    columns = table(rng, 600)[:2]
    wrong = rng.random(600) < np.where(small_city(columns), 0.8, 0.2)
    rule = rule_list(wrong, columns, np.arange(600), longest=1)[1].rules[0]
    by_name = {one.name: one for one in columns}
    every = [(one, one.holds(by_name[one.factor])) for column in columns for one in conditions_of(column, wrong)]
    every = [one for one in every if one[1].sum() >= 20]
    cost, best = np.log(len(every)), {}
    for many in (1, 2):
        for some in itertools.combinations(every, many):
            inside = np.logical_and.reduce([held for _, held in some])
            if min(inside.sum(), (~inside).sum()) < 20 or wrong[inside].mean() <= wrong[~inside].mean():
                continue
            rates = np.where(inside, wrong[inside].mean(), wrong[~inside].mean())
            best[frozenset(str(one) for one, _ in some)] = -log_loss(wrong, rates, normalize=False) - many * cost
    assert frozenset(map(str, rule.conditions)) == max(best, key=lambda one: best[one])


def test_the_best_group_of_levels_is_among_those_that_are_tried():
    rng = np.random.default_rng(4)
    column = Column("background", NAMES, rng.integers(0, 6, 900))
    wrong = rng.random(900) < np.array([0.2, 0.6, 0.3, 0.7, 0.25, 0.2])[column.places]

    def deviance(levels):
        inside = np.isin(column.places, levels)
        return log_loss(wrong, np.where(inside, wrong[inside].mean(), wrong[~inside].mean()))

    for many in (1, 2, 3):
        best = min(itertools.combinations(range(6), many), key=deviance)
        tried = [one.levels for one in conditions_of(column, wrong) if len(one.levels) == many]
        assert any(np.isclose(deviance(one), deviance(best)) for one in tried)


def test_areas_are_those_of_scikit_learn_and_the_test_over_objects_is_scipys():
    rng = np.random.default_rng(5)
    risk, wrong, objects = rng.integers(0, 5, 300) / 5, rng.random(300) < 0.4, rng.integers(0, 60, 300)
    assert ranking(risk, wrong, objects).value == pytest.approx(roc_auc_score(wrong, risk))
    alone = (risk - risk.mean()) * (wrong - wrong.mean())
    expected = stats.ttest_1samp(alone, 0, alternative="greater").pvalue
    assert score_test(risk, wrong, np.arange(300)) == pytest.approx(expected)
    sums = [alone[objects == one].sum() for one in np.unique(objects)]
    assert score_test(risk, wrong, objects) == pytest.approx(stats.ttest_1samp(sums, 0, alternative="greater").pvalue)


def test_rows_of_one_object_never_judge_what_was_found_on_that_object():
    """Half of the objects always fail: a rule on their names says nothing of others."""
    rng = np.random.default_rng(6)
    objects = np.repeat(np.arange(60), 30)
    names = Column("name", tuple(map(str, range(60))), objects)
    found = failure_rules(np.repeat(rng.random(60) < 0.5, 30), [names, *table(rng, 1800)], objects, compare=False)
    assert not found.tells
    assert found.objects == (30, 30)


def test_shuffled_labels_give_no_rule():
    rng = np.random.default_rng(7)
    columns = table(rng, 1200)
    wrong = rng.random(1200) < np.where(small_city(columns), 0.9, 0.1)
    assert failure_rules(wrong, columns, compare=False).tells
    told = [failure_rules(rng.permutation(wrong), columns, compare=False, seed=seed).tells for seed in range(40)]
    assert sum(told) <= 5  # 2 are expected at most; more than 5 of 40 have probability .01 at 5 %
    assert failure_rules(rng.permutation(wrong), columns, compare=False).why == NOTHING


def clustered(rng, kind):
    """Failures that belong to objects, and know nothing of what varies within them."""
    many, each = (60, 20) if kind == "few" else (200, 10)
    objects = np.repeat(np.arange(many), each)
    shares = np.where(rng.random(many) < 0.05, 0.9, 0.02) if kind == "skewed" else rng.beta(1, 2, many)
    category = Column("category", tuple(map(str, range(10))), np.repeat(rng.integers(0, 10, many), each))
    return rng.random(many * each) < shares[objects], [category, *table(rng, many * each)], objects


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["few", "many", "skewed"])
def test_where_failures_are_the_objects_own_at_most_one_list_in_twenty_passes(kind):
    runs = 200
    made = (clustered(np.random.default_rng([8, run]), kind) for run in range(runs))
    told = [failure_rules(*one, compare=False) for one in made]
    assert stats.binomtest(sum(one.tells for one in told), runs, 0.05, "greater").pvalue > 0.01


@pytest.mark.parametrize("kind", ["few", "many", "skewed"])
def test_the_test_of_a_list_keeps_its_level_where_rows_of_an_object_are_alike(kind):
    passed = 0
    for run in range(300):
        wrong, columns, objects = clustered(np.random.default_rng([9, run]), kind)
        passed += score_test((columns[0].places < 3) * 1.0, wrong, objects) <= 0.05
    assert stats.binomtest(passed, 300, 0.05, "greater").pvalue > 0.01


@pytest.mark.slow
def test_longer_lists_are_shown_with_what_they_gain_and_none_explains_nothing():
    rng = np.random.default_rng(10)
    columns = table(rng, 4000)
    wrong = rng.random(4000) < np.select([small_city(columns), columns[2].places == 5], [0.9, 0.6], 0.05)
    found = failure_rules(wrong, columns)
    assert [one.rules for one in found.lengths] == list(range(len(found.lengths)))
    assert found.lengths[0].explains == 0
    assert found.lengths[0].auc.value == 0.5
    assert found.lengths[2].explains > found.lengths[1].explains > 0.1
    assert found.best.value > 0.8
    assert found.lengths[2].auc.value > found.best.value - 0.05  # two rules are all there is


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (np.zeros(0, bool), "no answers"),
        (np.zeros(500, bool), "all 500 answers are right"),
        (np.ones(500, bool), "all 500 answers are wrong"),
        (np.arange(12) < 6, "12 objects"),
        (np.arange(500) < 4, "wrong answers; 10 are the fewest"),
    ],
)
def test_too_little_to_judge_by_is_said_and_not_guessed(wrong, words):
    column = Column("size", ("s", "l"), np.arange(len(wrong)) % 2)
    found = failure_rules(wrong, [column])
    assert not found.tells
    assert words in found.why


def test_wrong_arguments_say_what_is_possible():
    column = Column("size", ("s", "l"), np.arange(100) % 2)
    with pytest.raises(UnseenError, match="1, 2 or 3"):
        failure_rules(np.arange(100) % 3 == 0, [column], conditions=4)
    with pytest.raises(UnseenError, match="factor 'size' has 100 rows"):
        failure_rules(np.arange(90) % 3 == 0, [column])
    with pytest.raises(UnseenError, match="nominal, ordered, circular"):
        Column("size", ("s",), np.zeros(3, int), "round")
    with pytest.raises(UnseenError, match="0 to 1"):
        Column("size", ("s", "l"), np.array([2]))
    assert RuleList((), 0.3).risk([column]).tolist() == [0.3] * 100


def test_of_one_object_nothing_is_significant():
    risk = np.array([0.0, 1.0, 0.0, 1.0])
    assert score_test(risk, risk > 0, np.zeros(4, dtype=int)) == 1.0
    assert score_test(risk[:0], risk[:0] > 0, np.zeros(0, dtype=int)) == 1.0
