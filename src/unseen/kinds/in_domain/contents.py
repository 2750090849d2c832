"""The results of a study whose networks answer with numbers, gathered for its report (Schott et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from unseen.kinds.collect import finished_trials
from unseen.kinds.curves import curves, flags
from unseen.kinds.how_made import facts_tables
from unseen.kinds.in_domain.answer import regression_answer
from unseen.kinds.in_domain.axis import X_TITLE, labelled, model_keys, split_name
from unseen.kinds.in_domain.disentanglement import latent_points
from unseen.kinds.in_domain.findings import by_network, interval_of, regression_findings
from unseen.kinds.in_domain.meanings import meanings
from unseen.kinds.in_domain.numbers import (
    BY_KIND,
    MEAN,
    MODES,
    ONE_OUT,
    R2,
    TOWARDS,
    answered,
    in_order,
    model_of,
    ratios,
    seen_mean,
    transfers,
)
from unseen.kinds.in_domain.shown import AnswerPicture, InDomainContents, KindRow, RatioPicture, Regression
from unseen.kinds.pictures import splits
from unseen.kinds.published import published_numbers
from unseen.kinds.recipe_words import words_of
from unseen.kinds.summaries import summarise
from unseen.measures import TowardsMean
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.studies.study import Study

MOST_MODELS = 3  # whose answers are drawn: all, or the best and the worst
MOST_SEEN = 4000  # in-range answers of one picture; more say nothing that these do not
Trials = Sequence[Record]


def contents_of(study: Study) -> InDomainContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    trials = finished_trials(study)
    tidy, names = labelled(study, trials)
    keys = model_keys(study)
    summary = in_order(summarise(tidy, trials, (TOWARDS,)), list(names.values()))
    series = {names[facts["identity"]]: model_of(facts["condition"], facts, keys) for facts, _ in trials}
    asked = told_of(tidy)
    numbers, source = published_numbers(study.recipe.published)
    latents = latent_points(tidy, series, asked)
    drawn = pictured(trials, names, series, summary, asked)
    found = _found(trials, tidy, series, keys)
    return InDomainContents(
        **words_of(study.recipe),
        answer=regression_answer(tidy, series, asked, found, _averaged(trials)),
        x_title=X_TITLE,
        series_title="model",
        summary=summary,
        curves=curves(trials, names, split_name),
        flags=flags(study, trials, names, split_name),
        splits=splits(study),
        findings=found,
        published=numbers,
        published_source=source,
        facts=how_it_was_made(study, trials),
        regression=replace(drawn, by_kind=by_meaning(tidy, series, asked), latents=latents),
    )


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    trials = finished_trials(study)
    tidy, names = labelled(study, trials)
    return in_order(summarise(tidy, trials, (TOWARDS,)), list(names.values()))


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone."""
    trials = finished_trials(study)
    tidy, names = labelled(study, trials)
    keys = model_keys(study)
    series = {names[facts["identity"]]: model_of(facts["condition"], facts, keys) for facts, _ in trials}
    return _found(trials, tidy, series, keys)


def _found(
    trials: Trials, tidy: pl.DataFrame, series: Mapping[str, tuple[str, str]], keys: Sequence[str]
) -> tuple[Finding, ...]:
    asked = told_of(tidy)
    protected = {model_of(one.facts["condition"], one.facts, keys)[0]: one.split_facts.protected for one in trials}
    latents = latent_points(tidy, series, asked)
    return regression_findings(tidy, series, protected, asked, latents, transfers(trials, keys))


def told_of(tidy: pl.DataFrame) -> str:
    """The set that R² is told of first: ``test``, else held-out combinations, else the last that was asked."""
    sets = tidy.filter(pl.col("measure") == R2)["set"].unique(maintain_order=True).to_list()
    return next((name for name in ("test", "unseen") if name in sets), sets[-1] if sets else "test")


def by_meaning(tidy: pl.DataFrame, series: Mapping[str, tuple[str, str]], asked: str) -> tuple[KindRow, ...]:
    """R² by kind of factor and split, over all models of a world: what is hard for one model and what for all."""
    made = []
    for world in dict.fromkeys(world for world, _ in series.values()):
        mine = [name for name, (where, _) in series.items() if where == world]
        part = tidy.filter(pl.col("measure") == BY_KIND, pl.col("set") == asked, pl.col("series").is_in(mine))
        for kind in part["target"].unique(maintain_order=True).to_list():
            for split in part["x"].unique(maintain_order=True).to_list():
                values = by_network(part, target=kind, x=split)
                if values:
                    i = interval_of(values)
                    made.append(KindRow(world, kind, split, i.value, i.low, i.high, i.n))
    return tuple(made)


def _averaged(trials: Trials) -> str:
    """The factors that R² is the mean of, in words: all that the design splits, or those that a recipe asks.

    >>> from pathlib import Path
    >>> asked = {"factors": ["shape", "scale"], "targets": {"scale": ["1", "2"]}}
    >>> _averaged([Record(asked, Path())]), _averaged([Record({**asked, "factors": ["scale"]}, Path())])
    ('scale', 'all factors')
    """
    if all(set(facts["factors"]) <= set(facts["targets"]) for facts, _ in trials):
        return "all factors"
    return " and ".join(dict.fromkeys(name for facts, _ in trials for name in facts["targets"]))


def _kinds(trials: Trials) -> dict[str, str]:
    """The meaning of each factor; where two worlds mean different things by a name, the name stands for itself."""
    found: dict[str, str] = {}
    for facts, _ in trials:
        for name, meaning in meanings(facts["description"]["world"]["name"], list(facts["targets"])).items():
            found[name] = meaning if found.get(name, meaning) == meaning else name
    return found


