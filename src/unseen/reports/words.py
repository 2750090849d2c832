"""Numbers as a reader wants them: with their interval and their n, and never "NaN"."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unseen.reports.finding import Finding


def number(value: float | int | None, *, percent: bool = False) -> str:
    """
    >>> number(0.81234), number(-0.5), number(float("nan")), number(54000.0), number(0.493, percent=True)
    ('0.812', '−0.500', 'undefined', '54,000', '49.3 %')
    """
    if value is None or math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if percent:
        text = f"{100 * value:.1f} %"
    elif abs(value) >= 1000:
        text = f"{value:,.0f}"
    elif abs(value) >= 10 or 0 < abs(value) < 0.001:
        text = f"{value:.3g}"
    else:
        text = f"{value:.3f}"
    return text.replace("-", "−")


def whole_percent(value: float) -> str:
    """Per cent without decimals; halves go up, as in print.

    >>> whole_percent(0.145), whole_percent(0.125), whole_percent(0.9949)
    ('15', '13', '99')
    """
    return str(math.floor(round(100 * value, 9) + 0.5))


def plain(value: float | int | str) -> str:
    """A setting (an x value), without digits it does not have; a name as it is.

    >>> plain(18.0), plain(0.25), plain(54000.0), plain("extrapolation")
    ('18', '0.25', '54,000', 'extrapolation')
    """
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:g}"


def has_interval(low: float | int | None, high: float | int | None) -> bool:
    return low is not None and high is not None and math.isfinite(low) and math.isfinite(high)


def interval(low: float | int | None, high: float | int | None, n: int | None, *, percent: bool = False) -> str:
    """
    >>> interval(0.79, 0.83, 3), interval(float("nan"), float("nan"), 1)
    ('[0.790, 0.830]', 'n = 1, no interval')
    """
    if not has_interval(low, high):
        return "n = 1, no interval" if n == 1 else "no interval"
    return f"[{number(low, percent=percent)}, {number(high, percent=percent)}]"


def measured(
    value: float | int | None,
    low: float | int | None,
    high: float | int | None,
    n: int | None,
    p: float | int | None = None,
) -> str:
    """
    >>> measured(0.812, 0.79, 0.83, 3, p=0.0004)
    '0.812 [0.790, 0.830], n = 3, p < 0.001'
    >>> measured(0.812, float("nan"), float("nan"), 1)
    '0.812, n = 1, no interval'
    """
    if has_interval(low, high):
        text = f"{number(value)} {interval(low, high, n)}, n = {n}"
    elif n == 1:
        text = f"{number(value)}, n = 1, no interval"
    else:
        text = f"{number(value)}, n = {n}, no interval"
    return text if p is None or math.isnan(p) else f"{text}, {probability(p)}"


def finding_numbers(found: Finding) -> str:
    """The number of a finding, its interval, what its repeats are, and its p, also corrected for the page's others.

    >>> from unseen.reports.finding import Finding
    >>> one = Finding("a", "b", 0.3, 0.2, 0.4, 6, 0.002, True, True, corrected=0.024, comparisons=12, over="seeds")
    >>> finding_numbers(one)
    '0.300 [0.200, 0.400], n = 6 seeds, p = 0.002, corrected for 12 comparisons p = 0.024'
    """
    over = found.over if found.n != 1 else ""  # "1 seeds"
    text = f"{measured(found.value, found.low, found.high, found.n)}".replace(
        f"n = {found.n}", f"n = {found.n} {over}".rstrip()
    )
    if found.p is None or math.isnan(found.p):
        return text
    text += f", {probability(found.p)}"
    if found.corrected is None:
        return f"{text} (no claim, not corrected)"
    many = f"{found.comparisons} comparison{'s' * (found.comparisons != 1)}"
    return f"{text}, corrected for {many} {probability(found.corrected)}"


def verdict_words(found: Finding) -> tuple[str, str]:
    """The kind of a verdict and its words; what nothing was expected of has none.

    >>> from unseen.reports.finding import Finding
    >>> verdict_words(Finding("a", "b", 0.3, 0.2, 0.4, 6))
    ('told', 'no claim')
    """
    if not found.judged:
        return "told", "no claim"
    marks = {True: ("holds", "✓ holds"), False: ("fails", "✗ does not hold"), None: ("open", "○ open")}
    return marks[found.holds]


def probability(p: float | int) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def repeats(counts: list[int]) -> str:
    """
    >>> repeats([3, 3]), repeats([1, 3]), repeats([])
    ('n = 3', 'n = 1–3', 'n = 0')
    """
    if not counts:
        return "n = 0"
    low, high = min(counts), max(counts)
    return f"n = {low}" if low == high else f"n = {low}–{high}"


def things(title: str) -> str:
    """What an axis counts.

    >>> things("number of seen combinations"), things("combinations")
    ('seen combinations', 'combinations')
    """
    return title.removeprefix("number of ")


def condition(title: str, x: float | int | str) -> str:
    """
    >>> condition("number of seen combinations", 18.0), condition("share seen", 0.5), condition("split", "random")
    ('18 seen combinations', 'share seen 0.5', 'random')
    """
    if isinstance(x, str):
        return x
    return f"{plain(x)} {things(title)}" if float(x).is_integer() else f"{title} {plain(x)}"
