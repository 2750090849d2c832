"""Every rule that gives a verdict, on studies in which nothing is to be found, and on studies in which something is.

The simulations are those of ``bench.verdicts``: whole pages made by the functions that judge real studies. A rule may
say "holds" where nothing is in 5 % of studies, and a page of many rules may say anything in 5 % of pages; what a number
of simulations adds by its own chance is allowed for (a binomial bound that a true 5 % exceeds once in a thousand).
"""

import importlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binom

from unseen.kinds.table import KINDS
from unseen.measures import (
    correlation_shares,
    judge,
    judge_correlation,
    judge_dependence,
    judge_level,
    judge_ranks,
    least_effect,
    lowest,
    mostly,
    nested_spread,
    power,
)

STUDIES = 300
PAGES = {
    "combinations": (3, 5), "exposures": (3, 5), "regressions": (3, 5), "matrices": (3, 5), "domains": (3, 5),
    "variabilities": (3, 5), "thresholds": (12,), "growths": (3, 5), "transfers": (3, 5), "pretrainings": (3, 5),
    "cues": (3, 5), "replicas": (3, 5), "looking": (3, 5), "concepts": (3, 5), "sanity": (3, 5),
    "weaknesses": (12, 40), "costliest": (12, 40),
}  # fmt: skip
# Which pages of numbers stand for a kind of study; "subjects" judges nothing.
OF_KINDS = {
    "combinations": {"combinations"}, "in_domain": {"regressions", "transfers"}, "conditions": {"matrices"},
    "exposure": {"exposures", "thresholds", "growths"}, "domains": {"domains"}, "cues": {"cues"},
    "variability": {"variabilities", "pretrainings"}, "replica": {"replicas"}, "subjects": set(), "sanity": {"sanity"},
    "weaknesses": {"weaknesses", "costliest"}, "looking": {"looking"}, "concepts": {"concepts"},
}  # fmt: skip


@pytest.fixture
def simulate(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    bench = importlib.import_module("bench.verdicts")
    assert {page: ns for page, (_, ns) in bench.PAGES.items()} == PAGES
    return bench.simulate


def allowed(tries, rate=0.05):
    """The share of so many tries that a rate of 5 % exceeds once in a thousand."""
    return binom.ppf(0.999, tries, rate) / tries


def said(verdicts):
    """Shares of "holds" and of any verdict."""
    verdicts = list(verdicts)
    return np.mean([v is True for v in verdicts]), np.mean([v is not None for v in verdicts])


def test_every_kind_of_study_that_judges_has_a_page_of_simulations():
    assert set(OF_KINDS) == set(KINDS), "a new kind: add a page to bench/simulated_pages.py"
    assert set().union(*OF_KINDS.values()) == set(PAGES)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("variabilities", "exposures")])  # seconds each
def test_a_page_with_an_effect_says_something_and_one_without_next_to_nothing(simulate, page):
    """Two studies of each: that the pages are made at all; rates are the slow tests' matter."""
    rules, whole = simulate(page, PAGES[page][-1], "normal", True, 2)
    assert rules
    assert whole > 0
    assert simulate(page, PAGES[page][-1], "normal", False, 2)[0].keys() == rules.keys()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "skewed", "ties"])
@pytest.mark.parametrize(("page", "n"), [(page, n) for page, ns in PAGES.items() for n in ns])
def test_no_rule_says_holds_where_nothing_is_in_more_than_5_percent_of_studies(simulate, page, n, kind):
    rules, whole = simulate(page, n, kind, False, STUDIES)
    assert rules
    for rule, rate in rules.items():
        assert rate <= allowed(STUDIES), rule
    assert whole <= allowed(STUDIES), "of pages that say anything, corrected"


FINDS = {
    ("combinations", "diversity helps OOD", 3): 0.9,
    ("combinations", "separate against shared", 3): 0.8,
    ("combinations", "separate against shared", 5): 0.95,
    ("exposures", "across rises with the number of categories seen transformed", 3): 0.9,
    ("exposures", "geometric transformations are lowest", 3): 0.9,
    ("exposures", "the transformation becomes a cue", 3): 0.9,
    ("exposures", "invariance goes with across-category accuracy", 5): 0.8,
    ("regressions", "extrapolation is hardest", 5): 0.9,
    ("regressions", "answers are drawn to the mean", 3): 0.9,
    ("matrices", "a condition never seen is not known", 3): 0.9,
    ("matrices", "trained conditions are near the ceiling", 3): 0.8,
    ("domains", "known less well where the domain was never seen", 3): 0.9,
    ("variabilities", "pose, background and size are the worst", 5): 0.8,
    ("variabilities", "variation in all objects closes the gap", 3): 0.8,
    ("variabilities", "half of the classes varying is worse than none", 3): 0.8,
    ("thresholds", "near chance", 12): 0.5,
    ("growths", "linear or logarithmic", 5): 0.8,
    ("matrices", "geirhos-salt-and-pepper does not help with other noise", 5): 0.7,
    ("transfers", "transfer helps to extrapolate", 5): 0.9,
    ("pretrainings", "what varies in pretraining closes its gap", 5): 0.9,
    ("cues", "shape bias rises with decorrelation", 3): 0.9,
    ("cues", "small patches go least by shape", 5): 0.9,
    ("replicas", "'harder' lowers accuracy", 5): 0.9,
    ("replicas", "the slope on 'shifted' exceeds 1", 5): 0.9,
    ("looking", "evidence leaves the object where the combination was not seen", 5): 0.9,
    ("concepts", "read from concepts, the class holds better", 5): 0.9,
    ("concepts", "concepts fail where the class does", 5): 0.9,
    ("sanity", "maps change with the weights", 5): 0.9,
    ("weaknesses", "a change costs accuracy", 40): 0.6,
    ("costliest", "one change costs most", 40): 0.8,
}


