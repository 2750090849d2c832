"""The page of a study of concepts."""

from __future__ import annotations

import altair as alt
import polars as pl

from unseen.kinds.by_method import cell, dots
from unseen.kinds.concepts.contents import ConceptContents
from unseen.kinds.concepts.numbers import MEASURES, SEEN, TOLD, UNSEEN
from unseen.kinds.concepts.read import ACCURACY
from unseen.reports import sections
from unseen.reports.blocks import Chart, Page, Section, Table, Text
from unseen.reports.figure import Figure, Panel, keys_of
from unseen.reports.palette import role
from unseen.studies.concepts import ALL, NOTHING

SIDES = (SEEN, UNSEEN)


def page(contents: ConceptContents) -> Page:
    rest = [
        sections.splits(contents), _concepts(contents), _told(contents), _together(contents),
        *sections.answers(contents),
    ]  # fmt: skip
    return sections.page_of(contents, _first(contents), rest)


def _n(contents: ConceptContents) -> int:
    return int(contents.summary["n"].max() or 0)  # pyright: ignore[reportArgumentType]


def _rows(contents: ConceptContents, measure: str, target: str) -> pl.DataFrame:
    if not contents.summary.height:
        return contents.summary
    return contents.summary.filter((pl.col("measure") == measure) & (pl.col("target") == target))


def _first(contents: ConceptContents) -> Section | str:
    mine = _rows(contents, ACCURACY, contents.label)
    if not mine.height:
        return "Accuracy: no network was asked."
    colours = {SEEN: role("seen"), UNSEEN: role("asked")}
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), title=f"accuracy, {contents.label}")
    chart = dots(mine, ACCURACY, contents.methods, colours, x, row=30)
    caption = (
        f"How often the {contents.label} is right, on new images of seen and of unseen combinations. Bars are 95 % "
        f"intervals over n = {_n(contents)} repeats. A class from concepts is read from what the network says of its "
        "concepts and from nothing else; apart, its errors teach the concepts nothing."
    )
    keys = keys_of(colours, "circle")
    figure = Figure("held", "Does the class hold on unseen combinations?", caption, (Panel("", chart),), keys)
    return Section("held", figure.title, (Chart(figure),))


def _cells(contents: ConceptContents, measure: str, target: str, sides: tuple[str, ...] = SIDES) -> list[list[str]]:
    mine = {(row["series"], row["set"]): row for row in _rows(contents, measure, target).iter_rows(named=True)}
    return [[cell(mine.get((how, side)), _n(contents)) for side in sides] for how in contents.methods]


def _concepts(contents: ConceptContents) -> Section | str:
    """Each concept's accuracy, by how the class is read."""
    able = [how for how in contents.methods if any(_has(contents, how, name) for name in contents.concepts)]
    if not able:
        return "Concepts: no network was asked about any."
    heads = ("concept", *(f"{how}, {side}" for how in able for side in SIDES))
    rows = []
    for name in contents.concepts:
        told = dict(zip(contents.methods, _cells(contents, ACCURACY, name)))
        rows.append((name, *(one for how in able for one in told[how])))
    words = "How often each concept is right. 95 % intervals over repeats."
    return Section("concepts", "Which concepts are known", (Table(heads, tuple(rows)), Text(words, small=True)))


def _has(contents: ConceptContents, how: str, concept: str) -> bool:
    return bool(_rows(contents, ACCURACY, concept).filter(pl.col("series") == how).height)


def _told(contents: ConceptContents) -> Section | str:
    """Accuracy with concepts set to the truth."""
    if not contents.summary.height or not (contents.summary["measure"] == TOLD).any():
        return "Interventions: no network reads its class from concepts."
    mine = contents.summary.filter(pl.col("measure") == TOLD)
    able = [how for how in contents.methods if (mine["series"] == how).any()]
    order = [NOTHING, *contents.concepts, *(f"any {k}" for k in range(1, len(contents.concepts))), ALL]
    heads = ("told", *(f"{how}, {side}" for how in able for side in SIDES))
    rows = []
    for name in (one for one in order if (mine["target"] == one).any()):
        each = dict(zip(contents.methods, _cells(contents, TOLD, name)))
        rows.append((name, *(one for how in able for one in each[how])))
    words = (
        f"How often the {contents.label} is right where the network is told the truth about some concepts in place of "
        "what it says itself (Koh et al. 2020). Any 2: of each image two, drawn at random."
    )
    return Section("told", "Told the truth about concepts", (Table(heads, tuple(rows)), Text(words, small=True)))


def _together(contents: ConceptContents) -> Section | str:
    there = [one for one in MEASURES if _rows(contents, one, contents.label).height]
    if not there:
        return "Concepts and class together: no network was asked about both."
    able = [how for how in contents.methods if _rows(contents, there[0], contents.label).filter(
        pl.col("series") == how).height]  # fmt: skip
    heads = ("", *(f"{how}, {side}" for how in able for side in SIDES))
    rows = []
    for measure in there:
        each = dict(zip(contents.methods, _cells(contents, measure, contents.label)))
        rows.append((measure, *(one for how in able for one in each[how])))
    words = (
        "Shares of images. Wrong classes with a wrong concept: how far an error of the class can be laid to a concept; "
        "to be read beside how often any concept is wrong at all (1 less the first line)."
    )
    return Section(
        "together", "Do concepts fail where the class does?", (Table(heads, tuple(rows)), Text(words, small=True))
    )
