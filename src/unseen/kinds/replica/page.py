"""The page of a study of replicas."""

from __future__ import annotations

import numpy as np

from unseen.designs.replicate import ORIGINAL
from unseen.kinds.replica.contents import ReplicaContents, shown
from unseen.kinds.replica.findings import drops, meaning, slopes
from unseen.kinds.retest.page import line_panel
from unseen.measures import mean_interval
from unseen.reports import sections
from unseen.reports.blocks import Page, Section, Table, Text
from unseen.reports.figure import Figure, Key, Panel
from unseen.reports.figures import losses
from unseen.reports.palette import role
from unseen.reports.words import number

ABOUT = (
    "Drop: original minus new accuracy, mean over models. Slope: of the line of new on original accuracy through the "
    "models. Both are numbers of one repeat, in brackets 95 % t intervals over repeats. The last column counts the "
    "models that do worse, each by its mean over repeats."
)


def page(contents: ReplicaContents) -> Page:
    first = sections.figure(scatter(contents))
    tables = [_collections(contents), _models(contents)]
    closing = [sections.splits(contents), *sections.answers(contents), sections.figure(losses(contents))]
    return sections.page_of(contents, first, [*tables, *closing])


def scatter(contents: ReplicaContents) -> Figure | str:
    if not contents.lines:
        return "New against original accuracy: no model has both."
    made = tuple(Panel(name, line_panel(one, "linear")) for name, one in contents.lines.items())
    caption = (
        "Accuracy of each model on a new test set against that on the original, means over repeats. The full line is "
        "fitted, the dotted one is y = x: no drop. "
        + "; ".join(f"{name}: {meaning(contents.found, name)}" for name in contents.lines)
        + "."
    )
    keys = (Key("model", colour=role("asked"), shape="circle"), Key("fit", colour=role("seen")))
    return Figure("replicas", "New against original accuracy", caption, made, keys, wide=True)


def _collections(contents: ReplicaContents) -> Section:
    found = contents.found
    heads = ("new test set", "what it is", "images", "drop", "slope", "probit slope", "worse")
    rows = []
    for name in found.collections:
        cells = (drops(found, name), slopes(found, name), slopes(found, name, "probit"))
        means = [np.nanmean(found.drop(name)[:, k]) for k in range(len(found.models)) if _any(found.drop(name)[:, k])]
        told = [shown(one) if (one := mean_interval(values)).n else "–" for values in cells]
        worse = f"{sum(mean > 0 for mean in means)} of {len(means)}"
        rows.append((name, meaning(found, name), f"{found.images[name]:,.0f}", *told, worse))
    return Section(
        "collections", "Drops and slopes", (Table(heads, tuple(rows), wrap=heads[1:2]), Text(ABOUT, small=True))
    )


def _any(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).any())


def _models(contents: ReplicaContents) -> Section:
    found = contents.found
    names = (ORIGINAL, *found.collections)
    rows = tuple(
        (model, *(number(float(np.nanmean(v))) if _any(v := found.accuracy[name][:, k]) else "–" for name in names))
        for k, model in enumerate(found.models)
    )
    return Section("models", "Accuracy of each model", (Table(("model", *names), rows, right=names),))
