"""From which activity on the units of a network count, where studies search for it (Zaidi et al. 2020, section 3.2 and
Fig. 7): τ of each layer, and accuracy without the units below it or above it.

A network is asked about one transformation; those that saw none transformed are left out where others did. Networks of
one transformation are averaged first, and intervals are over transformations where there are enough of them: what one
of them leaves says little of another, so that signs decide. A network whose curve gives no τ is counted and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.exposure.numbers import read_thresholds
from unseen.kinds.exposure.repeats import (
    CLUSTERS,
    DRAW,
    DRAWS,
    RESAMPLED,
    SEED,
    mean,
    spread,
)
from unseen.kinds.exposure.shown import Exposure, LayerThreshold
from unseen.kinds.summaries import plain
from unseen.measures import Interval, chance, mostly, percentile_ends, resamples
from unseen.reports.finding import Finding
from unseen.reports.words import number
from unseen.studies.invariances import NO_TAU
from unseen.studies.records import Record
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.seeds import stream
from unseen.vocabulary.words import capital, joined

if TYPE_CHECKING:
    import polars as pl

PUBLISHED = "0.1 on faces and 0.05 on ImageNet"  # one τ for each data set, of the penultimate layer
NEAR_CHANCE = "near chance"  # the key of the finding that the answer rests on
NEAR_NAME = "without the active units accuracy falls near chance"
NEAR = 0.1  # of the accuracy above chance: what may be left for an accuracy to be near chance (ours)


def searched(
    trials: Sequence[Record], named: Mapping[tuple[str, str], str], repeats: Mapping[str, int]
) -> pl.DataFrame:
    """Per network, transformation and layer whose τ was searched for: ``series, x, repeat, layer, tau`` (null where the
    curve gives none), and accuracy at τ: ``kept, removed, full``."""
    import polars as pl

    rows = []
    for record in trials:
        facts, folder = record
        layers = facts.get("invariance", {}).get("layers", {})
        for (level, layer), curve in read_thresholds(facts, folder).group_by("level", "layer", maintain_order=True):
            at, series = curve.filter(curve["chosen"]), named.get((facts["identity"], str(level)))
            if curve.height < 2 or not at.height or series is None:  # one step alone: τ was given
                continue
            none = str(layers.get(layer, {}).get(level, {}).get("reason", "")).endswith(NO_TAU)
            rows.append(
                {
                    "series": series,
                    "x": float(Exposed.of(record.split_facts).seen),
                    "repeat": repeats[facts["identity"]],
                    "layer": plain(str(layer), facts["tasks"].get(layer, ()))[1],
                    "tau": None if none else round(float(at["threshold"][0]), 6),
                    **{name: float(at[name][0]) for name in ("kept", "removed", "full")},
                }
            )
    schema = {"series": pl.String, "x": pl.Float64, "repeat": pl.Int64, "layer": pl.String}
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(("tau", "kept", "removed", "full"), pl.Float64))


def by_layer(
    found: pl.DataFrame, series: Mapping[str, tuple[str, str, str]], layers: Sequence[str], categories: int
) -> tuple[LayerThreshold, ...]:
    """τ of each model and layer, from the first layer to the last."""
    shown = found.filter(found["x"] > 0)
    found, guess = shown if shown.height else found, chance(categories)
    made = []
    for model in dict.fromkeys(model for model, _, _ in series.values()):
        names = [name for name, row in series.items() if row[0] == model]
        mine = found.filter(found["series"].is_in(names))
        ranked = [layer for layer in layers if layer in set(mine["layer"])]
        for layer in dict.fromkeys([*ranked, *mine["layer"]]):
            every = mine.filter(mine["layer"] == layer)
            made.append(_layer(model, layer, every, every.filter(every["tau"].is_not_null()), guess))
    return tuple(made)


def _layer(model: str, layer: str, every: pl.DataFrame, found: pl.DataFrame, guess: float) -> LayerThreshold:
    taus = found["tau"].to_numpy()
    each = [own for _, own in found.group_by("series", maintain_order=True)]
    kept, removed, full = ([mean(own[name].to_list()) for own in each] for name in ("kept", "removed", "full"))
    shares = [(without - guess) / (whole - guess) for without, whole in zip(removed, full) if whole > guess]
    near = mostly(np.array(shares, np.float64), -1, NEAR)
    left = spread(near.interval)
    middle = _median([float(np.median(own["tau"].to_numpy())) for own in each], taus)
    return LayerThreshold(
        model, layer, middle.value, middle.low, middle.high,
        least=float(taus.min()) if len(taus) else np.nan, most=float(taus.max()) if len(taus) else np.nan,
        networks=len(taus), without=every.height - len(taus), transformations=len(each),
        repeats=every["repeat"].n_unique(), kept=mean(kept), removed=mean(removed), full=mean(full), chance=guess,
        left=left.value, left_low=left.low, left_high=left.high, near=near.holds,
        p=near.p if np.isfinite(near.p) else None, why=near.why, shares=near.interval.n,
    )  # fmt: skip


def _median(each: Sequence[float], taus: np.ndarray) -> Interval:
    """Median over networks; its interval is that of the median over resampled transformations."""
    middle = float(np.median(taus)) if len(taus) else np.nan
    if len(each) < CLUSTERS:
        return Interval(middle, np.nan, np.nan, len(taus), "none")
    draws = resamples(len(each), DRAWS, stream(0, "studies", "thresholds"))
    low, high = percentile_ends(np.median(np.array(each)[draws], axis=1)).tolist()
    return spread(Interval(middle, low, high, len(taus), RESAMPLED))


def threshold_findings(about: Exposure) -> list[Finding]:
    """What was found about τ in one model; the numbers are those of the last layer."""
    if not about.by_layer:
        return []
    *others, last = about.by_layer
    if not last.networks:
        told = f"none of the {last.without} curves of {last.layer} gives a τ: they never fall, or fall at once"
        return [Finding("the activity below which units can be left out", capital(told), np.nan, np.nan, np.nan, 0)]
    networks = _count(last.networks, "network")
    gap = last.kept - last.full
    told = [
        f"in {last.layer}, units whose activity on an image is below τ = {last.tau:g} of their largest can be set "
        f"to zero for that image: the median of {networks}{_range(last)}, {_repeats(last, about)}. τ is the highest at "
        f"which this costs at most one percentage point. The paper has {PUBLISHED}{_lost(last)}{_interval(last)}"
        f"{_others(others, _tau)}",
        f"with the units below τ set to zero, accuracy is {number(last.kept)} against {number(last.full)} of the whole "
        f"network ({last.layer}, {_of(last)}). τ was chosen to cost no more than 0.01, so nothing is judged"
        f"{_others(others, lambda one: f'{number(one.kept)} of {number(one.full)}')}",
        f"with the units above τ set to zero instead, accuracy is {number(last.removed)} against {number(last.full)} "
        f"of the whole network ({last.layer}, {_of(last)}); chance is {number(last.chance)}. Of the accuracy above "
        f"chance {number(last.left, percent=True)} is left under the median transformation, which is the number; near "
        f"chance means that at most a tenth is left, under most transformations (ours){_at_chance(last)}"
        f"{_others(others, _left)}. The paper has it very low for all transformations, yet above chance",
    ]
    return [
        Finding("the activity below which units can be left out", capital(told[0]), last.tau, last.low, last.high,
                last.networks, over="networks"),
        Finding("without the inactive units accuracy stays", capital(told[1]), gap, np.nan, np.nan,
                last.transformations, over="transformations"),
        Finding(NEAR_NAME, capital(told[2]), last.left, last.left_low, last.left_high, last.shares, last.p, last.near,
                True, last.why, over="transformations", key=NEAR_CHANCE),
    ]  # fmt: skip


def threshold_answer(about: Exposure, found: Sequence[Finding]) -> str:
    """A study's answer where it asks at one number of categories only, and searched for τ: of the last layer, for two
    models at most. What is near chance is said as the findings of the page, one for each model, have it."""
    models = list(dict.fromkeys(one.model for one in about.by_layer))
    judged = {one.name: one.holds for one in found if one.key == NEAR_CHANCE}  # a model without τ has none
    near = {model: judged.get(f"{model}: {NEAR_NAME}", judged.get(NEAR_NAME)) for model in models}
    told = [_answer([one for one in about.by_layer if one.model == model], near.get(model)) for model in models[:2]]
    return " ".join(told)


def _answer(layers: Sequence[LayerThreshold], near: bool | None) -> str:
    *others, last = layers
    before = f"{last.model}: " if last.model else ""
    if not last.networks:
        return f"{before}No curve of {last.layer} gives a threshold τ."
    guess = number(last.chance)
    verdict = f"{', ' if near else ', not '}near chance ({guess})" if near is not None else f" (chance: {guess})"
    told = (
        f"{before}In {last.layer}, units below τ = {last.tau:g} of their largest activity can be left out of an "
        f"image's answer (median of {_count(last.networks, 'network')}{_range(last)}; published: {PUBLISHED}): "
        f"accuracy is {number(last.kept)} without them and {number(last.full)} with them. Without the units above τ it "
        f"is {number(last.removed)}{verdict}"
    )
    rest = [one for one in others if one.networks]
    if rest:
        span = sorted({number(min(one.removed for one in rest)), number(max(one.removed for one in rest))})
        told += f"; in {joined([one.layer for one in rest])} it is {' to '.join(span)}, at τ = {_taus(rest)}"
    return f"{told}."


def _taus(layers: Sequence[LayerThreshold]) -> str:
    low, high = min(one.tau for one in layers), max(one.tau for one in layers)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _count(n: int, word: str) -> str:
    return f"{n} {word}s" if n != 1 else f"one {word}"


def _range(one: LayerThreshold) -> str:
    if one.networks < 2:
        return ""
    return f", all {one.least:g}" if one.least == one.most else f", {one.least:g} to {one.most:g}"


def _repeats(one: LayerThreshold, about: Exposure) -> str:
    unit = SEED if about.same_categories else DRAW
    return f"one {unit[0]}" if one.repeats == 1 else f"{one.repeats} {unit[1]}"


def _of(one: LayerThreshold) -> str:
    return f"mean of {_count(one.transformations, 'transformation')}"


def _at_chance(one: LayerThreshold) -> str:
    n = one.transformations - one.shares
    return f"; {_count(n, 'transformation')} {'are' if n > 1 else 'is'} left out: the whole network is at chance" * (
        n > 0
    )


def _lost(one: LayerThreshold) -> str:
    if not one.without:
        return ""
    curves, verbs = _count(one.without, "more curve"), ("give", "are") if one.without > 1 else ("gives", "is")
    return f"; {curves} {verbs[0]} no τ (never falling, or at once) and {verbs[1]} left out"


def _interval(one: LayerThreshold) -> str:
    if one.transformations >= CLUSTERS:
        whole = "; whole transformations are resampled"
        return "; resampled medians coincide, so there is no interval" if np.isnan(one.low) else whole
    n = one.transformations
    return f"; {n} transformation{'s are' if n > 1 else ' is'} too few to resample, so there is no interval"


def _others(layers: Sequence[LayerThreshold], words: Any) -> str:
    told = [f"{one.layer} {words(one)}" for one in layers if one.networks]
    return f". Other layers: {', '.join(told)}" if told else ""


def _tau(one: LayerThreshold) -> str:
    return f"{one.tau:g} ({one.least:g} to {one.most:g})" if one.least < one.most else f"{one.tau:g}"


def _left(one: LayerThreshold) -> str:
    return number(one.left, percent=True)


__all__ = ["by_layer", "searched", "threshold_answer", "threshold_findings"]
