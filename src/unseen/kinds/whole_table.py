"""Everything that a page of results can be recomputed from, in one small Parquet file.

The tidy table says what was measured. This adds what findings and figures read besides: held-out cells with their
distance, flags, what each trial was, curves of training, curves of ablation, strengths and how they were found, and
what is known of each domain on the images that two networks were both asked. It needs pyarrow and numpy and no polars,
so that a machine which only trains can write it.

One row per number, as in the tidy table; columns that only some rows use are null in the others:

- ``row``, ``column``, ``distance``: a held-out cell, and how far it is from the nearest seen one.
- ``at``: where on a curve: the epoch, the threshold τ, the quantile, the strength of a transformation.
- ``detail``: words: why a trial is flagged, what is odd about a τ; of the row ``trial`` its facts as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.collect import finished_trials, held_out_cells, tidy_rows
from unseen.kinds.exposure.numbers import GROUPS, TAU, is_exposure, parts, threshold_steps, unit_scores
from unseen.studies.sound import NO_ACTIVITY, lacks_activity
from unseen.studies.study import Study

if TYPE_CHECKING:
    import pyarrow as pa

CELL = "accuracy of a held-out cell"
TRIAL, FLAG = "trial", "flag: "
LOSS = {"train": "training loss", "validation": "validation loss"}
AT_STEP = {"kept": "accuracy by τ, inactive units ablated", "removed": "accuracy by τ, active units ablated"}
QUANTILE, QUANTILES = "invariance (quantile over units)", (0.1, 0.25, 0.75, 0.9)
CALIBRATION = "calibration: "
DOMAIN = "domain: "
KEPT_FACTS = ("label", "condition", "description", "facts", "factors", "task", "targets", "sets", "tasks", "best_epoch")
KEPT_FACTS += ("machine", "finished", "search")
WORDS = ("set", "target", "layer", "unit_type", "measure")
LAST = ("row", "column", "distance", "at", "detail")
Trials = Sequence[tuple[dict[str, Any], Path]]
Row = dict[str, Any]


def whole_table(study: Study) -> pa.Table:
    """All rows; columns that no row uses are left out, but for those that every study has."""
    import pyarrow as pa

    tidy = tidy_rows(study)
    trials = finished_trials(study)
    settled = {facts["identity"]: settings(facts) for facts, _ in trials}
    heads = {row["trial"]: {key: value for key, value in row.items() if key not in _measured()} for row in tidy}
    reasons = {(facts["identity"], *key): told for facts, _ in trials for key, told in _reasons(facts).items()}
    rows = []
    for row in tidy:
        told = reasons.get((row["trial"], row["level"], row["layer"])) if row["measure"] == TAU else None
        rows.append({**row, **settled[row["trial"]], "detail": told})
    for row in added(study, trials):
        name = row.get("trial", "")
        rows.append({**heads.get(name, {}), **settled.get(name, {}), **dict.fromkeys(WORDS, ""), "n": None, **row})
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
        "stem": (facts.get("network") or {}).get("stem") or about["network"].get("stem"),
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
        if is_exposure(study.recipe):
            yield from ({"trial": name, **row} for row in _units(facts, folder))
    for name, record in study.failures().items():
        head = {"trial": name, "seed": record["seed"], "measure": f"{FLAG}failed"}
        yield {**head, "value": 1.0, "detail": f"{record['label']}: {record['error']}"}
    for name, error in study.left_out.items():
        yield {"trial": name, "measure": f"{FLAG}damaged", "value": 1.0, "detail": str(error)}
    if study.recipe.task != "regression":
        yield from _cells(study)
    yield from _calibrations(study)
    yield from _domains(study, trials)


def _measured() -> tuple[str, ...]:
    return (*WORDS, "n", "value", "level", "seen")


def _reasons(facts: Mapping[str, Any]) -> dict[tuple[str, str], str | None]:
    """What is odd about each τ, by transformation and layer."""
    layers = facts.get("invariance", {}).get("layers", {})
    return {(at, layer): one.get("reason") or None for layer, levels in layers.items() for at, one in levels.items()}


def _losses(facts: Mapping[str, Any]) -> Iterator[Row]:
    for place, point in enumerate(facts["curve"]):
        for phase, measure in LOSS.items():
            if (loss := point.get(f"{phase} loss total")) is not None:
                yield {"measure": measure, "at": float(place + 1), "value": float(loss)}


def _units(facts: Mapping[str, Any], folder: Path) -> Iterator[Row]:
    """Of the deepest layer, which the figures show: the spread of its units' scores, and accuracy at every τ."""
    seen = {"seen": facts["facts"]["seen"]}
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


def _cells(study: Study) -> Iterator[Row]:
    """Held-out cells (control D.1)."""
    for cell in held_out_cells(study):
        head = {"measure": CELL, "set": "unseen", "value": cell["accuracy"]}
        yield {**head, **{key: cell[key] for key in ("trial", "target", "row", "column", "distance", "n")}}


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


def _domains(study: Study, trials: Trials) -> Iterator[Row]:
    """What is known of each domain left out, by repeat (``seed``) and model (``detail``): accuracies on the images that
    networks with and without it were both asked need the answers, and no mean of the tidy table gives them."""
    from unseen.kinds.domains.numbers import is_domains

    if not (is_domains(study.recipe) and trials):
        return
    from unseen.kinds.domains.contents import read
    from unseen.kinds.domains.numbers import domain_numbers

    _, _, answered = read(study)
    for model in dict.fromkeys(one.model for one in answered):
        mine = [one for one in answered if one.model == model]
        found, reference = domain_numbers(mine)
        for domain in found:
            for place, repeat in enumerate(sorted({one.repeat for one in mine})):
                head = {"seed": repeat, "level": domain.name, "detail": f"{model or 'one model'}; against {reference}"}
                for key in ("left_out", "same", "trained", "gap", "others", "images", "shared", "majority"):
                    value = float(getattr(domain, key)[place])
                    if np.isfinite(value):
                        yield {**head, "measure": f"{DOMAIN}{key}", "value": value}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value


__all__ = ["CALIBRATION", "CELL", "DOMAIN", "FLAG", "LOSS", "TRIAL", "whole_table", "write_whole_table"]
