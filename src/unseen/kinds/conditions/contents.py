"""A study whose networks train on some levels of a factor and are asked on all (Geirhos et al. 2018; Zaidi et al. 2020,
Fig. 2a), gathered for its report: accuracy by what was trained on and what was asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.kinds.level_names import PLAIN, shown_name
from unseen.measures import mean_matrix
from unseen.reports.contents import Contents, Finding, Matrix
from unseen.vocabulary.errors import UnseenError

if TYPE_CHECKING:
    import polars as pl

    from unseen.studies.study import Study
    from unseen.vocabulary.recipe import Recipe
    from unseen.vocabulary.split import Split
    from unseen.vocabulary.target import Target

DESIGN, TEST = "matrix", "test-"
ONE, ALL, ALL_BUT, SEVERAL = "one", "all", "all but one", "several"
PLAIN_ONLY, PLAIN_PLUS = "plain only", "plain plus one transformation"
OWN = ("design.train", "design.train_all_but", "design.visits_per_image", "training.epochs")  # what makes a row
Trials = Sequence[tuple[dict[str, Any], Path]]


@dataclass(frozen=True)
class Condition:
    """What a network was trained on: numbers of the levels, the name a report gives it, its group and the model."""

    levels: tuple[int, ...]
    name: str
    group: str
    model: str = ""


@dataclass(frozen=True, eq=False)
class Asked:
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

    def of(self, model: str) -> Asked:
        kept = [place for place, row in enumerate(self.rows) if row.model == model]
        return replace(self, rows=tuple(self.rows[place] for place in kept), accuracy=self.accuracy[:, kept])


def is_matrix(recipe: Recipe) -> bool:
    """Whether a study's networks train on some levels of a factor and are asked on all."""
    return recipe.design.name == DESIGN


def check_matrix(recipe: Recipe, split: Split, targets: Sequence[Target]) -> None:
    """A matrix shows the accuracy for the category, so that is what networks must learn."""
    asked, category = [target.factor for target in targets], split.factors[0]
    if is_matrix(recipe) and recipe.task == "classification" and category not in asked:
        both = ", ".join(f'"{name}"' for name in (category, *asked))
        raise UnseenError(
            f"design '{DESIGN}' asks for the accuracy for '{category}' at every level of '{split.factors[1]}', and "
            f"targets names {', '.join(asked)} alone. Add it to targets: targets = [{both}]."
        )


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of levels on the page, without the word that all begin with.

    >>> short_names(["geirhos-grey", "geirhos-low-pass"]), short_names(["none", "blur"])
    (('grey', 'low-pass'), ('plain', 'blur'))
    """
    first = {name.partition("-")[0] for name in names}
    if len(first) != 1 or not all("-" in name for name in names):
        return tuple(names) if PLAIN in names else tuple(map(shown_name, names))
    return tuple(name.partition("-")[2] for name in names)


def conditions(trials: Trials, names: Sequence[str], keys: Sequence[str] = ()) -> dict[str, Condition]:
    """What each trial was trained on, by its identity. ``keys`` of the grid that make no row tell models apart."""
    short = short_names(names)
    about = {}
    for facts, _ in trials:
        own = facts["facts"]
        levels = tuple(place for place, name in enumerate(names) if name in own["trained_levels"])
        longer = own["visits_per_image"] if own["visits_per_image"] not in (1, len(levels)) else 0
        model = " ".join(str(facts["condition"][key]) for key in keys if facts["condition"].get(key) is not None)
        about[facts["identity"]] = (levels, longer, model)
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


def asked(tidy: pl.DataFrame, trials: Trials, found: Mapping[str, Condition], target: str, repeat: str) -> Asked:
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
    return Asked(rows, names, short_names(names), accuracy, guess, over)


def level_names(trials: Trials) -> tuple[str, ...]:
    """The levels that any network was asked, in the world's order."""
    return tuple(
        dict.fromkeys(name.removeprefix(TEST) for facts, _ in trials for name in facts["sets"] if name.startswith(TEST))
    )


def read(study: Study) -> tuple[Trials, dict[str, Condition], Asked, str]:
    """Finished trials, what each was trained on, their accuracies, and the factor that was asked."""
    from unseen.kinds.collect import collect, finished_trials, varied
    from unseen.kinds.contents import REPEAT

    trials, tidy, keys = finished_trials(study), collect(study), varied(study)
    found = conditions(trials, level_names(trials), [key for key in keys if key not in (*OWN, REPEAT)])
    target = str(trials[0][0]["factors"][0])
    return trials, found, asked(tidy, trials, found, target, REPEAT if REPEAT in keys else "seed"), target


