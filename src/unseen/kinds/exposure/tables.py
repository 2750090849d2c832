"""Tables of a study whose networks see a transformation for some categories only."""

from __future__ import annotations

import math
from html import escape

from unseen.kinds.exposure.shown import Exposure, ExposureContents
from unseen.reports.tables import table
from unseen.reports.words import interval, number, plain


def trends(contents: ExposureContents) -> str:
    """Across-category accuracy of each transformation against the number of categories seen transformed; with fewer
    than three such numbers, that accuracy alone."""
    about = contents.exposure
    if all(math.isnan(trend.correlation) for trend in about.trends):
        return _across(contents, about)
    rows = []
    for trend in about.trends:
        model, level, family = about.series[trend.series]
        spread = interval(trend.low, trend.high, trend.n)
        ends = f"{trend.first:.3f} → {trend.last:.3f}".replace("nan", "undefined")
        rows.append(
            [model, level, family, ends, f"{trend.correlation:.2f}".replace("-", "−").replace("nan", "undefined"),
             spread, str(trend.n), trend.growth]
        )  # fmt: skip
    heads = ["model", "transformation", "family", "across, fewest → most seen", "ρ", "95 % interval", "n", "growth"]
    heads, rows = _filled(heads, rows)
    words = (
        "Across-category accuracy and the number of categories seen transformed: Spearman's ρ is the mean over "
        "repeats of the correlation within each, its interval over repeats; plainly trained networks are left out. "
        "Growth: whether curves of single repeats lean to a straight line or to a logarithm, corrected for the number "
        "of transformations."
    )
    return table(heads, rows, right=("ρ", "n"), wrap=("growth",)) + f'<p class="small">{escape(words)}</p>'


def _across(contents: ExposureContents, about: Exposure) -> str:
    """Across-category accuracy of networks that saw a transformation."""
    frame = contents.summary
    rows = [
        [*about.series[row["series"]], plain(row["x"]), number(row["value"]),
         interval(row["low"], row["high"], row["n"]), str(row["n"])]
        for row in frame.filter(frame["measure"] == "accuracy", frame["set"] == "across", frame["x"] > 0).to_dicts()
        if row["series"] in about.series and row["target"] == about.category
    ]  # fmt: skip
    heads = ["model", "transformation", "family", "seen transformed", "across-category accuracy", "95 % interval", "n"]
    heads, rows = _filled(heads, rows)
    words = f"Accuracy on transformed images of the other categories, by {contents.x_title}; n counts repeats."
    right = ("seen transformed", "across-category accuracy", "n")
    return table(heads, rows, right=right) + f'<p class="small">{escape(words)}</p>'


def _filled(heads: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Without the first column where it is empty, as that of models is where there is one."""
    return (heads, rows) if any(row[0] for row in rows) else (heads[1:], [row[1:] for row in rows])


def layer_thresholds(about: Exposure) -> str:
    """τ of each layer, and what is left of the accuracy at it."""
    rows = []
    for one in about.by_layer:
        span = f"{one.least:g} to {one.most:g}" if one.networks > 1 else ""
        tau = "none" if math.isnan(one.tau) else f"{one.tau:g}"
        accuracies = [number(one.full), number(one.kept), number(one.removed)] if one.networks else [""] * 3
        left = f"{number(one.left, percent=True)} {interval(one.left_low, one.left_high, None, percent=True)}"
        rows.append(
            [one.model, one.layer, tau, span, str(one.networks), str(one.without), *accuracies,
             left if one.networks else ""]
        )  # fmt: skip
    right = ("τ, median", "networks", "without τ", "whole network", "inactive ablated", "active ablated")
    heads = ["model", "layer", *right[:1], "range", *right[1:], "left above chance [95 %]"]
    heads, rows = _filled(heads, rows)
    guess = number(about.by_layer[0].chance)
    words = (
        f"τ: the highest share of a unit's largest activity at which setting the units below it to zero, image by "
        f"image, costs at most one percentage point; networks without τ have a curve that never falls, or falls at "
        f"once. Accuracies are those at τ of each network, means over transformations, on transformed images of "
        f"seen-transformed categories, or plain ones where none was seen; chance is {guess}. Left above chance: of the "
        f"accuracy above chance, the share that is left without the active units under the median transformation; the "
        f"finding above judges the last layer."
    )
    return table(heads, rows, right=right) + f'<p class="small">{escape(words)}</p>'
