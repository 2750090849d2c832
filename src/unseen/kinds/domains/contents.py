"""A study that leaves one domain out, gathered for its report and its table of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from unseen.kinds.answered import gather_answers
from unseen.kinds.curves import curves, flags
from unseen.kinds.domains.findings import (
    WORDS,
    compared,
    domain_answer,
    domain_findings,
    gap_key,
    learned,
    over_domains,
    paired,
    shown,
    span,
    unpaired_words,
    verdicts,
)
from unseen.kinds.domains.numbers import Domain, DomainAnswers, domain_numbers
from unseen.kinds.domains.read import Trials, read
from unseen.kinds.domains.shown import DomainContents, DomainRow, Domains
from unseen.kinds.how_made import facts_tables
from unseen.kinds.judged import corrected
from unseen.kinds.pictures import splits
from unseen.kinds.published import published_numbers
from unseen.kinds.recipe_words import words_of
from unseen.measures import Interval, chance, mean_interval
from unseen.reports.finding import Finding
from unseen.studies.records import Record
from unseen.studies.study import Study
from unseen.vocabulary.design_facts import LeftOut
from unseen.vocabulary.errors import listed

GAP, MAJORITY, BY_CATEGORY = "gap", "majority level", "accuracy by category"
SHARED = "unseen, shared images"  # of `unseen` what `trained` is of too, where that is not all
TRAINED = "trained"  # the images of `unseen`, asked of networks that were trained on their domain
MEAN = "mean over domains"


def pictures(
    trials: Trials, answered: Sequence[DomainAnswers]
) -> Iterator[tuple[Domains, list[Domain], tuple[Finding, ...]]]:
    """The table of each model, with the numbers behind it and the findings from them."""
    first = trials[0][0]
    factor, category = LeftOut.of(trials[0].split_facts).factor, str(first["factors"][0])
    guess = chance(len(first["targets"][category]))
    splits = [facts["description"].get("design", {}).get("seed", 0) for facts, _ in trials]
    models, every = list(dict.fromkeys(one.model for one in answered)), []
    numbers, made = {}, {}
    for model in models:
        found, reference = domain_numbers([one for one in answered if one.model == model])
        draws = len({split for split, one in zip(splits, answered) if one.model == model})
        numbers[model] = found, reference, draws
        made[model] = domain_findings(found, model, factor, category, reference, draws)
        every += made[model]
    whole_page = iter(corrected(every))
    for model in models:
        found, reference, draws = numbers[model]
        findings = tuple(itertools.islice(whole_page, len(made[model])))
        said = verdicts(findings)
        rows = tuple(_row(domain, category, said.get(gap_key(domain), WORDS[None])) for domain in found)
        whole = _whole(found, factor, said[""])
        words = learned(paired(found))
        yield Domains(model, factor, category, rows, whole, guess, compared(reference), words, draws), found, findings


def _row(domain: Domain, category: str, verdict: str) -> DomainRow:
    gap, every = mean_interval(domain.gap), mean_interval(domain.left_out).cut(0, 1)
    left, trained, others = (
        mean_interval(numbers).cut(0, 1) for numbers in (domain.same, domain.trained, domain.others)
    )
    notes = []
    if domain.not_asked:
        few = listed(domain.not_asked, most=6)
        number = f"{domain.not_asked_images:,} image{'s' * (domain.not_asked_images != 1)}"
        notes.append(f"{number} of a {category} that no other domain has ({few}) not asked.")
    if domain.partly:
        notes.append(
            f"{100 * every.value:.0f} % of all that was asked where it was left out ({span(domain.images)} images, "
            f"{every.n} repeat{'s' * (every.n != 1)})."
        )
    if words := unpaired_words(domain):
        notes.append(f"{words}.")
    images, shared = (_rounded(counts) for counts in (domain.images, domain.shared))
    return DomainRow(
        domain.name, left if gap.n else every, trained, gap.cut(-1, 1), others, every, images, shared,
        mean_interval(domain.majority).value, verdict,
        {name: (mean_interval(values).value, n) for name, (values, n) in domain.by_category.items()},
        span(domain.shared if gap.n else domain.images), domain.partly,
        f"{domain.name}: {' '.join(notes)}" if notes else "",
    )  # fmt: skip


def _rounded(counts: np.ndarray) -> int:
    """The mean number of images over repeats; 0 where there are none."""
    found = mean_interval(counts)
    return round(found.value) if found.n else 0


def _whole(found: Sequence[Domain], factor: str, verdict: str) -> DomainRow:
    """Means over domains; over those that have a gap, once there are any."""
    have = paired(found)
    used, gap = have or found, over_domains(have, "gap")
    left, trained, others, every = (
        over_domains(group, key).cut(0, 1)
        for group, key in (
            (used, "same" if have else "left_out"),
            (have, "trained"),
            (used, "others"),
            (found, "left_out"),
        )
    )
    majority = over_domains(used, "majority").value
    lacking = [domain.name for domain in found if not np.isfinite(domain.gap).any()]
    note = f"The {MEAN} is of {len(have)} of {len(found)} levels of {factor}: {listed(lacking)} without a gap yet."
    return DomainRow(
        MEAN, left, trained, gap.cut(-1, 1), others, every, 0, 0, majority, verdict, {},
        partly=any(domain.partly for domain in found) or bool(have and lacking), note=note if have and lacking else "",
    )  # fmt: skip


def summary_of(study: Study) -> pl.DataFrame:
    """Means with intervals: of each domain over repeats, of their mean over domains."""
    trials, _, answered = read(study)
    return summary([picture for picture, _, _ in pictures(trials, answered)])


def summary(found: Sequence[Domains]) -> pl.DataFrame:
    """Every number of the tables; ``x`` is the domain left out, a set says which networks answered, ``images`` how many
    each was asked, ``verdict`` what a gap says, ``splits`` how many the repeats are of."""
    rows = []
    for one in found:
        series = one.model or "all"
        for row in (*one.rows, one.whole):
            head = {"x": row.name, "series": series, "layer": "", "unit_type": "", "splits": one.draws}
            sets = {"unseen": (row.every, row.images), TRAINED: (row.trained, row.shared), "seen": (row.others, 0)}
            if row.gap.n and row.partly:
                sets[SHARED] = (row.left_out, row.shared)
            for name, (level, images) in sets.items():
                rows.append({**head, **_numbers("accuracy", name, one.category, level, images), "chance": one.chance})
            gap = _numbers(GAP, "", one.category, row.gap, row.shared)
            rows.append({**head, **gap, "verdict": row.verdict})
            share = Interval(row.majority, float("nan"), float("nan"), row.images or len(one.rows))
            rows.append({**head, **_numbers(MAJORITY, "unseen", one.category, share, row.images)})
            for name, (value, n) in row.by_category.items():
                level = Interval(value, float("nan"), float("nan"), n)
                rows.append({**head, **_numbers(BY_CATEGORY, "unseen", name, level, n)})
    kept = [row for row in rows if row["value"] is not None]
    named = dict.fromkeys(("x", "series", "set", "target", "layer", "unit_type", "measure"), pl.String)
    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64, "chance": pl.Float64}
    return pl.DataFrame(kept, schema=named | numbers | {"images": pl.Int64, "verdict": pl.String, "splits": pl.Int64})


def _numbers(measure: str, asked: str, target: str, level: Interval, images: int) -> dict[str, Any]:
    value = None if np.isnan(level.value) else level.value
    return {
        "set": asked, "target": target, "measure": measure, "value": value, "low": level.low, "high": level.high,
        "n": level.n, "images": images or None,
    }  # fmt: skip


def findings_of(study: Study) -> tuple[Finding, ...]:
    """The findings alone, of all models."""
    trials, _, answered = read(study)
    return tuple(finding for _, _, findings in pictures(trials, answered) for finding in shown(findings))


def contents_of(study: Study) -> DomainContents:
    """Everything the report shows, from the store alone, apart from example pictures, which the world draws."""
    trials, models, answered = read(study)
    made = list(pictures(trials, answered))
    named = {identity: model or "all networks" for identity, model in models.items()}
    numbers, source = published_numbers(study.recipe.published)
    return DomainContents(
        **words_of(study.recipe),
        answer=" ".join(
            domain_answer(found, findings, one.model, one.factor, one.chance, one.draws)
            for one, found, findings in made[:2]
        ),
        x_title="left out",
        series_title="network",
        summary=summary([one for one, _, _ in made]),
        curves=curves(trials, named, trained_on),
        flags=flags(study, trials, named, trained_on),
        splits=splits(study),
        findings=tuple(finding for _, _, findings in made for finding in shown(findings)),
        published=numbers,
        published_source=source,
        facts=facts_tables(study, trials),
        domains=tuple(one for one, _, _ in made),
        answered=gather_answers(study),
    )  # fmt: skip


def trained_on(record: Record) -> str:
    """What a network was trained on, in words."""
    return LeftOut.of(record.split_facts).trained
