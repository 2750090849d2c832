"""The page of a comparison."""

from __future__ import annotations

from html import escape

import numpy as np

from unseen.kinds.comparison import figures
from unseen.kinds.comparison.pairs import Pair
from unseen.kinds.comparison.parting import Parting
from unseen.kinds.comparison.tables import Numbers, answer, tidy
from unseen.measures import Interval
from unseen.reports.answer_pictures import ConfusionPicture
from unseen.reports.blocks import Block, Html, Page, Pictures, Section, Table, Text
from unseen.reports.confusion import confusion_grid, worst_words
from unseen.reports.drawing import data_uri, framed, sheet
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.sections import figure
from unseen.reports.tables import csv_link
from unseen.reports.words import interval, number, probability

MOST_ROWS = 30  # of a table that is not folded away
MOST_TILES = 12
SIDE = 112


def page(found: Numbers, partings: tuple[Parting, ...], *, title: str, command: str, written: str) -> Page:
    sections: list[Section | str] = [
        figure(figures.accuracy(found), *_accuracies(found)),
        Section("pairs", "Pairs", _pairs(found)),
        _consistency(found),
        figure(figures.biases(found), *_biases(found)) if found.biases else figures.biases(found),  # type: ignore[list-item]
        figure(figures.levels(found)),
        Section("parting", "Where they disagree most", _partings(partings))
        if partings
        else "Where they disagree: nowhere.",
        Section("confusion", "What is taken for what", _confusions(found)),
        Section("read", "How answers were read", (Html(_notes(found)),)),
    ]
    question = "Who is right how often, and are they wrong on the same images?"
    made = {"command": command, "written": written}
    return Page(title, question, answer(found), sections=tuple(sections), made=made)


def letters(found: Numbers) -> dict[str, str]:
    """The groups of ties that each subject is in, as letters: two subjects share one where nothing parts them."""
    return {
        own.group.name: "".join(chr(97 + k % 26) for k, group in enumerate(found.groups) if own.group.name in group)
        for own in found.owns
    }


def _accuracies(found: Numbers) -> tuple[Block, ...]:
    mark = letters(found)
    heads = ("subject", "kind", "accuracy", "n", "answers", "missing", "ties")
    rows = tuple(
        (own.group.words, own.group.kind, _shown(own.accuracy),
         f"{own.accuracy.n:,} {own.over}", f"{own.answers:,}", f"{own.silent:,}", mark[own.group.name])
        for own in sorted(found.owns, key=lambda own: -own.accuracy.value)
    )  # fmt: skip
    words = (
        "Ties: two subjects share a letter if their accuracies do not differ significantly on the images that both "
        "were asked, at 5 % after Holm's correction for all pairs. Missing answers count as wrong unless they were "
        "left out."
    )
    return Table(heads, rows, right=("answers", "missing"), wrap=("subject",)), Text(words, small=True)


def _pairs(found: Numbers) -> tuple[Block, ...]:
    heads = (
        "first",
        "second",
        "difference of accuracies",
        "p",
        "κ",
        "κ possible",
        "same errors",
        "by chance",
        "images",
    )
    rows = tuple(_pair_row(pair) for pair in found.pairs)
    fold = f"{len(rows)} pairs" if len(rows) > MOST_ROWS else ""
    table = Table(heads, rows, right=("images",), wrap=("first", "second"), fold=fold)
    words = (
        "Difference: first minus second on the same images, with its 95 % interval over images (objects are drawn "
        "again, then images), or over people and repeats where a subject has several. p: exact McNemar test over "
        "images, or Student's t over members, corrected by Holm's method for all pairs. κ: error consistency (Geirhos "
        "et al. 2020), (o − e)/(1 − e), of the shares of images on which both are right or both wrong, as found (same "
        "errors, o) and as independent errors would have it (by chance, e). Between these bounds it can lie at these "
        "accuracies."
    )
    undefined = sum(pair.undefined for pair in found.pairs)
    if undefined:
        total = sum(pair.pairs for pair in found.pairs)
        words += (
            f" Of {total:,} pairs of members {undefined:,} have no κ: both were right on all images, or wrong on all."
        )
    link = csv_link(tidy(found), "comparison.csv")
    return table, Text(words, small=True), Html(f"<p>{link}</p>")


def _pair_row(pair: Pair) -> tuple[str, ...]:
    d, k = pair.difference, pair.kappa
    p = probability(pair.adjusted) if pair.adjusted == pair.adjusted else "not tested"
    return (
        pair.first, pair.second, _shown(d), p,
        _shown(k), f"{number(pair.least)} to {number(pair.most)}", number(pair.observed), number(pair.expected),
        f"{pair.images:,}",
    )  # fmt: skip


def _shown(of: Interval) -> str:
    return f"{number(of.value)} {interval(of.low, of.high, of.n)}" if of.value == of.value else "undefined"


