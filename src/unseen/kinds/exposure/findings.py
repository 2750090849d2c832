"""What a study of transformations found, in sentences with numbers: the findings of Zaidi et al. 2020, on our networks.

Each finding of each model has its number, interval and n; ``exposure_numbers`` says over what. Repeats that share one
choice of categories decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.answer_words import moves, undecided
from unseen.kinds.exposure.numbers import ACROSS, GROUPS, MEDIAN, TAKEN, TAU, WITHIN
from unseen.kinds.exposure.repeats import (
    DRAW,
    SEED,
    Values,
    baseline,
    by_condition,
    by_repeat,
    common_numbers,
    growth_of,
    mean,
    mean_curve,
    shown,
    spread,
    together,
    whole_points,
    whole_repeats,
    within_each,
)
from unseen.kinds.exposure.shown import Exposure
from unseen.kinds.exposure.thresholds import threshold_answer, threshold_findings
from unseen.kinds.exposure.trends import lacking, none_shared, over, plainly, rises, signed
from unseen.kinds.judged import corrected, direction, judged, left_open, told
from unseen.measures import (
    CorrelationShares,
    Interval,
    Verdict,
    correlation_shares,
    judge,
    judge_correlation,
    judge_level,
    lowest,
    mean_interval,
)
from unseen.reports.finding import Finding
from unseen.reports.words import number
from unseen.vocabulary.words import capital, joined

if TYPE_CHECKING:
    import polars as pl

GEOMETRIC = "geometric"
RISES = "across rises"  # the key of the finding that the answer rests on
MORE = "with the number of categories seen transformed"
ACROSS_RISES = f"across rises {MORE}"
ONE_CHOICE = 'all repeats share one choice of categories: give grid."design.seed" several values'


def exposure_findings(tidy: pl.DataFrame, about: Exposure) -> tuple[Finding, ...]:
    """All findings, those of each model apart. ``tidy``: per trial ``series, x, repeat, set, target, layer, measure,
    value``."""
    models = list(dict.fromkeys(model for model, _, _ in about.series.values()))
    if len(models) == 1:
        return corrected(_findings(tidy, about))
    found: list[Finding] = []
    for model in models:
        own = {name: row for name, row in about.series.items() if row[0] == model}
        points = about.points.filter(about.points["series"].is_in(list(own)))
        both = {asked: together(points, asked) for asked in (WITHIN, ACROSS)}
        layers = tuple(one for one in about.by_layer if one.model == model)
        mine = replace(about, series=own, points=points, correlations=both, by_layer=layers)
        part = _findings(tidy.filter(tidy["series"].is_in(list(own))), mine)
        found += [replace(one, name=f"{model}: {one.name}") for one in part]
    return corrected(found)


def _findings(tidy: pl.DataFrame, about: Exposure) -> tuple[Finding, ...]:
    across, within = (by_condition(tidy, "accuracy", asked, about.category) for asked in (ACROSS, WITHIN))
    invariance = by_condition(tidy, MEDIAN, GROUPS["unseen"], "", about.layer)
    taken = by_condition(tidy, TAKEN[0], ACROSS, about.category)
    unequal = unequal_thresholds(by_condition(tidy, TAU, "", "", about.layer))
    unit = _unit(about)
    units = [
        rises(invariance, "median invariance", 1, f"invariance rises {MORE}", unit),
        *explains(about),
    ]
    growing = [name for name, (_, _, family) in about.series.items() if family in ("convolutional", "noise")]
    found = [
        rises(across, "across-category accuracy", 1, ACROSS_RISES, unit, RISES),
        geometric_lowest(across, about),
        rises(within, "within-category accuracy", -1, "within falls as more categories are seen transformed", unit),
        mistaken(taken, about),
        *(_unequal(one, unequal) if one and unequal else one for one in units),
        grows(across, growing or list(about.series), "convolutional and noise " if growing else "", unit),
    ]
    active, rest = threshold_findings(about), [replace(one, over=unit[1]) for one in found if one is not None]
    if about.same_categories:
        rest = [left_open(one, ONE_CHOICE) for one in rest]
    return (*active, *rest) if about.one_number else (*rest, *active)


def unequal_thresholds(taus: Values) -> str:
    """What is to be said where networks were scored at different τ. The same network's units are more invariant the
    higher τ is (in the last layer of a small ResNet-18 by .25 between τ = 0 and .7 under grey-scale), by more than
    networks differ at one τ; the paper has one τ per data set."""
    low, high = min(taus.values(), default=0.0), max(taus.values(), default=0.0)
    if low == high:
        return ""
    return (
        f"; networks were scored at τ from {low:g} to {high:g}, and invariance depends on τ, so this is left open: "
        f"give recordings.threshold to compare them at one"
    )


def _unequal(finding: Finding, why: str) -> Finding:
    return left_open(replace(finding, statement=finding.statement + why), "networks were scored at different τ")


def geometric_lowest(across: Values, about: Exposure) -> Finding | None:
    """Geometric transformations have the lowest across-category accuracy: lower than that of every other family."""
    family = {name: family for name, (_, _, family) in about.series.items()}
    asked = shown(across)  # what they were trained for
    values = whole_repeats(asked)
    common = common_numbers(values)
    means: dict[str, dict[int, float]] = {}
    for kind in dict.fromkeys(family.values()):
        mine = {key: v for key, v in values.items() if family.get(key[0]) == kind and key[1] in common}
        means |= {kind: by_repeat(mine)} if mine else {}
    if GEOMETRIC not in means or len(means) < 2:
        kinds = {family.get(name) for name, _, _ in asked}
        lost = GEOMETRIC in kinds and len(kinds) > 1 and values != asked
        return none_shared("geometric transformations are lowest", asked, values) if lost else None
    whole = {kind: float(np.mean(list(found.values()))) for kind, found in means.items()}
    repeats = sorted(set.intersection(*(set(found) for found in means.values())))
    change, other = lowest({kind: np.array([found[r] for r in repeats]) for kind, found in means.items()}, GEOMETRIC)
    families = ", ".join(f"{kind} {number(value)}" for kind, value in sorted(whole.items(), key=lambda item: item[1]))
    verb = "below" if change.interval.value < 0 else "above"
    statement = (
        f"across-category accuracy by family, mean over transformations{_numbers(common)}: {families}; "
        f"geometric is {number(abs(change.interval.value))} {verb} {other}, the lowest of the others"
        f"{over(change.interval.n, _unit(about))}{lacking(asked, values)}. It counts as lowest if it is "
        f"surely below each of the others"
    )
    return judged("geometric transformations are lowest", capital(statement), change)


def _numbers(common: set[float]) -> str:
    return (
        f", {min(common):g} categories seen transformed" if len(common) == 1 else " and the numbers seen that all have"
    )


def mistaken(taken: Values, about: Exposure) -> Finding | None:
    """With few categories seen transformed, transformed images of the others are mainly taken for one of them. Few are
    less than half (ours): most of a guess would be among more."""
    least = min((x for _, x, _ in taken), default=np.inf)
    if 2 * least >= about.categories:
        return None
    asked = {key: value for key, value in taken.items() if key[1] == least}
    few = whole_repeats(asked)
    if not few:
        return none_shared("the transformation becomes a cue", asked, few)
    share = judge_level(np.array(list(by_repeat(few).values())), 1, 0.5)
    many = f"{least:g} of {about.categories} categories"
    statement = (
        f"where {many} were seen transformed, {number(share.interval.value, percent=True)} of the transformed images "
        f"of the others are taken for {'it' if least == 1 else 'one of them'} (mean over transformations)"
        f"{over(share.interval.n, _unit(about))}{lacking(asked, few)}; mainly means more than one half"
    )
    return judged("the transformation becomes a cue", capital(statement), share)


def explains(about: Exposure) -> list[Finding]:
    """Invariance goes with across-category accuracy, and less (the paper: not) with within-category accuracy.

    Both rise with the number of categories seen, and both are high for transformations that hardly change a picture: so
    the correlation within one transformation and one number decides. The paper's Fig. 5c has it within a transformation
    over all numbers; that one, and the one over all networks, stand beside it. Networks of one repeat are one cluster.
    """
    points = about.points.filter(about.points["x"] > 0)
    across = whole_points(points, (ACROSS,))
    own = _adjusted(across, ACROSS)
    if not len(own.shares):
        return []
    free = [value for value in within_each(across, ACROSS).values() if np.isfinite(value)]
    silent = f"; in {own.silent} more one of the two never changes" if own.silent else ""
    pooled = about.correlations[ACROSS]
    statement = (
        f"within a transformation and a number of categories seen, median invariance of the last layer on "
        f"unseen-transformed categories and across-category accuracy have Spearman's ρ = {signed(own.value)} over "
        f"{own.strata - own.silent} such conditions{silent}{over(len(own.shares), _unit(about))}. Two more "
        f"correlations are not judged. Within a transformation over all numbers seen ρ is {signed(mean(free))} (mean "
        f"of {len(free)}), which the number seen alone can produce; over all {pooled.n} pairs of network and "
        f"transformation it is {signed(pooled.value)}, which differences between transformations can produce"
    )
    made = [judged("invariance goes with across-category accuracy", capital(statement), judge_correlation(own))]
    both = whole_points(points, (ACROSS, WITHIN))
    sides = [_adjusted(both, asked) for asked in (ACROSS, WITHIN)]
    if not all(len(side.shares) for side in sides) or sides[0].repeats != sides[1].repeats:
        return made
    gap = judge(sides[0].shares - sides[1].shares, 1, widened=sides[0].widened)
    free = [[v for v in within_each(both, asked).values() if np.isfinite(v)] for asked in (ACROSS, WITHIN)]
    statement = (
        f"within a transformation and a number, over networks that have both accuracies, ρ of invariance is "
        f"{signed(sides[0].value)} with across- and {signed(sides[1].value)} with within-category accuracy; their "
        f"difference is judged{over(len(sides[0].shares), _unit(about))}. Over all numbers seen it is "
        f"{signed(mean(free[0]))} and {signed(mean(free[1]))}, which is not judged"
    )
    name = "invariance goes more with across- than with within-category accuracy"
    return [*made, judged(name, capital(statement), gap)]


def _adjusted(points: pl.DataFrame, asked: str) -> CorrelationShares:
    """Invariance against an accuracy, with transformation (and model) and number seen held fixed."""
    x, y = (points[name].cast(float).to_numpy() for name in ("invariance", asked))
    strata = list(zip(points["series"].to_list(), points["x"].to_list()))
    return correlation_shares(x, y, strata, points["repeat"].to_list())


def grows(across: Values, series: Sequence[str], kind: str, unit: tuple[str, str] = SEED) -> Finding | None:
    """Linear or logarithmic growth of the mean curve of the transformations the paper says it of. Which one the paper
    would expect depends on how alike the categories are, which no number here says: nothing is said to hold."""
    asked = {key: v for key, v in shown(across).items() if key[0] in series}
    values = whole_repeats(asked)
    curve = mean_curve(values)
    if len({x for x, _ in curve}) < 3:
        return None
    found = growth_of(curve)
    of = f"mean of {len(series)} {kind}transformations" if len(series) > 1 else series[0]
    nearer = "logarithm" if found.logarithmic.r2 > found.linear.r2 else "straight line"
    statement = (
        f"across-category accuracy ({of}) is nearer to a {nearer} of the number seen: R² is "
        f"{number(found.linear.r2)} of a straight line and {number(found.logarithmic.r2)} of a logarithm, and AIC "
        f"differs by {number(found.advantage.value)}. The number is how far a curve leans to the logarithm, one "
        f"for each {unit[0]}. The paper has linear growth on faces and logarithmic growth on varied objects"
        f"{lacking(asked, values)}"
    )
    return told("linear or logarithmic growth", capital(statement), found.lean)


def exposure_answer(tidy: pl.DataFrame, about: Exposure, found: Sequence[Finding]) -> str:
    """The study's answer in a few sentences with numbers; ``found``: the findings of the page. Where nothing can rise,
    and τ was searched for, τ comes first."""
    accuracy = accuracy_answer(tidy, about, found)
    return f"{threshold_answer(about, found)} {accuracy}" if about.one_number and about.by_layer else accuracy


def accuracy_answer(tidy: pl.DataFrame, about: Exposure, found: Sequence[Finding]) -> str:
    """Across-category accuracy at the fewest and at the most categories seen transformed; what it does is said where
    the finding about it is decided, and the ends say the same."""
    every = by_condition(tidy, "accuracy", ACROSS, about.category)
    across = shown(every) or every
    xs = sorted({x for _, x, _ in across})
    if not xs:
        return "No answers about categories never seen transformed yet."
    across = {key: value for key, value in across.items() if key[1] in (xs[0], xs[-1])}
    across = whole_repeats(across) or across
    there = {key[:2] for key in across}
    names = [name for name in dict.fromkeys(key[0] for key in across) if {(name, xs[0]), (name, xs[-1])} <= there]
    if names:  # a transformation that was asked at one end only would make the ends means of different things
        across = {key: value for key, value in across.items() if key[0] in names}
    else:
        names = list(dict.fromkeys(key[0] for key in across))
    by = {x: by_repeat({k: v for k, v in across.items() if k[1] == x}) for x in (xs[0], xs[-1])}
    at = {x: mean_interval(np.array(list(found.values()))) for x, found in by.items()}
    of = names[0] if len(names) == 1 else f"mean of {len(names)} transformations"
    plain = plainly(baseline(every, names)) if xs[0] else ""
    if len(xs) == 1:
        return (
            f"With {xs[0]:g} of {about.categories} categories seen transformed, accuracy on transformed images of the "
            f"others is {_value(at[xs[0]])} ({of}, n = {at[xs[0]].n}){plain}."
        )
    change = judge(np.array([by[xs[-1]][key] - by[xs[0]][key] for key in by[xs[0]] if key in by[xs[-1]]]), 1)
    verb, why = _does([one for one in found if one.key == RISES], change)
    who = "Accuracy on transformed images of categories never seen transformed"
    tail = f"as the number seen transformed goes from {xs[0]:g} to {xs[-1]:g} of {about.categories}"
    count = f"({of}, n = {at[xs[-1]].n})"
    words = f"{who} {verb} from {number(at[xs[0]].value)} to {_value(at[xs[-1]])} {count} {tail}"
    if not verb:
        words = (
            f"{who} is {number(at[xs[0]].value)} with {xs[0]:g} and {_value(at[xs[-1]])} with {xs[-1]:g} of "
            f"{about.categories} categories seen transformed {count}; {why}"
        )
    last = {name: mean([v for (s, x, _), v in across.items() if (s, x) == (name, xs[-1])]) for name in names}
    ranked = sorted((name for name in names if np.isfinite(last[name])), key=lambda name: last[name])
    if len(ranked) < 3:
        return f"{words}{plain}."
    low, high = ranked[0], ranked[-1]
    words = f"{words}:" if verb else f"{words}. With {xs[-1]:g} it is"
    return f"{words} least for {low} ({number(last[low])}), most for {high} ({number(last[high])}){plain}."


def _does(trends: Sequence[Finding], change: Verdict) -> tuple[str, str]:
    """What the findings of all models let the answer say, "rises" or "falls"; else nothing, and why."""
    verbs = {one.name.partition(f": {ACROSS_RISES}")[0]: direction(one) for one in trends}
    decided = set(verbs.values())
    if {"rises", "falls"} <= decided:
        sides = [[model for model, verb in verbs.items() if verb == side] for side in ("rises", "falls", "")]
        rest = f"; open in {joined(sides[2])}" if sides[2] else ""
        return "", f"models differ: it rises in {joined(sides[0])} and falls in {joined(sides[1])}{rest}"
    if len(decided) == 1 and decided == {moves(change)} != {""}:
        return moves(change), ""
    i, why = change.interval, next((one.why for one in trends if one.why), change.why)
    apart = "its rank correlation and its change from the fewest to the most disagree"
    why = why or (apart if trends else "no finding is about it")
    return "", undecided(i.value, i.low, i.high, why)


def _unit(about: Exposure) -> tuple[str, str]:
    """What repeats are called: where the grid draws categories anew, all networks share their first weights."""
    return SEED if about.same_categories else DRAW


def _value(interval: Interval) -> str:
    if not np.isfinite(spread(interval).low):
        return number(interval.value)
    return f"{number(interval.value)} [{number(max(interval.low, 0))}, {number(min(interval.high, 1))}]"
