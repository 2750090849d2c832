"""What a study of regression has on its axes: the splits, and what tells its models apart."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from unseen.kinds.collect import REPEAT, collect, varied
from unseen.kinds.in_domain.numbers import MODE, series_of
from unseen.studies.records import Record
from unseen.studies.study import Study

X_TITLE = "split"


def model_keys(study: Study) -> list[str]:
    """The grid's keys that make the models."""
    keys = list(varied(study))
    return [key for key in keys if key not in (MODE, REPEAT) and not _follows(study, key, keys)]


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


def labelled(study: Study, trials: Sequence[Record]) -> tuple[pl.DataFrame, dict[str, str]]:
    """The tidy table with split (``x``), model (``series``) and repeat beside every number; the model of each trial.

    A repeat is a training seed, or, where the grid varies the design's seed, a draw of the split: its training seeds
    are averaged first, because they share it.
    """
    keys = model_keys(study)
    names = {record.identity: series_of(record.facts, keys) for record in trials}
    at = {record.identity: split_name(record) for record in trials}
    x, series = (pl.col("trial").replace_strict(found).alias(name) for name, found in (("x", at), ("series", names)))
    repeat = pl.col(REPEAT if REPEAT in varied(study) else "seed").alias("repeat")
    return collect(study).with_columns(x, series, repeat), names


def split_name(record: Record) -> str:
    """The name of a trial's split: its own, or that of its design."""
    return record.split_facts.name or str(record.facts["description"]["design"]["name"])
