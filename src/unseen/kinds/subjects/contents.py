"""The answers of subjects, gathered: for a study of its own, and beside the networks of any other."""

from __future__ import annotations

from typing import Any

import polars as pl

from unseen.kinds.collect import REPEAT, finished_trials, tidy_rows, varied
from unseen.kinds.how_made import facts_tables
from unseen.kinds.pictures import splits
from unseen.kinds.subjects.scores import SubjectAnswers, by_set, numbers_of, read_subjects, score_where
from unseen.kinds.subjects.shown import SubjectAccuracy, SubjectContents
from unseen.kinds.trial_answers import condition_of, keys_that_differ
from unseen.measures import mean_interval
from unseen.reports.finding import Finding
from unseen.reports.words import number
from unseen.studies.recipe_files import recipe_toml
from unseen.studies.study import Study
from unseen.studies.subjects import subjects_of
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.subjects import MODEL, TRAINED

OVER_REPEATS = "repeats"
MOST_NETWORKS = 12  # conditions of networks that are drawn beside subjects
FLAGS = {"trial": pl.String, "series": pl.String, "x": pl.String, "seed": pl.Int64, "flag": pl.String}
FLAGS |= {"detail": pl.String}
SUMMARY: dict[str, Any] = dict.fromkeys(("x", "series", "set", "target", "layer", "unit_type", "measure"), pl.String)
SUMMARY |= {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "chance": pl.Float64}
SUMMARY |= {"asked": pl.Float64, "over": pl.String}


def subject_tidy(study: Study) -> pl.DataFrame:
    """A row per subject and number, as the tidy table has them; no row where there is no subject."""
    rows = []
    for one in read_subjects(study, subjects_of(study)[0]):
        head = {"trial": one.record.identity, "subject": one.subject.name, "backbone": one.subject.name}
        empty = {"set": "", "target": "", "layer": "", "unit_type": "", "n": None}
        rows += [{**head, **empty, **row} for row in numbers_of(one)]
    return pl.DataFrame(rows, infer_schema_length=None)


def summary_of(study: Study) -> pl.DataFrame:
    """Accuracy of every subject in every set, with its interval and over what that is."""
    found, left = subjects_of(study)
    if not found and not finished_trials(study):
        raise nobody(study, left)
    who = [*given(read_subjects(study, found)), *networks(study)]
    return summary_frame(who)


def summary_frame(who: list[SubjectAccuracy]) -> pl.DataFrame:
    rows = [
        {
            "x": None, "series": one.name, "set": one.asked, "target": one.target, "layer": "", "unit_type": "",
            "measure": "accuracy", "value": one.value, "low": one.low, "high": one.high, "n": one.n,
            "chance": one.chance, "asked": float(one.answers), "over": one.over,
        }
        for one in who
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=SUMMARY)


def findings_of(study: Study) -> tuple[Finding, ...]:
    """None: subjects are told side by side, and nothing is expected of them."""
    return ()


def given(all_of: list[SubjectAnswers]) -> list[SubjectAccuracy]:
    """Accuracy of subjects from elsewhere by set and target."""
    made = []
    for one in all_of:
        for asked, target, here in by_set(one):
            s = score_where(one, here)
            made.append(
                SubjectAccuracy(
                    one.subject.name, one.subject.kind, asked, target,
                    s.value, s.low, s.high, s.n, s.over, s.asked, one.chance(target))
            )  # fmt: skip
    return made


