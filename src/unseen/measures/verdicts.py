"""When a number decides: the rules of all verdicts, in one place. ``docs/guide/verdicts.md`` tells them in words.

Every claim is brought to one number for each repeat (a choice of held-out cells, a draw of categories, a model, a
training seed where nothing else was drawn), and Student's t over these numbers decides: it *holds* where the 95 %
interval lies on the side that was expected, does *not hold* where it lies on the other, and is *open* elsewhere. Fewer
than three repeats decide nothing, nor do repeats that coincide. What a page says all at once is corrected by Holm's
method. The rules are ours; their false alarms and power are simulated in ``tests/measures/test_verdict_rates.py``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from unseen.measures.ranks import centred_ranks, rank_correlation
from unseen.measures.statistics import NAN, Interval, mean_interval, median_interval
from unseen.vocabulary.errors import UnseenError

FEWEST = 3  # repeats that a verdict rests on
FEWEST_SIGNS = 6  # numbers that an exact test of signs can decide by: 2/2^5 is above .05
LEVEL_SPREAD = 0.03  # of an accuracy or a share between repeats, which a few of them may hide
ALPHA = 0.05


@dataclass(frozen=True)
class Verdict:
    """``holds``: whether the claim does, None where it is open, and ``why`` then says so. ``p`` is two-sided, NaN where
    nothing could be tested. ``interval`` is of the number itself, also where another null than zero was tested."""

    interval: Interval
    holds: bool | None
    p: float
    why: str = ""

    def within(self, least: float, most: float) -> Verdict:
        """Of a number that has a range (a difference of two shares is from -1 to 1), beyond which no interval goes."""
        return replace(self, interval=self.interval.cut(least, most))


def judge(
    values: Float[np.ndarray, " repeats"],
    expected: int,
    *,
    null: float = 0.0,
    widened: float = 1.0,
    spread: float = 0.0,
) -> Verdict:
    """One number for each repeat: is their mean above (``expected`` 1) or below (-1) the ``null``?

    Where no difference is expected (0), one that is there counts against it, and none is left open: absence is not
    shown by an interval. ``widened`` makes the interval wider by a factor (see :func:`correlation_shares`). ``spread``
    is a standard deviation added to that of the repeats (see :func:`judge_level`).

    >>> [judge(np.array(d), 1).holds for d in ([0.4, 0.5, 0.6], [-0.4, -0.5, -0.6], [-0.1, 0.5, 0.6])]
    [True, False, None]
    >>> judge(np.array([0.4, 0.41]), 1).why, judge(np.array([0.4, 0.4, 0.4]), 1).why
    ('two repeats decide nothing', 'all repeats coincide')
    """
    found = mean_interval(np.asarray(values, np.float64))
    if found.has_no_width:  # equal by chance is not known exactly
        why = "all repeats coincide" if found.n >= FEWEST else _FEW[found.n]
        return Verdict(found.without_ends(), None, NAN, why)
    if found.n < FEWEST:
        return Verdict(found, None, NAN, _FEW[found.n])
    from scipy.special import stdtr, stdtrit

    edge = float(stdtrit(found.n - 1, 1 - ALPHA / 2))
    error = widened * float(np.hypot((found.high - found.low) / 2 / edge, spread / np.sqrt(found.n)))
    found = replace(found, low=found.value - edge * error, high=found.value + edge * error)
    p = float(2 * stdtr(found.n - 1, -abs(found.value - null) / error))
    if p > ALPHA:
        return Verdict(found, None, p, "the interval includes zero" if null == 0 else f"the interval includes {null:g}")
    return Verdict(found, expected == (1 if found.value > null else -1), p)


_FEW = {0: "there is no repeat", 1: "one repeat decides nothing", 2: "two repeats decide nothing"}


def judge_level(values: Float[np.ndarray, " repeats"], expected: int, null: float, least: float = 0.0) -> Verdict:
    """Is a level between 0 and 1 (an accuracy, a share) beyond a margin that was set before? ``least`` is -1 for a
    correlation.

    Near an end of its range a level is skewed, and a few repeats that crowd there look more alike than repeats are: t
    alone then says "beyond" in 6 of 100 studies whose mean is at the margin (standard deviation .12 around .8, n = 3
    to 8). So ``LEVEL_SPREAD`` is added to their spread (ours), and the interval is cut at the ends of its range.
    Repeats that differ by more than that, or of which some fail altogether, are beyond any rule for so few of them.
    """
    return judge(values, expected, null=null, spread=LEVEL_SPREAD).within(least, 1)


def mostly(values: Float[np.ndarray, " n"], expected: int, null: float) -> Verdict:
    """Do most of the values lie above (1) or below (-1) the ``null``? An exact test of signs, for numbers whose spread
    has no known shape (transformations, some of which leave nothing and one a lot); the interval is of their median.

    >>> mostly(np.array([0.01, 0.0, 0.02, 0.03, 0.0, 0.6]), -1, 0.1).holds, mostly(np.arange(6) / 60, -1, 0.1).holds
    (None, True)
    """
    found, kept = median_interval(values), np.asarray(values, np.float64)[np.isfinite(values)]
    if found.n < FEWEST_SIGNS:
        return Verdict(found, None, NAN, f"fewer than {FEWEST_SIGNS} decide nothing by their signs")
    from scipy.special import bdtr

    sides = int((kept > null).sum()), int((kept < null).sum())
    p = min(1.0, 2 * float(bdtr(found.n - max(sides), found.n, 0.5)))
    if p > ALPHA:
        return Verdict(found, None, p, f"too few lie on one side of {null:g}")
    return Verdict(found, expected == (1 if sides[0] > sides[1] else -1), p)


def lowest(values: Mapping[str, Float[np.ndarray, " repeats"]], name: str) -> tuple[Verdict, str]:
    """Is one group the lowest of all, repeat by repeat? Also gives its nearest rival, the lowest of the others.

    The number is how far the group lies above its nearest rival (below zero: it is the lowest). The rival is found in
    the data, so that the two cannot be compared as if it had been named before. The claim holds if the group is surely
    below *every* other (an intersection-union test: no correction is needed, Berger 1982, Technometrics 24:295); it
    does not hold if it is surely above one of them, with Bonferroni's correction for their number. The interval has its
    upper end from the first and its lower end from the second of these.

    >>> groups = {"a": np.array([0.1, 0.2, 0.1]), "b": np.array([0.5, 0.6, 0.6]), "c": np.array([0.9, 0.8, 0.9])}
    >>> [(lowest(groups, name)[0].holds, lowest(groups, name)[1]) for name in groups]
    [(True, 'b'), (False, 'a'), (False, 'a')]
    """
    others = [other for other in values if other != name]
    if name not in values or not others:
        raise UnseenError(f"'{name}' is to be compared with others; given are {', '.join(values) or 'none'}.")
    gaps = {other: np.asarray(values[name], np.float64) - np.asarray(values[other], np.float64) for other in others}
    each = {other: judge(gap, -1) for other, gap in gaps.items()}
    rival = max(others, key=lambda other: np.nan_to_num(each[other].interval.value, nan=-np.inf))
    nearest = each[rival]
    above = [one for one in each.values() if one.interval.value > 0 and np.isfinite(one.p)]
    against = min(1.0, len(others) * min(one.p for one in above)) if above else 1.0
    if any(np.isnan(one.p) for one in each.values()):  # to be above one is enough, to be below all is not known
        why = next(one.why for one in each.values() if np.isnan(one.p))
        unknown = nearest.interval.without_ends()
        return (Verdict(unknown, False, against) if against <= ALPHA else Verdict(unknown, None, NAN, why)), rival
    corrected = [mean_interval(gap, 1 - ALPHA / len(others)) for gap in gaps.values()]
    ends = max(one.low for one in corrected), max(one.interval.high for one in each.values())
    interval = replace(nearest.interval, low=ends[0], high=ends[1], method="t; lowest of several")
    p = against if above else max(one.p for one in each.values())
    holds = None if p > ALPHA else not above
    return Verdict(interval, holds, p, "" if holds is not None else "the interval includes zero"), rival


def all_lower(values: Mapping[str, Float[np.ndarray, " repeats"]], names: Sequence[str]) -> tuple[Verdict, str, str]:
    """Are some groups, named before, each lower than each of the others, repeat by repeat? Also gives the pair that
    decides: the highest of the named ones and its nearest rival.

    As :func:`lowest`: the claim holds if every named group is surely below every other (intersection-union, no
    correction needed); it does not hold if one is surely above another, by Bonferroni for the number of pairs. The
    number is how far the deciding pair is apart (below zero: as claimed).

    >>> groups = {"a": np.array([0.1, 0.2, 0.1]), "b": np.array([0.2, 0.1, 0.3]), "c": np.array([0.9, 0.8, 0.9])}
    >>> [all_lower(groups, names)[0].holds for names in (["a", "b"], ["a"], ["c"])]
    [True, None, False]
    """
    named, others = [name for name in names if name in values], [name for name in values if name not in names]
    if not named or not others:
        raise UnseenError(f"some groups are to be compared with others; given are {', '.join(values) or 'none'}.")
    pairs = [(one, other) for one in named for other in others]
    gaps = [np.asarray(values[one], np.float64) - np.asarray(values[other], np.float64) for one, other in pairs]
    each = [judge(gap, -1) for gap in gaps]
    place = max(range(len(pairs)), key=lambda one: np.nan_to_num(each[one].interval.value, nan=-np.inf))
    above = [one for one in each if one.interval.value > 0 and np.isfinite(one.p)]
    against = min(1.0, len(pairs) * min(one.p for one in above)) if above else 1.0
    if against <= ALPHA:
        return Verdict(each[place].interval, False, against), *pairs[place]
    if silent := [one for one in each if np.isnan(one.p)]:
        return Verdict(each[place].interval.without_ends(), None, NAN, silent[0].why), *pairs[place]
    p = against if above else max(one.p for one in each)
    if p > ALPHA or above:
        return Verdict(each[place].interval, None, max(p, ALPHA), "not every pair is surely apart"), *pairs[place]
    return Verdict(each[place].interval, True, p), *pairs[place]


@dataclass(frozen=True, eq=False)
class CorrelationShares:
    """A rank correlation with all that ``strata`` say held fixed: the mean of ``shares``, one for each of ``repeats``.
    ``silent`` of ``strata`` tell nothing (one value, or all the same)."""

    shares: Float[np.ndarray, " repeats"]
    repeats: tuple[Hashable, ...]
    strata: int
    silent: int
    pairs: int
    dropped: int
    widened: float

    @property
    def value(self) -> float:
        return float(self.shares.mean()) if len(self.shares) else NAN


def correlation_shares(
    x: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    strata: Sequence[Hashable],
    repeats: Sequence[Hashable],
) -> CorrelationShares:
    r"""Spearman's correlation of x and y within strata (the same diversity, the same architecture), by repeat.

    Pairs of one repeat and stratum (training seeds) are averaged. With ranks :math:`a, b` around zero within each
    stratum, :math:`\rho = \sum ab / \sqrt{\sum a^2 \sum b^2}` over all strata. Trials of one repeat share a split and
    are one cluster: the share of repeat :math:`c` of :math:`C` is :math:`C \sum_{i \in c} a_i b_i / \sqrt{\cdot}`, and
    their mean is :math:`\rho`. Ranks within a stratum add up to zero, which ties the shares of different repeats
    together (correlation :math:`q = 1/(C-1)^2` where strata are independent), so that a t interval over them must be
    wider by :math:`\sqrt{(1 + (C-1) q)/(1 - q)}`. Ours; in simulations false alarms stay near 5 % whether the strata of
    a repeat are independent or all alike.

    >>> x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 5, 9])
    >>> found = correlation_shares(x, y, ["a", "a", "b", "b"], [0, 1, 0, 1])
    >>> round(found.value, 2), found.repeats
    (0.0, (0, 1))
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if not len(x) == len(y) == len(strata) == len(repeats):
        raise UnseenError("a correlation within strata needs x, y, strata and repeats of one length.")
    means: dict[tuple[Hashable, Hashable], list[tuple[float, float]]] = {}
    for one in np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist():
        means.setdefault((strata[one], repeats[one]), []).append((x[one], y[one]))
    points = {key: np.mean(pairs, axis=0) for key, pairs in means.items()}
    names = tuple(dict.fromkeys(repeat for _, repeat in points))
    sums, sizes, silent = dict.fromkeys(names, 0.0), np.zeros(2), 0
    own = dict.fromkeys(stratum for stratum, _ in points)
    for stratum in own:
        mine = [repeat for repeat in names if (stratum, repeat) in points]
        # Means of the same numbers are ties, whatever rounding made of them.
        a, b = map(centred_ranks, np.round([points[stratum, repeat] for repeat in mine], 12).T)
        if not a.any() or not b.any():
            silent += 1
            continue
        sizes += a @ a, b @ b
        for repeat, product in zip(mine, a * b):
            sums[repeat] += product
    size, n = float(np.sqrt(sizes.prod())), len(names)
    shares = np.array([n * value / size for value in sums.values()]) if size else np.zeros(0)
    tied = 1 / (n - 1) ** 2 if n > 2 else 0.0
    widened = float(np.sqrt((1 + (n - 1) * tied) / (1 - tied)))
    dropped = int((~(np.isfinite(x) & np.isfinite(y))).sum())
    return CorrelationShares(shares, names if size else (), len(own), silent, len(points), dropped, widened)


