"""A study's results gathered for its report."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.answered import gather_answers
from unseen.kinds.collect import (
    BOTH,
    DEGENERATE,
    REPEAT,
    cells_by_distance,
    collect,
    finished_trials,
    varied,
)
from unseen.kinds.combinations.answer import headline
from unseen.kinds.combinations.findings import CHOICE, SEED, findings
from unseen.kinds.conditions.contents import gather_matrix, is_matrix, summary_of_matrix
from unseen.kinds.domains.contents import gather_domains, summary_of_domains
from unseen.kinds.domains.numbers import is_domains
from unseen.kinds.exposure.numbers import SHARES, is_exposure
from unseen.kinds.how_made import facts_tables
from unseen.kinds.in_domain.numbers import MODE, TOWARDS, in_order, model_of
from unseen.kinds.pictures import splits, top_units, usable_cells
from unseen.kinds.published import published_numbers
from unseen.measures import mean_interval
from unseen.reports.contents import Contents, Finding
from unseen.studies.commands import made
from unseen.studies.describe import recipe_toml
from unseen.studies.sound import NO_ACTIVITY, lacks_activity
from unseen.studies.study import Study
from unseen.studies.trials import Trial

if TYPE_CHECKING:
    import polars as pl

X_KEYS = {"design.seen_per_level": "combinations", "design.images": "images"}
BOUNDED = ("accuracy", "share of units", "median specialization", "median selectivity", "median invariance", TOWARDS)
BOUNDED += SHARES
DRAWN = ("hold_out_combinations",)  # designs that draw the cells they hold out
SPLIT = "split"  # on the x axis where networks answer with numbers: the name of the split
SEEN = "seen"  # on the x axis where categories are seen transformed: how many
X_TITLES = {"combinations": "number of seen combinations", "images": "number of training images", SPLIT: SPLIT}


def axis(study: Study) -> tuple[str, str, list[str]]:
    """The column on the x axis, its title, and the grid's keys that make the curves."""
    keys = list(varied(study))
    if study.recipe.task == "regression":
        named = [key for key in keys if key not in (MODE, REPEAT) and not _follows(study, key, keys)]
        return SPLIT, X_TITLES[SPLIT], named
    chosen = next((key for key in X_KEYS if key in keys), None) or next(
        (key for key in keys if key.startswith("design.") and _changes_combinations(study, key)), None
    )
    column = X_KEYS.get(chosen or "", "combinations")
    if any("combinations" not in facts for _, facts in split_facts(study)):  # a split by levels has none
        column = "images"
    return column, X_TITLES[column], [key for key in keys if key not in (chosen, REPEAT)]


def _follows(study: Study, key: str, keys: Sequence[str]) -> bool:
    """Whether the other keys of the grid already say the value of a setting of training (as an objective may have its
    own number of epochs): a name needs no more."""
    if not key.startswith("training.") or key == "training.objective":
        return False
    found: dict[str, set[str]] = {}
    for trial in study.trials:
        rest = repr([trial.condition.get(other) for other in keys if other != key])
        found.setdefault(rest, set()).add(repr(trial.condition.get(key)))
    return all(len(values) == 1 for values in found.values())


def _changes_combinations(study: Study, key: str) -> bool:
    """Whether the values of a grid key lead to different numbers of seen combinations (lists of a release do)."""
    found: dict[str, set[int]] = {}
    for trial, facts in split_facts(study):
        found.setdefault(repr(trial.condition.get(key)), set()).add(facts.get("combinations", 0))
    return len({tuple(sorted(numbers)) for numbers in found.values()}) > 1


def split_facts(study: Study) -> list[tuple[Trial, Mapping[str, Any]]]:
    """What is known of each trial's split; without the images, of the splits of finished trials."""
    if not study.absent:
        return [(trial, study.split(trial).facts) for trial in study.trials]
    found = ((trial, study.find(trial)) for trial in study.trials)
    read = study.store.readable()
    return [(trial, read[name]["facts"]) for trial, name in found if name in read]


def series_name(condition: dict[str, Any], facts: dict[str, Any], keys: Sequence[str]) -> str:
    """What a curve is called: the varied settings, the architecture last."""
    rest = []
    for key in keys:
        if key == "network.sharing":
            continue
        value = condition.get(key)
        if value is None:
            continue
        short = key.rpartition(".")[2]
        rest.append(str(value) if isinstance(value, str) else f"{short} {value}")
    return " ".join([*rest, facts["description"]["network"]["sharing"]])