def networks(study: Study) -> list[SubjectAccuracy]:
    """The same of the networks that were trained here, and of models that its trials ask: one entry for each condition,
    over repeats."""
    trials = finished_trials(study, numbers=True)
    if not trials:
        return []
    by_name = {study.find(trial): trial for trial in study.trials}
    keys = keys_that_differ(list(by_name.values()))
    names, kinds = {}, {}
    for record in trials:
        words = condition_of(by_name[record.identity], record.split_facts, keys)
        network = record.facts["description"].get("network", {}).get("backbone", record.subject.name)
        is_given = by_name[record.identity].recipe.network.model is not None
        names[record.identity] = name = f"{'models' if is_given else 'networks'}, {words}" if words else str(network)
        kinds[name] = MODEL if is_given else TRAINED
    repeat = REPEAT if REPEAT in varied(study) else "seed"
    found: dict[tuple[str, str, str], dict[object, list[float]]] = {}
    answers: dict[tuple[str, str, str], int] = {}
    chances: dict[str, float] = {}
    for row in tidy_rows(study):
        if row["measure"] == "chance":
            chances[row["target"]] = float(row["value"])
        elif row["measure"] == "accuracy" and row["value"] is not None and row.get("level") is None:
            key = names[row["trial"]], row["set"], row["target"]
            found.setdefault(key, {}).setdefault(row[repeat], []).append(row["value"])
            answers[key] = int(row["n"] or 0)
    made = []
    for (name, asked, target), values in found.items():
        i = mean_interval(pl.Series([sum(own) / len(own) for own in values.values()]).to_numpy())
        low, high = (min(max(side, 0.0), 1.0) if side == side else side for side in (i.low, i.high))
        guess = chances.get(target, float("nan"))
        number = answers[name, asked, target]
        over = OVER_REPEATS if i.n > 1 else "repeat"
        made.append(SubjectAccuracy(name, kinds[name], asked, target, i.value, low, high, i.n, over, number, guess))
    return made


def beside(study: Study) -> SubjectContents | None:
    """Subjects from elsewhere for the page of another kind of study, with its networks beside them; None: there are
    none."""
    found, left = subjects_of(study)
    return gathered(study, read_subjects(study, found), left) if found or left else None


def contents_of(study: Study) -> SubjectContents:
    """Everything that a report of subjects alone shows."""
    found, left = subjects_of(study)
    trials = finished_trials(study)
    if not found and not trials:
        raise nobody(study, left)
    return gathered(study, read_subjects(study, found), left, alone=True)


def gathered(
    study: Study, all_of: list[SubjectAnswers], left: dict[str, str], *, alone: bool = False
) -> SubjectContents:
    """``alone``: networks of this study have no other table than that of subjects."""
    trials = finished_trials(study)
    own = given(all_of)
    asked = {(one.asked, one.target) for one in own}
    others = [one for one in networks(study) if (one.asked, one.target) in asked or not own]
    shown = list(dict.fromkeys(one.name for one in others))
    kept = [one for one in others if one.name in shown[-MOST_NETWORKS:]]
    flags = [(name, "left out", None, None, "answers left out", why) for name, why in left.items()]
    return SubjectContents(
        title=study.recipe.title,
        question=study.recipe.question,
        answer=answer(own or kept),
        shows=study.recipe.shows,
        x_title="subject",
        series_title="subject",
        summary=summary_frame([*own, *(kept if alone else ())]),
        curves=pl.DataFrame(),
        flags=pl.DataFrame(flags, schema=FLAGS, orient="row"),
        splits=splits(study),
        findings=(),
        recipe=recipe_toml(study.recipe),
        facts=facts_tables(study, trials),
        citation=study.recipe.citation,
        accuracies=(*own, *kept),
        answers=tuple(all_of),
        networks_left=max(0, len(shown) - MOST_NETWORKS),
        left=tuple(left.values()),
    )


def answer(who: list[SubjectAccuracy]) -> str:
    """Who is right how often, on what is asked: a sentence for each set, of the first target."""
    if not who:
        return "No answers about images that this study asks yet."
    target = who[0].target
    told = []
    for asked in dict.fromkeys(one.asked for one in who if one.target == target):
        here = sorted((one for one in who if (one.asked, one.target) == (asked, target)), key=lambda one: -one.value)
        parts = [f"{one.name} {one.words} ({one.counted})" for one in here[:4]]
        more = f", and {len(here) - 4} more" if len(here) > 4 else ""
        where = "" if asked == "asked" else f" on '{asked}'"
        told.append(f"Accuracy of {target}{where}: {', '.join(parts)}{more}.")
    guess = next((one.chance for one in who if one.target == target), float("nan"))
    return " ".join([*told, f"Chance is {number(guess)}."])


def nobody(study: Study, left: dict[str, str]) -> UnseenError:
    if left:
        return UnseenError(next(iter(left.values())))
    return UnseenError(
        f"study '{study.path}' has no answers yet. Add those of a model or of people: `unseen answers add {study.path} "
        f"FILE`; `unseen render` writes the images and their keys."
    )
