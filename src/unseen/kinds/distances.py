"""How far held-out cells are from what was seen (Madan et al. 2022, supplement D.1), and how well each is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.measures import nearest_seen_distance
from unseen.studies.answers import answered_columns, read_answers, words
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.responses import COLUMNS

if TYPE_CHECKING:
    import polars as pl


def distance_grid(study: Study, trial: Trial) -> np.ndarray | None:
    """For each held-out cell the distance to the nearest viewpoint its category was seen at; NaN in other cells."""
    split, samples = study.split(trial), study.world(trial).samples
    if not (split.trains and "unseen" in split.sets and split.facts.has_distances):
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
    if not any("unseen" in study.split(trial).sets for trial in study.points):  # audits may take seconds
        return rows
    for trial, _ in study.audits:
        grid = distance_grid(study, trial)
        values = grid[np.isfinite(grid)] if grid is not None else np.zeros(0)
        if not len(values):
            continue
        facts = {"trial": trial, "factor": study.split(trial).factors[1], "n": len(values)}
        span = {"mean": float(values.mean()), "least": float(values.min()), "most": float(values.max())}
        rows.append({**facts, **span, "combinations": study.split(trial).facts.combinations})
    return rows


def cells_by_distance(study: Study) -> pl.DataFrame:
    """Accuracy in every held-out cell of every finished trial, beside its distance to the nearest seen viewpoint."""
    import polars as pl

    return pl.DataFrame(list(held_out_cells(study)), infer_schema_length=None)


def held_out_cells(study: Study) -> Iterator[dict[str, Any]]:
    """The rows of ``cells_by_distance``, with the level of each factor (``row``, ``column``)."""
    grids: dict[int, np.ndarray | None] = {}  # by split: trials share a few
    for trial, name in () if study.absent else zip(study.trials, study.found()):
        if name is None or name in study.left_out:
            continue
        split, space = study.split(trial), study.world(trial).samples.space
        if id(split) not in grids:
            grids[id(split)] = distance_grid(study, trial)
        if (grid := grids[id(split)]) is None:
            continue
        factors = [f if f not in COLUMNS else f"factor_{f}" for f in split.factors[:2]]
        folder = study.store.trials / name
        if not set(factors) <= set(answered_columns(folder)):  # answers from elsewhere may come without factors
            continue
        table = read_answers(folder, "set", "target", "truth", "response", *factors)
        sets, targets, truth, response, *levels = (words(table, column) for column in table.column_names)
        right = truth.numbered(every := (*truth.names, *response.names)) == response.numbered(every)
        facts = {"trial": name, "seed": trial.seed, "combinations": split.facts.combinations}
        rows, columns = (space[factor] for factor in split.factors[:2])
        row, column = (
            np.array([factor.index(str(level)) for level in one.names])[one.places]
            for factor, one in zip((rows, columns), levels)
        )
        cells, unseen = row * len(columns.levels) + column, sets.is_("unseen")
        for target in targets.found():
            asked = unseen & targets.is_(target)
            n, hit = np.bincount(cells[asked]), np.bincount(cells[asked & right], minlength=cells.max(initial=0) + 1)
            for cell in np.flatnonzero(n).tolist():
                at = divmod(cell, len(columns.levels))
                levels_here = {"row": str(rows.levels[at[0]]), "column": str(columns.levels[at[1]])}
                measured = {"accuracy": float(hit[cell] / n[cell]), "n": int(n[cell]), "distance": float(grid[at])}
                yield {**facts, "target": target, **levels_here, **measured}
