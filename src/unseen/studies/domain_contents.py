"""A study that leaves one domain out, gathered for its report and its table of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.measures import Interval, chance, mean_interval
from unseen.reports.contents import Contents
from unseen.reports.domains import DomainRow, Domains, Estimate
from unseen.studies.domain_findings import clipped, compared, domain_answer, domain_findings, over_domains, verdict
from unseen.studies.domains import Answered, Domain, domain_numbers, read_trial
from unseen.vocabulary.errors import listed

if TYPE_CHECKING:
    import polars as pl

    from unseen.studies.study import Study

LEFT_OUT = "design.left_out"
GAP, MAJORITY, BY_CATEGORY = "gap", "majority level", "accuracy by category"
TRAINED = "trained"  # the images of `unseen`, asked of networks that were trained on their domain
MEAN = "mean over domains"
Trials = Sequence[tuple[dict[str, Any], Path]]


def read(study: Study) -> tuple[Trials, dict[str, str], list[Answered]]:
    """Finished trials, the model of each by its identity, and their answers."""
    from unseen.studies.collect import REPEAT, finished_trials, nothing_finished, varied

    trials, keys = finished_trials(study), varied(study)
    if not trials:
        raise nothing_finished(study)
    named = [key for key in keys if key not in (LEFT_OUT, REPEAT)]
    models, answered = {}, []
    for facts, folder in trials:
        values = (facts["condition"].get(key) for key in named)
        model = " ".join(str(value) for value in values if value is not None)
        repeat = facts["description"].get("design", {}).get("seed", 0) if REPEAT in keys else facts["seed"]
        models[facts["identity"]] = model
        answered.append(read_trial(facts, folder, model, int(repeat)))
    return trials, models, answered


def pictures(trials: Trials, answered: Sequence[Answered]) -> Iterator[tuple[Domains, list[Domain], str]]:
    """The table of each model, with the numbers behind it and the networks it is compared by."""
    first = trials[0][0]
    factor, category = str(first["facts"]["factor"]), str(first["factors"][0])
    guess = chance(len(first["targets"][category]))
    for model in dict.fromkeys(one.model for one in answered):
        found, reference = domain_numbers([one for one in answered if one.model == model])
        rows = tuple(_row(domain, category) for domain in found)
        yield Domains(model, factor, category, rows, _whole(found), guess, compared(reference)), found, reference


def _estimate(found: Interval, *, accuracy: bool = True) -> Estimate:
    found = clipped(found) if accuracy else found
    return Estimate(found.value, found.low, found.high, found.n)


def _row(domain: Domain, category: str) -> DomainRow:
    left, trained, others = (
        _estimate(mean_interval(numbers)) for numbers in (domain.left_out, domain.trained, domain.others)
    )
    note = ""
    if domain.not_asked:
        few = listed(domain.not_asked, most=6)
        number = f"{domain.not_asked_images:,} image{'s' * (domain.not_asked_images != 1)}"
        note = f"{domain.name}: {number} of a {category} that no other domain has ({few}) not asked."
    return DomainRow(
        domain.name, left, trained, _estimate(mean_interval(domain.gap), accuracy=False), others, domain.images,
        domain.majority, verdict(domain),
        {name: (mean_interval(values).value, n) for name, (values, n) in domain.by_category.items()}, note,
    )  # fmt: skip


def _whole(found: Sequence[Domain]) -> DomainRow:
    from unseen.studies.findings import sign_holds

    gap = over_domains(found, "gap")
    words = {True: "known less well", False: "known better", None: "undecided"}[sign_holds(gap, 1)]
    left, trained, others = (_estimate(over_domains(found, key)) for key in ("left_out", "trained", "others"))
    majority = float(np.mean([domain.majority for domain in found])) if found else float("nan")
    return DomainRow(MEAN, left, trained, _estimate(gap, accuracy=False), others, 0, majority, words, {})


def summary_of_domains(study: Study) -> pl.DataFrame:
    """Means with intervals: of each domain over repeats, of their mean over domains."""
    trials, _, answered = read(study)
    return summary([picture for picture, _, _ in pictures(trials, answered)])


def summary(found: Sequence[Domains]) -> pl.DataFrame:
    """Every number of the tables; ``x`` is the domain left out, a set says which networks answered."""
    import polars as pl

    rows = []
    for one in found:
        series = one.model or "all"
        for row in (*one.rows, one.whole):
            head = {"x": row.name, "series": series, "layer": "", "unit_type": ""}
            sets = {"unseen": row.left_out, TRAINED: row.trained, "seen": row.others}
            for name, level in sets.items():
                rows.append({**head, **_numbers("accuracy", name, one.category, level), "chance": one.chance})
            rows.append({**head, **_numbers(GAP, "", one.category, row.gap), "chance": None})
            share = Estimate(row.majority, float("nan"), float("nan"), row.images or len(one.rows))
            rows.append({**head, **_numbers(MAJORITY, "unseen", one.category, share), "chance": None})
            for name, (value, n) in row.by_category.items():
                level = Estimate(value, float("nan"), float("nan"), n)
                rows.append({**head, **_numbers(BY_CATEGORY, "unseen", name, level), "chance": None})
    kept = [row for row in rows if row["value"] is not None]
    named = dict.fromkeys(("x", "series", "set", "target", "layer", "unit_type", "measure"), pl.String)
    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "chance": pl.Float64}
    return pl.DataFrame(kept, schema=named | numbers)


def _numbers(measure: str, asked: str, target: str, level: Estimate) -> dict[str, Any]:
    value = None if np.isnan(level.value) else level.value
    return {
        "set": asked, "target": target, "measure": measure, "value": value, "low": level.low, "high": level.high,
        "n": level.n,
    }  # fmt: skip


def gather_domains(study: Study) -> Contents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    import polars as pl

    from unseen.studies.contents import curves, flags
    from unseen.studies.describe import recipe_toml
    from unseen.studies.how_made import facts_tables
    from unseen.studies.pictures import splits
    from unseen.studies.published import published_numbers

    trials, models, answered = read(study)
    made = list(pictures(trials, answered))
    trained = {facts["identity"]: str(facts["facts"]["trained"]) for facts, _ in trials}
    named = {identity: model or "all networks" for identity, model in models.items()}
    at = pl.col("trial").replace_strict(trained, default=None, return_dtype=pl.String)
    numbers, source = published_numbers(study.recipe.published)
    return Contents(
        title=study.recipe.title,
        question=study.recipe.question,
        answer=" ".join(
            domain_answer(found, one.model, one.factor, one.chance) for one, found, _ in made[:2]
        ),
        shows=study.recipe.shows,
        x_title="left out",
        series_title="network",
        summary=summary([one for one, _, _ in made]),
        scatter=pl.DataFrame(),
        curves=curves(trials, named, "images").with_columns(x=at),
        flags=flags(study, trials, named, "split").with_columns(x=at),
        splits=splits(study),
        units=(),
        findings=tuple(
            finding
            for one, found, reference in made
            for finding in domain_findings(found, one.model, one.factor, one.category, reference)
        ),
        recipe=recipe_toml(study.recipe),
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        citation=study.recipe.citation,
        domains=tuple(one for one, _, _ in made),
    )  # fmt: skip
