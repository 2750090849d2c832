"""The units of a trial: how specialised they are, in which cells they fire, and images of these cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.engines.opened_trial import OpenedTrial
from unseen.reports.contents import UnitPicture
from unseen.reports.palette import themed
from unseen.reports.pictures import unit_grid
from unseen.studies.missing_trials import kept_of
from unseen.viewer.asked import Asked
from unseen.viewer.pictures import point_of
from unseen.viewer.shelf import NotServed, OnShelf, Reading, Shelf
from unseen.vocabulary.seeds import keyed

if TYPE_CHECKING:
    from unseen.studies.trials import Trial

PAGE, MOST = 24, 60
IMAGES = 6  # of the cells that excite a unit most
TOP, PROBED = 9, 512  # images that excite it most, of so many of the probe at most
ORDERS = ("specialization", "selectivity", "invariance", "unit")


def units(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """Units of one layer of a trial, most specialised first, each with its grid and with images it likes."""
    on_shelf = shelf[asked.text("study")]
    now = on_shelf.reading()
    trial = _with_activity(now, asked.text("trial"))
    if trial is None:
        return {"trials": [], "why": "no activity of units is stored: it is kept where the design has two factors and "
                'recordings.layers is not "none".'}  # fmt: skip
    layers = [name for name in trial.layers if name in stored_layers(trial)]
    layer = asked.one_of("layer", layers, layers[-1])
    with on_shelf.lock:
        scores, grids = trial.units(layer), trial.activity(layer)
    kinds = sorted({kind for kind in scores["unit_type"].to_list() if kind})
    if kind := asked.one_of("type", ("", *kinds)):
        scores = scores.filter(unit_type=kind)
    order = asked.one_of("order", ORDERS, ORDERS[0])
    scores = scores.sort(order, descending=order != "unit", nulls_last=True)
    start, most = asked.whole("start", 0, 0, 2**31), asked.whole("most", PAGE, 1, MOST)
    some = scores.slice(start, most)
    liked, why = _liked(on_shelf, now, trial, [grids[unit] for unit in some["unit"]])
    return {
        "trial": trial.identity,
        "label": trial.label,
        "trials": _trials(now),
        "layers": layers,
        "layer": layer,
        "types": kinds,
        "n": len(scores),
        "units_in_all": len(grids),
        "start": start,
        "rows": [
            {**row, "grid": _drawn(now, trial, layer, row, grids[row["unit"]]), "images": images}
            for row, images in zip(some.to_dicts(), liked)
        ],
        "scores": scores.select("unit", "unit_type", "selectivity", "invariance", "specialization").to_dicts(),
        "why": why,
        "weights": not now.study.absent and _has_weights(now, trial),
    }


def _has_weights(now: Reading, trial: OpenedTrial) -> bool:
    return kept_of(now.study, _point(now, trial)) is not None


def _point(now: Reading, trial: OpenedTrial) -> Trial:
    """The same trial of the study whose images are at hand."""
    return now.study.trials[now.identities.index(trial.identity)]


def exciting(shelf: Shelf, asked: Asked) -> dict[str, Any]:
    """The images of the probe that excite a unit most, and where in each: where the weights of its network are kept."""
    from unseen.explanations.exciting import exciting_patches

    on_shelf = shelf[asked.text("study")]
    with on_shelf.held() as now:
        trial = _with_activity(now, asked.text("trial"))
        if trial is None or now.study.absent:
            raise NotServed("no activity of units is stored, or the images are not at hand.")
        layer = asked.one_of("layer", trial.layers, trial.layers[-1])
        unit = asked.whole("unit", 0, 0, len(trial.activity(layer)) - 1)
        point = _point(now, trial)
        world, split = now.study.world(point), now.study.split(point)
        rows = split.rows(world.samples, "probe")
        rows = rows[np.argsort(keyed(0, "viewer", rows))[:PROBED]]
        network = OpenedTrial(now.study, point).network()
        (found,) = exciting_patches(network.module, world.images, rows, layer, [unit], top=TOP)
    height, width = world.size
    scale = np.array([height, width, height, width])
    return {
        "unit": unit,
        "probed": len(rows),
        "rows": [one.row for one in found],
        "activity": [one.activity for one in found],
        "boxes": [(np.array(one.box) / scale).tolist() for one in found],
    }


def stored_layers(trial: OpenedTrial) -> set[str]:
    """The layers whose activity in every cell is kept."""
    from unseen.kinds.trial_numbers import read_activity

    return set(read_activity(trial.study.store.trials / trial.identity))


def _trials(now: Reading) -> list[dict[str, str]]:
    folder = now.stored.store.trials
    return [
        {"name": name, "label": trial.label}
        for trial, name in zip(now.trials, now.identities)
        if name and name in now.facts and (folder / name / "activity.safetensors").is_file()
    ]


def _with_activity(now: Reading, wanted: str) -> OpenedTrial | None:
    """The trial that is asked for, or the first that has its activity kept."""
    there = [one["name"] for one in _trials(now)]
    if not there:
        return None
    name = now.identities[now.trial(wanted)] if wanted else there[0]
    if name not in there:
        raise NotServed("no activity of this trial's units is stored; choose another.")
    return OpenedTrial(now.stored, now.trials[now.identities.index(name)])


def _drawn(now: Reading, trial: OpenedTrial, layer: str, row: dict[str, Any], grid: np.ndarray) -> str:
    """Where a unit fires, as the report draws it: from its least to its most."""
    low, high = np.nanmin(grid, initial=np.inf), np.nanmax(grid, initial=-np.inf)
    scaled = (grid - low) / (high - low) if high > low else np.zeros_like(grid)
    rows, columns = trial.facts["factors"]
    names = [_levels(trial, name, length) for name, length in zip((rows, columns), grid.shape)]
    scores = {key: _number(row[key]) for key in ("specialization", "selectivity", "invariance")}
    picture = UnitPicture(
        title="", layer=layer, unit=int(row["unit"]), unit_type=row["unit_type"] or "", grid=scaled, **scores,
        row_levels=names[0], column_levels=names[1], row_factor=rows, column_factor=columns,
    )  # fmt: skip
    return themed(unit_grid(picture).svg())


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _levels(trial: OpenedTrial, factor: str, length: int) -> tuple[str, ...]:
    """The classes of a factor where it was asked, which are its levels' words; else their numbers."""
    classes = trial.facts["targets"].get(factor) or ()
    return tuple(map(str, classes)) if len(classes) == length else tuple(map(str, range(length)))


def _liked(on_shelf: OnShelf, now: Reading, trial: OpenedTrial, grids: list[np.ndarray]) -> tuple[list[list[int]], str]:
    """Rows of images in the cells where each unit fires most, best cell first. Activity is kept per cell, so of one
    cell any image stands for all."""
    with on_shelf.lock:
        if now.study.absent:
            return [[] for _ in grids], f"{now.study.absent}; grids are shown without images."
        point = point_of(now, Asked((("trial", trial.identity),)))
        samples, split = now.study.world(point).samples, now.study.split(point)
        if "probe" not in split.sets:
            return [[] for _ in grids], "this design has no probe, so that no image stands for a cell."
        rows = split.rows(samples, "probe")
        space = samples.space.select(split.factors)
        cells = space.numbers(samples.cells(rows, split.factors))
    found = []
    for grid in grids:
        best = np.argsort(-np.nan_to_num(grid.reshape(-1), nan=-np.inf), kind="stable")
        liked = [int(here[0]) for cell in best[:IMAGES] if len(here := rows[cells == cell])]
        found.append(liked)
    return found, ""
