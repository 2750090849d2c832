"""What a study of combinations has on its axes: the number of combinations seen, and a curve for each architecture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unseen.kinds.collect import REPEAT, collect, varied
from unseen.kinds.combinations.findings import Series
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import facts_of
from unseen.vocabulary.facts import Facts

if TYPE_CHECKING:
    import polars as pl

X_KEYS = {"design.seen_per_level": "combinations", "design.images": "images"}
X_TITLES = {"combinations": "number of seen combinations", "images": "number of training images"}


def axis(study: Study) -> tuple[str, str, list[str]]:
    """The column on the x axis, its title, and the grid's keys that make the curves."""
    keys = list(varied(study))
    chosen = next((key for key in X_KEYS if key in keys), None) or next(
        (key for key in keys if key.startswith("design.") and _changes_combinations(study, key)), None
    )
    column = X_KEYS.get(chosen or "", "combinations")
    if any(facts.combinations is None for _, facts in split_facts(study)):  # a split by levels has none
        column = "images"
    return column, X_TITLES[column], [key for key in keys if key not in (chosen, REPEAT)]


def _changes_combinations(study: Study, key: str) -> bool:
    """Whether the values of a grid key lead to different numbers of seen combinations (lists of a release do)."""
    found: dict[str, set[int]] = {}
    for trial, facts in split_facts(study):
        found.setdefault(repr(trial.condition.get(key)), set()).add(facts.combinations or 0)
    return len({tuple(sorted(numbers)) for numbers in found.values()}) > 1


def split_facts(study: Study) -> list[tuple[Trial, Facts]]:
    """What is known of each trial's split; without the images, of the splits of finished trials."""
    if not study.absent:
        return [(trial, study.split(trial).facts) for trial in study.trials]
    found = ((trial, study.find(trial)) for trial in study.trials)
    read = study.store.readable()
    return [(trial, facts_of(read[name]["facts"])) for trial, name in found if name in read]


def series_of(facts: Mapping[str, Any], keys: Sequence[str]) -> Series:
    """What the curve of a trial is of: its architecture, and what else varies, as words."""
    condition = facts["condition"]
    rest = []
    for key in keys:
        if key == "network.sharing":
            continue
        value = condition.get(key)
        if value is None:
            continue
        short = key.rpartition(".")[2]
        rest.append(str(value) if isinstance(value, str) else f"{short} {value}")
    network = facts["description"].get("network", {})
    return Series(network.get("sharing", facts["label"]), tuple(rest))


def labelled(study: Study, trials: Sequence[Record]) -> tuple[pl.DataFrame, dict[str, Series]]:
    """The tidy table with x axis, curve and repeat beside every number, and the curve of each trial.

    A repeat is a training seed, or, where the grid varies the design's seed, a choice of held-out cells: its training
    seeds are averaged first, because they share a split.
    """
    import polars as pl

    column, _, keys = axis(study)
    tidy = collect(study)
    about = {facts["identity"]: series_of(facts, keys) for facts, _ in trials}
    names = {identity: series.name for identity, series in about.items()}
    x, series = pl.col(column).cast(pl.Float64).alias("x"), pl.col("trial").replace_strict(names).alias("series")
    repeat = pl.col(REPEAT if REPEAT in varied(study) else "seed").alias("repeat")
    return tidy.with_columns(x, series, repeat), about


def place(record: Record, column: str) -> float:
    """A trial's place on the x axis."""
    seen, images = record.split_facts.combinations or 0, record.facts["sets"].get("train", 0)
    return float(seen if column == "combinations" else images)