def pictured(
    trials: Trials,
    names: Mapping[str, str],
    series: Mapping[str, tuple[str, str]],
    summary: pl.DataFrame,
    asked: str,
) -> Regression:
    """What the figures of regression need beside the summary: answers and ratios of the networks that extrapolate, or,
    where none does, interpolate."""
    found = {split_name(record): None for record in trials}
    order = [name for name in MODES if name in found] + [name for name in found if name not in MODES]
    outside = [record for record in trials if record.split_facts.withheld]
    which = next((name for name in reversed(order) if any(split_name(record) == name for record in outside)), "")
    outside = [record for record in outside if split_name(record) == which]
    counted: dict[str, list[TowardsMean]] = {}
    drawn: dict[str, list[AnswerPicture]] = {}
    shown = _shown(summary, asked, which)
    for record in outside:
        name, answers = names[record.identity], answered(record.facts, record.folder)
        if which != "interpolation":  # a level in between is as often nearer to the mean as not
            counted.setdefault(name, []).extend(ratios(record, answers).values())
        if name in shown and name not in drawn:  # the first seed speaks for the others
            drawn[name] = answer_pictures(name, record, answers)
    networks = {name: sum(names[record.identity] == name for record in outside) for name in counted}
    every = [one for found in counted.values() for one in found]
    pooled = [_pooled(name, networks[name], found) for name, found in counted.items() if found]
    if len(pooled) > 1:
        pooled.insert(0, _pooled(f"all {len(pooled)} models", len(outside), every))
    return Regression(
        splits=tuple(order),
        series=dict(series),
        kinds=_kinds(trials),
        asked=asked,
        answers=tuple(picture for name in shown for picture in drawn.get(name, ())),
        answers_of=which,
        ratios=tuple(pooled),
    )


def _shown(summary: pl.DataFrame, asked: str, split: str) -> list[str]:
    """Models whose answers are drawn, the one with the highest R² first."""
    rows = summary.filter(
        pl.col("measure") == R2, pl.col("set") == asked, pl.col("target") == MEAN, pl.col("x") == split
    )
    ranked = rows.sort("value", descending=True)["series"].to_list()
    return ranked if len(ranked) <= MOST_MODELS else [ranked[0], ranked[-1]]


def answer_pictures(
    series: str, record: Record, answers: Mapping[str, tuple[np.ndarray, np.ndarray]]
) -> list[AnswerPicture]:
    """A network's answers about each factor held out: in range (validation images; where they were not asked, images
    with another factor out) and beyond (images with this one alone out)."""
    targets, withheld = record.facts["targets"], record.split_facts.withheld
    names = list(targets)
    pictures = []
    for factor in withheld:
        alone = f"{ONE_OUT}{factor}"
        if alone not in answers or factor not in names:
            continue
        others = [name for name in answers if name.startswith(ONE_OUT) and name != alone]
        known = [answers[name] for name in (["validation"] if "validation" in answers else others)]
        column = names.index(factor)
        parts = [tuple(side[:MOST_SEEN, column] for side in pair) for pair in known]
        parts.append(tuple(side[:, column] for side in answers[alone]))
        predicted, true = (np.concatenate(sides) for sides in zip(*parts))
        levels, out = len(targets[factor]), withheld[factor]
        pictures.append(AnswerPicture(series, factor, levels, out, seen_mean(record, factor), predicted, true))
    return pictures


def _pooled(title: str, networks: int, found: Sequence[TowardsMean]) -> RatioPicture:
    """Histograms of several factors and networks added up."""
    counts = np.sum([one.counts for one in found], axis=0)
    lost = sum(one.undefined + one.non_finite for one in found)
    return RatioPicture(
        title, networks, found[0].edges, tuple(map(int, counts)), sum(one.overflow for one in found), lost
    )


def how_it_was_made(study: Study, trials: Trials) -> dict[str, dict[str, str]]:
    """The facts of any study, with the rows of every split instead of the first alone, and every world."""
    tables = facts_tables(study, trials)
    if study.absent:
        return tables
    made: dict[str, dict[str, str]] = {}
    for title, values in tables.items():
        made |= {title: values} if title not in ("World", "Rows") else {}
        if title == "World":
            made |= _worlds(study, values)
        if title == "Rows":
            made |= _rows(study)
    return made


def _worlds(study: Study, first: dict[str, str]) -> dict[str, dict[str, str]]:
    worlds = {study.world(trial).name: study.world(trial) for trial in study.trials}
    if len(worlds) == 1:
        return {"World": first}
    return {
        f"World {name}": {
            "images": f"{len(world.samples):,} of {world.size[0]}×{world.size[1]} pixels, "
            f"{'grey' if world.channels == 1 else 'colour'}",
            "fingerprint": world.fingerprint,
            **{key: str(value) for key, value in world.provenance.items()},
        }
        for name, world in worlds.items()
    }


def _rows(study: Study) -> dict[str, dict[str, str]]:
    """For each split, what each of its sets that were used holds."""
    tables: dict[str, dict[str, str]] = {}
    for trial, _ in study.audits:
        split, samples = study.split(trial), study.world(trial).samples
        wanted = dict.fromkeys(name for name in ("train", "validation", *study.asked(trial)) if name in split.sets)
        world = f"{study.world(trial).name}, " if len({study.world(t).name for t in study.trials}) > 1 else ""
        title = f"Rows: {world}{split.facts.name or 'split'}"
        if title in tables:  # another choice of the same kind (a seed of the design) reads the same
            continue
        tables[title] = {name: f"{split.count(samples, name):,} images: {split[name].reason}" for name in wanted}
    return tables
