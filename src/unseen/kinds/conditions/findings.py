"""What a matrix of conditions trained on and asked says, in sentences with numbers (Geirhos et al. 2018, Fig. 4).

Every number is a mean over cells within one repeat (a seed), then a t interval over repeats: cells of one network are
not independent. Margins are ours, and named in the sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.kinds.conditions.asked import ALL_BUT, ONE, PLAIN_ONLY, TEST, AskedMatrix, is_plus
from unseen.kinds.conditions.corruption import corruption_findings
from unseen.kinds.judged import judged
from unseen.kinds.learned import learned_conditions, unless_learned
from unseen.kinds.level_names import PLAIN
from unseen.measures import Interval, Verdict, judge, judge_level, mean_interval
from unseen.reports.finding import Finding
from unseen.vocabulary.words import capital

if TYPE_CHECKING:
    import polars as pl

CEILING = 0.2  # accuracy within this of 1 is near the ceiling: the lecture's lowest is .784
NO_HELP = 0.1  # a gain below this is no help
UNKNOWN = 0.5  # of the way from chance to what a network trained on it reaches: below this, a condition is not known
# Noise drawn for every pixel: what one of a pair teaches might help with the other.
NOISE = ("geirhos-salt-and-pepper", "geirhos-uniform-noise", "white-noise", "salt-and-pepper")
NOT_KNOWN = (
    "not known means that accuracy is nearer to chance than to that of a network trained on it (ours); the number is "
    "how far it stays below the midpoint of the two"
)
Where = Callable[[int, int], bool]


def matrix_findings(found: AskedMatrix, model: str, published: pl.DataFrame | None = None) -> tuple[Finding, ...]:
    """All findings of one model."""
    known = learned_conditions(found.accuracy, found.trained, found.chance)
    carried = unless_learned([*_others(found), *_plus(found), *_left_out(found)], known, "what was trained on")
    made = [*_trained(found), *carried, *corruption_findings(found), *_people(found, published)]
    head = f"{model}: " if model else ""
    named = [replace(one, name=head + one.name, statement=head + one.statement, over=found.over) for one in made]
    return tuple(one for one in named if one.n > 0)


def _mean(found: AskedMatrix, where: Where) -> tuple[np.ndarray, int]:
    """Mean over the cells that ``where`` picks, for each repeat, and how many there are."""
    rows, columns = len(found.rows), len(found.columns)
    chosen = np.array([[where(row, column) for column in range(columns)] for row in range(rows)], bool)
    chosen = chosen.reshape(rows, columns) & np.isfinite(found.accuracy).any(axis=0)
    cells = found.accuracy[:, chosen]
    if not chosen.any():
        return np.full(len(found.accuracy), np.nan), 0
    whole = np.isfinite(cells).all(axis=1)  # a repeat that lacks a trial would average other conditions
    means = np.full(len(cells), np.nan)
    means[whole] = cells[whole].mean(axis=1)
    return means, int(chosen.sum())


def _finding(name: str, statement: str, interval: Interval, verdict: Verdict | None = None) -> Finding:
    """The judged number where something is expected, else ``interval``."""
    said = capital(statement)
    if verdict is None:
        return Finding(name, said, interval.value, interval.low, interval.high, interval.n)
    return judged(name, said, verdict)


def _trained(found: AskedMatrix) -> list[Finding]:
    """What was trained on is known, for each group of conditions."""
    groups, made = tuple(dict.fromkeys(row.group for row in found.rows)), []
    for group in groups:
        means, cells = _mean(found, lambda r, c: found.rows[r].group == group and bool(found.trained[r, c]))  # noqa: B023
        level = mean_interval(means)
        statement = (
            f"trained on {group}: accuracy on new images of the conditions trained on is {level.value:.3f}, mean of "
            f"{cells} cell{'s' * (cells != 1)}; near the ceiling means at least {1 - CEILING:g} (ours)"
        )
        near = judge_level(means, 1, 1 - CEILING)
        of = f": trained on {group}" if len(groups) > 1 else ""
        made.append(_finding(f"trained conditions are near the ceiling{of}", statement, level, near))
    return made


def _others(found: AskedMatrix) -> list[Finding]:
    """Networks trained on one condition know it, and not the others; where none is (Zaidi et al. 2020, Fig. 2a), those
    trained on one and a shared one, the plain pictures there. Each condition asked compares networks trained on it with
    those that were not; one that all were trained on, or none, tells nothing."""
    there = dict.fromkeys(row.group for row in found.rows)
    for group in [ONE, *filter(is_plus, there)]:
        mine = np.array([row.group == group for row in found.rows])
        counts = found.trained[mine].sum(axis=0)
        kept = np.flatnonzero((counts > 0) & (counts < mine.sum()))
        if not len(kept):
            continue
        own, rest = (_by_column(found, mine, kept, known) for known in (True, False))
        if not np.isfinite(own - rest).any():
            continue
        gap = mean_interval(own - rest)
        everywhere = np.flatnonzero(counts == mine.sum())
        shared = ["plain pictures" if found.columns[at] == PLAIN else found.columns[at] for at in everywhere]
        left_out = f" without {', '.join(shared)}, which all were trained on" if shared else ""
        statement = (
            f"trained on {'one condition' if group == ONE else group}, accuracy on a condition is "
            f"{np.nanmean(own):.3f} for networks trained on it and {np.nanmean(rest):.3f} for the others (mean of "
            f"{len(kept)} conditions{left_out}; chance {found.chance:.3f}); {NOT_KNOWN}"
        )
        short = judge(_short(found, own, rest), 1)
        return [_finding("a condition never seen is not known", statement, gap, short)]
    return []


def _by_column(found: AskedMatrix, rows: np.ndarray, columns: np.ndarray, known: bool) -> np.ndarray:
    """For each repeat the mean over columns of those rows that were trained on the column, or were not."""
    chosen = (found.trained == known) & rows[:, None]
    return np.mean([_mean(found, lambda r, c: c == at and chosen[r, c])[0] for at in columns], axis=0)  # noqa: B023


def _short(found: AskedMatrix, known: np.ndarray, reached: np.ndarray) -> np.ndarray:
    """How far accuracy on a condition stays below the middle between chance and that of a network trained on it."""
    return found.chance + UNKNOWN * (known - found.chance) - reached


def _plus(found: AskedMatrix) -> list[Finding]:
    """One condition and a shared one, against the one alone: does the shared one help with what is in neither?"""
    alone = {row.levels[0]: place for place, row in enumerate(found.rows) if row.group == ONE}
    pairs = [row for row in found.rows if len(row.levels) == 2 and is_plus(row.group)]
    made = []
    for group in dict.fromkeys(row.group for row in pairs):
        mine = [row for row in pairs if row.group == group]
        shared = set.intersection(*(set(row.levels) for row in mine))
        if len(mine) < 2 or len(shared) != 1:
            continue
        common = shared.pop()
        gains: dict[bool, list[np.ndarray]] = {True: [], False: []}
        for row in mine:
            (own,) = set(row.levels) - {common}
            for column, name in enumerate(found.names):
                if own in alone and column not in row.levels:
                    gain = found.accuracy[:, found.rows.index(row), column] - found.accuracy[:, alone[own], column]
                    gains[name in NOISE and found.names[common] in NOISE].append(gain)
        made += _gains(gains, found.columns[common])
    return made


def _gains(gains: dict[bool, list[np.ndarray]], common: str) -> list[Finding]:
    made = []
    for noise, several in gains.items():
        if not several:
            continue
        gains_by_repeat = np.mean(several, axis=0)
        gain = mean_interval(gains_by_repeat)
        what = "the other noise" if noise else "conditions of neither kind"
        statement = (
            f"adding {common} to one condition changes accuracy on {what} by {gain.value:+.3f} "
            f"(mean of {len(several)} pair{'s' * (len(several) != 1)} of networks)".replace("-0.", "−0.")
        )
        little = None
        if noise:
            statement += f"; no help means less than {NO_HELP:g} (ours)"
            little = judge(gains_by_repeat, -1, null=NO_HELP)
        name = f"{common} does not help with other noise" if noise else f"{common} and other conditions"
        made.append(_finding(name, statement, gain, little))
    return made


def _left_out(found: AskedMatrix) -> list[Finding]:
    """All conditions but one: is the one left out known, as it is by a network trained on it?"""
    alone = {row.levels[0]: place for place, row in enumerate(found.rows) if row.group == ONE}
    made = []
    for noise in (True, False):
        out, own, names = [], [], []
        for place, row in enumerate(found.rows):
            left = [column for column in range(len(found.columns)) if column not in row.levels]
            if row.group != ALL_BUT or (found.names[left[0]] in NOISE) != noise:
                continue
            out.append(found.accuracy[:, place, left[0]])
            own.append(found.accuracy[:, alone[left[0]], left[0]] if left[0] in alone else np.full(len(out[0]), np.nan))
            names.append(found.columns[left[0]])
        if not out:
            continue
        reached, known = np.mean(out, axis=0), np.mean(own, axis=0)
        against = np.isfinite(known).any()
        gap = mean_interval(known - reached if against else reached - found.chance)
        words = f"{np.nanmean(known):.3f} for a network trained on it alone" if against else "chance"
        statement = (
            f"trained on all but one, accuracy on the one left out ({', '.join(names)}) is {np.nanmean(reached):.3f}, "
            f"against {words}; chance is {found.chance:.3f}"
        )
        short = judge(_short(found, known, reached), 1) if noise and against else None
        also = f"; {NOT_KNOWN}" if noise and against else "" if noise else "; the paper leaves out noise only"
        of = "" if noise else ": conditions other than noise"
        made.append(_finding(f"all but one fails on the one left out{of}", statement + also, gap, short))
    return made


def _people(found: AskedMatrix, published: pl.DataFrame | None) -> list[Finding]:
    """Networks on what they were trained on, beside observers of other pictures: no test."""
    if published is None:
        return []
    people = {row["set"]: row["value"] for row in published.to_dicts() if row["series"] == row["x"]}
    pairs = [
        found.accuracy[:, place, row.levels[0]] - people[f"{TEST}{found.names[row.levels[0]]}"]
        for place, row in enumerate(found.rows)
        if row.group == ONE and f"{TEST}{found.names[row.levels[0]]}" in people
    ]
    if not pairs:
        return []
    gap = mean_interval(np.mean(pairs, axis=0))
    statement = (
        f"on the condition trained on, networks are {gap.value:+.3f} from human observers (mean of {len(pairs)} "
        f"conditions); the observers saw photographs for 200 ms, so the two are not directly comparable"
    )
    return [_finding("networks and human observers", statement.replace("-0.", "−0."), gap)]


def matrix_answer(found: AskedMatrix, model: str) -> str:
    """The study's answer in a sentence with numbers."""
    parts = []
    for group in dict.fromkeys(row.group for row in found.rows):
        own, _ = _mean(found, lambda r, c: found.rows[r].group == group and bool(found.trained[r, c]))  # noqa: B023
        rest, cells = _mean(found, lambda r, c: found.rows[r].group == group and not found.trained[r, c])  # noqa: B023
        words = [f"{_number(own)} on {'it' if group in (ONE, PLAIN_ONLY) else 'them'}"]
        words += [f"{_number(rest)} on the others"] if cells else []
        parts.append(f"trained on {group}, {' and '.join(words)}")
    repeats = int(np.isfinite(found.accuracy).any(axis=(1, 2)).sum())
    head = f"{model}: " if model else ""
    return f"{head}Accuracy on new images, {'; '.join(parts)} (n = {repeats}, chance {found.chance:.3f})."


def _number(values: np.ndarray) -> str:
    i = mean_interval(values).cut(0, 1)
    if not np.isfinite(i.value):
        return "unknown accuracy"
    bounds = f" [{i.low:.2f}, {i.high:.2f}]" if np.isfinite(i.low) else ""
    return f"{i.value:.2f}{bounds}"
