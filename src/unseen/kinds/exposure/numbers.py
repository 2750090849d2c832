"""A trial that shows a transformation for some categories only becomes rows of the tidy table (Zaidi et al. 2020):
accuracy within and across categories, where mistakes go, how invariant units are and from which activity on they count.

Every row names the transformation it is about (``level``): a network trained on plain images alone may be asked many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.measures import confusion_quadrants, quadrant_counts
from unseen.studies.answers import read_answers, words
from unseen.studies.records import Record
from unseen.studies.sound import Damaged
from unseen.vocabulary.design_facts import Exposed
from unseen.vocabulary.facts import Facts

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


DESIGN = "expose"
WITHIN, ACROSS, PLAIN = "within", "across", "plain"
GROUPS = {"seen": "seen-transformed", "unseen": "unseen-transformed", "all": "all categories"}
MEDIAN, MEAN = "invariance (median over units)", "invariance (mean over units)"
STATES = ("scored", "dead", "silent", "not finite")
IMAGES_ACTIVE, UNITS_ACTIVE = "share of images that activate a unit", "share of units active per image"
FIRING, UNFIRED = "firing score (mean of the best fifth)", "units without a firing score"
TAU = "threshold τ"
AT_TAU = {
    "kept": "accuracy, inactive units ablated",
    "removed": "accuracy, active units ablated",
    "full": "accuracy, no unit ablated",
}
TAKEN = ("taken for a seen-transformed category", "taken for an unseen-transformed category")
SHARES = (*TAKEN, *AT_TAU.values(), IMAGES_ACTIVE, UNITS_ACTIVE)  # what cannot leave [0, 1]
INVARIANCE = ("level", "layer", "group", "unit", "coefficient", "images_active", "firing", "state")
THRESHOLDS = ("level", "layer", "threshold", "kept", "removed", "full", "images", "chosen")


def levels_of(facts: Facts) -> list[str]:
    """The transformations a split is about: one, or all that a plainly trained network is asked."""
    return [str(level) for level in Exposed.of(facts).transformations]


def exposed(record: Record, accuracies: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All numbers of one trial, ``accuracies`` among them, each with its transformation and the number of categories
    seen transformed."""
    (facts, folder), about = record, Exposed.of(record.split_facts)
    levels, seen = levels_of(about), about.seen
    alone = levels[0] if len(levels) == 1 else ""
    for row in (*accuracies, *_quadrants(record, about)):
        asked = row.get("set", "")
        if asked.startswith(f"{ACROSS}-"):
            yield {**row, "set": ACROSS, "level": asked.removeprefix(f"{ACROSS}-"), "seen": seen}
        elif asked == PLAIN:
            yield from ({**row, "level": level, "seen": seen} for level in levels)
        else:
            yield {**row, "level": alone, "seen": seen}
    for row in (*_invariance(facts, folder), *_thresholds(facts, folder)):
        yield {**row, "seen": seen}


def _quadrants(record: Record, about: Exposed) -> Iterator[dict[str, Any]]:
    """Which set of categories transformed images are taken for (Fig. 6); trivial where there is one set only."""
    facts, folder = record
    category = facts["factors"][0]
    classes = [str(name) for name in facts["targets"].get(category, ())]
    shown = {int(number) for number in about.exposed_numbers}  # classes are in the order of the levels
    if not 0 < len(shown) < len(classes):
        return
    table = read_answers(folder, "set", "target", "truth", "response")
    sets, targets, *sides = (words(table, name) for name in table.column_names)
    here = (sets.is_(WITHIN) | sets.is_(ACROSS)) & targets.is_(category)
    pair = [side.numbered(classes)[here] for side in sides]
    shares, counts = confusion_quadrants(pair[0], pair[1], shown), quadrant_counts(pair[0], pair[1], shown)
    for row, asked in enumerate((WITHIN, ACROSS)):
        for column, measure in enumerate(TAKEN):
            value, n = float(shares[row, column]), int(counts[row].sum())
            yield {"measure": measure, "set": asked, "target": category, "value": value, "n": n}


def read_invariance(facts: Mapping[str, Any], folder: Path) -> pl.DataFrame:
    """The scores of single units, of layers that serve the category; empty where none were recorded."""
    return _frame(unit_scores(facts, folder), INVARIANCE)


def read_thresholds(facts: Mapping[str, Any], folder: Path) -> pl.DataFrame:
    """Accuracy with units ablated below and above each threshold; empty where none was searched for."""
    return _frame(threshold_steps(facts, folder), THRESHOLDS)


def unit_scores(facts: Mapping[str, Any], folder: Path) -> pa.Table | None:
    """The same as stored, without polars; None where none were recorded."""
    import pyarrow as pa

    table = _stored(facts, folder / "invariance.parquet", INVARIANCE)
    category = facts["factors"][0]
    others = [layer for layer, tasks in facts["tasks"].items() if category not in tasks]
    if table is None or not others:
        return table
    return table.filter(pa.array(~np.isin(table["layer"].to_numpy().astype(str), others)))


def threshold_steps(facts: Mapping[str, Any], folder: Path) -> pa.Table | None:
    return _stored(facts, folder / "thresholds.parquet", THRESHOLDS)


