"""Whether answers out of range are drawn to the mean: the verdict tells four kinds of answerers apart."""

import numpy as np
import pytest
from test_regression_study import by_hand, found, tables

from unseen.engines import open_study
from unseen.kinds.in_domain.numbers import DISTANCE, MEAN, OF_DRAWS, OF_EDGE, OF_TRUTH, SPREAD, TOWARDS
from unseen.kinds.in_domain.pull import BETWEEN, DRAWS, EDGE, NAME, OPEN, PULLED, what_they_do
from unseen.kinds.results import gather, summary_of

GRID = {"design.mode": ["random", "extrapolation"], "network.backbone": ["mlp"]}
NETWORKS = (-0.02, 0.0, 0.01, 0.03, -0.01)  # how far each network errs, one for each seed


def noise(trial, asked, true):
    return np.random.default_rng([trial.seed, len(asked), *map(ord, asked)]).standard_normal(true.shape)


def levels_of(highest):
    """Trained levels go from 0 to the highest; dSprites has so many of each factor."""
    return [np.arange(round(top * (n - 1)) + 1) / (n - 1) for top, n in zip(highest, (3, 6, 40, 32, 32))]


def pulled(trial, asked, true, highest):
    """Nine tenths of the way to the edge: farther out than draws from the trained levels."""
    return np.where(true > highest, (0.95 + NETWORKS[trial.seed]) * highest, true) + 0.02 * noise(trial, asked, true)


def at_the_mean(trial, asked, true, highest):
    return np.where(true > highest, highest / 2, true) + 0.05 * noise(trial, asked, true)


def clamped(trial, asked, true, highest):
    return np.minimum(true, highest) + 0.02 * noise(trial, asked, true)


def random_level(trial, asked, true, highest):
    rng = np.random.default_rng([trial.seed, *map(ord, asked)])
    drawn = np.stack([rng.choice(levels, len(true)) for levels in levels_of(highest)], axis=1)
    return np.where(true > highest, drawn, true)


def unbiased(trial, asked, true, highest):
    return true + 0.15 * noise(trial, asked, true)


@pytest.fixture(
    scope="module", params=[pulled, at_the_mean, clamped, random_level, unbiased], ids=lambda one: one.__name__
)
def answered(request, tmp_path_factory):
    recipe = tables(grid=GRID, seeds=list(range(5)))
    return request.param, by_hand(open_study(recipe, out=tmp_path_factory.mktemp("pull")), request.param)


def test_only_answers_that_are_drawn_to_the_mean_are_said_to_be(answered):
    answer, study = answered
    finding = found(gather(study), NAME)
    assert finding.judged
    assert finding.n == 5
    assert (finding.holds is True) == (answer in (pulled, at_the_mean))
    told = {pulled: PULLED, at_the_mean: PULLED, clamped: EDGE, random_level: DRAWS, unbiased: OPEN}[answer]
    assert told in finding.statement
    share = float(finding.statement.partition(" %")[0])
    assert abs(share - 50) < 5 if answer is unbiased else share > 90  # the paper's number tells only this one apart


def test_numbers_and_nulls_are_rows_of_the_table_for_every_factor(answered):
    answer, study = answered
    summary = summary_of(study)
    rows = summary.filter((summary["x"] == "extrapolation") & summary["set"].str.starts_with("one-out-"))

    def value(measure, target):
        (row,) = rows.filter((rows["measure"] == measure) & (rows["target"] == target)).to_dicts()
        return row["value"]

    names = ("scale", "orientation", "position_x", "position_y")
    for measure in (DISTANCE, SPREAD, f"{DISTANCE}{OF_DRAWS}", f"{DISTANCE}{OF_TRUTH}", f"{TOWARDS}{OF_DRAWS}"):
        assert value(measure, MEAN) == pytest.approx(np.mean([value(measure, name) for name in names]))
    assert all(value(f"{TOWARDS}{how}", name) == 1 for name in names for how in (OF_DRAWS, OF_EDGE))
    assert value(f"{DISTANCE}{OF_TRUTH}", "position_x") == pytest.approx((28 - 12) / 12, abs=0.1)
    wanted = {pulled: 0.9, at_the_mean: 0.1, clamped: 1, unbiased: 4 / 3}
    if answer in wanted:
        assert value(DISTANCE, "position_x") == pytest.approx(wanted[answer], abs=0.1)
    else:
        assert value(SPREAD, MEAN) == pytest.approx(1, abs=0.1)


def test_answers_between_the_edge_and_the_truth_are_told_so():
    few = np.array([-0.02, 0.0, 0.03])
    assert what_they_do(np.ones(3), 1.2 + few, 0.3 + few) == BETWEEN
    assert what_they_do(np.ones(2), 0.5 + few[:2], 0.3 + few[:2]) == OPEN  # two decide nothing
