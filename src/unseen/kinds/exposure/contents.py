"""The results of a study whose networks see a transformation for some categories only, gathered for its report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.collect import REPEAT, collect, finished_trials, varied
from unseen.kinds.curves import curves, flags
from unseen.kinds.exposure.findings import exposure_answer, exposure_findings
from unseen.kinds.exposure.numbers import (
    ACROSS,
    GROUPS,
    MEDIAN,
    PLAIN,
    SHARES,
    WITHIN,
    in_order,
    levels_of,
    read_invariance,
    read_thresholds,
    scored,
)
from unseen.kinds.exposure.pictures import exposure_splits
from unseen.kinds.exposure.repeats import DRAW, SEED, together, trends
from unseen.kinds.exposure.shown import CalibrationCurve, Exposure, ExposureContents, Violin
from unseen.kinds.exposure.thresholds import by_layer, searched
from unseen.kinds.how_made import facts_tables, images_asked, stored_rows
from unseen.kinds.published import published_numbers
from unseen.kinds.recipe_words import words_of
from unseen.kinds.summaries import layer_order, plain, summarise
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Exposed
from unseen.worlds.transforms import TRANSFORMATIONS

X_TITLE = "number of seen-transformed categories"
NONE = "plain images only"  # the series of what a plainly trained network has apart from any transformation
FAMILIES = ("colour", "geometric", "convolutional", "noise", "distortion", "other")
ON_THE_AXES = ("design.seen", "design.level", REPEAT, "world.levels", "world.strengths")
Trials = Sequence[Record]
Series = Mapping[str, tuple[str, str, str]]  # model, transformation and family
Names = Mapping[tuple[str, str], str]  # the series of each trial and transformation


def contents_of(study: Study) -> ExposureContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    trials = finished_trials(study)
    tidy, series, names = labelled_exposures(study, trials)
    layers = layer_order(trials)
    summary = in_order(summarise(tidy, trials, SHARES), list(series), layers)
    families = {record.identity: _family(levels_of(record.split_facts)) for record in trials}
    numbers, source = published_numbers(study.recipe.published)
    about = pictured(study, trials, tidy, series, names)
    found = exposure_findings(tidy, about)
    tables = facts_tables(study, trials)
    return ExposureContents(
        **words_of(study.recipe),
        answer=exposure_answer(tidy, about, found),
        x_title=f"{X_TITLE} (of {about.categories})",
        series_title="transformation",
        summary=summary,
        curves=curves(trials, families, number_seen),
        flags=flags(study, trials, {facts["identity"]: facts["label"] for facts, _ in trials}, number_seen),
        splits=exposure_splits(study),
        findings=found,
        published=numbers,
        published_source=source,
        facts={**tables, "Rows": _rows(study, trials), "Repeats": _repeats(about.same_categories)},
        layers=layers,
        exposure=about,
        answered=gather_answers(study),
    )


def number_seen(record: Record) -> float:
    """A trial's place on the x axis: how many categories it saw transformed."""
    return float(Exposed.of(record.split_facts).seen)


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone."""
    trials = finished_trials(study)
    tidy, series, names = labelled_exposures(study, trials)
    return exposure_findings(tidy, pictured(study, trials, tidy, series, names))


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats, by transformation and number of categories seen transformed."""
    trials = finished_trials(study)
    tidy, series, _ = labelled_exposures(study, trials)
    return in_order(summarise(tidy, trials, SHARES), list(series), layer_order(trials))


def labelled_exposures(study: Study, trials: Trials) -> tuple[pl.DataFrame, Series, Names]:
    """The tidy table with x axis, series and repeat beside every number; what each series is, families together; and
    the series of each trial and transformation."""
    keys = [key for key in varied(study) if key not in ON_THE_AXES]
    model = {facts["identity"]: model_words(facts["condition"], keys) for facts, _ in trials}
    seen = {record.identity: number_seen(record) for record in trials}
    alone = {record.identity: levels_of(record.split_facts) for record in trials}
    level = {name: found[0] if len(found) == 1 else "" for name, found in alone.items()}
    tidy = collect(study)
    tidy = tidy.with_columns(pl.col("level").fill_null(pl.col("trial").replace_strict(level)))
    pairs = dict.fromkeys(tidy.select("trial", "level").iter_rows())
    names = {pair: series_words(model[pair[0]], pair[1]) for pair in pairs}
    found = {names[trial, level]: (model[trial], level, _family([level])) for trial, level in pairs if level}
    known = list(TRANSFORMATIONS)

    def place(name: str) -> tuple[Any, ...]:
        model, level, family = found[name]
        return model, FAMILIES.index(family), known.index(level) if level in known else len(known)

    labels = [names[pair] for pair in tidy.select("trial", "level").iter_rows()]
    repeat = pl.col(REPEAT if REPEAT in varied(study) else "seed").alias("repeat")
    x = pl.col("trial").replace_strict(seen).alias("x")
    ranked = {name: found[name] for name in sorted(found, key=place)}
    return tidy.with_columns(x, pl.Series("series", labels), repeat), ranked, names


