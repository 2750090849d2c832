"""The answer of a study of variability, in two or three sentences with numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.kinds.variability.points import in_points, mean_of, percent
from unseen.kinds.variability.pretrained import changes_by_pretraining, own_changes
from unseen.kinds.variability.read import CANONICAL, INSTANCES, SAMPLES, Gaps
from unseen.kinds.variability.shown import NetworkRow
from unseen.measures import Interval, mean_interval
from unseen.reports.finding import Finding


def answer(gaps: Gaps, rows: Sequence[NetworkRow], findings: Sequence[Finding]) -> str:
    if not rows:
        return "No network that was shown canonical pictures only has finished, so there is no gap to start from."
    factors = [name for name in gaps.factors if all(name in row.gaps for row in rows)]
    mean = {name: float(np.mean([row.gaps[name].value for row in rows])) for name in factors}
    order = sorted(factors, key=lambda name: mean[name])
    held = float(np.mean([row.held_out.value for row in rows]))
    many = f" (mean of {len(rows)} networks)" if len(rows) > 1 else ""
    said = ", ".join(f"{name} {percent(mean[name])}{_ends(rows, name)}" for name in order)
    first = (
        f"Objects that were never shown are known in {100 * held:.0f} % of their canonical pictures{many}; off that "
        f"view accuracy changes, in points, by: {said}."
    )
    n = len(gaps.repeats)
    tail = f" Intervals are over {n} {gaps.over}." if n > 1 else f" One of {gaps.over}; intervals are over objects."
    closing = "".join(_closing(gaps, regime, words) for regime, words in WORDS.items())
    return first + closing + _pretrained(gaps) + tail


def _pretrained(gaps: Gaps) -> str:
    """What a factor does that varied in pretraining alone."""
    found = {name: own_changes(changes) for name, changes in changes_by_pretraining(gaps).items()}
    each = [
        f"{in_points(mean_of(list(own.values())))}{f' ({name})' if name else ''}" for name, own in found.items() if own
    ]
    if not each:
        return ""
    said = " and ".join(each)
    return f" Where one more factor varied in pretraining, its own gap changes by {said} points (above zero it closes)."


WORDS = {SAMPLES: "samples of every object", INSTANCES: "the objects"}


def _ends(rows: Sequence[NetworkRow], name: str) -> str:
    if len(rows) > 1:
        return ""
    own, objects = rows[0].gaps[name], rows[0].over_objects.get(name)
    one: Interval = own if np.isfinite(own.low) else objects or own
    return f" [{percent(one.low)}, {percent(one.high)}]" if np.isfinite(one.low) else ""


def _closing(gaps: Gaps, regime: str, words: str) -> str:
    """How much of the average gap is left at the largest share."""
    shares = [share for share in gaps.shares(regime) if share]
    if not shares:
        return ""
    before, after = [], []
    for network in gaps.judged:
        for vary in gaps.shown(regime):
            one = gaps.of(network, CANONICAL, vary)
            other = gaps.of(network, regime, vary, vary=vary, share=shares[-1])
            if len(vary) == 1 and np.isfinite(one).any() and np.isfinite(other).any():
                before.append(one)
                after.append(other)
    if not before:
        return ""
    none, most = (percent(mean_interval(mean_of(values)).value) for values in (before, after))
    share = f"{100 * shares[-1]:g} % of {words}"
    return f" With {share} varying in the factor asked, the average gap is {most}, against {none}."
