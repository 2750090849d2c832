"""Finished trials become one tidy table: a row per trial and number, with its n."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.domains.numbers import by_domain
from unseen.kinds.exposure.numbers import DESIGN, exposed
from unseen.kinds.in_domain.disentangled import KEPT
from unseen.kinds.in_domain.numbers import regressed
from unseen.measures import accuracy, chance, geometric_mean, learning_lead, nearest_seen_distance, unit_summary
from unseen.studies.answers import answered_columns, read_answers, words
from unseen.studies.sound import Damaged, check_files, damaged, lacks_activity
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError, listed
from unseen.vocabulary.responses import COLUMNS

if TYPE_CHECKING:
    import polars as pl

BOTH = "geometric mean"
REPEAT = "design.seed"  # a grid over it repeats the study with other held-out cells
DEGENERATE = "degenerate units"  # without a type or without a score


def finished_trials(study: Study, *, numbers: bool = True) -> list[tuple[dict[str, Any], Path]]:
    """Facts and folder of every finished trial of the recipe; any precision counts where the recipe says "auto".

    The condition is that of this recipe's grid: the trial may have been run for another grid that led to it too. A
    damaged trial is left out, and ``study.left_out`` says why; with ``numbers`` all that is measured of it is computed.
    """
    found = []
    study.left_out.clear()
    for trial in study.trials:
        name = study.find(trial)
        facts = None if name is None else _sound(study, name, numbers)
        if name is not None and facts is not None:
            facts = {**facts, "condition": dict(trial.condition), "label": trial.label}
            found.append((facts, study.store.trials / name))
    return found


def stored_trials(study: Study) -> list[tuple[dict[str, Any], Path]]:
    """Facts and folder of every trial in the store that can be read, whatever recipe it came from."""
    study.left_out.clear()
    read = ((_sound(study, name, True), study.store.trials / name) for name in study.store.finished())
    return [(facts, folder) for facts, folder in read if facts is not None]


def _sound(study: Study, name: str, numbers: bool) -> dict[str, Any] | None:
    """The facts of a trial, or None and the reason among what is left out: a damaged one does not hide the others."""
    folder = study.store.trials / name
    try:
        facts = study.store.read(name)
        check_files(facts, folder)
        if numbers:
            _numbers(study, facts, folder)
    except Damaged as error:
        study.left_out[name] = error
        return None
    return facts


def collect(study: Study, *, everything: bool = False) -> pl.DataFrame:
    """The tidy table: ``trial, seed``, the grid's keys, then ``set, target, layer, unit_type, measure, value, n``;
    where categories are seen transformed also ``level`` (the transformation) and ``seen`` (how many are), where a
    domain is left out ``level`` (the domain).

    ``everything`` takes all trials in the store, also those of other settings than the recipe's; without it the recipe
    (and so the world) is needed to tell which trials belong.
    """
    import polars as pl

    return pl.DataFrame(tidy_rows(study, everything=everything), infer_schema_length=None)


def tidy_rows(study: Study, *, everything: bool = False) -> list[dict[str, Any]]:
    """The rows of the tidy table, without polars: a machine that only trains may lack it."""
    trials = stored_trials(study) if everything else finished_trials(study)
    if not trials and study.left_out:
        raise next(iter(study.left_out.values()))
    if not trials:
        raise nothing_finished(study)
    conditions = _plain(_repeats([facts for facts, _ in trials]))
    rows = []
    for (facts, folder), condition in zip(trials, conditions):
        head = {
            "trial": facts["identity"],
            "seed": facts["seed"],
            **condition,
            "combinations": facts["facts"].get("combinations"),
            "images": facts["sets"]["train"],
            "sharing": facts["description"]["network"]["sharing"],
            "backbone": facts["description"]["network"]["backbone"],
        }
        empty = {"set": "", "target": "", "layer": "", "unit_type": "", "n": None}
        for row in _numbers(study, facts, folder):
            value = float(row["value"])
            rows.append({**head, **empty, **row, "value": None if np.isnan(value) else value})
    return rows


def damage(study: Study, trials: Sequence[tuple[dict[str, Any], Path]]) -> list[str]:
    """What is told beside results: trials that were left out and why, and those that lost a part."""
    told, all_of = [], len(trials) + len(study.left_out)
    if study.left_out:
        told.append(f"{len(study.left_out)} of {all_of} finished trials cannot be read and are left out:")
        told += [f"  {error}" for error in study.left_out.values()]
    lacking = [facts["identity"] for facts, folder in trials if lacks_activity(facts, folder)]
    if lacking:
        which = listed(lacking, most=3)
        told.append(
            f"the activity of {len(lacking)} of {all_of} trials is missing; their units are not counted: {which}"
        )
    return told


def nothing_finished(study: Study) -> UnseenError:
    """Nothing was run yet, or with other settings only."""
    others = len(study.store.finished())
    if not others:
        return UnseenError(f"study '{study.path}' has no finished trial yet; `unseen run` it first.")
    return UnseenError(
        f"study '{study.path}' has no finished trial of these settings, and {others} of other settings. Give the same "
        f"--set as their run had, or no --set and the folder itself in place of the recipe: it knows its last run's."
    )


def _repeats(trials: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The conditions of trials; where one grid of several repeats the study, trials of the others are repeats too, by
    the seed of their own split."""
    conditions = [facts["condition"] for facts in trials]
    if not any(REPEAT in condition for condition in conditions):
        return conditions
    seeds = [facts["description"].get("design", {}).get("seed", 0) for facts in trials]
    return [{REPEAT: seed, **condition} for seed, condition in zip(seeds, conditions)]


