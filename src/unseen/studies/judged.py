"""Verdicts of ``measures`` as findings of a page, and Holm's correction for how many a page has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unseen.measures import Verdict, holm
from unseen.measures.verdicts import ALPHA
from unseen.reports.contents import Finding


def judged(name: str, statement: str, verdict: Verdict, *, key: str = "") -> Finding:
    """A finding with an expectation, as the rules judge it."""
    i, p = verdict.interval, None if np.isnan(verdict.p) else verdict.p
    return Finding(name, statement, i.value, i.low, i.high, i.n, p, verdict.holds, True, verdict.why, key=key)


def told(name: str, statement: str, verdict: Verdict, *, key: str = "") -> Finding:
    """A number that nothing is expected of: it is told with its interval and its p, and never held against a claim."""
    return replace(judged(name, statement, verdict, key=key), holds=None, judged=False, why="")


def left_open(finding: Finding, why: str) -> Finding:
    """A finding that its repeats cannot decide, whatever their number: it counts as no comparison."""
    return replace(finding, holds=None, why=why, p=None)


def direction(finding: Finding) -> str:
    """What a change does, where that is decided: "rises" or "falls", else nothing."""
    decided = finding.holds is not None if finding.judged else finding.p is not None and finding.p <= ALPHA
    return ("rises" if finding.value > 0 else "falls") if decided else ""


def corrected(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """All findings of a page, those with an expectation corrected for how many of them were tested.

    A finding whose own interval excludes zero and whose corrected p is above .05 becomes open: among many claims some
    such interval is to be expected by chance.
    """
    tested = [one for one in findings if one.judged and one.p is not None]
    adjusted = dict(zip(map(id, tested), holm([float(one.p or 0) for one in tested])))
    made = []
    for one in findings:
        p = adjusted.get(id(one))
        if p is None:
            made.append(one)
            continue
        one = replace(one, corrected=p, comparisons=len(tested))
        if one.holds is not None and p > ALPHA:
            why = f"corrected for {len(tested)} comparisons (Holm) it could be chance"
            one = replace(one, holds=None, why=why)
        made.append(one)
    return tuple(made)
