"""The study's answer in a few sentences: no more than its findings hold.

"Rises" and "falls" are said only where the finding about the change from the fewest to the most, paired by repeat, says
so; else both ends are told and the question is left open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.answer_words import signed, undecided
from unseen.kinds.combinations.findings import MOST_CURVES, accuracies, both_of, trend_key
from unseen.kinds.judged import direction
from unseen.kinds.trial_numbers import BOTH
from unseen.measures import Interval, mean_interval
from unseen.reports.finding import Finding
from unseen.reports.words import plain, things
from unseen.vocabulary.words import capital, joined

if TYPE_CHECKING:
    import polars as pl

NEAR = 0.02  # by which a point in between must be above both ends to be told


def headline(
    points: pl.DataFrame, x_title: str, lead: str, chances: Mapping[str, float], found: Sequence[Finding]
) -> str:
    """Accuracy of the ``lead`` target on combinations never seen, beside chance and what was seen; then the geometric
    mean. ``points``: per trial ``series, x, repeat, set, target, value``; ``found``: the findings of the page."""
    there = points["target"].unique().to_list()
    target = lead if lead in there else both_of(points)
    names = [name for name in _series(points) if accuracies(points, series=name, set="unseen", target=target)]
    if not names:
        return "No answers on held-out combinations yet."
    last = {name: _at_end(points, name, "unseen", target) for name in names}
    ranked = sorted(names, key=lambda name: -last[name].value)
    shown = ranked if len(ranked) <= MOST_CURVES else [ranked[0], ranked[-1]]
    xs = sorted(points["x"].unique().to_list())
    if len(xs) == 1:
        parts = [f"{number(last[name])} ({_who(name, names)}n = {last[name].n})" for name in shown]
        first = f"On combinations never seen in training, accuracy of {target} is {joined(parts)}{_between(ranked)}."
    else:
        first = _moves(points, x_title, target, ranked, shown, xs, found)
    return " ".join(filter(None, [first, _beside(points, target, shown, xs, chances), _second(points, target, shown)]))


def _moves(
    points: pl.DataFrame,
    x_title: str,
    target: str,
    ranked: Sequence[str],
    shown: Sequence[str],
    xs: list[float],
    found: Sequence[Finding],
) -> str:
    """What happens between the fewest and the most."""
    by_key = {one.key: one for one in found if one.key}
    many = len(ranked) > MOST_CURVES  # all curves together, as the findings have them
    changes = {name: by_key.get(trend_key("unseen", target, "" if many else name)) for name in ranked}
    verbs = {name: direction(change) if change else "" for name, change in changes.items()}
    span = f"as the {x_title} goes from {plain(xs[0])} to {plain(xs[-1])}"
    said: list[str] = []
    for verb in ("rises", "falls"):
        mine = [name for name in shown if verbs[name] == verb]
        parts = [
            f"from {_at(points, name, target, xs[0]).value:.2f} to {number(_at(points, name, target, xs[-1]))} "
            f"({_who(name, ranked)}n = {_at(points, name, target, xs[-1]).n}{_higher(points, name, target, xs)})"
            for name in mine
        ]
        mean = f"on average over {len(ranked)} curves: " if many else ""  # single ones may go the other way
        said += [f"{verb} {mean}{joined(parts)}{_between(ranked)} {span}"] if mine else []
    still = [name for name in shown if not verbs[name]]
    if still:
        parts = [
            f"{number(_at(points, name, target, xs[0]))} at {plain(xs[0])} and "
            f"{number(_at(points, name, target, xs[-1]))} at {_amount(x_title, xs[-1])} "
            f"({_who(name, ranked)}n = {_at(points, name, target, xs[-1]).n}{_higher(points, name, target, xs)})"
            for name in still
        ]
        why = _all_open([changes[name] for name in (still[:1] if many else still)])
        said.append(f"is {', and '.join(parts)}{_between(ranked)}; {why}")
    return f"On combinations never seen in training, accuracy of {target} {'; it '.join(said)}."


def _all_open(changes: Sequence[Finding | None]) -> str:
    there = [change for change in changes if change is not None]
    if not there:
        return "whether it rises is left open (no repeat has both)"
    if len(there) > 1 and all(one.low <= 0 <= one.high for one in there):
        told = joined([signed(one.value, one.low, one.high) for one in there])
        return f"whether it rises is left open (changes {told})"
    first = next((one for one in there if not one.low <= 0 <= one.high), there[0])
    return undecided(first.value, first.low, first.high, first.why)


def _higher(points: pl.DataFrame, name: str, target: str, xs: Sequence[float]) -> str:
    """A point in between that is above both ends: the two of them would hide it."""
    values = {x: _at(points, name, target, x).value for x in xs}
    best = max((x for x in xs if np.isfinite(values[x])), key=lambda x: values[x], default=xs[-1])
    beyond = values[best] > max(values[xs[0]], values[xs[-1]]) + NEAR
    return f"; highest at {plain(best)}: {values[best]:.2f}" if beyond else ""


def _beside(
    points: pl.DataFrame, target: str, shown: Sequence[str], xs: list[float], chances: Mapping[str, float]
) -> str:
    """Chance, and accuracy where combinations were seen, at the most."""
    told = []
    if target in chances:
        told.append(f"chance is {chances[target]:.2f}")
    seen = [(name, _at_end(points, name, "seen", target)) for name in shown]
    parts = [f"{one.value:.2f}{_in_brackets(name, shown)}" for name, one in seen if one.n]
    if parts:
        when = f" at {plain(xs[-1])}" if len(xs) > 1 else ""
        told.append(f"on new images of seen combinations it is {joined(parts)}{when}")
    words = "; ".join(told)
    return f"{capital(words)}." if words else ""


def _second(points: pl.DataFrame, target: str, shown: Sequence[str]) -> str:
    """The geometric mean, where it is not what was told first."""
    if target == BOTH or BOTH not in points["target"].unique().to_list():
        return ""
    parts = [
        f"{number(one)}{_in_brackets(name, shown)}"
        for name in shown
        if (one := _at_end(points, name, "unseen", BOTH)).n
    ]
    return f"The geometric mean of both accuracies on unseen combinations is then {joined(parts)}." if parts else ""


def _amount(x_title: str, x: float) -> str:
    """
    >>> _amount("number of seen combinations (of 81)", 72), _amount("number of training images", 900)
    ('72 of 81 seen combinations', '900 training images')
    """
    counted, _, total = things(x_title).partition(" (of ")
    return f"{plain(x)} of {total.rstrip(')')} {counted}" if total else f"{plain(x)} {counted}"


def _who(name: str, names: Sequence[str]) -> str:
    """The curve, where there are several."""
    return f"{name}, " if len(names) > 1 else ""


def _in_brackets(name: str, names: Sequence[str]) -> str:
    return f" ({name})" if len(names) > 1 else ""


def _series(points: pl.DataFrame) -> list[str]:
    return points["series"].unique(maintain_order=True).to_list()


def _at(points: pl.DataFrame, series: str, target: str, x: float, asked: str = "unseen") -> Interval:
    values = accuracies(points, series=series, set=asked, target=target)
    return mean_interval(np.array([value for (at, _), value in values.items() if at == x]))


def _at_end(points: pl.DataFrame, series: str, asked: str, target: str) -> Interval:
    """At the series' own last x."""
    values = accuracies(points, series=series, set=asked, target=target)
    last = max((x for x, _ in values), default=None)
    return mean_interval(np.array([value for (x, _), value in values.items() if x == last]))


def _between(ranked: Sequence[str]) -> str:
    return f", between these two for the other {len(ranked) - 2}," if len(ranked) > MOST_CURVES else ""


def number(interval: Interval) -> str:
    """A mean accuracy with its interval, which is cut at 0 and 1."""
    if not np.isfinite(interval.value):
        return "not known"
    if not np.isfinite(interval.low):
        return f"{interval.value:.2f}"
    return f"{interval.value:.2f} [{max(interval.low, 0):.2f}, {min(interval.high, 1):.2f}]"
