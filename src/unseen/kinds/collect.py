"""Finished trials become one tidy table: a row per trial and number, with its n."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.table import kind_of_trial
from unseen.studies.records import Record
from unseen.studies.sound import Damaged, check_files, damaged, lacks_activity
from unseen.studies.study import Study
from unseen.vocabulary.errors import UnseenError, listed

if TYPE_CHECKING:
    import polars as pl

CACHED = ("disentanglement.json",)  # what a kind computed from a trial's files and keeps beside them
REPEAT = "design.seed"  # a grid over it repeats the study with other held-out cells


def finished_trials(study: Study, *, numbers: bool = True, found: Sequence[str | None] | None = None) -> list[Record]:
    """Facts and folder of every finished trial of the recipe; any precision counts where the recipe says "auto".

    The condition is that of this recipe's grid: the trial may have been run for another grid that led to it too. A
    damaged trial is left out, and ``study.left_out`` says why; with ``numbers`` all that is measured of it is computed.
    ``found``: the name of each trial, where that is known; one without a name is left out.
    """
    read = []
    study.left_out.clear()
    for trial, name in zip(study.trials, study.found() if found is None else found):
        facts = None if name is None else _sound(study, name, numbers)
        if name is not None and facts is not None:
            facts = {**facts, "condition": dict(trial.condition), "label": trial.label}
            read.append(Record(facts, study.store.trials / name))
    return read


def stored_trials(study: Study) -> list[Record]:
    """Facts and folder of every trial in the store that can be read, whatever recipe it came from."""
    study.left_out.clear()
    read = ((_sound(study, name, True), study.store.trials / name) for name in study.store.finished())
    return [Record(facts, folder) for facts, folder in read if facts is not None]


def _sound(study: Study, name: str, numbers: bool) -> dict[str, Any] | None:
    """The facts of a trial, or None and the reason among what is left out: a damaged one does not hide the others."""
    folder = study.store.trials / name
    try:
        state = _state(folder)
        before, facts = study.sound.get(name, ("", {}))
        if before != state or not state:
            facts = study.store.read(name)
            check_files(facts, folder)
            study.sound[name] = state, facts
        if numbers:
            _numbers(study, facts, folder, state)
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
    head = heads(trials)
    empty = {"set": "", "target": "", "layer": "", "unit_type": "", "n": None}
    rows = []
    for facts, folder in trials:
        for row in _numbers(study, facts, folder, study.sound[folder.name][0]):
            value = float(row["value"])
            known = None if np.isnan(value) else value
            rows.append({**head[facts["identity"]], **empty, **row, "value": known})
    return rows


def heads(trials: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """What every row of the tidy table says of its trial, by identity."""
    conditions = _plain(_repeats([facts for facts, _ in trials]))
    made = {}
    for record, condition in zip(trials, conditions):
        facts, network = record.facts, record.facts["description"].get("network", {})
        made[record.identity] = {
            "trial": facts["identity"],
            "seed": facts["seed"],
            **condition,
            "combinations": record.split_facts.combinations,
            "images": facts["sets"].get("train"),
            "sharing": network.get("sharing"),
            "backbone": network.get("backbone", record.subject.name),  # whoever has no network has a name
        }
    return made


def damage(study: Study, trials: Sequence[Record], whole: int = 0) -> list[str]:
    """What is told beside results: trials that were left out and why, and those that lost a part. ``whole``: how many
    there are beside these that are known to be whole."""
    told, all_of = [], len(trials) + len(study.left_out) + whole
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


def _numbers(study: Study, facts: dict[str, Any], folder: Path, key: str) -> list[dict[str, Any]]:
    """All numbers of one trial, once as long as its files stay as they are (``key``); or that its files are damaged."""
    from pyarrow import ArrowException
    from safetensors import SafetensorError

    kept = study.numbers.get(folder.name)
    if kept is None or kept[0] != key or not key:
        try:
            kept = key, list(_measured(study, Record(facts, folder)))
        except (OSError, ArrowException, SafetensorError) as error:
            raise damaged(folder, error) from error
        study.numbers[folder.name] = kept
    return kept[1]


def _state(folder: Path) -> str:
    """What tells that files are as they were; "" where that cannot be told."""
    try:
        with os.scandir(folder) as listing:
            there = sorted((one.name, (now := one.stat()).st_mtime_ns, now.st_size) for one in listing)
    except OSError:
        return ""
    return str([one for one in there if one[0] not in CACHED])


def _measured(study: Study, record: Record) -> Iterator[dict[str, Any]]:
    """All numbers of one trial: those of its kind, then how long it took."""
    yield from kind_of_trial(record, study.recipe).numbers(record, study.recipe.measures.model_dump())
    facts = record.facts
    if "subject" in facts:  # nothing was trained
        return
    yield {"measure": "device seconds", "value": facts["seconds_together"] / facts["packed"], "n": facts["packed"]}
    if facts["curve"]:  # nothing else was trained in epochs
        yield {"measure": "best epoch", "value": facts["best_epoch"] + 1, "n": len(facts["curve"])}


def varied(study: Study) -> Sequence[str]:
    """The grid's keys that take more than one value."""
    values: dict[str, set[str]] = {}
    for grid in study.recipe.grid:
        for key, options in grid.items():
            values.setdefault(key, set()).update(map(repr, options))
    return [key for key, options in values.items() if len(options) > 1 or len(study.recipe.grid) > 1]
