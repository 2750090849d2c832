"""Pictures for reports and plans: splits with example images, activation grids of the most specialized units."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unseen.measures import unit_scores
from unseen.reports.contents import SplitPicture, UnitPicture
from unseen.studies.collect import read_activity
from unseen.studies.study import Study
from unseen.studies.trials import Trial


def usable_cells(study: Study, trial: Trial) -> int:
    """Cells of the grid that a design may show or ask, withheld levels left out."""
    split = study.split(trial)
    shape = split.facts.get("grid") or study.world(trial).samples.space.select(split.factors).shape
    return int(np.prod(shape))


def splits(study: Study) -> tuple[SplitPicture, ...]:
    """A picture of each distinct split, with one example image per cell."""
    pictures = []
    for trial, found in study.check():
        split, world = study.split(trial), study.world(trial)
        rows, columns = (world.samples.space[name] for name in split.factors)
        asked = (
            split.mask(world.samples, "unseen")
            if "unseen" in split.sets
            else np.zeros_like(found.counts["train"], bool)
        )
        examples, missing = example_images(study, trial) if not pictures else (None, None)
        combos = split.facts.get("combinations", int((found.counts["train"] > 0).sum()))
        pictures.append(
            SplitPicture(
                title=f"{combos} of {usable_cells(study, trial)} combinations",
                row_factor=rows.name,
                column_factor=columns.name,
                row_levels=tuple(str(level) for level in rows.levels),
                column_levels=tuple(str(level) for level in columns.levels),
                seen=found.counts["train"] > 0,
                asked=asked,
                counts=found.counts["train"],
                examples=examples,
                missing=missing,
                note="; ".join(found.problems),
            )
        )
    return tuple(pictures)


def example_images(study: Study, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """One picture per cell ``[rows, columns, h, w, c]`` from the probe, and which cells have none."""
    split, world = study.split(trial), study.world(trial)
    space = world.samples.space.select(split.factors)
    rows = split.rows(world.samples, "probe")
    numbers = space.numbers(world.samples.cells(rows, split.factors))
    cells, first = np.unique(numbers, return_index=True)
    images = world.images(rows[first]).clamp(0, 255).byte().numpy().transpose(0, 2, 3, 1)
    examples = np.zeros((space.size, *images.shape[1:]), dtype=np.uint8)
    examples[cells] = images
    missing = np.ones(space.size, dtype=bool)
    missing[cells] = False
    return examples.reshape(*space.shape, *images.shape[1:]), missing.reshape(space.shape)


def top_units(
    study: Study, trials: Sequence[tuple[dict[str, Any], Path]], names: dict[str, str], each: int = 4
) -> tuple[UnitPicture, ...]:
    """The most specialized units of either type, in the most diverse trial of the first seed, for each architecture."""
    best: dict[str, tuple[dict[str, Any], Path]] = {}
    for facts, folder in trials:
        name = names[facts["identity"]]
        rank = (facts["facts"].get("combinations") or 0, facts["sets"]["train"], -facts["seed"])
        if name not in best or rank > (
            best[name][0]["facts"].get("combinations") or 0,
            best[name][0]["sets"]["train"],
            -best[name][0]["seed"],
        ):
            best[name] = (facts, folder)
    options = study.recipe.measures.model_dump()
    pictures = []
    for name, (facts, folder) in best.items():
        activity = read_activity(folder)
        for place, factor in enumerate(facts["factors"]):
            layers = [layer for layer, tasks in facts["tasks"].items() if factor in tasks and layer in activity]
            if not layers:
                continue
            grids = activity[layers[-1]].astype(np.float64)
            scores = unit_scores(grids, **options)
            wanted = scores.typed & (scores.prefers_rows == (place == 0)) & np.isfinite(scores.specialization)
            order = [u for u in np.argsort(-np.nan_to_num(scores.specialization)) if wanted[u]][:each]
            for unit in order:
                grid = grids[unit]
                low, high = np.nanmin(grid), np.nanmax(grid)
                pictures.append(
                    UnitPicture(
                        f"{name}, {facts['facts'].get('combinations')} combinations, seed {facts['seed']}",
                        layers[-1], int(unit), factor, float(scores.specialization[unit]),
                        float(scores.selectivity[unit]), float(scores.invariance[unit]), (grid - low) / (high - low),
                        tuple(facts["targets"].get(facts["factors"][0], map(str, range(grid.shape[0])))),
                        tuple(facts["targets"].get(facts["factors"][1], map(str, range(grid.shape[1])))),
                        facts["factors"][0], facts["factors"][1],
                    )
                )  # fmt: skip
    return tuple(pictures)
