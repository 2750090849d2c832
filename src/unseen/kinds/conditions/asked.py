"""What networks were trained on, and how well they know each condition (Geirhos et al. 2018; Zaidi et al. 2020,
Fig. 2a)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.collect import REPEAT, collect, finished_trials, varied
from unseen.kinds.level_names import NONE, PLAIN, shown_name
from unseen.studies.records import Record
from unseen.vocabulary.design_facts import Conditions

if TYPE_CHECKING:
    import polars as pl

    from unseen.studies.study import Study

DESIGN, TEST = "matrix", "test-"
ONE, ALL, ALL_BUT, SEVERAL = "one", "all", "all but one", "several"
PLAIN_ONLY, PLAIN_PLUS = "plain only", "plain plus one transformation"
OWN = ("design.train", "design.train_all_but", "design.visits_per_image", "training.epochs")  # what makes a row
Trials = Sequence[Record]


@dataclass(frozen=True)
class Condition:
    """What a network was trained on: numbers of the levels, the name a report gives it, its group and the model."""

    levels: tuple[int, ...]
    name: str
    group: str
    model: str = ""


@dataclass(frozen=True, eq=False)
class AskedMatrix:
    """Accuracy of every network: ``accuracy`` is ``[repeats, rows, columns]`` (NaN: not asked, or no such trial), a row
    is a condition, a column a level, named ``names`` in the world and ``columns`` on the page."""

    rows: tuple[Condition, ...]
    names: tuple[str, ...]
    columns: tuple[str, ...]
    accuracy: np.ndarray
    chance: float
    over: str = "seeds"  # what repeats are

    @property
    def trained(self) -> np.ndarray:
        """Which columns each row was trained on."""
        seen = np.zeros((len(self.rows), len(self.columns)), dtype=bool)
        for row, condition in enumerate(self.rows):
            seen[row, list(condition.levels)] = True
        return seen

    def of(self, model: str) -> AskedMatrix:
        kept = [place for place, row in enumerate(self.rows) if row.model == model]
        return replace(self, rows=tuple(self.rows[place] for place in kept), accuracy=self.accuracy[:, kept])


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of levels on the page, without the word that all begin with.

    >>> short_names(["geirhos-grey", "geirhos-low-pass"]), short_names(["none", "blur"])
    (('grey', 'low-pass'), ('plain', 'blur'))
    >>> short_names(["none", "hendrycks-fog@1"])
    ('plain', 'fog@1')
    """
    if all(name in (NONE, PLAIN) or name.startswith("hendrycks-") for name in names):
        return tuple(shown_name(name).removeprefix("hendrycks-") for name in names)
    first = {name.partition("-")[0] for name in names}
    if len(first) != 1 or not all("-" in name for name in names):
        return tuple(names) if PLAIN in names else tuple(map(shown_name, names))
    return tuple(name.partition("-")[2] for name in names)


def conditions(trials: Trials, names: Sequence[str], keys: Sequence[str] = ()) -> dict[str, Condition]:
    """What each trial was trained on, by its identity. ``keys`` of the grid that make no row tell models apart."""
    short = short_names(names)
    about = {}
    for record in trials:
        own, condition = Conditions.of(record.split_facts), record.facts["condition"]
        levels = tuple(place for place, name in enumerate(names) if name in own.trained_levels)
        longer = own.visits_per_image if own.visits_per_image not in (1, len(levels)) else 0
        model = " ".join(str(condition[key]) for key in keys if condition.get(key) is not None)
        about[record.identity] = (levels, longer, model)
    pairs = Counter(level for levels in {a[0] for a in about.values()} if len(levels) == 2 for level in levels)
    shared = pairs.most_common(1)[0][0] if pairs and pairs.most_common(1)[0][1] > 1 else None
    single = {a[:2] for a in about.values() if len(a[0]) == 1}  # levels trained on alone, and how long
    found = {}
    for identity, (levels, longer, model) in about.items():
        words, group = _words(levels, short, shared), _group(levels, short, shared, bool(longer))
        several = True  # whether the number of visits tells this condition from another
        if shared is not None and short[shared] == PLAIN and levels == (shared,):
            several = len({visits for level, visits in single if level == levels}) > 1
            if longer or {level for level, _ in single} == {levels}:
                words = group = PLAIN_ONLY  # the baseline of the pairs
        name = f"{words}, {longer} visits per image" if longer and several else words
        found[identity] = Condition(levels, name, group, model)
    return found