def _consistency(found: Numbers) -> Section | str:
    names = list(dict.fromkeys(name for pair in found.pairs for name in (pair.first, pair.second)))
    if len(names) < 3:
        return "Error consistency of all pairs as a grid: there is one pair."
    values = np.full((len(names), len(names)), np.nan)
    told: dict[tuple[int, int], str] = {}
    for pair in found.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        for cell in ((i, j), (j, i)):
            values[cell] = max(0.0, pair.kappa.value)
            told[cell] = f"κ = {_shown(pair.kappa)}, {pair.images:,} images"
    for name, of in found.inside.items():
        if name not in names:
            continue
        place = names.index(name)
        values[place, place] = max(0.0, of.value)
        told[place, place] = f"its members with each other: κ = {number(of.value)} {interval(of.low, of.high, of.n)}"

    def words(row: int, column: int) -> str:
        return f"{names[row]} and {names[column]}: {told.get((row, column), 'itself')}"

    label = "Error consistency of every two subjects"
    grid = heat_grid(values, names, names, axes=("subject", "subject"), words=words, label=label)
    note = "100 κ, negative ones as 0; on the diagonal people (or repeats) with each other. Point at a cell for more."
    tile = heat_tile(grid, "error consistency", note)
    body = f'<figure id="figure-consistency"><div class="heats">{tile}</div></figure>'
    drawing = framed(sheet([grid], ["error consistency κ × 100"], columns=1, label=label))
    return Section("consistency", "Errors on the same images", (Pictures(body, "consistency", drawing),))


def _biases(found: Numbers) -> tuple[Block, ...]:
    heads = ("subject", "shape bias", "n", "shape", "texture", "neither", "agreeing, left out")
    rows = []
    for name, own in found.biases.items():
        one = own[""]
        over = "people" if one.bias.method.startswith("t") else "decisions"
        shown = _shown(one.bias)
        rows.append(
            (
                name,
                shown,
                f"{one.bias.n:,} {over}",
                *(f"{k:,}" for k in (one.shape, one.texture, one.neither, one.agreeing)),
            )
        )
    return (Table(heads, tuple(rows), right=heads[3:], wrap=("subject",)),)


def _confusions(found: Numbers) -> tuple[Block, ...]:
    one, tiles, drawn, titles = found.answers, [], [], []
    classes = (*one.classes, "no answer")
    for group in one.groups[:MOST_TILES]:
        who, image = np.nonzero(one.asked[list(group.members)])
        said = one.response[list(group.members)][who, image].astype(np.int64)
        counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
        np.add.at(counts, (one.truth[image], np.where(said < 0, len(classes) - 1, said)), 1)
        keep = [k for k in range(len(classes)) if counts[k].any() or counts[:, k].any()]
        picture = ConfusionPicture(
            "", "class", group.words, tuple(classes[k] for k in keep), counts[np.ix_(keep, keep)], len(group.members)
        )
        grid = confusion_grid(picture)
        tiles.append(heat_tile(grid, group.words, worst_words(picture)))
        drawn.append(grid)
        titles.append(group.words)
    body = f'<figure id="figure-confusion"><div class="heats">{"".join(tiles)}</div></figure>'
    whole = framed(sheet(drawn, titles, columns=2, label="confusion matrices"))
    more = len(one.groups) - MOST_TILES
    note = (f"The first {MOST_TILES} of {len(one.groups)} subjects. " if more > 0 else "") + (
        "Per cent of the images of each class (a row) that got each answer (a column), of all that it was asked."
    )
    return Pictures(body, "confusion", whole), Text(note, small=True)


def _partings(partings: tuple[Parting, ...]) -> tuple[Block, ...]:
    blocks: list[Block] = [
        Text(
            "Images that one subject got right and the other did not. Those that few others got right come first.",
            small=True,
        )
    ]
    for one in partings:
        tiles = "".join(_tile(one, place) for place in range(len(one.images)))
        blocks.append(Html(f'<h3>{escape(one.first)} and {escape(one.second)}</h3><ul class="gallery">{tiles}</ul>'))
    if all(picture is None for one in partings for picture in one.pictures):
        blocks.append(
            Text("Without pictures: the images are not at hand. `--images FOLDER` says where they lie.", small=True)
        )
    return tuple(blocks)


def _tile(one: Parting, place: int) -> str:
    picture, said = one.pictures[place], one.said[place]
    uri = data_uri(picture, side=SIDE) if picture is not None else ""
    shown = (
        f'<img src="{uri}" alt="{escape(one.truths[place])}" loading="lazy">'
        if uri
        else '<div class="no-picture" aria-hidden="true">no picture</div>'
    )
    return (
        f"<li><figure>{shown}<figcaption><b>{escape(one.truths[place])}</b><br>"
        f"{escape(one.first)}: {escape(said[0])}<br>{escape(one.second)}: {escape(said[1])}<br>"
        f"<code>{escape(one.images[place]).replace('/', '/<wbr>')}</code></figcaption></figure></li>"
    )


def _notes(found: Numbers) -> str:
    items = "\n".join(f"<li>{escape(note)}</li>" for note in found.answers.notes)
    return f'<ul class="left-out">\n{items}\n</ul>'
