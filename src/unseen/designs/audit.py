"""What a split really holds: leakage, balance and counts, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Int

from unseen.designs.asked_only import asked_notes, asked_twice
from unseen.designs.domains import domain_notes
from unseen.designs.pairs import Pair, levels_at, pairs_of, shares_of
from unseen.designs.sharing import Sharing, sharing
from unseen.designs.visited import visits
from unseen.vocabulary.design_facts import Decorrelated, LeftOut
from unseen.vocabulary.errors import listed
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split

NO_VALIDATION = "no validation set: the epoch would be chosen on training images"


@dataclass(frozen=True)
class Size:
    """How large a row set is: its images, the cells they are of, and the fewest and most of one cell."""

    images: int
    cells: int
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Audit:
    """Facts about a split. ``problems`` are what a reviewer would ask about; empty is good. ``notes`` say what is so on
    purpose.

    A split of two factors is shown whole, in ``counts``. Of one that is said by rules over the levels of many factors
    there are ``shares``, the part of the rows at each level of a factor that training shows, and ``pairs``, the same
    for every two factors. Without training rows (``trains`` is False) these are of all that is asked.
    """

    counts: Mapping[str, Int[np.ndarray, "rows columns"]]  # images per cell, for each row set; of two factors
    per_row: Mapping[str, tuple[int, int]]  # least and most seen cells per level, by factor
    sharing: Sharing  # images, instances and copies that train or validation share with a later set
    reused: int  # training instances used in more than one cell
    problems: tuple[str, ...]
    sizes: Mapping[str, Size]
    shares: Mapping[str, np.ndarray] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    notes: tuple[str, ...] = ()
    trains: bool = True
    cells: int = 0  # that training shows; without training, that any set asks

    @property
    def shown(self) -> Int[np.ndarray, "rows columns"]:
        """Training images per cell of two factors; without training, images that any set asks."""
        return self.counts["train"] if self.trains else np.sum(list(self.counts.values()), axis=0)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The problems, or that there are none."""
        clean = "no leakage, no imbalance found" if self.trains else "no image counts twice in a set"
        return self.problems or (clean,)

    @property
    def shared_images(self) -> Mapping[tuple[str, str], int]:
        """Rows that two sets share."""
        return self.sharing.images

    @property
    def shared_instances(self) -> Mapping[tuple[str, str], int]:
        """Things that two sets share: objects where the world says which images show one, else source images."""
        return self.sharing.instances

    @property
    def copies(self) -> Mapping[tuple[str, str], int]:
        """Images of the second set that are other files of the first one's."""
        return self.sharing.copies


def audit(split: Split, samples: Samples) -> Audit:
    """Enumerate a split and look for what should not be there. Probe rows are measured only, and left out; those that
    are listed must not be training rows. A split without training rows is audited for what it asks."""
    if not split.trains:
        return _audit_of_asked(split, samples)
    if split.by_rules:
        return _audit_of_levels(split, samples)
    names = [name for name in split.sets if name != "probe"]
    rows = {name: split.rows(samples, name) for name in names}
    counts = {name: _counts(samples, split, rows[name]) for name in names}
    shared = sharing(split, samples, rows)
    if "probe" in split.sets and split["probe"].listed is not None:  # a rule draws its probe from the test pool
        probed = len(np.intersect1d(rows["train"], split.rows(samples, "probe")))
        shared = replace(shared, images={("train", "probe"): probed, **shared.images})
    trained = samples.instance_numbers(rows["train"])
    facts, shape = split.facts, counts["train"].shape
    kept = [np.delete(np.arange(n), list(facts.withheld.get(f, ()))) for f, n in zip(split.factors, shape)]
    seen = (counts["train"] > 0)[np.ix_(*kept)]  # what a design keeps out of training on purpose is no imbalance
    per_row = {
        split.factors[0]: (int(seen.sum(1).min()), int(seen.sum(1).max())),
        split.factors[1]: (int(seen.sum(0).min()), int(seen.sum(0).max())),
    }
    never = {  # levels that no training image shows
        name: [samples.space[name].texts[level] for level in own[~seen.any(axis=1 - axis)]]
        for axis, (name, own) in enumerate(zip(split.factors, kept))
    }
    reused = _reused(samples, split, rows["train"], trained)
    repeated = facts.visits_per_image is not None  # images are listed several times on purpose
    notes, uneven = visits(split, samples, trained, counts["train"]) if repeated else ((), ())
    notes += domain_notes(facts, split.factors, counts["train"]) if isinstance(facts, LeftOut) else ()
    problems = _problems(split, counts, shared, per_row, never, reused)
    sizes = {name: _size(table[table > 0]) for name, table in counts.items()}
    cells = sizes["train"].cells
    return Audit(counts, per_row, shared, reused, (*problems, *uneven), sizes, notes=notes, cells=cells)


def _audit_of_asked(split: Split, samples: Samples) -> Audit:
    """A split that asks and trains nothing: how many images of each cell, and which count twice."""
    rows = {name: split.rows(samples, name) for name in split.sets if name != "probe"}
    shared, problems = sharing(split, samples, rows), tuple(asked_twice(samples, rows))
    notes = asked_notes(shared)
    if len(split.factors) == 2:
        counts = {name: _counts(samples, split, found) for name, found in rows.items()}
        sizes = {name: _size(table[table > 0]) for name, table in counts.items()}
        cells = int(np.any([table > 0 for table in counts.values()], axis=0).sum())
        return Audit(counts, {}, shared, 0, problems, sizes, notes=notes, trains=False, cells=cells)
    every = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *rows.values()]))
    shares, pairs = shares_of(samples, split.factors, [every]), pairs_of(samples, split.factors, [every])
    sizes = {name: _size(_per_cell(samples, split.factors, found)) for name, found in rows.items()}
    cells = len(_per_cell(samples, split.factors, every))
    return Audit({}, {}, shared, 0, problems, sizes, shares, pairs, notes, trains=False, cells=cells)


