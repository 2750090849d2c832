"""Curves of training and flags of trials, as frames of a report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from unseen.studies.records import Record
from unseen.studies.sound import NO_ACTIVITY, lacks_activity
from unseen.studies.study import Study

if TYPE_CHECKING:
    import polars as pl

Place = Callable[[Record], float | str]  # from a finished trial to its place on the x axis


def curves(trials: Sequence[Record], names: Mapping[str, str], place: Place) -> pl.DataFrame:
    """Losses and accuracies of every epoch, training and validation."""
    import polars as pl

    rows = []
    for record in trials:
        facts, name = record.facts, record.identity
        head = {"trial": name, "seed": facts["seed"], "series": names[name], "x": place(record)}
        for point, phase, target in itertools.product(
            facts["curve"], ("train", "validation"), ("total", *facts["targets"])
        ):
            loss, right = point.get(f"{phase} loss {target}"), point.get(f"{phase} accuracy {target}")
            at = {"epoch": int(point.get("epoch") or 0) + 1, "phase": phase, "target": target}
            rows.append({**head, **at, "loss": loss, "accuracy": right})
    return pl.DataFrame(rows, infer_schema_length=None)


def flags(study: Study, trials: Sequence[Record], names: Mapping[str, str], place: Place) -> pl.DataFrame:
    """Diverged, unconverged, failed and damaged trials, and those that lost a part. ``place`` gives a number, or
    a name."""
    import polars as pl

    rows = []
    for record in trials:
        name, facts = record.identity, record.facts
        for flag, detail in facts["flags"].items():
            rows.append((name, names[name], place(record), facts["seed"], flag, detail))
    for record in trials:
        name, facts = record.identity, record.facts
        if lacks_activity(facts, record.folder):
            rows.append((name, names[name], place(record), facts["seed"], "no activity", NO_ACTIVITY))
    for identity, record in study.failures().items():
        rows.append((identity, record["label"], None, record["seed"], "failed", record["error"]))
    for identity, error in study.left_out.items():
        rows.append((identity, "left out", None, None, "damaged", str(error)))
    named = any(isinstance(place(record), str) for record in trials[:1])
    schema = {
        "trial": pl.String,
        "series": pl.String,
        "x": pl.String if named else pl.Float64,
        "seed": pl.Int64,
        "flag": pl.String,
        "detail": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