def judge_correlation(found: CorrelationShares, expected: int = 1) -> Verdict:
    """Whether a correlation within strata has the expected sign; its interval ends at -1 and 1."""
    if not len(found.shares):
        return Verdict(
            Interval(NAN, NAN, NAN, 0, "Spearman within strata; t"), None, NAN, "one of the two never changes"
        )
    made = judge(found.shares, expected, widened=found.widened)
    return replace(made, interval=replace(made.interval.cut(-1, 1), method="Spearman within strata; t"))


def judge_ranks(x: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"], expected: int = 1) -> Verdict:
    """Whether the ranks of x and y go together, one pair for each of a few independent things (objectives): the exact
    test over all orders. No order of fewer than five is rarer than 5 %.

    >>> [judge_ranks(np.arange(1.0 * n), np.arange(1.0 * n)).holds for n in (4, 5)]
    [None, True]
    """
    found = rank_correlation(np.asarray(x, np.float64), np.asarray(y, np.float64))
    found = replace(found, correlation=found.correlation.without_ends())  # no interval is exact with it
    if np.isnan(found.p) or found.n < FEWEST:
        why = _FEW.get(found.n, "one of the two never changes")
        return Verdict(found.correlation, None, NAN, why)
    if found.p > ALPHA:
        why = "fewer than five decide nothing by their order" if found.n < 5 else "such an order is not rare by chance"
        return Verdict(found.correlation, None, found.p, why)
    return Verdict(found.correlation, expected == (1 if found.correlation.value > 0 else -1), found.p)


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm 1979); what was not tested (NaN) stays so and is not counted.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, float("nan")])]
    [0.03, 0.06, 0.06, nan]
    """
    tested = [place for place, p in enumerate(ps) if np.isfinite(p)]
    found, largest = [NAN] * len(ps), 0.0
    for step, place in enumerate(sorted(tested, key=lambda one: ps[one])):
        largest = max(largest, min(1.0, (len(tested) - step) * ps[place]))
        found[place] = largest
    return found


def power(n: int, effect: float, comparisons: int = 1) -> float:
    """How often :func:`judge` says "holds" of ``n`` repeats whose mean lies ``effect`` of their standard deviations on
    the expected side (normal numbers); ``comparisons``: with Bonferroni's correction, the least that Holm's leaves.

    >>> round(power(3, 3.0), 2), round(power(5, 3.0), 2), power(2, 9.0)
    (0.75, 1.0, 0.0)
    """
    if n < FEWEST:
        return 0.0
    from scipy.special import stdtrit
    from scipy.stats import nct

    edge = float(stdtrit(n - 1, 1 - ALPHA / comparisons / 2))
    return float(np.nan_to_num(nct.sf(edge, n - 1, effect * np.sqrt(n)), nan=1.0))


def least_effect(n: int, wanted: float = 0.8, comparisons: int = 1) -> float:
    """The mean, in standard deviations of the repeats, that is found in ``wanted`` of all studies of ``n`` repeats;
    infinite where nothing can be.

    >>> [round(least_effect(n), 1) for n in (2, 3, 5, 10)]
    [inf, 3.3, 1.7, 1.0]
    """
    if n < FEWEST:
        return float("inf")
    low, high = 0.0, 1.0
    while power(n, high, comparisons) < wanted:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if power(n, middle, comparisons) < wanted else (low, middle)
    return high


@dataclass(frozen=True)
class NestedSpread:
    """Standard deviations of what is drawn first (``choices``) and of what is drawn within it (``seeds``); NaN where
    there is one of them only. Negative estimates of a variance are 0."""

    choices: float
    seeds: float
    number: int  # of choices


def nested_spread(values: Float[np.ndarray, " n"], choices: Sequence[Hashable]) -> NestedSpread:
    """How much numbers differ between choices of held-out cells, and between training seeds of one choice.

    The usual nested analysis of variance, by moments (Searle, Casella and McCulloch 1992, section 3.6: unequal numbers
    of seeds are allowed).

    >>> found = nested_spread(np.array([0.1, 0.1, 0.3, 0.3]), [0, 0, 1, 1])
    >>> round(found.choices, 3), round(found.seeds, 3)
    (0.141, 0.0)
    """
    values = np.asarray(values, np.float64)
    groups: dict[Hashable, list[float]] = {}
    for value, choice in zip(values, choices):
        if np.isfinite(value):
            groups.setdefault(choice, []).append(float(value))
    sizes = np.array([len(own) for own in groups.values()])
    total, number = int(sizes.sum()), len(groups)
    within = sum(float(np.sum((np.array(own) - np.mean(own)) ** 2)) for own in groups.values())
    inner = within / (total - number) if total > number else NAN
    if number < 2:
        return NestedSpread(NAN, float(np.sqrt(inner)), number)
    every = np.concatenate([np.array(own) for own in groups.values()])
    between = sum(len(own) * (np.mean(own) - every.mean()) ** 2 for own in groups.values()) / (number - 1)
    each = (total - float(np.sum(sizes**2)) / total) / (number - 1)
    outer = (between - (inner if np.isfinite(inner) else 0.0)) / each
    return NestedSpread(float(np.sqrt(max(outer, 0.0))), float(np.sqrt(inner)), number)