def model_words(condition: Mapping[str, Any], keys: Sequence[str]) -> str:
    """What tells models (or worlds) of one study apart; "" where there is one.

    >>> model_words({"network.backbone": "resnet18", "world.of": {"name": "cars"}}, ["network.backbone", "world.of"])
    'resnet18 cars'
    """
    words = []
    for key in keys:
        value = condition.get(key)
        value = value.get("name", value) if isinstance(value, Mapping) else value
        if value is not None:
            words.append(value if isinstance(value, str) else f"{key.rpartition('.')[2]} {value}")
    return " ".join(words)


def series_words(model: str, level: str) -> str:
    return f"{model}: {level or NONE}" if model else level or NONE


def _family(levels: Sequence[str]) -> str:
    """The paper's family of a transformation; a network that is asked many was trained on none."""
    if len(levels) != 1:
        return NONE
    row = TRANSFORMATIONS.get(levels[0])
    return row.family if row else "other"


def pictured(study: Study, trials: Trials, tidy: pl.DataFrame, series: Series, named: Names) -> Exposure:
    """What the figures need beside the summary."""
    category = trials[0][0]["factors"][0]
    layer = last_layer(trials)
    points = networks(tidy, category, layer)
    same = REPEAT not in varied(study)
    categories = len(trials[0][0]["targets"].get(category, ())) or trials[0].split_facts.grid[0]
    repeats = dict(tidy.select("trial", "repeat").iter_rows())
    return Exposure(
        series=series,
        category=category,
        categories=categories,
        layer=layer,
        points=points,
        correlations={asked: together(points, asked) for asked in (WITHIN, ACROSS)},
        violins=violins(trials, named, layer),
        thresholds=threshold_curves(trials, named, layer),
        calibrations=calibrations(study),
        odd_thresholds=odd_thresholds(trials, layer),
        trends=trends(tidy, category, list(series), (SEED if same else DRAW)[0]),
        same_categories=same,
        one_number=len({trial.recipe.design.arguments.get("seen") or 0 for trial in study.trials} - {0}) < 2,
        by_layer=by_layer(searched(trials, named, repeats), series, layer_order(trials), categories),
    )


def last_layer(trials: Trials) -> str:
    """The deepest layer whose units were scored, as the summary names it; "" where none was."""
    layers = ((facts, layer) for facts, _ in trials for layer in facts.get("invariance", {}).get("layers", {}))
    found = dict.fromkeys(_plain(facts, layer) for facts, layer in layers)
    deep = [name for name in layer_order(trials) if name in found]
    return (deep or list(found) or [""])[-1]


def _plain(facts: Mapping[str, Any], layer: str) -> str:
    return plain(layer, facts["tasks"].get(layer, ()))[1]