def _audit_of_levels(split: Split, samples: Samples) -> Audit:
    """A split by levels. Where no factor names instances it treats all alike, so that all sets share them: no leak."""
    names = [name for name in split.sets if name != "probe"]
    rows = {name: split.rows(samples, name) for name in names}
    sizes = {name: _size(_per_cell(samples, split.factors, rows[name])) for name in names}
    shared = sharing(split, samples, rows)
    used = [rows[name] for name in ("train", "validation") if name in rows]
    shares = shares_of(samples, split.factors, used)
    problems = list(shared.problems(split.pools.by))
    if "validation" not in sizes:
        problems.append(NO_VALIDATION)
    for factor, share in shares.items():
        held, levels = split.facts.withheld.get(factor, ()), samples.space[factor].levels
        gone = [levels[level] for level in np.flatnonzero(share == 0) if level not in held]
        leaked = [levels[level] for level in held if share[level] > 0]
        if gone:
            problems.append(f"training never shows {factor} {listed(gone, most=6)}, though it is not held out")
        if leaked:
            problems.append(f"training shows {factor} {listed(leaked, most=6)}, which is held out")
    pairs = pairs_of(samples, split.factors, used)
    return Audit({}, {}, shared, 0, tuple(problems), sizes, shares, pairs, cells=sizes["train"].cells)


def _size(images: Int[np.ndarray, " cells"]) -> Size:
    """Of the images per cell, empty cells left out."""
    span = (int(images.min()), int(images.max())) if len(images) else (0, 0)
    return Size(int(images.sum()), len(images), *span)


def _per_cell(samples: Samples, factors: Sequence[str], rows: np.ndarray) -> Int[np.ndarray, " cells"]:
    """Images in each cell that has any."""
    if samples.instances == 1 and samples.blocks[0].cells is None:
        return np.ones(len(rows), dtype=np.int64)  # a whole grid: every row is a cell of its own
    numbers = np.zeros(len(rows), dtype=np.int64)
    for name, levels in zip(factors, levels_at(samples, rows, factors)):
        numbers = numbers * len(samples.space[name]) + levels
    return np.unique(numbers, return_counts=True)[1]


def _reused(samples: Samples, split: Split, rows: np.ndarray, instances: np.ndarray) -> int:
    """Instances that training shows in more than one cell."""
    numbers = samples.space.select(split.factors).numbers(samples.cells(rows, split.factors))
    _, cells = np.unique(np.unique(np.stack([instances, numbers]), axis=1)[0], return_counts=True)
    return int((cells > 1).sum())


def _counts(samples: Samples, split: Split, rows: np.ndarray) -> np.ndarray:
    space = samples.space.select(split.factors)
    numbers = space.numbers(samples.cells(rows, split.factors))
    return np.bincount(numbers, minlength=space.size).reshape(space.shape)


def _problems(
    split: Split,
    counts: Mapping[str, np.ndarray],
    shared: Sharing,
    per_row: Mapping[str, tuple[int, int]],
    never: Mapping[str, Sequence[str]],
    reused: int,
) -> tuple[str, ...]:
    found = list(shared.problems(split.pools.by))
    if "validation" not in counts:
        found.append(NO_VALIDATION)
    if split.facts.visits_per_image is not None:
        return tuple(found)  # see visited.py
    if reused:
        found.append(f"{reused} training instances are used in more than one cell (diversity is confounded with reuse)")
    if isinstance(split.facts, LeftOut):
        return tuple(found)  # see domains.py
    if isinstance(split.facts, Decorrelated):  # cells are as full as the cue is telling, on purpose
        return (*found, *_uneven(split.factors[0], counts["train"].sum(axis=1)))
    for name, (least, most) in per_row.items():
        if gone := never[name]:
            found.append(f"{name} {listed(gone, most=6)} {'are' if len(gone) > 1 else 'is'} never trained on")
        if most > least:
            asked = split.facts.balance == "nearly_balanced" and least
            words = "nearly balanced, as asked" if asked else "not exactly balanced"
            found.append(f"levels of {name} are seen in {least} to {most} cells ({words})")
    train = counts["train"][counts["train"] > 0]
    if len(train) and train.max() - train.min() > 1:
        found.append(f"training cells hold {train.min()} to {train.max()} images")
    if "unseen" in counts and ((counts["train"] > 0) & (counts["unseen"] > 0)).any():
        overlap = int(((counts["train"] > 0) & (counts["unseen"] > 0)).sum())
        found.append(f"{overlap} cells are both trained on and asked as 'unseen'")
    return tuple(found)


def _uneven(factor: str, images: Int[np.ndarray, " levels"]) -> tuple[str, ...]:
    """Whether levels of a factor have training images in different numbers.

    >>> _uneven("category", np.array([4, 4])), _uneven("category", np.array([4, 6]))
    ((), ('levels of category have 4 to 6 training images',))
    """
    least, most = int(images.min()), int(images.max())
    return (f"levels of {factor} have {least} to {most} training images",) if least < most else ()
