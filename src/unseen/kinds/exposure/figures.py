"""The figures of a study whose networks see a transformation for some categories only (Zaidi et al. 2020), in the order
of the page.

As in ``figures.py`` a maker takes the contents and gives a figure, or the reason why there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from unseen.kinds.exposure import panels as exposure
from unseen.kinds.exposure.shown import Exposure, ExposureContents
from unseen.reports import charts, panels
from unseen.reports.figure import by_name, keys_of, made_by
from unseen.reports.figures import Figure, Key, Panel, losses
from unseen.reports.palette import OTHERS
from unseen.reports.selection import Row, band_words, chance_line, layer_order, measure_rows, ordered
from unseen.reports.words import interval, number, repeats

MEDIAN = "invariance (median over units)"
TAKEN = ("taken for a seen-transformed category", "taken for an unseen-transformed category")
GROUPS = ("seen-transformed", "unseen-transformed", "all categories")
SEEN, UNSEEN, EVERY = GROUPS
SETS = ("within", "across", "plain")
MOST_PANELS = 24  # of one figure
X_TITLE = "seen transformed"  # short, for small panels


def families(contents: ExposureContents) -> Figure | str:
    """The paper's figure 2: within and across, a line for each transformation, coloured by family."""
    about, rows = contents.exposure, _accuracies(contents)
    if not any(row["set"] in SETS[:2] for row in rows):
        return "Accuracy by family: no trial that asks within or across categories has finished."
    dashes = {name: exposure.DASHES[place % len(exposure.DASHES)] for name, place in _members(about).items()}
    chance = next((row["chance"] for row in rows if charts.finite(row["chance"]) is not None), None)
    made, xs = [], [row["x"] for row in rows if row["set"] in SETS[:2]]
    for model, asked in ((m, s) for m in _models(about) for s in SETS[:2]):
        mine = [row for row in rows if row["set"] == asked and about.series[row["series"]][0] == model]
        chart = exposure.family_lines(
            mine, colours=_colours(about), dashes=dashes, x_title=contents.x_title, xs=xs, chance=chance
        )
        title = {"within": "within: seen-transformed categories", "across": "across: unseen-transformed categories"}
        made.append(Panel(f"{model}, {title[asked]}" if model else title[asked], chart))
    counts = [row["n"] for row in rows]
    spread = "intervals are in the next figure" if max(counts) > 1 else "one repeat gives no interval"
    caption = (
        f"Accuracy on transformed test images of categories that were seen transformed in training (within), and of "
        f"those that were not (across), by {contents.x_title}; 0 is a network trained on plain images alone. Colours "
        f"are the paper's families. Means over repeats ({repeats(counts)}); {spread}. The dotted line is chance."
    )
    keys = [Key(name, colour=_colours(about)[name], dash=tuple(dashes[name])) for name in about.series]
    return Figure("families", "Accuracy within and across categories", caption, tuple(made), tuple(keys))


def accuracy(contents: ExposureContents) -> Figure | str:
    """Within, across and plain accuracy, a panel for each transformation."""
    about, rows = contents.exposure, _accuracies(contents)
    if not rows:
        return "Accuracy by transformation: no trial has finished, so there is none."
    sets = [name for name in SETS if any(row["set"] == name for row in rows)]
    made = []
    for name in list(about.series)[:MOST_PANELS]:
        mine = [row for row in rows if row["series"] == name]
        if mine:
            chart = charts.curves(
                [_as_family(about, row) for row in mine],
                charts.Series(_family_colours(about), "family", X_TITLE),
                domain=(0, 1),
                sets=sets,
                chance=chance_line(mine),
                height=150,
                y_title="accuracy",
            )
            made.append(Panel(name, chart))
    shared = " Every repeat sees the same categories transformed." if about.same_categories else ""
    caption = (
        f"Accuracy on transformed images of seen-transformed categories (within) and of the others (across), and on "
        f"untransformed images of all, by {contents.x_title}. {band_words(rows)}{shared} The dotted line is chance."
        f"{_more(about)}"
    )
    keys = _family_keys(about) + [
        Key(charts.set_title(name), dash=tuple(dash)) for name, dash in charts.dashes(sets).items()
    ]
    return Figure("accuracy", "Accuracy by transformation", caption, tuple(made), tuple(keys))


