"""The answer in a sentence: what a model knows, which change costs it most, what it knows least."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.kinds.weaknesses.examined import ExaminedModel
from unseen.kinds.weaknesses.feeding import FeedingCheck
from unseen.kinds.weaknesses.scores import canonical, classes_of, gap, levels_of, score
from unseen.measures import Interval, chance
from unseen.measures.verdicts import ALPHA
from unseen.reports.finding import Finding
from unseen.reports.words import has_interval, whole_percent
from unseen.vocabulary.errors import listed

MOST = 3  # models that the answer tells of


def answer(every: Sequence[ExaminedModel], found: Sequence[Finding], fed: Sequence[FeedingCheck]) -> str:
    """A few sentences of each model; what may be wrong with its feeding comes first."""
    told = [one.words for one in fed if one.wrong]
    told += [answer_about_one(one, found) for one in every[:MOST]]
    if len(every) > MOST:
        told.append(f"{len(every) - MOST} more models are shown below.")
    told.append(f"Chance is {share(chance(len(every[0].classes)))}.")
    return " ".join(told)


def answer_about_one(one: ExaminedModel, found: Sequence[Finding]) -> str:
    if not one.has_canonical:
        return _by_levels(one)
    own = canonical(one)
    what = f"{own.images} canonical images"
    objects = f"n = {own.interval.n} objects" if one.paired else f"n = {own.images} images"
    parts = [f"{one.name} knows {with_interval(own.interval)} of {what} ({objects})"]
    gaps = sorted((gap(one, name) for name in one.alone), key=lambda each: each.value)
    surely = {finding.key.removeprefix(f"{one.name}/") for finding in found if finding.key.startswith(f"{one.name}/")
              and finding.corrected is not None and finding.corrected <= ALPHA}  # fmt: skip
    cost = [each for each in gaps if each.value < 0 and (each.name in surely or not each.values)]
    rest = [each for each in gaps if each not in cost]
    sentences = [f"{', '.join(parts)}."]
    if cost:
        first, others = cost[0], cost[1:]
        most = "costs most" if len(gaps) > 1 else "costs"
        also = f", then {listed(f'{each.name} {points(each.interval)}' for each in others)}" if others else ""
        sentences.append(f"Changing {first.name} alone {most}: {points(first.interval, whole=True)}{also}.")
    if rest:
        told = ", ".join(f"{each.name} {points(each.interval, whole=True)}" for each in rest)
        tested = next((finding.comparisons for finding in found if finding.comparisons), 0)
        many = f" (corrected for {tested} comparisons)" if tested > 1 else ""
        sentences.append(f"Not surely a cost{many}: {told}.")
    if one.together:
        whole = score(one, one.of(one.together))
        many = "three or more changed at once" if one.together not in one.pairs else "both changed"
        sentences.append(f"With {many} it knows {with_interval(whole.interval)}.")
    return " ".join([*sentences, *_worst(one)])


def _by_levels(one: ExaminedModel) -> str:
    """Where nothing is canonical: accuracy of all, and the level of each factor at which it is lowest."""
    import numpy as np

    whole = score(one, np.ones(len(one.rows), dtype=bool))
    told = [f"{one.name} knows {with_interval(whole.interval)} of {whole.images:,} images."]
    for factor in one.by_level[:3]:
        levels = levels_of(one, factor)
        worst = min(levels, key=lambda at: at.score.value)
        told.append(f"Of {factor}, '{worst.level}' is hardest: {with_interval(worst.score.interval)}.")
    return " ".join([*told, *_worst(one)])


def _worst(one: ExaminedModel) -> list[str]:
    classes = [each for each in classes_of(one) if each.changed is not None]
    if not classes:
        return []
    first = classes[0]
    assert first.changed is not None
    taken = f", most often taken for {first.taken_for}" if first.taken_for and first.times > 1 else ""
    where = "changed images" if one.has_canonical else "images"
    return [f"Worst class: {first.name}, {with_interval(first.changed.interval)} of its {where}{taken}."]


def share(value: float) -> str:
    r"""
    >>> share(0.824), share(0.004)
    ('82\xa0%', '0.4\xa0%')
    """
    return f"{whole_percent(value)}\u00a0%" if value >= 0.01 or value == 0 else f"{100 * value:.1f}\u00a0%"


def with_interval(i: Interval) -> str:
    r"""
    >>> with_interval(Interval(0.824, 0.79, 0.85, 150, ""))
    '82\xa0% [79,\xa085]'
    """
    if not has_interval(i.low, i.high):
        return share(i.value)
    return f"{share(i.value)} [{whole_percent(i.low)},\u00a0{whole_percent(i.high)}]"


def points(i: Interval, *, whole: bool = False) -> str:
    r"""A difference in points of per cent.

    >>> points(Interval(-0.312, -0.37, -0.25, 150, ""), whole=True), points(Interval(0.02, -0.01, 0.05, 150, ""))
    ('−31 points [−37,\xa0−25]', '+2')
    """
    value = signed(i.value)
    if not whole:
        return value
    ends = f" [{signed(i.low)},\u00a0{signed(i.high)}]" if has_interval(i.low, i.high) else ""
    return f"{value} point{'s' * (abs(round(100 * i.value)) != 1)}{ends}"


def signed(value: float) -> str:
    """
    >>> signed(-0.31), signed(0.004), signed(0.02)
    ('−31', '0', '+2')
    """
    rounded = round(100 * value)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded < 0 else "0"
