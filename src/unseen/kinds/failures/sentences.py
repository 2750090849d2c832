"""Rules as sentences, as rows of a table, and as a frame of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from unseen.kinds.failures.subject_rules import SubjectRules
from unseen.measures import Interval
from unseen.measures.rules import FailureRules, JudgedRule, Length
from unseen.reports.words import has_interval, probability, whole_percent

if TYPE_CHECKING:
    import polars as pl

NUMBERS = (
    "subject",
    "target",
    "place",
    "rule",
    "conditions",
    "wrong",
    "low",
    "high",
    "objects",
    "rows",
    "share",
    "found",
)
NUMBERS += ("p", "corrected", "holds", "tells", "list_p", "list_corrected", "why")


def sentence(one: JudgedRule, place: int) -> str:
    r"""A rule with what it does on the rows it was not found on.

    >>> from unseen.measures.rules import Rule, Condition
    >>> rule = Rule((Condition("size", (0,), "size ≤ 0.6"),), 0.7, 300)
    >>> sentence(JudgedRule(rule, Interval(0.72, 0.66, 0.78, 150, ""), 310, 0.4), 0)
    'IF size ≤ 0.6 THEN wrong, 72\xa0% [66,\xa078], n = 310'
    """
    rate = f"{percent(one.wrong)}, n = {one.rows:,}"
    if one.rule is None:
        return f"ELSE wrong, {rate}"
    return f"{'ELSE IF' if place else 'IF'} {one.rule} THEN wrong, {rate}"


def percent(i: Interval) -> str:
    ends = f" [{whole_percent(i.low)},\u00a0{whole_percent(i.high)}]" if has_interval(i.low, i.high) else ""
    return f"{whole_percent(i.value)}\u00a0%{ends}" if i.n else "not asked"


def mark(one: JudgedRule) -> str:
    """Whether a rule holds by itself on the rows it was not found on."""
    if one.rule is None:
        return ""
    return f"holds, {probability(one.corrected)}" if one.holds else f"open, {probability(one.corrected)}"


def answer(one: SubjectRules) -> str:
    """A sentence or two: the list's verdict, and what it is judged on."""
    found = one.found
    judged = (
        f"{found.judged_on:,} answers about {found.objects[1]:,} {one.over} on which they were not found "
        f"({percent(found.every)} wrong)"
    )
    if not one.tells:
        return f"No rule: {one.why}." + (f" Judged on {judged}." if found.lengths else "")
    several = f", corrected {probability(one.corrected)}" if one.corrected != found.p else ""
    many = len(found.rules)
    return (
        f"{many} rule{'s' * (many != 1)} tell{'s' * (many == 1)} wrong answers from right ones on {judged}: "
        f"{probability(found.p)}{several}."
    )


def sentences(one: SubjectRules) -> list[str]:
    if not one.tells or one.found.otherwise is None:
        return []
    return [sentence(rule, place) for place, rule in enumerate((*one.found.rules, one.found.otherwise))]


def length_rows(found: FailureRules) -> Iterator[tuple[str, str, str, str]]:
    """What lists of other lengths do on the held-out rows, and boosted trees."""
    for one in found.lengths:
        chosen = found.made is not None and len(found.made.rules) == one.rules
        yield f"{one.rules}{' (chosen)' if chosen else ''}", str(one.conditions), area(one.auc), _explained(one)
    if found.best is not None:
        yield "boosted trees", "many", area(found.best), ""


def _explained(one: Length) -> str:
    return f"{whole_percent(one.explains)}\u00a0%".replace("-", "−")


def area(i: Interval) -> str:
    return f"{i.value:.2f} [{i.low:.2f},\u00a0{i.high:.2f}]"


def frame_of(every: Sequence[SubjectRules]) -> pl.DataFrame:
    """A row for each rule of everyone, and for the rows that no rule takes; who has no rule has a row that says why."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for one in every:
        list_p = {"list_p": one.found.p, "list_corrected": one.corrected, "tells": one.tells, "why": one.why}
        head = {"subject": one.name, "target": one.target, **list_p}
        judged = (*one.found.rules, *([one.found.otherwise] if one.found.otherwise else []))
        for place, rule in enumerate(judged):
            i, own = rule.wrong, rule.rule
            rows.append(
                {
                    **head, "place": place, "rule": "otherwise" if own is None else str(own),
                    "conditions": 0 if own is None else len(own.conditions), "wrong": i.value, "low": i.low,
                    "high": i.high, "objects": i.n, "rows": rule.rows, "share": rule.share,
                    "found": None if own is None else own.rate, "p": rule.p, "corrected": rule.corrected,
                    "holds": None if own is None else rule.holds,
                }
            )  # fmt: skip
        if not judged:
            i = one.found.every
            rows.append({**head, "place": 0, "rule": "none", "conditions": 0, "wrong": i.value, "low": i.low,
                         "high": i.high, "objects": i.n, "rows": one.found.judged_on, "share": 1.0})  # fmt: skip
    texts, flags = ("subject", "target", "rule", "why"), ("holds", "tells")
    whole = ("place", "conditions", "objects", "rows")
    types = {
        name: pl.String if name in texts else pl.Boolean if name in flags else pl.Int64 if name in whole else pl.Float64
        for name in NUMBERS
    }
    return pl.DataFrame(rows, schema=types).fill_nan(None)