def violins(contents: ExposureContents) -> Figure | str:
    """The paper's figures 4 and 8: invariance coefficients of single units."""
    about = contents.exposure
    if not about.violins:
        return "Invariance of units: it was not recorded (recordings.invariance), so there is none."
    lowest = min((float(part.values.min()) for part in about.violins if len(part.values)), default=0.0)
    span = (0.0, 1.0) if lowest >= 0 else (-1.0, 1.0)
    made = []
    for name in list(about.series)[:MOST_PANELS]:
        parts = [part for part in about.violins if part.series == name]
        if any(len(part.values) for part in parts):
            paint = _family_colours(about)[about.series[name][2]]
            made.append(Panel(name, exposure.violins(parts, paint=paint, groups=GROUPS, span=span)))
    if not made:
        return "Invariance of units: no unit of any network has a score."
    networks = repeats([part.networks for part in about.violins])
    below = " Coefficients below −1 (negative activity was kept) are drawn at the lower end." if span[0] else ""
    caption = (
        f"Invariance coefficients of the units after {about.layer}, by {contents.x_title}: the faint left half on "
        f"images of seen-transformed categories, the full right half of unseen-transformed ones; grey is the plainly "
        f"trained network. A bar is the median. Units of all {_repeats(about)[1]} together (networks: {networks} each)."
        f"{_unscored(about)}{below}{_more(about)}"
    )
    keys = [Key("plainly trained", colour=OTHERS[5][0]), *_family_keys(about)]
    return Figure("violins", "Invariance of single units", caption, tuple(made), tuple(keys))


def invariance(contents: ExposureContents) -> Figure | str:
    """The paper's figures 5b and 5c: invariance against accuracy, a point per network."""
    about = contents.exposure
    made, shapes = [], {n: exposure.SHAPES[p % len(exposure.SHAPES)] for n, p in _members(about).items()}
    whole = {
        asked: about.points.filter(pl.col("invariance").is_finite(), pl.col(asked).is_finite()) for asked in SETS[:2]
    }
    if not whole["across"].height:
        return "Invariance against accuracy: no network has both numbers."
    values = np.concatenate([frame["invariance"].to_numpy() for frame in whole.values()])
    span = (math.floor(10 * values.min() - 0.1) / 10, math.ceil(10 * values.max() + 0.1) / 10)
    for asked in ("across", "within"):
        one = about.correlations[asked]
        note = f"all together: ρ = {number(one.value)}, n = {one.n}" if math.isfinite(one.value) else "no correlation"
        rows = whole[asked].select("series", "x", "repeat", "invariance", pl.col(asked).alias("accuracy")).to_dicts()
        chart = exposure.invariance_points(
            rows, colours=_colours(about), shapes=shapes, span=span, asked=asked, note=note, unit=_repeats(about)[0]
        )
        made.append(Panel(f"{asked}-category accuracy", chart))
    caption = (
        f"Accuracy on transformed images against the median invariance of the units after {about.layer} on images of "
        f"unseen-transformed categories. A point is a network and a transformation it was asked; larger: more "
        f"categories seen transformed. Spearman's ρ of all points together, without an interval: points of one "
        f"transformation or repeat are not independent, and differences between transformations alone can produce it; "
        f"the findings judge ρ within a transformation."
    )
    keys = [Key(name, colour=_colours(about)[name], shape=shapes[name]) for name in about.series]
    return Figure("invariance", "Invariance against accuracy", caption, tuple(made), tuple(keys))


def layers(contents: ExposureContents) -> Figure | str:
    """The paper's figure 10: invariance from the first layer to the last."""
    about = contents.exposure
    rows = [row for row in measure_rows(contents, MEDIAN) if row["set"] == UNSEEN]
    names = [name for name in layer_order(contents) if name in {row["layer"] for row in rows}]
    if len(names) < 2:
        return "Invariance across layers: units of fewer than two layers were scored."
    ends = [end for row in rows for end in (row["value"],)]
    domain = (min(0, math.floor(5 * min(ends)) / 5), 1)
    made = []
    for name in list(about.series)[:MOST_PANELS]:
        mine = [_as_family(about, row) for row in rows if row["series"] == name]
        if mine:
            chart = panels.build_up(
                mine,
                charts.Series(_family_colours(about), "family", "seen transformed"),
                layers=names,
                domain=domain,
                height=150,
            )
            made.append(Panel(name, chart))
    caption = (
        f"Median invariance of the units of each layer on images of unseen-transformed categories, from the first "
        f"recorded layer to the last; fainter: fewer categories seen transformed. Means over repeats, "
        f"{repeats([row['n'] for row in rows])}; intervals are in the tooltips and the table.{_more(about)}"
    )
    return Figure("layers", "Invariance across layers", caption, tuple(made), tuple(_family_keys(about)))


