"""What was seen and asked where a transformation is shown for some categories only: categories × transformations."""

from __future__ import annotations

import numpy as np

from unseen.kinds.exposure.numbers import levels_of
from unseen.kinds.level_names import shown_name
from unseen.kinds.stretched import STRETCHED, fitted
from unseen.reports.contents import SplitPicture
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Exposed

MOST_CATEGORIES = 8  # drawn; of more, some from each end of the order in which they come to be seen transformed
NOTE = (
    "Each transformation has networks of its own, which see the first column and their own column only. Categories are "
    f"in the order in which they come to be seen transformed; ½: an image is transformed in one of its two visits. "
    f"{STRETCHED}"
)


def exposure_splits(study: Study) -> tuple[SplitPicture, ...]:
    """A picture for each number of categories seen transformed (of the design's first seed), all transformations
    together: the same categories are seen, whatever the transformation. The one in the middle comes first and large."""
    if study.absent:
        return ()
    first = study.trials[0].recipe.design.seed
    trials = [trial for trial in study.trials if trial.recipe.design.seed == first]
    world = study.world(trials[0]).name
    trials = [trial for trial in trials if study.world(trial).name == world]
    numbers: dict[int, Trial] = {}
    for trial in trials:
        numbers.setdefault(Exposed.of(study.split(trial).facts).seen, trial)
    by_level: dict[str, Trial] = {}
    for trial in trials:
        for level in levels_of(study.split(trial).facts):
            by_level.setdefault(level, trial)
    ranked = sorted(numbers)
    middle = ranked[len(ranked) // 2]
    order = _order(study, [numbers[seen] for seen in ranked])
    examples = _examples(study, by_level, order)
    ranked.sort(key=lambda seen: seen != middle)
    return tuple(_picture(study, numbers[seen], list(by_level), order, examples) for seen in ranked)


def _order(study: Study, trials: list[Trial]) -> list[int]:
    """Categories in the order in which they come to be seen transformed, thinned out to what can be drawn."""
    total = len(study.world(trials[0]).samples.space[study.split(trials[0]).factors[0]])
    known = [number for trial in trials for number in Exposed.of(study.split(trial).facts).exposed_numbers]
    order = list(dict.fromkeys([*known, *range(total)]))
    places = np.unique(np.linspace(0, total - 1, min(total, MOST_CATEGORIES)).round().astype(int))
    return [order[place] for place in places]


def _picture(
    study: Study, trial: Trial, levels: list[str], order: list[int], examples: tuple[np.ndarray, np.ndarray]
) -> SplitPicture:
    split, samples = study.split(trial), study.world(trial).samples
    rows, columns = (samples.space[name] for name in split.factors)
    facts = Exposed.of(split.facts)
    shown = np.isin(order, facts.exposed_numbers)
    counts = np.zeros(samples.space.select(split.factors).shape, int)
    for part in split["train"].parts:
        counts[part.cell] += part.take or 0
    counts = counts[order]
    plain, on = columns.index(facts.plain), [columns.index(level) for level in levels]
    own = [place for place in on if counts[:, place].any()]  # transformed images are as many for every transformation
    there = np.zeros((len(order), 1 + len(levels)), int)
    there[:, 0] = counts[:, plain]
    there[:, 1:] = counts[:, own[:1]].max(axis=1, initial=0)[:, None]
    there //= np.where(shown, 1, facts.visits_per_image or 1)[:, None]  # one visit of two is transformed
    labels = np.empty(there.shape, object)
    labels[:, 0] = np.where(shown, "½ plain", "plain")
    labels[:, 1:] = np.where(shown, "½ within", "across")[:, None]
    asked = np.zeros(there.shape, bool)
    asked[:, 1:] = ~shown[:, None]
    least, most = int(there[:, 0].min()), int(there[:, 0].max())
    left_out = f" {len(order)} of {len(rows)} categories are drawn." if len(order) < len(rows) else ""
    return SplitPicture(
        title=f"{facts.seen} of {len(rows)} seen transformed",
        row_factor=rows.name,
        column_factor=columns.name,
        row_levels=tuple(str(rows.levels[c]) for c in order),
        column_levels=(shown_name(facts.plain), *levels),
        seen=there > 0,
        asked=asked,
        counts=there,
        examples=examples[0],
        missing=examples[1],
        note=NOTE + left_out,
        labels=labels,
        words=f"{least:,}{f' to {most:,}' if most > least else ''} training images of each {rows.name}",
    )


def _examples(study: Study, by_level: dict[str, Trial], order: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """One test image of each category drawn, plain and under each transformation, and which cells have none."""
    found: dict[tuple[int, int], np.ndarray] = {}
    for place, (level, trial) in enumerate(by_level.items()):
        split, world = study.split(trial), study.world(trial)
        columns, plain = world.samples.space[split.factors[1]], Exposed.of(split.facts).plain
        rows = split.rows(world.samples, "probe")
        at = world.samples.cells(rows, split.factors)
        wanted: dict[tuple[int, int], int] = {}
        for row, number in enumerate(order):
            for column, name in ((0, plain), (place + 1, level)):
                here = rows[(at[:, 0] == number) & (at[:, 1] == columns.index(name))]
                if len(here) and (row, column) not in found:
                    wanted[row, column] = int(here.min())
        if wanted:
            images = world.images(np.array(list(wanted.values()))).numpy().transpose(0, 2, 3, 1)
            found |= dict(zip(wanted, map(fitted, images)))
    shape = next(iter(found.values())).shape if found else (1, 1, 1)
    pictures = np.zeros((len(order), 1 + len(by_level), *shape), np.uint8)
    missing = np.ones(pictures.shape[:2], bool)
    for cell, image in found.items():
        pictures[cell], missing[cell] = image, False
    return pictures, missing
