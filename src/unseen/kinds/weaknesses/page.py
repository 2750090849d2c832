"""The page that says where a model fails."""

from __future__ import annotations

from html import escape

import numpy as np

from unseen.kinds.failures.shown import section
from unseen.kinds.weaknesses import figures
from unseen.kinds.weaknesses.answer import points, share, signed, with_interval
from unseen.kinds.weaknesses.closing_page import closing_sections
from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.gallery import gallery, objects, strips
from unseen.kinds.weaknesses.polar import FEWEST, polar
from unseen.kinds.weaknesses.references import Number
from unseen.kinds.weaknesses.scores import (
    canonical,
    cells_of,
    classes_of,
    confusions_of,
    gap,
    levels_of,
    score,
    sureness_of,
    worst_cells,
)
from unseen.kinds.weaknesses.shown import WeaknessContents
from unseen.reports import sections
from unseen.reports.blocks import Block, Html, Page, Pictures, Section, Table, Text
from unseen.reports.drawing import Drawing, framed, sheet
from unseen.reports.heat import heat_grid, heat_tile
from unseen.reports.palette import themed
from unseen.reports.tables import csv_link
from unseen.reports.words import has_interval, interval, number

MOST_CLASSES = 15
MOST_MAPS = 24  # pairs that are drawn, over all models
MOST_CONFUSIONS = 12
MOST_CELLS = 12
TABLES = 3  # models that have tables of their own


def page(contents: WeaknessContents) -> Page:
    first = sections.figure(figures.costs(contents), *_costs_table(contents))
    rest: list[Section | str] = [
        *_feeding(contents),
        section(contents.rules),
        *_asked(contents),
        sections.figure(figures.curves(contents)),
        *_circles(contents),
        *_gallery(contents),
        *_classes(contents),
        *_hard(contents),
        *_maps(contents),
        *_worst(contents),
        sections.figure(figures.sureness(contents), *_sureness_table(contents)),
        *closing_sections(contents),
        *_references(contents),
        *(f"Answers from elsewhere: {why}" for why in contents.left),
    ]
    return sections.page_of(contents, first, rest)


def _several(contents: WeaknessContents) -> bool:
    return len(contents.every) > 1


def _head(contents: WeaknessContents, one: ExaminedModel) -> list[Block]:
    return [Html(f"<h3>{escape(one.name)}</h3>")] if _several(contents) else []


def _costs_table(contents: WeaknessContents) -> list[Block]:
    """Accuracy of each set and what the change costs, model by model."""
    rows = []
    for one in contents.every:
        named = [*(["canonical"] if one.has_canonical else []), *one.alone, *([one.together] if one.together else [])]
        named = named or list(one.sets)
        for name in named:
            found = score(one, one.of(name))
            cost = points(gap(one, name).interval, whole=True) if one.has_canonical and name != "canonical" else ""
            over = f"{found.interval.n:,} {'objects' if one.paired else 'images'}"
            title = name if name in (*one.varied, "canonical") else "all together" if one.varied else name
            rows.append((one.name, title, with_interval(found.interval), cost, over, f"{found.images:,}"))
    heads = ("model", "changed", "accuracy [95 %]", "cost [95 %]", "n", "images")
    return [Table(heads, tuple(rows), right=("images",), fold="In numbers")]


def _feeding(contents: WeaknessContents) -> list[Section]:
    """How a model was fed and what else was tried."""
    if not contents.fed:
        return []
    blocks: list[Block] = []
    for fed in contents.fed:
        blocks.append(Text(fed.words))
        rows = [
            (way.name, share(way.right / way.n) if way.n else "", f"{way.right} of {way.n}", way.settings)
            for way in (fed.own, *fed.others)
        ]
        blocks.append(
            Table(("preprocessing", "canonical images right", "", "as an option"), tuple(rows), fold="What was tried")
        )
    return [Section("feeding", "Is the preprocessing right?", tuple(blocks))]


def _asked(contents: WeaknessContents) -> list[Section]:
    if not contents.strips:
        return []
    return [Section("asked", "What was changed", (Pictures(strips(contents.strips)),))]


def _circles(contents: WeaknessContents) -> list[Section]:
    """Factors that are circles, drawn as such."""
    colours, tiles, drawn, titles = figures.colours_of(contents), [], [], []
    for factor, period in contents.circles.items():
        at = contents.numbers_at.get(factor)
        one = contents.every[0]
        if at is None or factor not in one.levels:
            continue
        place = dict(zip(one.levels[factor], at))
        found = {
            each.name: levels
            for each in contents.every[: figures.MOST_MODELS]
            if factor in each.levels and len(levels := levels_of(each, factor)) >= FEWEST
        }
        if not found:
            continue
        made = polar(found, place, period, colours, factor)
        tiles.append(
            f'<figure><div class="picture" style="max-width:330px">{themed(made.svg())}</div>'
            f"<figcaption><b>{escape(factor)}</b>canonical at the top</figcaption></figure>"
        )
        drawn.append(made)
        titles.append(factor)
    if not drawn:
        return []
    words = "Accuracy around the circle: the rings are 25, 50, 75 and 100 %. The dot of the canonical images is larger."
    body = f'<figure id="figure-circles"><div class="heats">{"".join(tiles)}</div><p class="small">{words}</p></figure>'
    shown = framed(sheet(drawn, titles, columns=2, label=words))
    return [Section("circles", "Around the circle", (Pictures(body, "circles", shown),))]


