"""Pictures of splits with example images, for reports and plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unseen.designs import Audit
from unseen.designs.pairs import Pair
from unseen.kinds.stretched import STRETCHED, visible
from unseen.kinds.visit_pictures import distinct, is_repeated, visit_picture
from unseen.reports.contents import SplitPicture
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.seeds import keyed
from unseen.vocabulary.split import Split
from unseen.vocabulary.words import capital

MOST_PAIRS = 3  # of the factors of one split that are drawn
MOST_LEVELS = 12  # of a factor in such a picture; more are drawn in runs
MOST_SINGLE = 24  # of a factor whose levels cannot be drawn in runs, since some in between are held out
PAIR_NOTE = "Two factors at a time, whatever the others are; rows kept for choosing the epoch are counted too."
ASKED_NOTE = "Two factors at a time, whatever the others are."
HARDEST = ("extrapolation", "interpolation", "composition", "random")  # the first has the example images


def usable_cells(study: Study, trial: Trial) -> int:
    """Cells of the grid that a design may show or ask, withheld levels left out."""
    split = study.split(trial)
    shape = split.facts.grid or study.world(trial).samples.space.select(split.factors).shape
    return int(np.prod(shape))


def splits(study: Study) -> tuple[SplitPicture, ...]:
    """A picture of each distinct split, with one example image per cell; of a split by levels, of some factor pairs."""
    pictures: list[SplitPicture] = []
    if study.absent:
        return ()
    audits = study.audits
    if all(found.shares for _, found in audits):
        place = {mode: rank for rank, mode in enumerate(HARDEST)}
        audits = sorted(audits, key=lambda audit: place.get(study.split(audit[0]).facts.name, len(place)))
    repeated = [(trial, found) for trial, found in audits if is_repeated(study.split(trial))]
    for trial, found in distinct(study, repeated) if len(repeated) == len(audits) else audits:
        if not found.shares and not found.counts:
            continue  # one factor, or more than two: no grid to draw
        draw = pair_pictures if found.shares else grid_pictures
        drawn = draw(study, trial, found, examples=not pictures)
        told = (
            "; ".join(found.sharing.words) if found.sharing.instance else ""
        )  # in the report; `audit` prints it below
        pictures += [replace(one, note="; ".join(filter(None, (told, one.note)))) for one in drawn]
    return tuple(pictures)


def grid_pictures(study: Study, trial: Trial, found: Audit, *, examples: bool) -> list[SplitPicture]:
    """The grid of a split of two factors."""
    split, world = study.split(trial), study.world(trial)
    if is_repeated(split):
        drawn = visit_picture(split, world.samples, found, example_images(study, trial) if examples else None)
        return [replace(drawn, note=f"{drawn.note} {STRETCHED}") if examples else drawn]
    rows, columns = (world.samples.space[name] for name in split.factors)
    seen = (found.shown > 0) & found.trains
    shown, missing = example_images(study, trial) if examples else (None, None)
    combos = int(seen.sum()) if split.facts.combinations is None else split.facts.combinations
    picture = SplitPicture(
        title=_title(split, found) or f"{combos} of {usable_cells(study, trial)} combinations",
        row_factor=rows.name,
        column_factor=columns.name,
        row_levels=tuple(str(level) for level in rows.levels),
        column_levels=tuple(str(level) for level in columns.levels),
        seen=seen,
        asked=_asked(split, world.samples, found),
        counts=found.shown,
        examples=shown,
        missing=missing,
        note=left_out_note(found) if split.facts.title else "; ".join(found.problems),
        trains=found.trains,
    )
    return [picture]


def _asked(split: Split, samples: Samples, found: Audit) -> np.ndarray:
    """Cells that were never seen and are asked; where nothing is trained on, all that are asked."""
    if not found.trains:
        return found.shown > 0
    if "unseen" in split.sets:
        return split.mask(samples, "unseen")
    tested = [split.mask(samples, name) for name, rows in split.sets.items() if rows.pool == "test" and name != "probe"]
    asked = np.any(tested, axis=0) if tested else np.zeros(found.shown.shape, dtype=bool)
    return asked & (found.shown == 0)


def _title(split: Split, found: Audit) -> str:
    """What a split by domains is trained on, and that another trains nothing; "" where cells say it."""
    return split.facts.title if found.trains else "nothing is trained on"


def left_out_note(found: Audit) -> str:
    return " ".join(f"{capital(words)}." for words in (*found.notes, *found.problems))


def pair_pictures(study: Study, trial: Trial, found: Audit, *, examples: bool) -> list[SplitPicture]:
    """The faces of a split by levels: pairs of the factors it splits on, those with most levels first, until each has
    been drawn. Filled is what training shows, the fuller the more; ringed what it never shows together."""
    split, world = study.split(trial), study.world(trial)
    mode, space = split.facts.name or "split", world.samples.space
    head = mode if found.trains else "nothing is trained on"
    open_to = [pair for pair in found.pairs if not {pair.rows, pair.columns} & set(split.facts.protected)]
    where = f"{world.name}, " if len({study.world(other).name for other in study.points}) > 1 else ""
    pictures = []
    for whole in _covering(open_to):
        pair = _lowest(whole) if mode == "interpolation" else whole.coarser(MOST_LEVELS, MOST_LEVELS)
        rows, columns = pair.there.shape
        shown, missing = _examples(study, trial, (pair.rows, pair.columns), pair.each) if examples else (None, None)
        examples = False  # one picture with images is enough
        cut = pair.there.shape != whole.there.shape and pair.each == (1, 1)
        reach = f"lowest {MOST_SINGLE} levels" if cut else ""
        pictures.append(
            SplitPicture(
                title=f"{where}{head}: {pair.rows} × {pair.columns}{f', {reach}' if reach else ''}",
                row_factor=pair.rows,
                column_factor=pair.columns,
                row_levels=_runs(space[pair.rows].levels, pair.each[0])[:rows],
                column_levels=_runs(space[pair.columns].levels, pair.each[1])[:columns],
                seen=(pair.trained > 0) & found.trains,
                asked=(pair.trained == 0) & (pair.there > 0) if found.trains else pair.trained > 0,
                counts=pair.trained,
                examples=None if shown is None else shown[:rows, :columns],
                missing=None if missing is None else missing[:rows, :columns],
                note="; ".join([*found.problems, PAIR_NOTE if found.trains else ASKED_NOTE]),
                split=f"{where}{mode}",
                reach=reach,
                trains=found.trains,
            )
        )
    return pictures


def _covering(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs that show every factor at least once, as long as there is room; large ones first."""
    chosen: list[Pair] = []
    left = sorted(pairs, key=lambda pair: -pair.there.size)
    while left and len(chosen) < MOST_PAIRS:
        drawn = {name for pair in chosen for name in (pair.rows, pair.columns)}
        best = max(left, key=lambda pair: len({pair.rows, pair.columns} - drawn))  # the first of equals is the largest
        if not {best.rows, best.columns} - drawn:
            break
        chosen.append(best)
        left.remove(best)
    return chosen