def labelled(study: Study, trials: Sequence[tuple[dict[str, Any], Path]]) -> tuple[pl.DataFrame, dict[str, str]]:
    """The tidy table with x axis, curve and repeat beside every number, and the curve of each trial.

    A repeat is a training seed, or, where the grid varies the design's seed, a choice of held-out cells: its training
    seeds are averaged first, because they share a split.
    """
    import polars as pl

    column, _, keys = axis(study)
    tidy = collect(study)
    name = series_name if column != SPLIT else lambda condition, facts, keys: " ".join(model_of(condition, facts, keys))
    names = {facts["identity"]: name(facts["condition"], facts, keys).strip() for facts, _ in trials}
    x, series = pl.col(column).cast(pl.Float64).alias("x"), pl.col("trial").replace_strict(names).alias("series")
    if column == SPLIT:
        x = pl.col("trial").replace_strict({facts["identity"]: place(facts, SPLIT) for facts, _ in trials}).alias("x")
    repeat = pl.col(REPEAT if REPEAT in varied(study) else "seed").alias("repeat")
    return tidy.with_columns(x, series, repeat), names


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    if is_exposure(study.recipe):
        from unseen.kinds.exposure.contents import summary_of_exposure

        return summary_of_exposure(study)
    if is_matrix(study.recipe):
        return summary_of_matrix(study)
    if is_domains(study.recipe):
        return summary_of_domains(study)
    trials = finished_trials(study)
    tidy, names = labelled(study, trials)
    summary = summarise(tidy, trials)
    return in_order(summary, list(names.values())) if axis(study)[0] == SPLIT else summary


def gather(study: Study) -> Contents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    unrun = len(study.missing()), len(study.trials)
    return replace(_gathered(study), absent=study.absent, unrun=unrun, answered=gather_answers(study), made=made(study))


def _gathered(study: Study) -> Contents:
    if study.recipe.task == "regression":
        from unseen.kinds.in_domain.contents import gather_regression

        return gather_regression(study)
    if is_exposure(study.recipe):
        from unseen.kinds.exposure.contents import gather_exposure

        return gather_exposure(study)
    if is_matrix(study.recipe):
        return gather_matrix(study)
    if is_domains(study.recipe):
        return gather_domains(study)
    import polars as pl

    column, x_title, _ = axis(study)
    trials = finished_trials(study)
    tidy, names = labelled(study, trials)
    summary = summarise(tidy, trials)
    scatter = scattered(tidy, trials)
    points = _points(tidy)
    lead = lead_target(trials)
    chances = dict(tidy.filter(pl.col("measure") == "chance").select("target", "value").iter_rows())
    total = _cells(study, trials)
    if column == "combinations" and total:
        x_title = f"{x_title} (of {total})"
    shown = splits(study)
    numbers, source = published_numbers(study.recipe.published)
    found = _found(study, tidy, points, scatter, x_title, lead)
    return Contents(
        title=study.recipe.title,
        question=study.recipe.question,
        answer=headline(points, x_title, lead, chances, found),
        shows=study.recipe.shows,
        x_title=x_title,
        series_title="architecture",
        summary=summary,
        scatter=scatter,
        curves=curves(trials, names, column),
        flags=flags(study, trials, names, column),
        splits=shown,
        units=top_units(study, trials, names),
        findings=found,
        recipe=recipe_toml(study.recipe),
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        citation=study.recipe.citation,
        layers=layer_order(trials),
    )


def findings_of_combinations(study: Study) -> tuple[Finding, ...]:
    """The findings alone."""
    trials = finished_trials(study)
    tidy, _ = labelled(study, trials)
    title = axis(study)[1]
    return _found(study, tidy, _points(tidy), scattered(tidy, trials), title, lead_target(trials))


def _points(tidy: pl.DataFrame) -> pl.DataFrame:
    """Accuracies by trial."""
    columns = ("trial", "repeat", "seed", "series", "x", "set", "target", "value")
    return tidy.filter(tidy["measure"] == "accuracy").select(columns)