def _gallery(contents: WeaknessContents) -> list[Section]:
    blocks: list[Block] = []
    for one in contents.every:
        if failures := contents.failures.get(one.name, ()):
            wrong, asked = int((~one.right).sum()), len(one.right)
            told = f"{wrong:,} of {asked:,} answers are wrong ({share(wrong / asked)})."
            blocks += [*_head(contents, one), Text(told, small=True), Pictures(gallery(failures, contents.pictureless))]
    return [Section("mistakes", "What it gets wrong", tuple(blocks))] if blocks else []


def _classes(contents: WeaknessContents) -> list[Section]:
    blocks: list[Block] = []
    for one in contents.every[:TABLES]:
        found = classes_of(one)
        rows = []
        for each in found:
            taken = f"{each.taken_for} ({each.times} of {each.wrong} wrong)" if each.taken_for else ""
            cost = f"{each.worst} {signed(each.worst_gap)}" if each.worst and each.worst_gap < 0 else ""
            rows.append(
                (
                    each.name,
                    share(each.canonical.value) if each.canonical else "",
                    with_interval(each.changed.interval) if each.changed else "",
                    f"{each.changed.images:,}" if each.changed else "",
                    cost,
                    taken,
                )
            )
        heads = ("class", "canonical", "changed [95 %]", "images", "costs most", "taken most often for")
        right = ("canonical", "images")
        if not one.has_canonical:
            heads = ("class", "", "accuracy [95 %]", "images", "", "taken most often for")
        words = f"All {len(rows)} classes"
        blocks += [*_head(contents, one), Table(heads, tuple(rows[:MOST_CLASSES]), right=right)]
        if len(rows) > MOST_CLASSES:
            blocks.append(Table(heads, tuple(rows), right=right, fold=words))
        pairs = confusions_of(one, MOST_CONFUSIONS)
        if pairs:
            lines = tuple((a, b, f"{n:,}", share(n / of) if of else "") for a, b, n, of in pairs)
            blocks.append(
                Table(("shows", "is taken for", "times", "of its images"), lines, right=("times", "of its images"),
                      fold="What is taken for what most often")
            )  # fmt: skip
    note = "Classes whose changed images are known least come first. Intervals are over the objects of a class."
    return [Section("classes", "The worst classes", (*blocks, Text(note, small=True)))] if blocks else []


def _hard(contents: WeaknessContents) -> list[Section]:
    blocks: list[Block] = []
    for one in contents.every:
        if hard := contents.hard.get(one.name, ()):
            blocks += [*_head(contents, one), Pictures(objects(hard))]
    return [Section("objects", "The hardest objects", tuple(blocks))] if blocks else []


def _maps(contents: WeaknessContents) -> list[Section]:
    """Accuracy at each two levels of each pair of factors."""
    import polars as pl

    tiles, drawn, titles, rows = [], [], [], []
    for one in contents.every:
        for name, (a, b) in one.pairs.items():
            found = cells_of(one, name)
            for cell in found:
                i = cell.score.interval
                rows.append({"model": one.name, "first": a, "second": b, "first level": cell.levels[0],
                             "second level": cell.levels[1], "accuracy": i.value, "low": i.low, "high": i.high,
                             "objects": i.n, "images": cell.score.images})  # fmt: skip
            if len(tiles) < MOST_MAPS:
                grid = _map(one, name, found)
                title = f"{one.name}: {name}" if _several(contents) else name
                span = sorted(cell.score.images for cell in found)
                middle = f"{span[len(span) // 2]} images a cell (median), {span[0]} at least"
                tiles.append(heat_tile(grid, title, middle))
                drawn.append(grid)
                titles.append(title)
    if not tiles:
        return []
    words = (
        "Per cent known with two factors changed, the others canonical; framed: a factor at its canonical level, from "
        "the images with the other one changed alone. A cell has few images, so look at rows and columns; intervals "
        "are in the CSV."
    )
    link = csv_link(pl.DataFrame(rows, infer_schema_length=None), "pairs.csv")
    body = f'<figure id="figure-pairs"><div class="heats">{"".join(tiles)}</div><p class="small">{words}</p></figure>'
    shown = framed(sheet(drawn, titles, columns=3, label=words))
    return [Section("pairs", "Two changes at once", (Pictures(body, "pairs", shown), Html(f"<p>{link}</p>")))]


