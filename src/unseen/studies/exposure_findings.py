"""What a study of transformations found, in sentences with numbers: the findings of Zaidi et al. 2020, on our networks.

Each finding of each model has its number, interval and n; ``exposure_numbers`` says over what. Nothing is judged by an
interval without width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.measures import Interval, mean_interval
from unseen.reports.contents import Exposure, Finding
from unseen.reports.words import number
from unseen.studies.exposure_numbers import (
    CLUSTERS,
    DRAW,
    SEED,
    Values,
    baseline,
    by_condition,
    by_repeat,
    coincide,
    common_numbers,
    ends,
    flat,
    growth_of,
    mean,
    mean_curve,
    over_transformations,
    rank_by_repeat,
    shown,
    spread,
    together,
    whole_points,
    whole_repeats,
    within_each,
)
from unseen.studies.exposures import ACROSS, GROUPS, MEDIAN, TAKEN, TAU, WITHIN
from unseen.studies.findings import sign_holds
from unseen.studies.headline import undecided, verdict
from unseen.studies.threshold_findings import threshold_answer, threshold_findings

if TYPE_CHECKING:
    import polars as pl

GEOMETRIC = "geometric"


def exposure_findings(tidy: pl.DataFrame, about: Exposure) -> tuple[Finding, ...]:
    """All findings, those of each model apart. ``tidy``: per trial ``series, x, repeat, set, target, layer, measure,
    value``."""
    models = list(dict.fromkeys(model for model, _, _ in about.series.values()))
    if len(models) == 1:
        return _findings(tidy, about)
    found: list[Finding] = []
    for model in models:
        own = {name: row for name, row in about.series.items() if row[0] == model}
        points = about.points.filter(about.points["series"].is_in(list(own)))
        both = {asked: together(points, asked) for asked in (WITHIN, ACROSS)}
        layers = tuple(one for one in about.by_layer if one.model == model)
        mine = replace(about, series=own, points=points, together=both, by_layer=layers)
        part = _findings(tidy.filter(tidy["series"].is_in(list(own))), mine)
        found += [replace(one, name=f"{model}: {one.name}") for one in part]
    return tuple(found)


def _findings(tidy: pl.DataFrame, about: Exposure) -> tuple[Finding, ...]:
    across, within = (by_condition(tidy, "accuracy", asked, about.category) for asked in (ACROSS, WITHIN))
    invariance = by_condition(tidy, MEDIAN, GROUPS["unseen"], "", about.layer)
    taken = by_condition(tidy, TAKEN[0], ACROSS, about.category)
    unequal = unequal_thresholds(by_condition(tidy, TAU, "", "", about.layer))
    more = "with the number of categories seen transformed"
    unit = _unit(about)
    units = [
        rises(invariance, "median invariance", 1, f"invariance rises {more}", unit),
        *explains(about),
    ]
    growing = [name for name, (_, _, family) in about.series.items() if family in ("convolutional", "noise")]
    found = [
        rises(across, "across-category accuracy", 1, f"across rises {more}", unit),
        geometric_lowest(across, about),
        rises(within, "within-category accuracy", -1, "within falls as more categories are seen transformed", unit),
        mistaken(taken, about),
        *(left_open(one, unequal) if one and unequal else one for one in units),
        grows(across, growing or list(about.series), "convolutional and noise " if growing else "", unit),
    ]
    active, rest = threshold_findings(about), [one for one in found if one is not None]
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


def left_open(finding: Finding, why: str) -> Finding:
    return replace(finding, statement=finding.statement + why, holds=None)


def rises(every: Values, what: str, expected: int, name: str, unit: tuple[str, str] = SEED) -> Finding | None:
    """Does a number go up (or down) with the number of categories seen transformed, of which there is one at least? ρ
    within each transformation and repeat, averaged over transformations; the interval is over repeats."""
    values = whole_repeats(shown(every))
    series = list(dict.fromkeys(key[0] for key in values))
    each = {one: rank_by_repeat(values, one) for one in series}
    each = {one: found for one, found in each.items() if found}
    if not each:
        return None
    repeats = sorted({repeat for found in each.values() for repeat in found})
    overall = mean_interval(np.array([np.mean([f[r] for f in each.values() if r in f]) for r in repeats]))
    overall = replace(overall, low=float(np.clip(overall.low, -1, 1)), high=float(np.clip(overall.high, -1, 1)))
    means = {one: float(np.mean(list(found.values()))) for one, found in each.items()}
    with_sign = sum(np.sign(value) == expected for value in means.values())
    first, last = ends(values, list(each))
    verb = "rises" if expected > 0 else "falls"
    told = (
        f"with the number of categories seen transformed, {what} {verb} for {with_sign} of {len(means)} "
        f"transformations; Spearman's ρ within a transformation is {_signed(overall.value)} on average"
        f"{_extremes(means)}. The mean goes from {number(first)} at the fewest to {number(last)} at the most"
        f"{_plainly(baseline(every, list(each)))}{_flat(*flat(values, list(each)))}{_over(overall.n, unit)}"
    )
    found = _finding(name, told, overall, sign_holds(overall, expected))
    grown = _grown(values, list(each))
    if overall.n > 1 and coincide(overall.low, overall.high) and not coincide(grown.low, grown.high):
        change = f"{_signed(grown.value)} [{_signed(grown.low)}, {_signed(grown.high)}]"
        said = f"{found.statement}, and the change from the fewest to the most decides: {change}"
        return replace(found, statement=said, holds=sign_holds(grown, expected))
    return found


def _flat(never: int, of: int) -> str:
    return f"; {never} of {of} curves never change and count as ρ = 0 (ours)" if never else ""


def _grown(values: Values, series: Sequence[str]) -> Interval:
    """From the fewest to the most seen, by repeat, averaged over transformations."""
    changes: dict[int, list[float]] = {}
    for one in series:
        mine = {(x, repeat): value for (name, x, repeat), value in values.items() if name == one}
        for repeat in {repeat for _, repeat in mine}:
            seen = sorted(x for x, r in mine if r == repeat)
            changes.setdefault(repeat, []).append(mine[seen[-1], repeat] - mine[seen[0], repeat])
    return mean_interval(np.array([np.mean(found) for _, found in sorted(changes.items())]))


def geometric_lowest(across: Values, about: Exposure) -> Finding | None:
    """Geometric transformations have the lowest across-category accuracy: against the family with the next lowest."""
    family = {name: family for name, (_, _, family) in about.series.items()}
    values = whole_repeats(shown(across))  # what they were trained for
    common = common_numbers(values)
    means: dict[str, dict[int, float]] = {}
    for kind in dict.fromkeys(family.values()):
        mine = {key: v for key, v in values.items() if family.get(key[0]) == kind and key[1] in common}
        means |= {kind: by_repeat(mine)} if mine else {}
    if GEOMETRIC not in means or len(means) < 2:
        return None
    whole = {kind: float(np.mean(list(found.values()))) for kind, found in means.items()}
    other = min((kind for kind in means if kind != GEOMETRIC), key=lambda kind: whole[kind])
    both = [repeat for repeat in means[GEOMETRIC] if repeat in means[other]]
    change = mean_interval(np.array([means[GEOMETRIC][r] - means[other][r] for r in both]))
    told = ", ".join(f"{kind} {number(value)}" for kind, value in sorted(whole.items(), key=lambda item: item[1]))
    verb = "below" if change.value < 0 else "above"
    statement = (
        f"across-category accuracy by family, mean over transformations{_numbers(common)}: {told}; "
        f"geometric is {number(abs(change.value))} {verb} {other}, the lowest of the others"
        f"{_over(change.n, _unit(about))}"
    )
    return _finding("geometric transformations are lowest", statement, change, sign_holds(change, -1))


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
    few = whole_repeats({key: value for key, value in taken.items() if key[1] == least})
    share = mean_interval(np.array(list(by_repeat(few).values())))
    half = Interval(share.value - 0.5, share.low - 0.5, share.high - 0.5, share.n, share.method)
    many = f"{least:g} of {about.categories} categories"
    statement = (
        f"where {many} were seen transformed, {number(share.value, percent=True)} of the transformed images of the "
        f"others are taken for {'it' if least == 1 else 'one of them'} (mean over transformations)"
        f"{_over(share.n, _unit(about))}; "
        f"mainly means more than one half"
    )
    low, high = (float(np.clip(end, 0, 1)) for end in (share.low, share.high))
    return _finding(
        "the transformation becomes a cue",
        statement,
        Interval(share.value, low, high, share.n, ""),
        sign_holds(half, 1),
    )


def explains(about: Exposure) -> list[Finding]:
    """Invariance goes with across-category accuracy, and less (the paper: not) with within-category accuracy.

    The paper's Fig. 5c has it for every transformation, so ρ within each is averaged: over all networks together, those
    that hardly change a picture are high on both axes, and that alone makes a correlation. A transformation where one
    of the two never changes counts as 0, but is left out of the difference where it is within-category accuracy.
    """
    found = []
    alike = f"networks of one transformation or {_unit(about)[0]} are not independent"
    ranks = {n: float(np.nan_to_num(r)) for n, r in within_each(whole_points(about.points, (ACROSS,)), ACROSS).items()}
    if ranks:
        own, pooled = over_transformations(list(ranks.values())), about.together[ACROSS]
        statement = (
            f"within a transformation, median invariance of the last layer on unseen-transformed categories and "
            f"across-category accuracy have Spearman's ρ = {_signed(own.value)} over its networks, mean of {own.n} "
            f"transformations{_extremes(ranks)}{_resampled(own.n)}. Over all {pooled.n} pairs of network and "
            f"transformation together ρ is {_signed(pooled.value)}, which differences between transformations alone "
            f"can make, so it is not judged; {alike}"
        )
        found.append(_finding("invariance goes with across-category accuracy", statement, own, sign_holds(own, 1)))
    both = whole_points(about.points, (ACROSS, WITHIN))
    pair = [within_each(both, asked) for asked in (ACROSS, WITHIN)]
    names = [name for name, value in pair[1].items() if np.isfinite(value)]
    if not names:
        return found
    sides = [[float(np.nan_to_num(one[name])) for name in names] for one in pair]
    gap = over_transformations([a - w for a, w in zip(*sides)])
    pooled = [_signed(together(both, asked).value) for asked in (ACROSS, WITHIN)]
    statement = (
        f"within a transformation, over its networks that have both accuracies, ρ of invariance is "
        f"{_signed(mean(sides[0]))} with across- and {_signed(mean(sides[1]))} with within-category accuracy; the "
        f"number is their difference, mean of {gap.n} transformations{_resampled(gap.n)}. Over all {both.height} pairs "
        f"of network and transformation together ρ is {pooled[0]} and {pooled[1]}, not judged; {alike}"
    )
    name = "invariance goes more with across- than with within-category accuracy"
    return [*found, _finding(name, statement, gap, sign_holds(gap, 1))]


def _resampled(n: int) -> str:
    """Where the interval over transformations comes from, or why there is none."""
    if n >= CLUSTERS:
        return "; whole transformations are resampled"
    return f"; {n} transformation{'s are' if n > 1 else ' is'} too few to resample, so this is left open"


def grows(across: Values, series: Sequence[str], kind: str, unit: tuple[str, str] = SEED) -> Finding | None:
    """Linear or logarithmic growth of the mean curve of the transformations the paper says it of. Which one the paper
    would expect depends on how alike the categories are, which no number here says: nothing is said to hold."""
    curve = mean_curve(whole_repeats({key: v for key, v in shown(across).items() if key[0] in series}))
    if len({x for x, _ in curve}) < 3:
        return None
    found = growth_of(curve)
    of = f"mean of {len(series)} {kind}transformations" if len(series) > 1 else series[0]
    words = {"linear": "is linear", "logarithmic": "is logarithmic"}
    said = words.get(found.verdict, f"may be linear or logarithmic ({found.reason.replace(SEED[0], unit[0])})")
    statement = (
        f"the growth of across-category accuracy ({of}) {said}; R² is {number(found.linear.r2)} of a straight line and "
        f"{number(found.logarithmic.r2)} of a logarithm. The number is AIC(linear) − AIC(logarithmic), with an "
        f"interval over resampled {unit[1]}. The paper has linear growth on faces and logarithmic growth on varied "
        f"objects"
    )
    return _finding("linear or logarithmic growth", statement, found.advantage, None)


def exposure_answer(tidy: pl.DataFrame, about: Exposure) -> str:
    """The study's answer in a few sentences with numbers. Where nothing can rise, and τ was searched for, τ comes
    first."""
    told = accuracy_answer(tidy, about)
    return f"{threshold_answer(about)} {told}" if about.one_number and about.by_layer else told


def accuracy_answer(tidy: pl.DataFrame, about: Exposure) -> str:
    """Across-category accuracy at the fewest and at the most categories seen transformed."""
    every = by_condition(tidy, "accuracy", ACROSS, about.category)
    across = shown(every) or every
    xs = sorted({x for _, x, _ in across})
    if not xs:
        return "No answers about categories never seen transformed yet."
    there = {key[:2] for key in across}
    names = [name for name in dict.fromkeys(key[0] for key in across) if {(name, xs[0]), (name, xs[-1])} <= there]
    if names:  # a transformation that was asked at one end only would make the ends means of different things
        across = {key: value for key, value in across.items() if key[0] in names}
    else:
        names = list(dict.fromkeys(key[0] for key in across))
    by = {x: by_repeat({k: v for k, v in across.items() if k[1] == x}) for x in (xs[0], xs[-1])}
    at = {x: mean_interval(np.array(list(found.values()))) for x, found in by.items()}
    of = names[0] if len(names) == 1 else f"mean of {len(names)} transformations"
    plainly = _plainly(baseline(every, names)) if xs[0] else ""
    if len(xs) == 1:
        return (
            f"With {xs[0]:g} of {about.categories} categories seen transformed, accuracy on transformed images of the "
            f"others is {_value(at[xs[0]])} ({of}, n = {at[xs[0]].n}){plainly}."
        )
    change = mean_interval(np.array([by[xs[-1]][key] - by[xs[0]][key] for key in by[xs[0]] if key in by[xs[-1]]]))
    who = "Accuracy on transformed images of categories never seen transformed"
    tail = f"as the number seen transformed goes from {xs[0]:g} to {xs[-1]:g} of {about.categories}"
    count = f"({of}, n = {at[xs[-1]].n})"
    said = f"{who} {verdict(change)} from {number(at[xs[0]].value)} to {_value(at[xs[-1]])} {count} {tail}"
    if not verdict(change):
        said = (
            f"{who} is {number(at[xs[0]].value)} with {xs[0]:g} and {_value(at[xs[-1]])} with {xs[-1]:g} of "
            f"{about.categories} categories seen transformed {count}; {undecided(change)}"
        )
    last = {name: mean([v for (s, x, _), v in across.items() if (s, x) == (name, xs[-1])]) for name in names}
    ranked = sorted((name for name in names if np.isfinite(last[name])), key=lambda name: last[name])
    if len(ranked) < 3:
        return f"{said}{plainly}."
    low, high = ranked[0], ranked[-1]
    said = f"{said}:" if verdict(change) else f"{said}. With {xs[-1]:g} it is"
    return f"{said} least for {low} ({number(last[low])}), most for {high} ({number(last[high])}){plainly}."


def _extremes(means: Mapping[str, float]) -> str:
    if len(means) < 2:
        return ""
    low, high = min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])
    if means[low] == means[high]:
        return f", {_signed(means[low])} for each"
    return f", from {_signed(means[low])} ({low}) to {_signed(means[high])} ({high})"


def _unit(about: Exposure) -> tuple[str, str]:
    """What repeats are called: where the grid draws categories anew, all networks share their first weights."""
    return SEED if about.same_categories else DRAW


def _over(n: int, unit: tuple[str, str]) -> str:
    return f"; over {n} {unit[1]}" if n > 1 else f"; one {unit[0]}, so no interval"


def _plainly(value: float) -> str:
    return f"; a plainly trained network has {number(value)}" if np.isfinite(value) else ""


def _signed(value: float) -> str:
    return "not defined" if np.isnan(value) else f"{value:.2f}".replace("-", "−")


def _value(interval: Interval) -> str:
    if not np.isfinite(spread(interval).low):
        return number(interval.value)
    return f"{number(interval.value)} [{number(max(interval.low, 0))}, {number(min(interval.high, 1))}]"


def _finding(name: str, statement: str, interval: Interval, holds: bool | None) -> Finding:
    """Where an interval has no width there is none, and nothing is judged."""
    said = statement[:1].upper() + statement[1:]
    if coincide(interval.low, interval.high):
        said, holds, interval = f"{said}; all coincide, so there is no interval", None, spread(interval)
    return Finding(name, said, interval.value, interval.low, interval.high, interval.n, None, holds)