def thresholds(contents: ExposureContents) -> Figure | str:
    """The paper's figure 7: accuracy with inactive or active units ablated."""
    about = contents.exposure
    if about.thresholds is None or not about.thresholds.height:
        return "Thresholds: no unit was ablated, or nothing was recorded."
    taus = about.thresholds["threshold"].unique().to_list()
    given = taus[0] if len(taus) == 1 else None  # looked at, not searched for
    draw = exposure.ablation_curves if given is None else exposure.given_ablation
    made = []
    for name in list(about.series)[:MOST_PANELS]:
        rows = about.thresholds.filter(pl.col("series") == name).to_dicts()
        if rows:
            made.append(Panel(name, draw(rows, paint=_family_colours(about)[about.series[name][2]])))
    if given is not None:
        return _given(about, given, made)
    many, total = about.odd_thresholds
    doubt = (
        "the curve is not monotone; or it never falls, or falls at once, so that τ is 0; or more than half of the "
        "accuracy is left without the active units"
    )
    odd = f" {many} of {total} τ are in doubt: {doubt}." if many else ""
    caption = (
        f"Accuracy when on each image the units of {about.layer} below τ (solid) or above it (dashed) are set to zero; "
        f"fainter: fewer categories seen transformed; means over networks "
        f"({repeats(about.thresholds['n'].to_list())}). Points are the τ chosen by a network: the highest at which "
        f"ablating inactive units costs at most one percentage point. Ablating the active ones should leave chance. "
        f"Images are transformed ones of seen-transformed categories, or plain ones where none was seen.{odd}"
        f"{_more(about)}"
    )
    keys = [*_family_keys(about), Key("inactive units ablated", dash=(1, 0)), Key("active units ablated", dash=(3, 2))]
    return Figure("thresholds", "Which activity matters", caption, tuple(made), tuple(keys))


def _given(about: Exposure, tau: float, made: Sequence[Panel]) -> Figure:
    """What the ablations say about a τ that the recipe gave."""
    assert about.thresholds is not None
    caption = (
        f"Accuracy at the given τ = {tau:g}, by number of categories seen transformed: when on each image the units of "
        f"{about.layer} below τ (solid) or above it (dashed) are set to zero, and of the whole network "
        f"(dash-dotted); means over networks ({repeats(about.thresholds['n'].to_list())}). Where τ fits, "
        f"ablating inactive units costs little and ablating the active ones leaves chance. Images are "
        f"transformed ones of seen-transformed categories, or plain ones where none was seen.{_more(about)}"
    )
    keys = [*_family_keys(about), *(Key(part, dash=dash) for part, (_, dash) in exposure.PARTS.items())]
    return Figure("thresholds", "Which activity matters", caption, tuple(made), tuple(keys))


def calibration(contents: ExposureContents) -> Figure | str:
    """How strong each transformation had to be for a plainly trained network to fail."""
    about = contents.exposure
    if not about.calibrations:
        return "Calibration: this study has none; strengths are those of its recipe or the defaults."
    family = {level: kind for _, level, kind in about.series.values()}
    made, open_ends = [], []
    for curve in about.calibrations[:MOST_PANELS]:
        paint = _family_colours(about).get(family.get(curve.level, ""), OTHERS[0][0])
        made.append(Panel(curve.title, exposure.calibration_curve(curve, paint=paint)))
        if curve.chosen is None:
            open_ends.append(f"{curve.title}: {curve.reason or 'no strength was chosen'}")
    chosen = [f"{curve.title} {curve.chosen:g}" for curve in about.calibrations if curve.chosen is not None]
    images = repeats([curve.n for curve in about.calibrations])
    told = f" Chosen: {', '.join(chosen)}." if chosen else ""
    left = f" {'; '.join(open_ends)}." if open_ends else ""
    caption = (
        f"Accuracy of a plainly trained network on images transformed more and more strongly ({images} images each). "
        f"The ring is the first strength at which it falls under the target. Dotted: its plain accuracy, the target, "
        f"and chance.{told}{left}"
    )
    present = {family.get(curve.level) for curve in about.calibrations}
    keys = tuple(key for key in _family_keys(about) if key.label in present)
    return Figure("calibration", "Calibration", caption, tuple(made), keys)


