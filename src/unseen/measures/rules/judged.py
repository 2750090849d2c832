"""Rules found on one half of the objects and judged on the other: how often each fails there, whether the list tells
failures apart at all, and what more rules would gain.

Rows of one object lie on one side, always; intervals and tests are over objects (:func:`over_objects`). "Nothing tells
the failures apart" is an answer: lists are as long as cross-validation over objects wants them within one standard
error of the best (Breiman et al. 1984, section 3.4.3), which may be no rule, and on the other half wrong answers must
go with the list's risks: a score test over objects, one-sided (the sandwich of Liang & Zeger 1986 with an object's own
sum, against Student's t). Of labels that know nothing of the factors five in a hundred lists pass at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.clusters import over_objects
from unseen.measures.rules.conditions import Column
from unseen.measures.rules.found import Rule, RuleList, rule_list
from unseen.measures.rules.ranked import best_possible, ranking
from unseen.measures.statistics import Interval
from unseen.measures.verdicts import ALPHA, holm
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.seeds import stream

FOLDS = 5
FEWEST_OBJECTS = 20  # of fewer no half says anything of other objects (ours)
FEWEST_FAILURES = 10  # wrong and right answers, each, in either half (ours)
NOTHING = "nothing tells the failures apart"


@dataclass(frozen=True)
class JudgedRule:
    """A ``rule`` (None: the rows that no rule takes) on the rows it was not found on: how often they are ``wrong``
    (``n`` of the interval counts objects), how many ``rows`` it takes, which ``share`` of all failures these are.
    ``p``: whether they fail more often than the rows that come after it, ``corrected`` for the number of rules."""

    rule: Rule | None
    wrong: Interval
    rows: int
    share: float
    p: float = float("nan")
    corrected: float = float("nan")

    @property
    def holds(self) -> bool:
        return self.corrected <= ALPHA


@dataclass(frozen=True)
class Length:
    """A list of so many ``rules`` with ``conditions`` in all: how well it ranks held-out answers (``auc``: how often a
    wrong one has the higher risk of two), and which share of the deviance of no rules it ``explains`` there."""

    rules: int
    conditions: int
    auc: Interval
    explains: float


@dataclass(frozen=True)
class FailureRules:
    """What was found. ``tells``: whether the list tells failures apart on the rows it was not found on (``p``); if not,
    ``why``. ``every``: failure rate of the held-out rows. ``lengths``: what shorter and longer lists would do there;
    ``best``: what boosted trees reach from the same factors, which no list can be expected to beat."""

    tells: bool
    why: str
    p: float
    rules: tuple[JudgedRule, ...]
    otherwise: JudgedRule | None
    every: Interval
    found_on: int
    judged_on: int
    objects: tuple[int, int]
    lengths: tuple[Length, ...] = ()
    best: Interval | None = None
    made: RuleList | None = None


def failure_rules(
    wrong: Bool[np.ndarray, " n"],
    columns: Sequence[Column],
    objects: Int[np.ndarray, " n"] | None = None,
    *,
    longest: int = 5,
    conditions: int = 2,
    seed: int = 0,
    compare: bool = True,
) -> FailureRules:
    """When does it fail? Rules over factors, found on half of the ``objects`` and judged on the others.

    ``objects``: which rows belong together (answers about one object, one image, one trial of a person); by default
    every row is by itself. ``compare``: also what boosted trees would reach.

    >>> rng = np.random.default_rng(0)
    >>> size = Column("size", ("0.5", "1", "2"), rng.integers(0, 3, 2000), "ordered")
    >>> found = failure_rules(rng.random(2000) < np.array([0.7, 0.1, 0.1])[size.places], [size], compare=False)
    >>> found.tells, str(found.rules[0].rule)
    (True, 'size ≤ 0.5')
    >>> failure_rules(rng.random(2000) < 0.3, [size], compare=False).tells
    False
    """
    wrong = np.asarray(wrong, dtype=bool)
    objects = np.arange(len(wrong)) if objects is None else np.unique(objects, return_inverse=True)[1].reshape(-1)
    for column in columns:
        if len(column.places) != len(wrong):
            raise UnseenError(
                f"factor '{column.name}' has {len(column.places)} rows, and there are {len(wrong)} answers."
            )
    here, there = _halves(objects, seed)
    nothing = FailureRules(
        False, NOTHING, float("nan"), (), None, over_objects(wrong[there], objects[there]), len(here), len(there),
        (len(np.unique(objects[here])), len(np.unique(objects[there]))),
    )  # fmt: skip
    if why := _too_few(wrong, objects, (here, there), columns):
        return replace(nothing, why=why)
    own, others = [one.of(here) for one in columns], [one.of(there) for one in columns]
    lists = rule_list(wrong[here], own, objects[here], longest=longest, conditions=conditions)
    length = _length(wrong[here], own, objects[here], lists, longest, conditions, seed)
    lengths = tuple(_told(one, lists[0], others, wrong[there], objects[there]) for one in lists)
    best = best_possible(wrong[here], own, wrong[there], others, objects[there]) if compare else None
    nothing = replace(nothing, lengths=lengths, best=best)
    if not length:
        return replace(nothing, made=lists[0])
    return _judged(lists[length], others, wrong[there], objects[there], nothing)


def _halves(objects: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one half of the objects and of the other."""
    every = np.unique(objects)
    mixed = stream(seed, "measures", "rules", "halves").permutation(len(every))
    first = np.zeros(int(every.max(initial=0)) + 1, dtype=bool)
    first[every[mixed[: len(every) // 2]]] = True
    inside = first[objects] if len(objects) else np.zeros(0, dtype=bool)
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def _too_few(
    wrong: np.ndarray, objects: np.ndarray, halves: tuple[np.ndarray, np.ndarray], columns: Sequence[Column]
) -> str:
    if not len(wrong):
        return "there are no answers"
    if not wrong.any() or wrong.all():
        return f"all {len(wrong):,} answers are {'wrong' if wrong.any() else 'right'}"
    many = len(np.unique(objects))
    if many < FEWEST_OBJECTS:
        return f"the answers are about {many} objects, and {FEWEST_OBJECTS} are the fewest that halves can be judged by"
    if not any(len(np.unique(column.places)) > 1 for column in columns):
        return "no factor varies"
    for half in halves:
        failed = int(wrong[half].sum())
        if min(failed, len(half) - failed) < FEWEST_FAILURES:
            kind = "wrong" if failed < FEWEST_FAILURES else "right"
            return f"one half has {min(failed, len(half) - failed)} {kind} answers; {FEWEST_FAILURES} are the fewest"
    return ""


def _length(
    wrong: np.ndarray, columns: Sequence[Column], objects: np.ndarray, lists: Sequence[RuleList], longest: int,
    conditions: int, seed: int,
) -> int:  # fmt: skip
    """How many rules: the fewest within one standard error, over objects, of the best by cross-validation."""
    if len(lists) == 1:
        return 0
    every, places = np.unique(objects, return_inverse=True)
    fold = stream(seed, "measures", "rules", "folds").permutation(len(every)) % FOLDS
    losses = np.zeros((len(every), longest + 1))
    for one in range(FOLDS):
        inside = np.flatnonzero(fold[places] != one)
        outside = np.flatnonzero(fold[places] == one)
        made = rule_list(
            wrong[inside], [c.of(inside) for c in columns], objects[inside], longest=longest, conditions=conditions
        )
        left = [c.of(outside) for c in columns]
        for length in range(longest + 1):
            loss = _loss(made[min(length, len(made) - 1)].risk(left), wrong[outside])
            losses[:, length] += np.bincount(places[outside], weights=loss, minlength=len(every))
    losses = losses[:, : len(lists)]
    best = int(losses.sum(0).argmin())
    for length in range(best):
        worse = losses[:, length] - losses[:, best]
        if worse.sum() <= worse.std(ddof=1) * np.sqrt(len(worse)):
            return length
    return best


def _loss(risk: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    return -np.log(np.where(wrong, risk, 1 - risk))


def _told(made: RuleList, bare: RuleList, columns: Sequence[Column], wrong: np.ndarray, objects: np.ndarray) -> Length:
    risk = made.risk(columns)
    whole = _loss(bare.risk(columns), wrong).sum()
    explains = float(1 - _loss(risk, wrong).sum() / whole)
    return Length(len(made.rules), made.conditions, ranking(risk, wrong, objects), explains)


def score_test(risk: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"], objects: Int[np.ndarray, " n"]) -> float:
    """One-sided p that wrong answers do not go with a risk, over objects.

    With :math:`u_c = \\sum_{i \\in c} (s_i - \\bar s)(y_i - \\bar y)` of each object c, :math:`t = \\sqrt C\\, \\bar u
    / sd(u)` on C − 1 degrees of freedom. No spread of risk or objects: 1.

    >>> risk = np.arange(40) % 2 / 1.0
    >>> score_test(risk, risk > 0, np.arange(40)) < 1e-6, round(score_test(risk, np.arange(40) < 20, np.arange(40)), 2)
    (True, 0.5)
    """
    from scipy.special import stdtr

    every, places = np.unique(objects, return_inverse=True)
    if len(every) < 2:
        return 1.0
    sums = np.bincount(places, weights=(risk - risk.mean()) * (wrong - wrong.mean()))
    spread = sums.std(ddof=1)
    if spread < 1e-12:
        return 0.0 if sums.sum() > 1e-9 else 1.0
    return float(stdtr(len(sums) - 1, -sums.mean() / spread * np.sqrt(len(sums))))


def _judged(
    made: RuleList, columns: Sequence[Column], wrong: np.ndarray, objects: np.ndarray, nothing: FailureRules
) -> FailureRules:
    places, failed = made.places(columns), int(wrong.sum())
    p = score_test(made.risk(columns), wrong, objects)
    found = []
    for number, rule in enumerate((*made.rules, None)):
        here, after = places == number, places >= number
        share = float(wrong[here].sum() / failed)
        alone = JudgedRule(rule, over_objects(wrong[here], objects[here]), int(here.sum()), share)
        if rule is not None:
            alone = replace(alone, p=score_test(here[after] * 1.0, wrong[after], objects[after]))
        found.append(alone)
    corrected = holm([one.p for one in found[:-1]])
    rules = tuple(replace(one, corrected=q) for one, q in zip(found, corrected))
    tells = p <= ALPHA
    return replace(nothing, tells=tells, why="" if tells else NOTHING, p=p, rules=rules, otherwise=found[-1], made=made)