def networks(tidy: pl.DataFrame, category: str, layer: str) -> pl.DataFrame:
    """Per network and transformation: its accuracies, and the median invariance of its units on images of categories
    it never saw transformed."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    wanted = tidy.filter(pl.col("measure").is_in(["accuracy", MEDIAN]), pl.col("level") != "")
    for row in wanted.iter_rows(named=True):
        head = {key: row[key] for key in ("trial", "seed", "repeat", "series", "x")}
        blank = {WITHIN: None, ACROSS: None, PLAIN: None, "invariance": None}
        mine = found.setdefault((row["trial"], row["level"]), {**head, **blank})
        if row["measure"] == "accuracy" and row["target"] == category and row["set"] in blank:
            mine[row["set"]] = row["value"]
        if row["measure"] == MEDIAN and f".{row['layer']}".endswith(f".{layer}") and row["set"] == GROUPS["unseen"]:
            mine["invariance"] = row["value"]
    schema = {"trial": pl.String, "seed": pl.Int64, "repeat": pl.Int64, "series": pl.String, "x": pl.Float64}
    schema |= dict.fromkeys((WITHIN, ACROSS, PLAIN, "invariance"), pl.Float64)
    return pl.DataFrame(list(found.values()), schema=schema)


def violins(trials: Trials, named: Names, layer: str) -> tuple[Violin, ...]:
    """Scores of single units in the last layer, the units of all repeats together."""
    found: dict[tuple[str, float, str], list[tuple[np.ndarray, int]]] = {}
    for record in trials:
        facts, units = record.facts, read_invariance(record.facts, record.folder)
        for (level, at, group), part in units.group_by("level", "layer", "group", maintain_order=True):
            if _plain(facts, str(at)) == layer and (facts["identity"], str(level)) in named:
                x, words = number_seen(record), GROUPS.get(str(group), str(group))
                values = scored(part)
                key = named[facts["identity"], str(level)], x, words
                found.setdefault(key, []).append((values, part.height - len(values)))
    return tuple(
        Violin(series, x, group, len(parts), np.concatenate([v for v, _ in parts]), sum(lost for _, lost in parts))
        for (series, x, group), parts in found.items()
    )


def threshold_curves(trials: Trials, named: Names, layer: str) -> pl.DataFrame:
    """Accuracy with units ablated at each threshold, means over the networks of a series and x, in the last layer."""
    frames = []
    for record in trials:
        facts, curve = record.facts, read_thresholds(record.facts, record.folder)
        for (level, at), part in curve.group_by("level", "layer", maintain_order=True):
            if _plain(facts, str(at)) == layer and (facts["identity"], str(level)) in named:
                head = {"series": named[facts["identity"], str(level)], "x": number_seen(record)}
                own = part.select(pl.col("threshold").cast(pl.Float64).round(6), "kept", "removed", "full", "chosen")
                frames.append(own.with_columns(pl.lit(value).alias(key) for key, value in head.items()))
    if not frames:
        return pl.DataFrame()
    means = [pl.col(name).cast(pl.Float64).mean() for name in ("kept", "removed", "full")]
    whole = pl.concat(frames).group_by("series", "x", "threshold", maintain_order=True)
    return whole.agg(*means, pl.col("chosen").sum(), pl.len().alias("n")).sort("series", "x", "threshold")


def calibrations(study: Study) -> tuple[CalibrationCurve, ...]:
    """The curves by which the strengths of this recipe's trials were chosen."""
    records = [record for name in study.calibrations if (record := study.store.calibration(name)) is not None]
    made = []
    for record in records:
        ends = {key: _number(record[key]) for key in ("plain", "chance", "target")}
        for level, curve in record["levels"].items():
            title = level if len(records) == 1 else f"{level} ({record['label']})"
            strengths, accuracy = (tuple(map(_number, curve[key])) for key in ("strengths", "accuracy"))
            made.append(
                CalibrationCurve(
                    title, level, strengths, accuracy, curve["n"], curve["chosen"], curve["reason"], **ends
                )
            )
    return tuple(made)


def odd_thresholds(trials: Trials, layer: str) -> tuple[int, int]:
    """How many of the last layer's τ have something odd about them, of how many."""
    found = [
        one.get("reason")
        for facts, _ in trials
        for at, levels in facts.get("invariance", {}).get("layers", {}).items()
        for one in levels.values()
        if _plain(facts, at) == layer
    ]
    return sum(map(bool, found)), len(found)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _repeats(same_categories: bool) -> dict[str, str]:
    """What n counts."""
    if same_categories:
        return {SEED[1]: "networks with other first weights; the same categories are seen transformed"}
    told = "other categories and images; all start from the same first weights, which come from the trial's seed"
    return {DRAW[1]: told}


def _rows(study: Study, trials: Trials) -> dict[str, str]:
    """What each set holds, over all trials: a plainly trained network is asked other sets than the rest."""
    if study.absent:
        return stored_rows(trials)
    reasons: dict[str, dict[str, None]] = {}
    for trial in study.trials:
        for name, wanted in study.split(trial).sets.items():
            reasons.setdefault(name, {})[wanted.reason] = None
    told = {}
    for name, several in reasons.items():
        reason = next(iter(several))
        span = images_asked(trials, name)
        told[name] = f"{span} images; the first: {reason}" if len(several) > 1 else f"{span} images: {reason}"
    return told
