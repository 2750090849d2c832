"""Verdicts of ``measures`` as findings of a page, and Holm's correction for how many a page has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unseen.measures import Verdict, holm
from unseen.measures.verdicts import ALPHA
from unseen.reports.finding import Finding


def judged(name: str, statement: str, verdict: Verdict, *, over: str = "", key: str = "") -> Finding:
    """A finding with an expectation, as the rules judge it; ``over``: what its repeats are."""
    i, p = verdict.interval, None if np.isnan(verdict.p) else verdict.p
    return Finding(
        name, statement, i.value, i.low, i.high, i.n, p, verdict.holds, True, verdict.why, over=over, key=key
    )


def told(name: str, statement: str, verdict: Verdict, *, over: str = "", key: str = "") -> Finding:
    """A number that nothing is expected of: it is told with its interval and its p, and never held against a claim."""
    return replace(judged(name, statement, verdict, over=over, key=key), holds=None, judged=False)


def left_open(finding: Finding, why: str) -> Finding:
    """A finding that its repeats cannot decide, whatever the numbers are: it is no comparison."""
    return replace(finding, holds=None, why=why, p=None)


def doubted(finding: Finding, why: str) -> Finding:
    """A finding that the numbers themselves leave open. It stays a comparison: to drop it because of what was found
    would make the others look better."""
    return replace(finding, holds=None, why=why)


def direction(finding: Finding) -> str:
    """What a change does, where that is decided: "rises" or "falls", else nothing."""
    told = finding.corrected is not None and finding.corrected <= ALPHA
    decided = finding.holds is not None if finding.judged else told
    return ("rises" if finding.value > 0 else "falls") if decided else ""


def corrected(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """All findings of a page, corrected for how many of them were tested: those with an expectation, and those that the
    answer may speak of (they have a key).

    A finding whose own interval excludes zero and whose corrected p is above .05 becomes open: among many claims some
    such interval is to be expected by chance.
    """
    tested = [place for place, one in enumerate(findings) if one.p is not None and (one.judged or one.key)]
    adjusted = dict(zip(tested, holm([float(findings[place].p or 0) for place in tested])))
    made = list(findings)
    for place, p in adjusted.items():
        one = replace(made[place], corrected=p, comparisons=len(tested))
        claimed = one.holds is not None or not one.judged
        if claimed and p > ALPHA >= float(one.p or 0):
            one = replace(one, holds=None, why=f"corrected for {len(tested)} comparisons it could be chance")
        made[place] = one
    return tuple(made)
