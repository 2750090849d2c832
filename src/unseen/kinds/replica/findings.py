"""Which change in the making of a test set costs accuracy, and whether the line of new on original is steeper than one.

Every number is of one repeat (other objects to train on and to ask, new first weights): the mean drop over its models,
or the slope of the line through them. Student's t over repeats decides. Recht et al. 2019 find drops for all models and
slopes above one on ImageNet; that the same maker without a change makes no drop is what "independent and identically
distributed" means.
"""

from __future__ import annotations

import numpy as np

from unseen.designs.replicate import ORIGINAL, REPLICA, SHIFTED
from unseen.kinds.judged import corrected, judged, told
from unseen.kinds.learned import learned, unless_learned
from unseen.kinds.replica.read import EASIER, HARDER, Replicas
from unseen.measures import fit_line, judge
from unseen.reports.finding import Finding
from unseen.reports.words import number

MEANS = {
    REPLICA: "other objects of the same maker",
    EASIER: "those of the replica that most other models know",
    HARDER: "those of the replica that fewest other models know",
}
WHOLE = 3  # models that a line needs


def meaning(found: Replicas, name: str) -> str:
    if name == SHIFTED:
        return f"the objects of the replica, {found.shift.factor} as never shown ({', '.join(found.shift.shifted)})"
    return MEANS[name]


def drops(found: Replicas, name: str) -> np.ndarray:
    """The mean drop over models, for each repeat that has every model."""
    whole = np.isfinite(found.drop(name)).all(axis=1)
    return found.drop(name)[whole].mean(axis=1).round(12)  # sums of equal shares leave 1e-17


def slopes(found: Replicas, name: str, scale: str = "linear") -> np.ndarray:
    """The slope of the line of new on original accuracy, for each repeat."""
    made = []
    for x, y in zip(found.accuracy[ORIGINAL], found.accuracy[name]):
        kept = np.isfinite(x) & np.isfinite(y)
        if kept.sum() >= WHOLE:
            made.append(fit_line(x[kept], y[kept], scale, draws=2).slope.value)
    return np.array(made)


def findings(found: Replicas) -> tuple[Finding, ...]:
    best = np.nanmax(found.accuracy[ORIGINAL], axis=1)
    known = learned(best[np.isfinite(best)], found.chance)
    made: list[Finding] = []
    for name in found.collections:
        side = {REPLICA: 0, EASIER: -1}.get(name, 1)
        drop = judge(drops(found, name), side)
        if drop.interval.n:
            title = {0: "does not change accuracy", -1: "raises accuracy", 1: "lowers accuracy"}[side]
            by, way = abs(drop.interval.value), "higher" if drop.interval.value < 0 else "lower"
            statement = (
                f"On {meaning(found, name)} ('{name}'), accuracy is {number(by)} {way} than on the original, mean of "
                f"{len(found.models)} models"
            )
            one = judged(f"'{name}' {title}", statement, drop, over=found.over)
            made += unless_learned([one], known, "the original test set")
        slope = judge(slopes(found, name), 1, null=1.0)
        if slope.interval.n:
            statement = (
                f"The line of accuracy on '{name}' over that on the original has slope {number(slope.interval.value)}, "
                f"against 1 where a point of progress is worth a point"
            )
            say = judged if name in (HARDER, SHIFTED) else told
            made.append(say(f"the slope on '{name}' exceeds 1", statement, slope, over=found.over))
    return corrected(made)