def _found(
    study: Study, tidy: pl.DataFrame, points: pl.DataFrame, scatter: pl.DataFrame, x_title: str, lead: str
) -> tuple[Finding, ...]:
    import polars as pl

    repeats, cells = dict(tidy.select("trial", "repeat").iter_rows()), cells_by_distance(study)
    if not cells.is_empty():
        cells = cells.with_columns(pl.col("trial").replace_strict(repeats).alias("repeat"))
    unit, one_choice = repeats_of(study)
    return findings(points, scatter, cells, x_title, lead, unit=unit, one_choice=one_choice)


def repeats_of(study: Study) -> tuple[tuple[str, str], bool]:
    """What repeats of a study of combinations are called, and whether they all share one choice of held-out cells.
    Where a list gives the cells there is nothing to choose, and seeds repeat the study."""
    if REPEAT in varied(study):
        return CHOICE, False
    return SEED, study.recipe.design.name in DRAWN


def lead_target(trials: Sequence[tuple[dict[str, Any], Path]]) -> str:
    """The target that the question is about: the factor of the design's rows (the category), else the first."""
    facts = trials[0][0]
    return str(next((name for name in facts["factors"] if name in facts["targets"]), next(iter(facts["targets"]), "")))


def _cells(study: Study, trials: Sequence[tuple[dict[str, Any], Path]]) -> int:
    """Cells of the grid that the first split may show or ask; 0 where it is not known."""
    if not study.absent:
        audits = study.audits
        return usable_cells(study, audits[0][0]) if audits else 0
    grid = trials[0][0]["facts"].get("grid")
    return int(np.prod(grid)) if grid else 0


def layer_order(trials: Sequence[tuple[dict[str, Any], Path]]) -> tuple[str, ...]:
    """Names of recorded layers from input to output, branches folded together."""
    found: dict[str, None] = {}
    for facts, _ in trials:
        found |= {plain(layer, tasks)[1]: None for layer, tasks in facts["tasks"].items()}
    return tuple(found)


def plain(layer: str, tasks: Sequence[str]) -> tuple[str, str]:
    """A layer's branch and its name in the backbone.

    >>> plain("category.layer4", ["category"]), plain("blocks.3", ["category", "view"])
    (('category', 'layer4'), ('', 'blocks.3'))
    """
    own = len(tasks) == 1 and layer.startswith(f"{tasks[0]}.")
    return (tasks[0], layer.removeprefix(f"{tasks[0]}.")) if own else ("", layer)


def summarise(tidy: pl.DataFrame, trials: Sequence[tuple[dict[str, Any], Path]]) -> pl.DataFrame:
    """Mean and 95 % t interval over repeats, cut at 0 and 1 for what cannot leave that range.

    Of separate branches only the units of their own task count (Fig. 5).
    """
    import polars as pl

    branches = {layer: plain(layer, tasks) for facts, _ in trials for layer, tasks in facts["tasks"].items()}
    relevant = pl.Series([
        not row["unit_type"] or branches[row["layer"]][0] in ("", row["unit_type"])
        for row in tidy.iter_rows(named=True)
    ])  # fmt: skip
    kept = tidy.filter(relevant & ~tidy["measure"].is_in(["chance"]))
    kept = kept.with_columns(
        pl.col("layer").map_elements(lambda name: branches.get(name, ("", name))[1], return_dtype=pl.String)
    )
    chances = {row["target"]: row["value"] for row in tidy.filter(pl.col("measure") == "chance").iter_rows(named=True)}
    keys = ["x", "series", "set", "target", "layer", "unit_type", "measure"]
    rows = []
    for group, part in kept.group_by(keys, maintain_order=True):
        add = pl.col("value").sum() if group[-1].startswith(DEGENERATE) else pl.col("value").mean()  # over branches
        per_trial = part.group_by("trial", "repeat", maintain_order=True).agg(add)
        per_repeat = per_trial.group_by("repeat", maintain_order=True).agg(pl.col("value").mean())["value"]
        per_repeat = per_repeat.drop_nulls().cast(pl.Float64).to_numpy()
        if not len(per_repeat):
            continue
        i = mean_interval(per_repeat)
        head = dict(zip(keys, group))
        known = chances.get(head["target"]) if head["measure"] == "accuracy" else None
        low, high = np.clip([i.low, i.high], 0, 1) if head["measure"] in BOUNDED else (i.low, i.high)
        found = {"value": i.value, "low": float(low), "high": float(high), "n": i.n, "chance": known}
        asked = part["n"].drop_nulls().to_list() if head["measure"] == "accuracy" else []
        rows.append({**head, **found, "asked": round(sum(asked) / len(asked), 1) if asked else None})
    return pl.DataFrame(rows, infer_schema_length=None).sort(
        ["measure", "target", "series", "set", "layer", "unit_type", "x"]
    )


