"""Everything that a page of results can be recomputed from, in one small Parquet file.

The tidy table says what was measured. This adds what findings and figures read besides: held-out cells with their
distance, flags, what each trial was, curves of training, curves of ablation, strengths and how they were found, and
what is known of each domain on the images that two networks were both asked. It needs pyarrow and numpy and no polars,
so that a machine which only trains can write it.

One row per number, as in the tidy table; columns that only some rows use are null in the others:

- ``row``, ``column``, ``distance``: a held-out cell, and how far it is from the nearest seen one.
- ``at``: where on a curve: the epoch, the threshold τ, the quantile, the strength of a transformation.
- ``subject``, ``participant``: whose number it is, of answers that were made elsewhere.
- ``detail``: words: why a trial is flagged, what is odd about a τ; of the row ``trial`` its facts as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.collect import finished_trials, heads, tidy_rows
from unseen.kinds.subjects.scores import numbers_of, read_subjects
from unseen.kinds.table import kind_of
from unseen.studies.records import Record
from unseen.studies.sound import NO_ACTIVITY, lacks_activity
from unseen.studies.study import Study
from unseen.studies.subjects import subjects_of

if TYPE_CHECKING:
    import pyarrow as pa

TRIAL, FLAG = "trial", "flag: "
LOSS = {"train": "training loss", "validation": "validation loss"}
CALIBRATION = "calibration: "
KEPT_FACTS = ("label", "condition", "description", "facts", "factors", "task", "targets", "sets", "tasks", "best_epoch")
KEPT_FACTS += ("machine", "finished", "search")
SUBJECT, SUBJECT_FACTS = "subject", ("subject", "targets", "sets", "no_answer", "counts", "files", "columns", "added")
WORDS = ("set", "target", "layer", "unit_type", "measure")
LAST = ("row", "column", "distance", "at", "detail")
Trials = Sequence[Record]
Row = dict[str, Any]


def whole_table(study: Study) -> pa.Table:
    """All rows; columns that no row uses are left out, but for those that every study has."""
    import pyarrow as pa

    trials = finished_trials(study)
    tidy = tidy_rows(study) if trials or not study.store.subjects() else []
    settled = {facts["identity"]: settings(facts) for facts, _ in trials}
    head, kind, by_name = heads(trials), kind_of(study.recipe), {record.identity: record for record in trials}
    rows = [{**row, **settled[row["trial"]], "detail": kind.detail(by_name[row["trial"]], row)} for row in tidy]
    for row in added(study, trials):
        name = row.get("trial", "")
        rows.append({**head.get(name, {}), **settled.get(name, {}), **dict.fromkeys(WORDS, ""), "n": None, **row})
    names = list(dict.fromkeys(key for row in rows for key in row if key not in LAST))
    columns = {name: [row.get(name) for row in rows] for name in (*names, *LAST)}
    small = {"value": pa.float32(), "distance": pa.float32(), "at": pa.float32()}  # seven digits are enough
    made = {
        name: pa.array([_plain(value) for value in values], small.get(name))
        for name, values in columns.items()
        if name not in LAST or any(value is not None for value in values)
    }
    return pa.table(made)


def write_whole_table(study: Study, path: Any) -> int:
    """Write it, packed as small as it gets; give the number of rows. ``path`` may be an open binary file."""
    import pyarrow.parquet as pq

    table = whole_table(study)
    pq.write_table(table, path, compression="zstd", compression_level=19)
    return table.num_rows


def settings(facts: Mapping[str, Any]) -> Row:
    """What else tells a trial apart, as columns; ``epochs`` are those it ran."""
    about = facts["description"]
    return {
        "design.seed": about.get("design", {}).get("seed", 0),
        "stem": (facts.get("network") or {}).get("stem") or about.get("network", {}).get("stem"),
        "precision": about.get("training", {}).get("precision"),
        "epochs": len(facts["curve"]),
    }


def added(study: Study, trials: Trials) -> Iterator[Row]:
    """All rows that are not in the tidy table."""
    for facts, folder in trials:
        name = facts["identity"]
        told = {key: facts[key] for key in KEPT_FACTS if facts.get(key) is not None}
        value = float(len(facts["flags"]))
        detail = json.dumps(told, ensure_ascii=False, sort_keys=True, default=str)
        yield {"trial": name, "measure": TRIAL, "value": value, "detail": detail}
        flags = dict(facts["flags"]) | ({"no activity": NO_ACTIVITY} if lacks_activity(facts, folder) else {})
        yield from ({"trial": name, "measure": f"{FLAG}{k}", "value": 1.0, "detail": str(v)} for k, v in flags.items())
        yield from ({"trial": name, **row} for row in _losses(facts))
    for name, record in study.failures().items():
        head = {"trial": name, "seed": record["seed"], "measure": f"{FLAG}failed"}
        yield {**head, "value": 1.0, "detail": f"{record['label']}: {record['error']}"}
    for name, error in study.left_out.items():
        yield {"trial": name, "measure": f"{FLAG}damaged", "value": 1.0, "detail": str(error)}
    if trials:
        yield from kind_of(study.recipe).extra_rows(study, trials)
    yield from _subjects(study)
    yield from _calibrations(study)


def _subjects(study: Study) -> Iterator[Row]:
    """Numbers of subjects whose answers were made elsewhere, under their names."""
    found, left = subjects_of(study)
    for one in read_subjects(study, found):
        head = {"trial": one.record.identity, "backbone": one.subject.name, "subject": one.subject.name}
        told = {key: one.record.facts[key] for key in SUBJECT_FACTS if key in one.record.facts}
        yield {**head, "measure": SUBJECT, "value": 1.0, "detail": json.dumps(told, ensure_ascii=False, sort_keys=True)}
        yield from ({**head, **row} for row in numbers_of(one))
    yield from ({"trial": k, "measure": f"{FLAG}answers left out", "value": 1.0, "detail": v} for k, v in left.items())


def _losses(facts: Mapping[str, Any]) -> Iterator[Row]:
    for place, point in enumerate(facts["curve"]):
        for phase, measure in LOSS.items():
            if (loss := point.get(f"{phase} loss total")) is not None:
                yield {"measure": measure, "at": float(place + 1), "value": float(loss)}


def _calibrations(study: Study) -> Iterator[Row]:
    """The curves by which strengths were found, under the identity of their calibration."""
    for name in study.calibrations:
        record = study.store.calibration(name)
        if record is None:
            continue
        head = {"trial": name, "precision": record.get("precision")}
        for key in ("plain", "chance", "target"):
            yield {**head, "measure": f"{CALIBRATION}{key}", "value": float(record[key]), "n": record.get("n")}
        for level, curve in record["levels"].items():
            at = {**head, "level": level, "n": curve["n"]}
            chosen = {"value": curve["chosen"], "detail": curve["reason"] or record["label"]}
            yield {**at, "measure": f"{CALIBRATION}strength", **chosen}
            for strength, right in zip(curve["strengths"], curve["accuracy"]):
                yield {**at, "measure": f"{CALIBRATION}accuracy", "at": float(strength), "value": float(right)}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value