@pytest.mark.slow
@pytest.mark.parametrize(("page", "rule", "n"), list(FINDS))
def test_effects_of_the_size_that_papers_report_are_found(simulate, page, rule, n):
    rules, _ = simulate(page, n, "normal", True, 60)
    assert rules[rule] >= FINDS[page, rule, n]


@pytest.mark.parametrize("n", [3, 5, 8])
def test_t_over_repeats_keeps_its_5_percent_and_its_power_is_that_of_the_formula(n):
    rng = np.random.default_rng(n)
    holds, any_ = said(judge(values, 1).holds for values in rng.normal(0, 1, (2000, n)))
    assert any_ <= allowed(2000)
    assert holds <= allowed(2000, 0.025)
    effect = least_effect(n)
    found, _ = said(judge(values, 1).holds for values in rng.normal(effect, 1, (600, n)))
    assert power(n, effect) == pytest.approx(0.8, abs=1e-3)
    assert abs(found - 0.8) < 0.06


@pytest.mark.parametrize("tied", ["independent", "shared", "one side"])
@pytest.mark.parametrize("repeats", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5)), 6])
def test_correlations_within_strata_keep_their_rate_however_alike_the_strata_of_a_repeat_are(repeats, tied):
    rng = np.random.default_rng(repeats)
    strata = np.repeat(np.arange(8), repeats).tolist()
    owner = np.tile(np.arange(repeats), 8).tolist()
    verdicts = []
    for _ in range(500):
        x, y = rng.normal(size=(2, 8, repeats)) * (1 + 5 * np.arange(8)[None, :, None])  # strata differ in spread
        x = x + 100 * rng.normal(size=repeats) * (tied != "independent") + 1000 * np.arange(8)[:, None]
        y = y + 100 * rng.normal(size=repeats) * (tied == "shared") + 1000 * np.arange(8)[:, None]
        verdicts.append(judge_correlation(correlation_shares(x.ravel(), y.ravel(), strata, owner)).holds)
    assert said(verdicts)[0] <= allowed(500)


def test_pooling_architectures_or_diversities_would_be_a_false_alarm_and_strata_are_none():
    """The confound of the page: architectures differ in both numbers, and within one nothing goes together."""
    rng, pooled, within = np.random.default_rng(0), [], []
    for _ in range(200):
        level = np.repeat(np.arange(2.0), 5)
        x, y = level + 0.3 * rng.normal(size=(2, 10))
        pooled.append(judge_ranks(x, y).holds)
        shares = correlation_shares(x, y, [0] * 5 + [1] * 5, [*range(5), *range(5)])
        within.append(judge_correlation(shares).holds)
    assert said(pooled)[0] > 0.5
    assert said(within)[0] <= allowed(200)


def test_the_lowest_of_several_is_seldom_said_of_equals_and_never_against_a_minimum_found_afterwards():
    rng, by_rule, post_hoc = np.random.default_rng(0), [], []
    for _ in range(800):
        groups = {name: rng.normal(0, 1, 5) for name in "abcd"}
        by_rule.append(lowest(groups, "a")[0].holds)
        rival = min("bcd", key=lambda name: groups[name].mean())
        post_hoc.append(judge(groups["a"] - groups[rival], -1).holds)
    assert said(by_rule)[1] <= allowed(800)
    against = np.mean([one is False for one in post_hoc])
    assert against > allowed(800, 0.025) > np.mean([one is False for one in by_rule]), "what the old rule did"
    far = {name: rng.normal(0 if name == "a" else 3, 1, 5) for name in "abcd"}
    assert lowest(far, "a")[0].holds is True


@pytest.mark.parametrize("n", [3, 5, 8])
@pytest.mark.parametrize(("margin", "spread"), [(0.5, 0.29), (0.8, 0.12), (0.8, 0.06), (0.9, 0.07)])
def test_levels_near_an_end_of_their_range_keep_their_rate(n, margin, spread):
    size = margin * (1 - margin) / spread**2 - 1
    drawn = beta.rvs(margin * size, (1 - margin) * size, size=(1500, n), random_state=n)
    assert said(judge_level(values, 1, margin).holds for values in drawn)[0] <= allowed(1500)


def test_signs_keep_their_rate_whatever_the_shape_and_t_does_not():
    rng = np.random.default_rng(0)
    shares = rng.exponential(0.1 / np.log(2), (1500, 12))  # the median is a tenth
    assert said(mostly(values, -1, 0.1).holds for values in shares)[1] <= allowed(1500)
    skewed = rng.exponential(0.1, (1500, 12))  # the mean is
    assert said(judge(values, -1, null=0.1).holds for values in skewed)[0] > 0.06


@pytest.mark.parametrize("images", [3, 8, 30])
def test_whether_maps_depend_on_the_weights_is_seldom_said_at_the_line(images):
    rng, said_ = np.random.default_rng(images), []
    for _ in range(1000):
        alike = 0.5 + rng.normal(0, 0.1, (1, images)) + rng.normal(0, 0.03, (6, images))
        said_.append(judge_dependence(alike).words.startswith("do"))
    assert np.mean(said_) <= allowed(1000)


def test_the_part_of_choices_and_of_seeds_is_told_apart():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        choice = rng.normal(0, 0.1, 6)
        values = np.repeat(choice, 3) + rng.normal(0, 0.03, 18)
        one = nested_spread(values, np.repeat(np.arange(6), 3).tolist())
        found.append((one.choices, one.seeds))
    assert np.sqrt(np.mean(np.square(found), axis=0)) == pytest.approx([0.1, 0.03], rel=0.1)
