"""What the whole table of a study of transformations holds besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unseen.kinds.exposure.numbers import GROUPS, TAU, parts, threshold_steps, unit_scores
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Exposed

AT_STEP = {"kept": "accuracy by τ, inactive units ablated", "removed": "accuracy by τ, active units ablated"}
QUANTILE, QUANTILES = "invariance (quantile over units)", (0.1, 0.25, 0.75, 0.9)
Row = dict[str, Any]


def extra_rows(study: Study, trials: Sequence[Record]) -> Iterator[Row]:
    """Spread of the units' scores, and accuracy at every τ that was tried."""
    for record in trials:
        yield from ({"trial": record.identity, **row} for row in _units(record))


def odd_threshold(record: Record, row: Mapping[str, Any]) -> str | None:
    """What is odd about a τ."""
    if row["measure"] != TAU:
        return None
    levels = record.facts.get("invariance", {}).get("layers", {}).get(row["layer"], {})
    return levels.get(row["level"], {}).get("reason") or None


def _units(record: Record) -> Iterator[Row]:
    """Of the deepest layer, which the figures show: the spread of its units' scores, and accuracy at every τ."""
    (facts, folder), seen = record, {"seen": Exposed.of(record.split_facts).seen}
    units, steps = unit_scores(facts, folder), threshold_steps(facts, folder)
    for (level, layer, group), part in () if units is None else parts(units, "level", "layer", "group"):
        scores = part["coefficient"][part["state"] == "scored"].astype(np.float64)
        scores = scores[np.isfinite(scores)]
        if layer in _deepest(facts) and len(scores):
            at = {"level": level, "layer": layer, "set": GROUPS.get(group, group), "n": len(scores), **seen}
            for share, value in zip(QUANTILES, np.quantile(scores, QUANTILES).tolist()):
                yield {"measure": QUANTILE, **at, "at": share, "value": value}
    for (level, layer), part in () if steps is None else parts(steps, "level", "layer"):
        if layer not in _deepest(facts) or len(part["threshold"]) < 2:  # one step alone: τ was given
            continue
        for step, tau in enumerate(part["threshold"].tolist()):
            at = {"level": level, "layer": layer, "at": round(tau, 6), "n": int(part["images"][step]), **seen}
            for column, measure in AT_STEP.items():
                yield {"measure": measure, **at, "value": float(part[column][step])}


def _deepest(facts: Mapping[str, Any]) -> set[str]:
    """The deepest scored layer of every branch."""
    scored = facts.get("invariance", {}).get("layers", {})
    last: dict[str, str] = {}
    for layer, tasks in facts["tasks"].items():
        if layer in scored:
            last["".join(tasks)] = layer
    return set(last.values()) or set(list(scored)[-1:])