def _stored(facts: Mapping[str, Any], path: Path, columns: Sequence[str]) -> pa.Table | None:
    """A table of a trial; None where it was never recorded, and damaged where it was and is gone."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        if facts.get("invariance"):
            raise Damaged(path.parent, f"lacks its {path.name}")
        return None
    table = pq.read_table(path)
    if missing := [name for name in columns if name not in table.column_names]:
        raise Damaged(path.parent, f"has {path.name} without the column '{missing[0]}'")
    texts = ("level", "layer", "group", "state")
    return pa.table({name: table[name].cast(pa.string()) if name in texts else table[name] for name in columns})


def _frame(table: pa.Table | None, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    if table is None:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def parts(table: pa.Table, *keys: str) -> Iterator[tuple[tuple[str, ...], dict[str, np.ndarray]]]:
    """The rows of a table by the words of some columns, in the order of their first row; what is null is NaN."""
    columns = {name: np.asarray(table[name].to_numpy(), dtype=None) for name in table.column_names}
    head = list(zip(*(columns[key].tolist() for key in keys)))
    places = {key: place for place, key in enumerate(dict.fromkeys(head))}
    own = np.array([places[key] for key in head], np.int64)
    for key, place in places.items():
        here = own == place
        yield key, {name: values[here] for name, values in columns.items()}


def _invariance(facts: Mapping[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """Median and mean over scored units of each layer and group of images; how many units have no score, and why."""
    units = unit_scores(facts, folder)
    for (level, layer, group), part in () if units is None else parts(units, "level", "layer", "group"):
        at = {"level": level, "layer": layer, "set": GROUPS.get(group, group)}
        scores, height = _finite(part["coefficient"][part["state"] == "scored"]), len(part["unit"])
        middle = (float(np.median(scores)), float(scores.mean())) if len(scores) else (math.nan, math.nan)
        yield {"measure": MEDIAN, **at, "value": middle[0], "n": len(scores)}
        yield {"measure": MEAN, **at, "value": middle[1], "n": len(scores)}
        counts = {state: int((part["state"] == state).sum()) for state in STATES}
        counts["not finite"] += counts["scored"] - len(scores)
        for state, count in {**counts, "scored": len(scores)}.items():
            yield {"measure": f"units {state}", **at, "value": count, "n": height}
        active = _finite(part["images_active"])
        value = float(active.mean()) if len(active) else math.nan
        yield {"measure": IMAGES_ACTIVE, **at, "value": value, "n": len(active)}
        if group == "all":
            firing = _finite(part["firing"])
            yield {"measure": FIRING, **at, "value": best_fifth(firing, height), "n": len(firing)}
            yield {"measure": UNFIRED, **at, "value": height - len(firing), "n": height}
    for layer, levels in facts.get("invariance", {}).get("layers", {}).items():
        for level, found in levels.items():
            share = found.get("units_per_image")
            if share is not None:
                at = {"level": level, "layer": layer, "set": GROUPS["all"]}
                n = sum(facts["invariance"].get("images", {}).values())
                yield {"measure": UNITS_ACTIVE, **at, "value": share, "n": n}


def _finite(values: np.ndarray) -> np.ndarray:
    """Numbers that are there."""
    numbers = values.astype(np.float64)
    return numbers[~np.isnan(numbers)]


def scored(units: pl.DataFrame) -> np.ndarray:
    """Coefficients of the units that have one."""
    kept = units.filter(units["state"] == "scored")["coefficient"].drop_nulls().drop_nans()
    return kept.cast(float).to_numpy()


def best_fifth(scores: np.ndarray, units: int) -> float:
    """Mean score of the best fifth of a layer's units, as Goodfellow et al. 2009 report it; units without a score are
    never among the best.

    >>> best_fifth(np.array([1.0, 3.0, 5.0, 2.0]), 10)
    4.0
    """
    best = np.sort(scores)[::-1][: max(1, math.ceil(units / 5))]
    return float(best.mean()) if len(best) else math.nan


def _thresholds(facts: Mapping[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """τ of each layer, and accuracy at τ with the inactive or the active units of each image ablated."""
    curves = threshold_steps(facts, folder)
    found = {} if curves is None else {(row["level"], row["layer"]): row for row in curves.to_pylist() if row["chosen"]}
    for layer, levels in facts.get("invariance", {}).get("layers", {}).items():
        for level, about in levels.items():
            at = {"level": level, "layer": layer}
            row = found.get((level, layer), {})
            value = about.get("threshold")
            yield {"measure": TAU, **at, "value": math.nan if value is None else value, "n": row.get("images")}
            for column, measure in AT_TAU.items():
                if row.get(column) is not None:
                    yield {"measure": measure, **at, "value": row[column], "n": row["images"]}


def in_order(summary: pl.DataFrame, series: Sequence[str], layers: Sequence[str]) -> pl.DataFrame:
    """The summary as a person reads it: what matters most first, transformations in families, the last layer first."""
    import polars as pl

    def rank(column: str, first: Sequence[str]) -> pl.Expr:
        known = list(dict.fromkeys([*first, *summary[column].to_list()]))
        return pl.col(column).replace_strict({name: place for place, name in enumerate(known)})

    measures = rank("measure", ("accuracy", MEDIAN, MEAN, *TAKEN, TAU, *AT_TAU.values()))
    sets = rank("set", (WITHIN, ACROSS, PLAIN, *GROUPS.values()))
    depth = rank("layer", ("", *reversed(layers)))
    return summary.sort(measures, depth, rank("series", series), sets, "target", "x", maintain_order=True)
