"""Splits whose training lists an image several times on purpose, as pictures: category × transformation, what part of
the visits to an image a cell takes, and what is asked of each cell (designs ``expose`` and ``matrix``)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from unseen.designs import Audit
from unseen.designs.quotas import computed
from unseen.kinds.level_names import shown_name, shown_names
from unseen.reports.contents import SplitPicture
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.design_facts import Conditions, Exposed
from unseen.vocabulary.samples import Samples
from unseen.vocabulary.split import Split
from unseen.vocabulary.words import capital

FRACTIONS = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔", (1, 4): "¼", (3, 4): "¾", (1, 8): "⅛"}
ASKED = ("within", "across", "plain")


def is_repeated(split: Split) -> bool:
    """Whether training lists an image several times on purpose."""
    return split.trains and split.facts.visits_per_image is not None and len(split.factors) == 2


def distinct(study: Study, audits: Sequence[tuple[Trial, Audit]]) -> list[tuple[Trial, Audit]]:
    """Splits that differ in kind, the one with most levels asked first.

    The same categories are seen with one transformation as with another, so that one picture is enough for all; and a
    network trained on one level is like one trained on another, which the matrix of results tells apart.
    """
    found: dict[str, tuple[Trial, Audit]] = {}
    for trial, audit in audits:
        split = study.split(trial)
        found.setdefault(f"{study.world(trial).name} {_shows(split)}", (trial, audit))
    return sorted(found.values(), key=lambda pair: -_columns(study.split(pair[0])))


def _shows(split: Split) -> Any:
    facts = split.facts
    return sorted(facts.exposed_numbers) if isinstance(facts, Exposed) else len(facts.trained_levels)


def _columns(split: Split) -> int:
    return len(split.facts.levels) if isinstance(split.facts, Exposed) else 0


def visit_picture(
    split: Split, samples: Samples, found: Audit, examples: tuple[np.ndarray, np.ndarray] | None
) -> SplitPicture:
    """One such split. Levels that it neither shows nor asks are left out. Ringed is what is asked and never seen; words
    under a cell name the sets that ask it, with the part of the visits before them where it is not the whole. Where
    each image has a level of its own, no cell takes a part of the visits to it, and images are counted."""
    rows, columns = (samples.space[name] for name in split.factors)
    kept = shown_levels(split, columns.levels)
    counts = found.counts["train"][:, kept]
    asked = asked_of(split, found, kept)
    seen, total = counts > 0, counts.sum(axis=1, keepdims=True)
    labels, part = None, seen & (counts < total)
    if computed(samples, split.factors)[1]:
        labels = np.empty(counts.shape, dtype=object)
        for place in np.ndindex(counts.shape):
            share = fraction(int(counts[place]), int(total[place[0], 0])) if part[place] else ""
            words = asked[place] if isinstance(split.facts, Exposed) else _alone(int(counts[place]), bool(part[place]))
            labels[place] = f"{share} {words}".strip()
    else:
        rows_shown = split.rows(samples, "train")
        part = None if len(np.unique(rows_shown)) == len(rows_shown) else np.zeros_like(part)
    images, missing = examples if examples is not None else (None, None)
    return SplitPicture(
        title=title(split, labels is not None),
        row_factor=rows.name,
        column_factor=columns.name,
        row_levels=tuple(str(level) for level in rows.levels),
        column_levels=tuple(shown_name(columns.levels[level]) for level in kept),
        seen=seen,
        asked=~seen & (asked != ""),
        counts=counts,
        examples=None if images is None else images[:, kept],
        missing=None if missing is None else missing[:, kept],
        note=". ".join(capital(words) for words in (*found.notes, *found.problems, sets_in_words(split))) + ".",
        labels=labels,
        part=part,
    )


def _alone(visits: int, part: bool) -> str:
    """Under a cell of a matrix: its visits, where its images have no others; of a part, the part says enough."""
    return "asked" if not visits else "" if part else f"{visits:,}"


def shown_levels(split: Split, levels: Sequence[Any]) -> list[int]:
    """Numbers of the levels of the second factor that a split shows or asks."""
    facts = split.facts
    if not isinstance(facts, Exposed):
        return list(range(len(levels)))
    named = (facts.plain, *facts.transformations)
    return [place for place, level in enumerate(levels) if level in named]


def asked_of(split: Split, found: Audit, kept: Sequence[int]) -> np.ndarray:
    """For each cell the sets that ask it, in words; "" where none does."""
    names = [name for name in found.counts if name.split("-")[0] in ASKED or name.startswith("test-")]
    shape = (next(iter(found.counts.values())).shape[0], len(kept))
    words = np.full(shape, "", dtype=object)
    for name in names:
        short = name.split("-")[0] if name.startswith(ASKED) else "asked"
        for place in zip(*np.nonzero(found.counts[name][:, kept])):
            words[place] = f"{words[place]}, {short}" if words[place] else short
    return words


def title(split: Split, free: bool) -> str:
    """What is shown. How often an image is visited is told where the world can show it at several levels (``free``)."""
    facts = split.facts
    if isinstance(facts, Exposed):
        return f"{facts.seen} of {facts.grid[0]} levels of {split.factors[0]} seen transformed"
    times, usual = facts.visits_per_image, len(facts.trained_levels)
    also = f", {times} visit{'s' * (times != 1)} per image" if free and times != usual else ""
    trained = facts.trained if isinstance(facts, Conditions) else " + ".join(map(str, facts.trained_levels))
    return f"trained on {shown_names(trained)}{also}"


def sets_in_words(split: Split) -> str:
    """What is asked, in a sentence."""
    if not isinstance(split.facts, Exposed):
        return "every cell is asked on new images, the ringed ones were never seen in training"
    seen, categories = split.facts.seen, split.facts.grid[0]
    across = "; across, transformed and never seen so" if seen < categories else ""
    within = "; within, transformed and seen so" if seen else ""
    return f"asked on new images: plain, untransformed{across}{within}"


def fraction(count: int, total: int) -> str:
    """
    >>> fraction(21, 42), fraction(5, 45), fraction(334, 1001)
    ('½', '1/9', '⅓')
    """
    near = Fraction(count, total).limit_denominator(16)
    return FRACTIONS.get((near.numerator, near.denominator), f"{near.numerator}/{near.denominator}")
