"""Sections about explanations: maps over images with their verdicts, the checks in numbers, what was left out."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from unseen.explanations import METHODS
from unseen.explanations.drawing import over, pictures_of
from unseen.measures import agreement, mean_interval
from unseen.measures.similarity import ALIKE, DOES, DOES_NOT
from unseen.measures.statistics import Interval
from unseen.reports import charts
from unseen.reports.blocks import Block, Chart, Page, Pictures, Section, Table, Text
from unseen.reports.drawing import framed
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.map_table import DOES as YES
from unseen.reports.map_table import DOES_NOT as NO
from unseen.reports.map_table import OPEN, MapColumn, MapRow, map_sheet, map_table
from unseen.reports.palette import OTHERS, SERIES
from unseen.reports.words import number
from unseen.studies.explained.checked import Check
from unseen.studies.explained.drawn import Maps
from unseen.vocabulary.errors import listed

PAINTS = tuple(light for light, _ in (*SERIES.values(), *OTHERS))
SCALE = (
    "White is nothing, red is evidence for, blue evidence against; full colour is the 99th percentile of a map, so "
    "that maps of two methods cannot be compared in strength."
)
RULE = (
    "Layers get new random weights, from the scores down (Adebayo et al. 2018). A map that hardly changes does not "
    "depend on the weights: it is a picture of the image, and says nothing of what was learned. Hardly means that the "
    f"rank correlation without sign (of absolute values), over the upper half of the layers, is above {ALIKE} in all "
    "of its 95 % interval over three images or more. The line is ours."
)


@dataclass(frozen=True, eq=False)
class Explained:
    """What a page shows: maps of images, ``titles`` and ``words`` of each, ``groups`` where they stand under titles;
    ``checks`` by method, ``unchecked`` why a method has none, ``left`` why a method is not drawn at all."""

    name: str
    asked: str
    maps: Maps
    titles: tuple[str, ...]
    words: tuple[str, ...]
    settings: Mapping[str, Mapping[str, object]]
    groups: tuple[str, ...] = ()
    checks: Mapping[str, Check] = field(default_factory=dict)
    unchecked: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    more: int = 0  # images that were explained and are not on the page
    how: Mapping[str, str] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(self.maps.maps)


def page(found: Explained, command: str = "", written: str = "") -> Page:
    """A whole page about one network."""
    parts: list[Section | str] = [
        maps_section(found),
        *checks_sections(found),
        alike_section(found),
        how_section(found),
    ]
    parts += [f"{method}: {why}" for method, why in found.left.items()]
    made = {key: one for key, one in {"command": command, "written": written}.items() if one}
    return Page(
        f"What does {found.name} look at?", f"Maps of {found.asked}, and whether to believe them.", answer(found),
        sections=tuple(part for part in parts if part), made=made,
    )  # fmt: skip


def answer(found: Explained) -> str:
    """What is to be said first."""
    about = {"depend on the weights": [], "do not": [], "are open": []}
    for method, one in found.checks.items():
        words = one.verdict.words
        about["do not" if words == DOES_NOT else "depend on the weights" if words == DOES else "are open"].append(
            method
        )
    images = len(found.titles) + found.more
    said = [f"{_count(images, 'image')}, {_count(len(found.methods), 'method')}."]
    if about["depend on the weights"]:
        said.append(f"Maps of {listed(about['depend on the weights'])} depend on what the network learned.")
    if about["do not"]:
        said.append(
            f"Maps of {listed(about['do not'])} do not depend on the weights: they would look much the same for a "
            "network that learned nothing, so do not read them as reasons."
        )
    if about["are open"]:
        said.append(f"These images do not decide it for {listed(about['are open'])}; more may.")
    if not found.checks:
        said.append("No map was checked, so none of them is shown to be about the network.")
    for method, notes in found.maps.notes.items():
        if blank := [note for note in notes if note]:
            why = "; ".join(note.replace(": ", ", ", 1) for note in dict.fromkeys(blank))
            said.append(f"{method} has nothing to show for {_count(len(blank), 'image')}: {why}.")
    return " ".join(said)


def _count(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'s' * (n != 1)}"


def column(found: Explained, method: str) -> MapColumn:
    """A method's head and foot."""
    told = {key: one for key, one in found.settings.get(method, {}).items() if key != "batch"}
    settings = ", ".join(f"{key} {one}" for key, one in told.items())
    one, source = found.checks.get(method), METHODS[method].source
    if one is None:
        why = found.unchecked.get(method, "")
        is_beaten = METHODS[method].needs == "nothing"
        words = "a baseline: it does not use the network" if is_beaten else f"not checked: {why}" if why else ""
        return MapColumn(method, source, settings, NO if is_beaten else "", words)
    verdict = one.verdict
    kind = NO if verdict.words == DOES_NOT else YES if verdict.words == DOES else OPEN
    return MapColumn(method, source, settings, kind, verdict.words, f"rank correlation {_told(verdict.alike)}")


def _told(one: Interval) -> str:
    ends = f" [{number(one.low)}, {number(one.high)}]" if np.isfinite(one.low) else ""
    return f"{number(one.value)}{ends}, n = {one.n}"


def rows_of(found: Explained) -> list[MapRow]:
    pictures = pictures_of(found.maps.pictures)
    drawn = {method: over(found.maps.pictures, maps) for method, maps in found.maps.maps.items()}
    return [
        MapRow(
            found.titles[at], found.words[at], pictures[at],
            tuple(_said(found.maps.notes[method][at]) or drawn[method][at] for method in found.methods),
            found.groups[at] if found.groups else "",
        )
        for at in range(len(found.titles))
    ]  # fmt: skip