def quadrants(contents: ExposureContents) -> Figure | str:
    """The paper's figure 6: which set of categories transformed images are taken for."""
    about = contents.exposure
    rows = [
        {**row, "column": column, "spread": interval(row["low"], row["high"], row["n"])}
        for column, measure in enumerate(TAKEN)
        for row in measure_rows(contents, measure)
    ]
    if not rows:
        return "Confusion quadrants: no network has both seen- and unseen-transformed categories."
    made = []
    for name in list(about.series)[:MOST_PANELS]:
        mine = [row for row in rows if row["series"] == name]
        if mine:
            paint = _family_colours(about)[about.series[name][2]]
            made.append(Panel(name, exposure.quadrant_table(mine, paint=paint)))
    counts = [row["n"] for row in rows]
    spread = "intervals are in the tooltips" if max(counts, default=0) > 1 else "one repeat gives no interval"
    caption = (
        f"Percent of transformed test images by the set their category belongs to → the set they are taken for, by "
        f"{contents.x_title}; the two rows of each set add up to 100. “unseen → seen” with few categories seen: the "
        f"transformation itself has become the cue. Means over repeats ({repeats(counts)}); {spread}."
        f"{_more(about)}"
    )
    return Figure("quadrants", "Where the mistakes go", caption, tuple(made), tuple(_family_keys(about)))


def _accuracies(contents: ExposureContents) -> list[Row]:
    about = contents.exposure
    rows = measure_rows(contents, "accuracy")
    return [
        row for row in rows if row["target"] == about.category and row["set"] in SETS and row["series"] in about.series
    ]


def _repeats(about: Exposure) -> tuple[str, str]:
    """What a repeat is called, and many: networks of other seeds, or with other categories seen transformed."""
    return ("seed", "seeds") if about.same_categories else ("draw", "draws of categories")


def _models(about: Exposure) -> list[str]:
    return ordered(model for model, _, _ in about.series.values())


def _members(about: Exposure) -> dict[str, int]:
    """The place of each series among those of its model and family."""
    counts: dict[tuple[str, str], int] = {}
    places = {}
    for name, (model, _, family) in about.series.items():
        places[name] = counts.get((model, family), 0)
        counts[model, family] = places[name] + 1
    return places


def _family_colours(about: Exposure) -> dict[str, str]:
    return exposure.family_colours(family for _, _, family in about.series.values())


def _colours(about: Exposure) -> dict[str, str]:
    """Each series in its family's colour."""
    return {name: _family_colours(about)[family] for name, (_, _, family) in about.series.items()}


def _family_keys(about: Exposure) -> list[Key]:
    return [*keys_of(_family_colours(about))]


def _as_family(about: Exposure, row: Row) -> Row:
    return {**row, "series": about.series[row["series"]][2]}


def _unscored(about: Exposure) -> str:
    lost: Sequence[float] = [part.unscored / max(1, part.unscored + len(part.values)) for part in about.violins]
    worst = max(lost, default=0)
    return (
        f" Units without a score (dead, silent, not finite) are left out: at most {100 * worst:.0f} %." if worst else ""
    )


def _more(about: Exposure) -> str:
    left = len(list(about.series)) - MOST_PANELS
    return f" {left} more panels are left out; the table of numbers has all." if left > 0 else ""


FIGURES = by_name(families, accuracy, violins, invariance, layers, thresholds, calibration, quadrants)


def figures(contents: ExposureContents) -> dict[str, Figure | str]:
    """Every figure, or why there is none, in the order of the page."""
    return {
        **made_by(FIGURES, contents),
        "losses": losses(contents, colours=exposure.family_colours(_trained(contents))),
    }


def _trained(contents: ExposureContents) -> list[str]:
    return contents.curves["series"].to_list() if contents.curves.height else []