def _lowest(pair: Pair) -> Pair:
    """Single levels, of long factors the lowest: in runs, levels held out in between would vanish."""
    here = slice(MOST_SINGLE), slice(MOST_SINGLE)
    return replace(pair, trained=pair.trained[here], there=pair.there[here])


def _runs(levels: Sequence[Any], each: int) -> tuple[str, ...]:
    """Names of runs of levels, numbers short.

    >>> _runs((1, 2, 3), 2), _runs((0.25806, 0.5), 1), _runs((-30.0, -26.0), 2), _runs((-120.0,), 1)
    (('1–2', '3'), ('0.26', '0.5'), ('−30…−26',), ('−120',))
    """
    short = [
        (f"{level:.0f}" if abs(level) >= 10 else f"{level:.2g}") if isinstance(level, float) else str(level)
        for level in levels
    ]
    names = [name.replace("-", "−") if isinstance(level, float | int) else name for name, level in zip(short, levels)]
    ends = [(names[start], names[min(start + each, len(names)) - 1]) for start in range(0, len(names), each)]
    return tuple(first if first == last else f"{first}{'…' if '−' in last else '–'}{last}" for first, last in ends)


def example_images(study: Study, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """One picture per cell ``[rows, columns, h, w, c]``, and which cells have none."""
    rows, columns = study.split(trial).factors
    return _examples(study, trial, (rows, columns), (1, 1))


def _examples(
    study: Study, trial: Trial, factors: tuple[str, str], each: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """One picture from the probe for each cell of two factors, or of runs of ``each`` of their levels. Where there are
    more factors than the two, chance says at which of their levels. A design without a probe shows what it has."""
    split, world = study.split(trial), study.world(trial)
    height, width = (-(-len(world.samples.space[name]) // run) for name, run in zip(factors, each))
    if "probe" in split.sets:
        rows = split.rows(world.samples, "probe")
    else:
        rows = np.unique(np.concatenate([split.rows(world.samples, name) for name in split.sets]))
    if len(split.factors) > 2:
        rows = rows[np.argsort(keyed(0, "examples", rows))]
    at = world.samples.cells(rows, factors) // np.array(each)
    cells, first = np.unique(at[:, 0] * width + at[:, 1], return_index=True)
    images = visible(world.images(rows[first]).numpy()).transpose(0, 2, 3, 1)
    examples = np.zeros((height * width, *images.shape[1:]), dtype=np.uint8)
    examples[cells] = images
    missing = np.ones(height * width, dtype=bool)
    missing[cells] = False
    return examples.reshape(height, width, *images.shape[1:]), missing.reshape(height, width)