def is_plus(group: str) -> bool:
    """Whether a group is of networks trained on one level and on another that all share."""
    return group == PLAIN_PLUS or group.startswith("one plus ")


def _words(levels: tuple[int, ...], short: Sequence[str], shared: int | None) -> str:
    """What was trained on; the level that all pairs share comes last, but plain pictures first."""
    left = [place for place in range(len(short)) if place not in levels]
    if not left:
        return ALL
    if len(left) == 1 and len(short) > 2:
        return f"all but {short[left[0]]}"
    names = [short[level] for level in sorted(levels, key=lambda level: (level == shared, level))]
    if len(names) == 2 and names[-1] == PLAIN and shared in levels:
        return f"plain + {names[0]}"
    return " + ".join(names)


def _group(levels: tuple[int, ...], short: Sequence[str], shared: int | None, longer: bool) -> str:
    left = len(short) - len(levels)
    if not left:
        return ALL
    if left == 1 and len(short) > 2:
        return ALL_BUT
    if shared is not None and shared in levels and (len(levels) == 2 or longer):
        # A shared level alone, as long as the pairs, stands among them.
        return PLAIN_PLUS if short[shared] == PLAIN else f"one plus {short[shared]}"
    return ONE if len(levels) == 1 else SEVERAL


def asked(tidy: pl.DataFrame, trials: Trials, found: Mapping[str, Condition], target: str, repeat: str) -> AskedMatrix:
    """Accuracies in their places; trials of one repeat and row (seeds that share a split) are averaged."""
    names = level_names(trials)
    ends = (PLAIN_ONLY, ONE, ALL_BUT, ALL)
    order = [*ends[:2], *dict.fromkeys(c.group for c in found.values() if c.group not in ends), *ends[2:]]

    def place(row: Condition) -> tuple:
        """Along the diagonal: pairs by their own level, all-but-ones by the one left out."""
        out = [level for level in range(len(names)) if level not in row.levels]
        key = out if row.group == ALL_BUT else list(row.levels)
        return row.model, order.index(row.group), "visits" in row.name, key

    rows = tuple(sorted(dict.fromkeys(found.values()), key=place))
    repeats = sorted({row[repeat] for row in tidy.iter_rows(named=True)})
    total, count = (np.zeros((len(repeats), len(rows), len(names))) for _ in range(2))
    guess = math.nan
    for row in tidy.iter_rows(named=True):
        if row["measure"] == "chance" and row["target"] == target:
            guess = float(row["value"])
        if row["measure"] != "accuracy" or row["target"] != target or row["value"] is None:
            continue
        level = row["set"].removeprefix(TEST)
        if not row["set"].startswith(TEST) or level not in names:
            continue
        where = repeats.index(row[repeat]), rows.index(found[row["trial"]]), names.index(level)
        total[where] += row["value"]
        count[where] += 1
    accuracy = np.divide(total, count, where=count > 0, out=np.full_like(total, np.nan))
    over = "seeds" if repeat == "seed" else "draws of the images"
    return AskedMatrix(rows, names, short_names(names), accuracy, guess, over)


def level_names(trials: Trials) -> tuple[str, ...]:
    """The levels that any network was asked, in the world's order."""
    return tuple(
        dict.fromkeys(name.removeprefix(TEST) for facts, _ in trials for name in facts["sets"] if name.startswith(TEST))
    )


def read(study: Study) -> tuple[Trials, dict[str, Condition], AskedMatrix, str]:
    """Finished trials, what each was trained on, their accuracies, and the factor that was asked."""
    trials, tidy, keys = finished_trials(study), collect(study), varied(study)
    found = conditions(trials, level_names(trials), [key for key in keys if key not in (*OWN, REPEAT)])
    target = str(trials[0][0]["factors"][0])
    return trials, found, asked(tidy, trials, found, target, REPEAT if REPEAT in keys else "seed"), target
