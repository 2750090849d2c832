"""A regression study's answer in a sentence with numbers: no more than its findings hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.answer_words import undecided
from unseen.kinds.in_domain.findings import WORDS, answer_key, by_network, joined, ordered
from unseen.kinds.in_domain.numbers import MEAN, R2
from unseen.kinds.judged import direction
from unseen.measures import Interval, mean_interval
from unseen.reports.finding import Finding
from unseen.reports.words import number

if TYPE_CHECKING:
    import polars as pl

NO_CHANGE = "whether it falls is left open (no network was asked both)"


def regression_answer(
    tidy: pl.DataFrame,
    worlds: Mapping[str, tuple[str, str]],
    asked: str,
    found: Sequence[Finding],
    of: str = "all factors",
) -> str:
    """The study's answer in a sentence with numbers; one for each world. ``found``: the findings of the page; ``of``:
    the factors that R² is the mean of."""
    told = []
    for world in dict.fromkeys(world for world, _ in worlds.values()):
        models = {series: model for series, (name, model) in worlds.items() if name == world}
        part = tidy.filter(tidy["series"].is_in(list(models)))
        change = next((one for one in found if one.key == answer_key(world)), None)
        said = _answer(part, models, asked, of, change)
        told.append(f"{world}: {said[0].lower()}{said[1:]}" if world else said)
    return " ".join(told)


def _answer(tidy: pl.DataFrame, models: Mapping[str, str], asked: str, of: str, change: Finding | None) -> str:
    r2 = {}
    for series in models:
        for split in tidy["x"].unique(maintain_order=True).to_list():
            values = by_network(tidy, measure=R2, set=asked, target=MEAN, x=split, series=series)
            if values:
                r2[series, split] = mean_interval(np.array(list(values.values())))
    if not r2:
        return f"No answers on the {asked} rows yet."
    order = ordered(tidy, asked)
    first, last = order[0], order[-1]
    ends = {m: (r2[s, first], r2[s, last]) for s, m in models.items() if (s, first) in r2 and (s, last) in r2}
    ranked = sorted(ends.items(), key=lambda item: -item[1][1].value)
    shown = ranked if len(ranked) <= 3 else [ranked[0], ranked[-1]]
    extent = f"; the other {len(ranked) - 2} models lie between" if len(ranked) > 3 else ""
    if not ends:  # hardly begun: no model has met both
        told = [(models[series], one) for (series, split), one in r2.items() if split == last]
        parts = [f"{_value(one)} ({model}, n = {one.n})" for model, one in told]
        return f"On {WORDS.get(last, last)}, the mean R² of {of} is {joined(parts)}."
    if first == last:
        parts = [f"{_value(one)} ({model}, n = {one.n})" for model, (one, _) in shown]
        return f"On {WORDS.get(last, last)}, the mean R² of {of} is {joined(parts)}{extent}."
    parts = [f"from {number(a.value)} to {_value(b)} ({model}, n = {b.n})" for model, (a, b) in shown]
    if change is not None and (verb := direction(change)):
        mean = f"on average over {len(ends)} models: " if len(ends) > 1 else ""
        return (
            f"From {WORDS.get(first, first)} to {WORDS.get(last, last)}, the mean R² of {of} {verb} {mean}"
            f"{joined(parts)}{extent}."
        )
    parts = [f"{_value(a)} and {_value(b)} ({model}, n = {b.n})" for model, (a, b) in shown]
    return (
        f"On {WORDS.get(first, first)} and on {WORDS.get(last, last)}, the mean R² of {of} is {joined(parts)}"
        f"{extent}; {undecided(change.value, change.low, change.high, change.why) if change else NO_CHANGE}."
    )


def _value(interval: Interval) -> str:
    """R² has no lower end, so its interval is told as it is."""
    if not np.isfinite(interval.low):
        return number(interval.value)
    return f"{number(interval.value)} [{number(interval.low)}, {number(interval.high)}]"