def _map(one: ExaminedModel, name: str, found: list) -> Drawing:
    a, b = one.pairs[name]
    rows = [level for level in one.levels[a] if any(cell.levels[0] == level for cell in found)]
    columns = [level for level in one.levels[b] if any(cell.levels[1] == level for cell in found)]
    values = np.full((len(rows), len(columns)), np.nan)
    at = {(rows.index(cell.levels[0]), columns.index(cell.levels[1])): cell.score for cell in found}
    for place, own in at.items():
        values[place] = own.value
    stand = one.levels[a][one.canonical[a]], one.levels[b][one.canonical[b]]

    def words(row: int, column: int) -> str:
        where = f"{a} {rows[row]}, {b} {columns[column]}"
        if (own := at.get((row, column))) is None:
            return f"{where}: not asked"
        i = own.interval
        return f"{where}: {number(i.value)} {interval(i.low, i.high, i.n)}, {own.images} images"

    def frame(row: int, column: int) -> str:
        return "seen" if rows[row] == stand[0] or columns[column] == stand[1] else ""

    names = [[figures.plain(level) for level in own] for own in (rows, columns)]
    label = f"Accuracy in each cell of {a} and {b}, {one.name}"
    return heat_grid(values, names[0], names[1], axes=(a, b), words=words, frame=frame, label=label)


def _worst(contents: WeaknessContents) -> list[Section]:
    blocks: list[Block] = []
    for one in contents.every[:TABLES]:
        rows = tuple(
            (name, _levels(level), with_interval(found.interval), f"{found.interval.n:,}", f"{found.images:,}")
            for name, level, found in worst_cells(one, MOST_CELLS)
        )
        if rows:
            heads = ("changed", "to", "accuracy [95 %]", "objects", "images")
            blocks += [*_head(contents, one), Table(heads, rows, right=("objects", "images"))]
    note = (
        "The lowest of many are partly so by chance: look at the intervals, and ask more images (--images) before you "
        "build on one cell."
    )
    return [Section("worst", "The worst levels", (*blocks, Text(note, small=True)))] if blocks else []


def _levels(words: str) -> str:
    """Levels as a reader wants them.

    >>> _levels("83.0769 × -0.275"), _levels("sky 1")
    ('83.1 × −0.275', 'sky 1')
    """
    return " × ".join(figures.plain(level).replace("-", "−", 1) for level in words.split(" × "))


def _sureness_table(contents: WeaknessContents) -> list[Block]:
    rows = [
        (one.name, sure.name, f"{sure.confidence:.2f}", share(sure.accuracy), f"{sure.error:.3f}",
         f"{sure.when_wrong:.2f}" if sure.wrong else "", f"{sure.n:,}")
        for one in contents.every
        for sure in sureness_of(one)
    ]  # fmt: skip
    heads = ("model", "changed", "mean confidence", "accuracy", "calibration error", "confidence when wrong", "answers")
    note = (
        "Calibration error: the mean distance of accuracy from confidence over 15 bins of equal width (Naeini et al. "
        "2015; Guo et al. 2017). With few answers it is biased upwards."
    )
    return [Table(heads, tuple(rows), right=heads[2:]), Text(note, small=True)] if rows else []


def _references(contents: WeaknessContents) -> list[Section]:
    """These models beside those that were asked the same images before."""
    if not contents.references:
        return []
    factors = list(
        dict.fromkeys(
            [name for one in contents.every for name in one.alone]
            + [name for one in contents.references for name in one.gaps]
        )
    )
    rows = []
    for one in contents.every:
        if one.has_canonical:
            gaps = {name: points(gap(one, name).interval, whole=True) for name in factors if name in one.sets}
            own = canonical(one)
            costs = (_bare(gaps.get(name, "")) for name in factors)
            rows.append((f"{one.name} (this page)", with_interval(own.interval), *costs, f"{own.interval.n:,}", ""))
    rows += [
        (one.model, _known(one.canonical), *(_gap(one.gaps.get(name)) for name in factors), f"{one.objects:,}",
         f"{one.machine}, {one.when[:10]}")
        for one in contents.references
    ]  # fmt: skip
    heads = (
        "model",
        "canonical",
        *(name if name != "all" else "all together" for name in factors),
        "objects",
        "measured",
    )
    words = "Asked the same images: canonical accuracy, and what each change costs in points [95 %]."
    return [Section("references", "Beside other models", (Text(words), Table(heads, tuple(rows))))]


def _bare(words: str) -> str:
    return words.replace(" points", "").replace(" point", "")


def _known(found: Number) -> str:
    ends = f" [{100 * found.low:.0f}, {100 * found.high:.0f}]" if has_interval(found.low, found.high) else ""
    return f"{share(found.value)}{ends}"


def _gap(found: Number | None) -> str:
    if found is None:
        return ""
    ends = f" [{signed(found.low)}, {signed(found.high)}]" if has_interval(found.low, found.high) else ""
    return f"{signed(found.value)}{ends}"