def _plain(conditions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The grid's values as a column can hold them: lists, and keys that are now a number, now a word, become text."""
    columns: dict[str, list[Any]] = {}
    for key in sorted({key for condition in conditions for key in condition}):
        values = [condition.get(key) for condition in conditions]
        kinds = {type(value) for value in values if value is not None}
        if not (len(kinds) <= 1 or kinds <= {int, float}) or kinds & {list, dict}:
            values = [v if v is None or isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values]
        columns[key] = values
    return [{key: values[place] for key, values in columns.items()} for place in range(len(conditions))]


def _numbers(study: Study, facts: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """All numbers of one trial, once as long as its files stay as they are; or that its files are damaged."""
    from pyarrow import ArrowException
    from safetensors import SafetensorError

    there = sorted((file.name, (now := file.stat()).st_mtime_ns, now.st_size) for file in folder.iterdir())
    key = str([one for one in there if one[0] != KEPT])
    kept = study.numbers.get(folder.name)
    if kept is None or kept[0] != key:
        try:
            kept = key, list(measured(facts, folder, study.recipe.measures.model_dump()))
        except (OSError, ArrowException, SafetensorError) as error:
            raise damaged(folder, error) from error
        study.numbers[folder.name] = kept
    return kept[1]


def measured(facts: dict[str, Any], folder: Path, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All numbers of one trial."""
    if facts.get("task") == "regression":
        yield from regressed(facts, folder)
    elif facts["description"].get("design", {}).get("name") == DESIGN:
        yield from exposed(facts, folder, _accuracies(facts, folder))
    else:
        yield from _accuracies(facts, folder)
        yield from by_domain(facts, folder) if "left_out" in facts["facts"] else ()
        yield from _units(facts, folder, options)
        yield from _order(facts)
    yield {"measure": "device seconds", "value": facts["seconds_together"] / facts["packed"], "n": facts["packed"]}
    yield {"measure": "best epoch", "value": facts["best_epoch"] + 1, "n": len(facts["curve"])}


def _accuracies(facts: dict[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    table = read_answers(folder, "set", "target", "truth", "response")
    sets, targets, truth, response = (words(table, name) for name in table.column_names)
    right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
    for asked in sets.found():
        values = {}
        for target in targets.found():
            here = right[sets.is_(asked) & targets.is_(target)]
            if not len(here):
                continue
            values[target] = accuracy(np.ones(len(here), dtype=int), here.astype(int))
            yield {"measure": "accuracy", "set": asked, "target": target, "value": values[target], "n": len(here)}
        if len(values) > 1:
            both = float(geometric_mean(np.array(list(values.values()))))
            n = int(sets.is_(asked).sum() // len(values))
            yield {"measure": "accuracy", "set": asked, "target": BOTH, "value": both, "n": n}
    levels = {name: len(classes) for name, classes in facts["targets"].items()}
    for target, n in levels.items():
        yield {"measure": "chance", "target": target, "value": chance(n)}
    yield {"measure": "chance", "target": BOTH, "value": chance(*levels.values())}


def read_activity(folder: Path) -> dict[str, np.ndarray]:
    """Mean activity ``[units, rows, columns]`` by layer; empty where none was recorded."""
    path = folder / "activity.safetensors"
    if not path.is_file():
        return {}
    from safetensors.numpy import load_file

    return {name: grid for name, grid in load_file(path).items() if name != "images"}


def _units(facts: dict[str, Any], folder: Path, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for layer, activity in read_activity(folder).items():
        summary = unit_summary(activity.astype(np.float64), **options)
        for factor, kind in zip(facts["factors"], (summary.rows, summary.columns)):
            numbers = {
                "share of units": kind.share,
                "median specialization": kind.specialization,
                "median selectivity": kind.selectivity,
                "median invariance": kind.invariance,
            }
            for name, value in numbers.items():
                n = kind.n if name == "share of units" else kind.scored
                yield {"measure": name, "layer": layer, "unit_type": factor, "value": value, "n": n}
        bad = {"untyped": summary.untyped, "constant": summary.constant, "non-finite": summary.non_finite}
        bad |= {"unscored": summary.unscored, "negative": summary.negative, "tied": summary.ties}
        yield {"measure": DEGENERATE, "layer": layer, "value": summary.untyped + summary.unscored, "n": summary.units}
        for name, count in bad.items():
            yield {"measure": f"{DEGENERATE}: {name}", "layer": layer, "value": count, "n": summary.units}


def _order(facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Which task is learned first (supplement D.6): epochs by which the first target leads to 90 % of its best."""
    names = list(facts["targets"])
    if len(names) != 2 or not facts["curve"]:
        return
    told = [[point.get(f"validation accuracy {name}") for point in facts["curve"]] for name in names]
    if any(value is None for values in told for value in values):
        return
    curves = [np.array(values, dtype=np.float64) for values in told]
    guesses = [chance(len(facts["targets"][name])) for name in names]
    lead = learning_lead(curves[0], curves[1], 0.9, chance=(guesses[0], guesses[1]))
    yield {"measure": "epochs by which it is learned first", "target": names[0], "value": lead, "n": len(curves[0])}


def distance_grid(study: Study, trial: Trial) -> np.ndarray | None:
    """For each held-out cell the distance to the nearest viewpoint its category was seen at; NaN in other cells."""
    split, samples = study.split(trial), study.world(trial).samples
    if "unseen" not in split.sets or "left_out" in split.facts:  # domains have no order, and no distance
        return None
    factor = samples.space[split.factors[1]]
    metric = "euclidean" if factor.coordinates or factor.kind in ("ordinal", "circular") else "nominal"
    seen, asked = split.mask(samples, "train"), split.mask(samples, "unseen")
    return nearest_seen_distance(seen, asked, factor.places(), factor.period, metric=metric)


def distances(study: Study) -> list[dict[str, Any]]:
    """For every split, how far its OOD cells are from the nearest seen viewpoint (supplement D.1)."""
    rows = []
    if study.absent:
        return rows
    if not any("unseen" in study.split(trial).sets for trial in study.trials):  # audits may take seconds
        return rows
    for trial, _ in study.audits:
        grid = distance_grid(study, trial)
        values = grid[np.isfinite(grid)] if grid is not None else np.zeros(0)
        if not len(values):
            continue
        facts = {"trial": trial, "factor": study.split(trial).factors[1], "n": len(values)}
        span = {"mean": float(values.mean()), "least": float(values.min()), "most": float(values.max())}
        rows.append({**facts, **span, "combinations": study.split(trial).facts.get("combinations")})
    return rows


def cells_by_distance(study: Study) -> pl.DataFrame:
    """Accuracy in every held-out cell of every finished trial, beside its distance to the nearest seen viewpoint."""
    import polars as pl

    return pl.DataFrame(list(held_out_cells(study)), infer_schema_length=None)


def held_out_cells(study: Study) -> Iterator[dict[str, Any]]:
    """The rows of ``cells_by_distance``, with the level of each factor (``row``, ``column``)."""
    for trial in () if study.absent else study.trials:
        name, grid = study.find(trial), distance_grid(study, trial)
        if name is None or name in study.left_out or grid is None:
            continue
        split, space = study.split(trial), study.world(trial).samples.space
        factors = [f if f not in COLUMNS else f"factor_{f}" for f in split.factors[:2]]
        folder = study.store.trials / name
        if not set(factors) <= set(answered_columns(folder)):  # answers from elsewhere may come without factors
            continue
        table = read_answers(folder, "set", "target", "truth", "response", *factors)
        sets, targets, truth, response, *levels = (words(table, column) for column in table.column_names)
        right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
        facts = {"trial": name, "seed": trial.seed, "combinations": split.facts.get("combinations")}
        places = [
            np.array([space[factor].index(str(level)) for level in one.names])[one.places]
            for factor, one in zip(split.factors, levels)
        ]
        for target in targets.found():
            asked = sets.is_("unseen") & targets.is_(target)
            for row, column in np.unique(np.stack([one[asked] for one in places]), axis=1).T.tolist():
                here = right[asked & (places[0] == row) & (places[1] == column)]
                cell = {"row": space[split.factors[0]].levels[row], "column": space[split.factors[1]].levels[column]}
                measured = {"accuracy": float(here.mean()), "n": len(here), "distance": float(grid[row, column])}
                yield {**facts, "target": target, **{k: str(v) for k, v in cell.items()}, **measured}


def varied(study: Study) -> Sequence[str]:
    """The grid's keys that take more than one value."""
    values: dict[str, set[str]] = {}
    for grid in study.recipe.grid:
        for key, options in grid.items():
            values.setdefault(key, set()).update(map(repr, options))
    return [key for key, options in values.items() if len(options) > 1 or len(study.recipe.grid) > 1]