def scattered(tidy: pl.DataFrame, trials: Sequence[tuple[dict[str, Any], Path]]) -> pl.DataFrame:
    """Per trial and task: specialization of its units in the deepest recorded layer, against its OOD accuracy."""
    import polars as pl

    schema = {"trial": pl.String, "seed": pl.Int64, "repeat": pl.Int64, "series": pl.String, "x": pl.Float64}
    schema |= {"target": pl.String, "layer": pl.String, "specialization": pl.Float64, "accuracy": pl.Float64}
    rows = []
    values = {
        (r["trial"], r["set"], r["target"], r["layer"], r["unit_type"], r["measure"]): r
        for r in tidy.iter_rows(named=True)
    }
    for facts, _ in trials:
        for target in facts["targets"]:
            layers = [layer for layer, tasks in facts["tasks"].items() if target in tasks]
            if not layers:
                continue
            found = values.get((facts["identity"], "", "", layers[-1], target, "median specialization"))
            right = values.get((facts["identity"], "unseen", target, "", "", "accuracy"))
            if found is None or right is None:
                continue
            head = {key: found[key] for key in ("trial", "seed", "repeat", "series", "x")}
            layer = plain(layers[-1], facts["tasks"][layers[-1]])[1]
            measured = {"specialization": found["value"], "accuracy": right["value"]}
            rows.append({**head, "target": target, "layer": layer, **measured})
    return pl.DataFrame(rows, schema=schema)


def place(facts: dict[str, Any], column: str) -> Any:
    """A trial's place on the x axis: a number, or the name of its split."""
    if column == SPLIT:
        return str(facts["facts"].get("mode") or facts["description"]["design"]["name"])
    if column == SEEN:
        return float(facts["facts"]["seen"])
    return float(facts["facts"].get("combinations") or 0) if column == "combinations" else float(facts["sets"]["train"])


def curves(trials: Sequence[tuple[dict[str, Any], Path]], names: dict[str, str], column: str) -> pl.DataFrame:
    """Losses and accuracies of every epoch, training and validation."""
    import polars as pl

    rows = []
    for facts, _ in trials:
        name = facts["identity"]
        head = {"trial": name, "seed": facts["seed"], "series": names[name], "x": place(facts, column)}
        for point, phase, target in itertools.product(
            facts["curve"], ("train", "validation"), ("total", *facts["targets"])
        ):
            loss, right = point.get(f"{phase} loss {target}"), point.get(f"{phase} accuracy {target}")
            at = {"epoch": int(point.get("epoch") or 0) + 1, "phase": phase, "target": target}
            rows.append({**head, **at, "loss": loss, "accuracy": right})
    return pl.DataFrame(rows, infer_schema_length=None)


def flags(
    study: Study, trials: Sequence[tuple[dict[str, Any], Path]], names: dict[str, str], column: str
) -> pl.DataFrame:
    """Diverged, unconverged, failed and damaged trials, and those that lost a part."""
    import polars as pl

    rows = []
    for facts, _ in trials:
        x = place(facts, column)
        for flag, detail in facts["flags"].items():
            rows.append((facts["identity"], names[facts["identity"]], x, facts["seed"], flag, detail))
    for facts, folder in trials:
        if lacks_activity(facts, folder):
            name = facts["identity"]
            rows.append((name, names[name], place(facts, column), facts["seed"], "no activity", NO_ACTIVITY))
    for identity, record in study.failures().items():
        rows.append((identity, record["label"], None, record["seed"], "failed", record["error"]))
    for identity, error in study.left_out.items():
        rows.append((identity, "left out", None, None, "damaged", str(error)))
    schema = {
        "trial": pl.String,
        "series": pl.String,
        "x": pl.String if column == SPLIT else pl.Float64,
        "seed": pl.Int64,
        "flag": pl.String,
        "detail": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


__all__ = ["BOTH", "gather"]