def _said(note: str) -> str:
    return note[:1].upper() + note[1:]


def maps_section(found: Explained, name: str = "maps", title: str = "Maps over images", intro: str = "") -> Section:
    columns, rows = [column(found, method) for method in found.methods], rows_of(found)
    words = f"Evidence for {found.asked}. {SCALE}"
    words += f" {found.more:,} more images are in the arrays, not on this page." if found.more else ""
    blocks: list[Block] = [Text(intro)] if intro else []
    blocks += [Pictures(map_table(columns, rows), name, framed(map_sheet(columns, rows))), Text(words, small=True)]
    if found.checks:
        blocks.append(Text(RULE, small=True))
    blocks += [Text(note, small=True) for note in found.notes]
    return Section(name, title, tuple(blocks))


def checks_sections(found: Explained, prefix: str = "") -> list[Section | str]:
    """How maps change under randomisation, and whether the answer follows them."""
    if not found.checks:
        return []
    first = next(iter(found.checks.values()))
    images = first.alike["spearman"].shape[1]
    colours = {method: PAINTS[at % len(PAINTS)] for at, method in enumerate(found.checks)}
    made = [
        {"x": step, "series": method, "set": "", **_point(one.alike["spearman_absolute"][step - 1])}
        for method, one in found.checks.items()
        for step in range(1, len(one.steps) + 1)
    ]
    least = min((one["value"] for one in made if np.isfinite(one["value"])), default=0.0)
    lowest = -0.2 if least >= -0.2 else -1.0  # a mean may be as low; a curve must not leave its chart
    chart = charts.curves(
        made, charts.Series(colours, "method", "steps of the randomisation"), domain=(lowest, 1), height=300,
        y_title="rank correlation without sign",
    )  # fmt: skip
    steps = "; ".join(f"{at}: {name.removeprefix('network.')}" for at, name in enumerate(first.steps, 1))
    caption = (
        f"How alike a map is to that of the same network after its layers were drawn anew from the scores down, over "
        f"{_count(images, 'image')} (bands: 95 % intervals over images). Steps: {steps}."
    )
    keys = keys_of(colours)
    figure = Figure(
        f"{prefix}cascade", "Does it depend on the weights?", caption, (Panel("", chart, large=True),), keys
    )
    heads = ("method", "verdict", "without sign", "with sign", "SSIM", "HOG", "deletion", "insertion")
    table = tuple(_numbers(method, one) for method, one in found.checks.items())
    words = (
        "Means over images, 95 % interval in brackets; similarities over the upper half of the steps. Deletion takes "
        "the most important pixels away first (a small area is good), insertion brings them into a blurred image (a "
        "large one is good; Petsiuk et al. 2018). For these checks methods run at coarser settings than for the maps."
    )
    blocks = (Chart(figure), Table(heads, table, wrap=("verdict",)), Text(words, small=True))
    return [Section(f"{prefix}checks", "Does it depend on the weights?", blocks)]


def _point(values: np.ndarray) -> dict[str, float | int]:
    one = mean_interval(values).cut(-1, 1)
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n}


def upper(alike: np.ndarray) -> np.ndarray:
    """Of each image the mean over the upper half of the steps."""
    half = alike[: (len(alike) + 1) // 2]
    count = np.isfinite(half).sum(0)
    total = np.where(np.isfinite(half), half, 0).sum(0)
    return np.divide(total, count, out=np.full(half.shape[1], np.nan), where=count > 0)


def _numbers(method: str, one: Check) -> tuple[str, ...]:
    similar = [
        _told(mean_interval(upper(one.alike[name])).cut(-1, 1))
        for name in ("spearman_absolute", "spearman", "ssim", "hog")
    ]
    areas = ["" if area is None else _told(mean_interval(area)) for area in (one.deletion, one.insertion)]
    return (method, one.verdict.words, *similar, *areas)


def alike_section(found: Explained) -> Section | str:
    """How alike methods are to each other."""
    usable = {
        method: maps for method, maps in found.maps.maps.items()
        if METHODS[method].needs != "nothing" and np.isfinite(maps).all()
    }  # fmt: skip
    if len(usable) < 2:
        return ""
    table = agreement(usable)
    names = list(usable)
    values = np.array([[table[a][b] for b in names] for a in names])
    drawn = heat_grid(
        np.clip(values, 0, 1), names, names, axes=("method", "method"), label="agreement of methods",
        words=lambda row, col: f"{names[row]} and {names[col]}: {number(float(values[row, col]))}",
    )  # fmt: skip
    words = (
        f"Rank correlation without sign between maps of two methods, mean over {_count(len(found.titles), 'image')}. "
        "Methods that agree may still be wrong together."
    )
    body = f'<div class="heats">{heat_tile(drawn, "Agreement", words)}</div>'
    return Section("agreement", "Do methods agree?", (Pictures(body, "agreement", framed(drawn)),))


def how_section(found: Explained) -> Section:
    rows = [(key, textwrap.shorten(value, 300)) for key, value in found.how.items()]
    rows += [
        (method, ", ".join(f"{key} = {one}" for key, one in own.items()) or "as published")
        for method, own in found.settings.items()
    ]
    return Section("how", "How it was made", (Table(("", ""), tuple(rows), wrap=("",)),))
