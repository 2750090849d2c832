"""A rule list: IF these conditions THEN wrong so often, ELSE IF …; found greedily, each rule the best of all.

Lists in place of trees: a rule can be read by itself, up to the rules before it, and three rules are three sentences.
Among rules of one and of two conditions the best is found exactly, by counting all; of three, by going on from the best
twenty of two (ours). What is best is told by description length (Rissanen 1978): the log-likelihood that a rule gains
over one rate for all rows, less log(number of conditions there are) for each condition that it has. Lengths are chosen
by :func:`unseen.measures.rules.judged.failure_rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from unseen.measures.rules.conditions import Column, Condition, conditions_of
from unseen.vocabulary.errors import UnseenError

BEAM = 20  # pairs of conditions that a third is tried with (ours)
FEWEST = 20  # rows of a rule (ours)
FEWEST_OBJECTS = 5  # what a rule says of fewer objects is about these objects (ours)
LEAST_SHARE = 0.01  # of the rows (ours)


@dataclass(frozen=True)
class Rule:
    """IF all ``conditions`` THEN wrong with this ``rate``, which is that of the ``rows`` it was found on."""

    conditions: tuple[Condition, ...]
    rate: float
    rows: int

    def __str__(self) -> str:
        return " AND ".join(map(str, self.conditions))


@dataclass(frozen=True)
class RuleList:
    """Rules in their order: the first that fits takes the row. ``otherwise``: the rate where none does."""

    rules: tuple[Rule, ...]
    otherwise: float

    @property
    def conditions(self) -> int:
        """How many conditions all rules have."""
        return sum(len(rule.conditions) for rule in self.rules)

    def places(self, columns: Sequence[Column]) -> Int[np.ndarray, " n"]:
        """Which rule takes each row; the number of rules where none does."""
        by_name = {column.name: column for column in columns}
        found = np.full(len(columns[0].places) if columns else 0, len(self.rules))
        for place in reversed(range(len(self.rules))):
            held = [one.holds(by_name[one.factor]) for one in self.rules[place].conditions]
            found[np.logical_and.reduce(held)] = place
        return found

    def risk(self, columns: Sequence[Column]) -> Float[np.ndarray, " n"]:
        """How likely each row is wrong."""
        return np.array([*(rule.rate for rule in self.rules), self.otherwise])[self.places(columns)]


def rule_list(
    wrong: Bool[np.ndarray, " n"],
    columns: Sequence[Column],
    objects: Int[np.ndarray, " n"],
    *,
    longest: int = 5,
    conditions: int = 2,
) -> tuple[RuleList, ...]:
    """The lists of 0, 1, 2, … rules, each the one before with one more; it ends where no rule gains what it costs.

    >>> size = Column("size", ("small", "large"), np.arange(400) % 2)
    >>> lists = rule_list(size.places == 0, [size], np.arange(400))
    >>> len(lists), str(lists[-1].rules[0]), round(lists[-1].rules[0].rate, 2)
    (2, 'size = small', 1.0)
    """
    if not 1 <= conditions <= 3:
        raise UnseenError(f"a rule has 1, 2 or 3 conditions at most; given conditions = {conditions}.")
    if longest < 0:
        raise UnseenError(f"longest must be 0 or more rules; given {longest}.")
    left = np.arange(len(wrong))
    rules: tuple[Rule, ...] = ()
    lists = [RuleList((), rate(wrong))]
    least = max(FEWEST, int(np.ceil(LEAST_SHARE * len(wrong))))
    while len(rules) < longest:
        here = [column.of(left) for column in columns]
        found = _best(wrong[left], here, objects[left], conditions, least)
        if found is None:
            break
        by_name = {column.name: column for column in here}
        taken = np.logical_and.reduce([one.holds(by_name[one.factor]) for one in found])
        rules = (*rules, Rule(found, rate(wrong[left][taken]), int(taken.sum())))
        left = left[~taken]
        lists.append(RuleList(rules, rate(wrong[left])))
    return tuple(lists)


def rate(wrong: Bool[np.ndarray, " n"]) -> float:
    """The failure rate that rows suggest: never 0 or 1, as few rows cannot show that (Krichevsky & Trofimov 1981)."""
    return float((wrong.sum() + 0.5) / (len(wrong) + 1))


def _best(
    wrong: np.ndarray, columns: Sequence[Column], objects: np.ndarray, most: int, least: int
) -> tuple[Condition, ...] | None:
    """The rule that gains most over what it costs, if any does; it fails more often than the rest."""
    every = [(one, column) for column in columns for one in conditions_of(column, wrong)]
    if not every or len(wrong) < 2 * least or not wrong.any() or wrong.all():
        return None
    held = np.array([one.holds(column) for one, column in every], dtype=np.float32)
    able_alone = held.sum(1) >= least
    held, every = held[able_alone], [one for one, able in zip(every, able_alone) if able]
    if not every:
        return None
    total, failed, cost = len(wrong), int(wrong.sum()), np.log(len(every))
    rows, bad = held.sum(1), held @ wrong.astype(np.float32)
    able: list[tuple[float, tuple[int, ...]]] = []
    alone = _gain(rows, bad, total, failed, least) - cost
    able += [(float(alone[at]), (at,)) for at in np.argsort(-alone)[:BEAM].tolist()]
    if most > 1:
        pairs = _pairs(held, wrong, rows, total, failed, least) - 2 * cost
        a, b = np.unravel_index(np.argsort(-pairs, axis=None)[:BEAM], pairs.shape)
        both = [(float(pairs[i, j]), (i, j)) for i, j in zip(a.tolist(), b.tolist())]
        able += both
        if most > 2:
            able += [one for _, pair in both for one in _third(held, wrong, pair, total, failed, least, cost)]
    for gain, places in sorted(able, key=lambda one: (-one[0], len(one[1]))):
        taken = held[list(places)].all(0)
        if gain > 0 and len(np.unique(objects[taken])) >= min(FEWEST_OBJECTS, len(np.unique(objects))):
            return tuple(every[place][0] for place in places)
    return None


def _pairs(
    held: np.ndarray, wrong: np.ndarray, rows: np.ndarray, total: int, failed: int, least: int
) -> Float[np.ndarray, "m m"]:
    """What each two conditions gain together; a pair that is no smaller than one of its two is none."""
    both, bad = held @ held.T, (held * wrong) @ held.T
    gain = _gain(both, bad, total, failed, least)
    gain[both >= np.minimum(rows[:, None], rows[None, :])] = -np.inf
    gain[np.tril_indices(len(gain))] = -np.inf
    return gain


def _third(
    held: np.ndarray, wrong: np.ndarray, pair: tuple[int, int], total: int, failed: int, least: int, cost: float
) -> list[tuple[float, tuple[int, ...]]]:
    inside = held[pair[0]] * held[pair[1]]
    rows, bad = held @ inside, held @ (inside * wrong)
    gain = np.where(rows < inside.sum(), _gain(rows, bad, total, failed, least) - 3 * cost, -np.inf)
    at = int(np.argmax(gain))
    return [(float(gain[at]), (*pair, at))] if at not in pair else []


def _gain(rows: np.ndarray, bad: np.ndarray, total: int, failed: int, least: int) -> np.ndarray:
    """Log-likelihood of two rates, inside and outside, over that of one; −∞ for rules with too few rows inside or
    outside, and for those that fail no more often than the rest."""
    rows, bad = rows.astype(np.float64), bad.astype(np.float64)
    others, bad_others = total - rows, failed - bad
    whole = _likelihood(np.array([float(failed)]), np.array([float(total)]))
    gain = _likelihood(bad, rows) + _likelihood(bad_others, others) - whole
    worse = bad * others > bad_others * rows
    return np.where((rows >= least) & (others >= least) & worse, gain, -np.inf)


def _likelihood(bad: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Largest log-likelihood of so many failures among so many rows."""
    from scipy.special import xlogy

    good, rows = rows - bad, np.maximum(rows, 1)
    return xlogy(bad, np.maximum(bad, 1e-300) / rows) + xlogy(good, np.maximum(good, 1e-300) / rows)
