"""One held-out object, each factor alone from its lowest level to its highest: what "varying" means in this world."""

from __future__ import annotations

import numpy as np

from unseen.kinds.stretched import visible
from unseen.reports.contents import SplitPicture
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import Varied

MOST = 9  # levels of a factor that are drawn


def strips(study: Study) -> tuple[SplitPicture, ...]:
    """A line for each factor; the canonical level is framed as seen, the others as asked. None where the images are
    not at hand."""
    if study.absent:
        return ()
    trial = study.points[0]
    world, split = study.world(trial), study.split(trial)
    facts, samples = Varied.of(split.facts), study.world(trial).samples
    rows = split.rows(samples, "probe")
    rows = rows[samples.levels(facts.object, rows) == samples.levels(facts.object, rows[:1])[0]]
    cells = samples.cells(rows, facts.factors)
    home = np.array([samples.space[name].canonical or 0 for name in facts.factors])
    chosen = []
    for place, name in enumerate(facts.factors):
        others = np.delete(np.arange(len(home)), place)
        there = np.flatnonzero((cells[:, others] == home[others]).all(1))
        levels, first = np.unique(cells[there, place], return_index=True)
        at = _evenly(levels, int(home[place]))
        chosen.append([(int(levels[one]), int(rows[there[first[one]]])) for one in at])
        assert name in samples.space
    width = max(map(len, chosen))
    wanted = np.array([row for line in chosen for _, row in line])
    drawn = visible(world.images(wanted).numpy()).transpose(0, 2, 3, 1)
    shape = (len(chosen), width)
    examples, missing = np.zeros((*shape, *drawn.shape[1:]), np.uint8), np.ones(shape, bool)
    seen, asked, labels = np.zeros(shape, bool), np.zeros(shape, bool), np.full(shape, "", dtype=object)
    number = 0
    for line, found in enumerate(chosen):
        factor = samples.space[facts.factors[line]]
        for column, (level, _) in enumerate(found):
            examples[line, column], missing[line, column] = drawn[number], False
            seen[line, column], asked[line, column] = level == home[line], level != home[line]
            labels[line, column] = _short(factor.levels[level])
            number += 1
    picture = SplitPicture(
        title="One object that is never trained on",
        row_factor="varies",
        column_factor="levels, low to high",
        row_levels=facts.factors,
        column_levels=tuple(" " * (1 + place) for place in range(width)),
        seen=seen,
        asked=asked,
        counts=seen.astype(np.int64),
        examples=examples,
        missing=missing,
        labels=labels,
    )
    return (picture,)


def _evenly(levels: np.ndarray, home: int) -> np.ndarray:
    """Places of up to so many levels, the canonical one among them."""
    if len(levels) <= MOST:
        return np.arange(len(levels))
    at = np.round(np.linspace(0, len(levels) - 1, MOST)).astype(np.int64)
    own = int(np.flatnonzero(levels == home)[0])
    at[np.abs(at - own).argmin()] = own
    return np.unique(at)


def _short(level: object) -> str:
    """
    >>> _short(-57.6), _short(0.25), _short("city 3")
    ('−58', '0.25', 'city 3')
    """
    if isinstance(level, float):
        return (f"{level:.0f}" if abs(level) >= 10 else f"{level:.2g}").replace("-", "−")
    return str(level)[:9]
