"""Disentanglement beside generalisation: one point per trained encoder, a panel per score and split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from unseen.kinds.in_domain.shown import InDomainContents, LatentPoint
from unseen.reports.figures import Figure, Key, Panel
from unseen.reports.palette import role, series_colours
from unseen.reports.selection import Row, colours_of, ordered
from unseen.reports.words import number

SCORES = {"disentanglement": "DCI disentanglement", "gap": "MIG"}
LOWEST = -1.0  # ours: R² has no lower bound; what lies below stands at the edge, as a triangle
SHAPES = ("circle", "square", "diamond", "cross", "triangle-right")
SPLITS = ("random", "composition", "interpolation", "extrapolation")


def disentanglement(contents: InDomainContents) -> Figure | str:
    """Does disentanglement predict generalisation?"""
    about = contents.regression
    points = about.latents
    if not points:
        return "Disentanglement: no encoder that learns without labels was trained, or its latents were not kept."
    scored = [point for point in points if point.disentanglement is not None and point.r2 is not None]
    if not scored:
        return f"Disentanglement: none of the {len(points)} encoders has a score; no latent of theirs is active."
    models, worlds = ordered(point.model for point in points), ordered(point.world for point in points)
    known = colours_of(contents)
    colours = {model: known[model] for model in models} if set(models) <= set(known) else series_colours(models)
    splits = sorted(ordered(point.split for point in scored), key=_place)
    made = []
    for score, title in SCORES.items():
        rows = [row for point in scored if (row := _row(point, score)) is not None]
        high = max([0.1, *(row["score"] for row in rows)])
        for split in splits:
            mine = [row for row in rows if row["split"] == split]
            if mine:
                chart = score_against_r2(mine, title=title, high=high, colours=colours, worlds=worlds)
                made.append(Panel(split, chart))
    lost = sum(point.collapsed for point in points)
    left = f" {lost} of {len(points)} encoders have no active latent (collapsed) and are not drawn." if lost else ""
    below = sum(point.r2 < LOWEST for point in scored if point.r2 is not None)
    edge = f" Triangles at the edge: {below} with R² below {number(LOWEST)}." if below else ""
    shapes = f" Shapes are worlds: {', '.join(f'{name} {SHAPES[i % 5]}' for i, name in enumerate(worlds))}."
    caption = (
        "Each point is a trained encoder: how disentangled its latents are on training rows, against the mean R² of "
        f"its readout on the {about.asked} rows of the split. Both scores (DCI, and the mutual information gap, MIG) "
        "are high where each latent holds one factor. Compare within a panel: what a split trains on changes MIG, too, "
        "and axes of R² differ."
        f"{shapes if len(worlds) > 1 else ''}{edge}{left}"
    )
    keys = tuple(Key(model, colour=colours[model]) for model in models)
    return Figure("disentanglement", "Disentanglement and generalisation", caption, tuple(made), keys)


def score_against_r2(
    rows: Sequence[Row],
    *,
    title: str,
    high: float,
    colours: Mapping[str, str],
    worlds: Sequence[str],
    height: int = 190,
) -> alt.LayerChart:
    """Points of ``model, world, seed, score, r2``; the axis of R² holds them all, but ends at ``LOWEST``."""
    low, top = _span([row["r2"] for row in rows])
    data = [{**row, "end": max(row["r2"], low), "shown": number(row["r2"])} for row in rows]
    x_scale = alt.Scale(domain=[0, round(1.08 * high, 3)], nice=False)
    x = alt.X("score:Q", scale=x_scale, axis=alt.Axis(title=title.split(), format="~g", tickCount=4))
    y_axis = alt.Axis(title="mean R²", format="~g", tickCount=4, grid=True)
    y_scale = alt.Scale(domain=[low, top], nice=False)
    y = alt.Y("end:Q", scale=y_scale, axis=y_axis)
    paint = alt.Color("model:N", title="objective", scale=alt.Scale(domain=list(colours), range=list(colours.values())))
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("seed:N"),
        alt.Tooltip("score:Q", title=title, format=".3f"),
        alt.Tooltip("shown:N", title="mean R²"),
    ]
    rule = alt.Chart(alt.Data(values=[{"end": 0}])).mark_rule(color=role("muted"), strokeWidth=1, tooltip=None)
    layers = [rule.encode(y)] if low <= 0 <= top else []
    for place, world in enumerate(worlds):
        inside = [row for row in data if row["world"] == world and row["r2"] >= low]
        if inside:
            mark = alt.Chart(alt.Data(values=inside)).mark_point(
                filled=True, size=62, opacity=0.85, shape=SHAPES[place % len(SHAPES)]
            )
            layers.append(mark.encode(x, y, paint, tooltip=tips))
    if beyond := [row for row in data if row["r2"] < low]:
        mark = alt.Chart(alt.Data(values=beyond)).mark_point(filled=True, size=62, opacity=0.85, shape="triangle-down")
        layers.append(mark.encode(x, y, paint, tooltip=tips))
    return alt.LayerChart(layer=layers, height=height)


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis with room around the values, at least 0.2 apart.

    >>> _span([0.5, 0.6]), _span([-7.0, 0.5])
    ((0.44, 0.66), (-1.0, 0.6))
    """
    low, high = max(LOWEST, min(values)), max(LOWEST, *values)
    room = max(0.06, 0.07 * (high - low), 0.1 - (high - low) / 2)
    return round(max(LOWEST, low - room), 2), round(max(high + room, LOWEST + 0.2), 2)


def _row(point: LatentPoint, score: str) -> Row | None:
    value = getattr(point, score)
    if value is None:
        return None
    same = {"model": point.model, "world": point.world, "split": point.split, "seed": point.repeat}
    return {**same, "score": value, "r2": point.r2}


def _place(split: str) -> int:
    return SPLITS.index(split) if split in SPLITS else len(SPLITS)