def models_of(found: Asked) -> list[str]:
    return list(dict.fromkeys(row.model for row in found.rows))


def summary_of_matrix(study: Study) -> pl.DataFrame:
    """Means with intervals over repeats."""
    _, _, whole, target = read(study)
    return summary([pictured(whole.of(model), model, "", None) for model in models_of(whole)], whole.names, target)


def findings_of_matrix(study: Study) -> tuple[Finding, ...]:
    """The findings alone, of all models."""
    from unseen.kinds.published import published_numbers

    return _found(read(study)[2], published_numbers(study.recipe.published)[0])


def _found(whole: Asked, numbers: pl.DataFrame | None) -> tuple[Finding, ...]:
    from unseen.kinds.conditions.findings import matrix_findings
    from unseen.kinds.judged import corrected

    return corrected([one for model in models_of(whole) for one in matrix_findings(whole.of(model), model, numbers)])


def gather_matrix(study: Study) -> Contents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    import polars as pl

    from unseen.kinds.conditions.findings import matrix_answer
    from unseen.kinds.contents import curves, flags
    from unseen.kinds.how_made import facts_tables
    from unseen.kinds.pictures import splits
    from unseen.kinds.published import published_beside
    from unseen.studies.describe import recipe_toml

    trials, found, whole, target = read(study)
    numbers, source = published_beside(study.recipe.published, whole.names)
    models, factor = models_of(whole), str(trials[0][0]["facts"]["factor"])
    pictures = tuple(pictured(whole.of(model), model, factor, numbers) for model in models)
    groups = {identity: condition.group for identity, condition in found.items()}
    flagged = flags(study, trials, {identity: condition.name for identity, condition in found.items()}, "split")
    return Contents(
        title=study.recipe.title,
        question=study.recipe.question,
        answer=" ".join(matrix_answer(whole.of(model), model) for model in models[:2]),
        shows=study.recipe.shows,
        x_title="trained on",
        series_title="condition",
        summary=summary(pictures, whole.names, target),
        scatter=pl.DataFrame(),
        curves=curves(trials, groups, "images").with_columns(x=pl.col("series")),
        flags=flagged.with_columns(x=pl.col("trial").replace_strict(groups, default=None, return_dtype=pl.String)),
        splits=splits(study),
        units=(),
        findings=_found(whole, numbers),
        recipe=recipe_toml(study.recipe),
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        citation=study.recipe.citation,
        matrices=pictures,
    )


def pictured(found: Asked, model: str, factor: str, numbers: pl.DataFrame | None) -> Matrix:
    """Means over repeats with their intervals, cut at 0 and 1, and what is published of the same conditions."""
    m = mean_matrix(found.accuracy)
    low, high = (np.clip(side, 0, 1) for side in (m.low, m.high))
    known = {(row["series"], row["set"]): row["value"] for row in (numbers.to_dicts() if numbers is not None else [])}
    table = np.array([[known.get((row.name, f"{TEST}{name}"), math.nan) for name in found.names] for row in found.rows])
    groups = {row["x"]: row["series"] for row in (numbers.to_dicts() if numbers is not None else [])}
    people = next((name for group, name in groups.items() if group == name), "")  # a group of its own
    human = np.array([known.get((people, f"{TEST}{name}"), math.nan) for name in found.names])
    return Matrix(
        model, factor, tuple((row.name, row.group) for row in found.rows), found.columns, found.trained,
        m.accuracy, low, high, m.n, found.chance,
        published=table if np.isfinite(table).any() else None,
        observers=human if np.isfinite(human).any() else None,
        observers_name=people,
    )  # fmt: skip


def summary(pictures: Sequence[Matrix], names: Sequence[str], target: str) -> pl.DataFrame:
    """The cells of all matrices as rows of the report's table of numbers."""
    import polars as pl

    rows = []
    for picture in pictures:
        for row, column in zip(*np.nonzero(picture.n)):
            name, group = picture.rows[row]
            rows.append(
                {
                    "x": group,
                    "series": f"{picture.model} {name}".strip(),
                    "set": f"{TEST}{names[column]}",
                    "target": target,
                    "layer": "",
                    "unit_type": "",
                    "measure": "accuracy",
                    "value": float(picture.mean[row, column]),
                    "low": float(picture.low[row, column]),
                    "high": float(picture.high[row, column]),
                    "n": int(picture.n[row, column]),
                    "chance": picture.chance,
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)
