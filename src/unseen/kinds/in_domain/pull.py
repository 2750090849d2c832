"""Are answers about a factor out of range drawn to the mean, or do they stop at the edge, or are they like draws?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from unseen.kinds.judged import judged, left_open
from unseen.measures import judge, lowest
from unseen.reports.finding import Finding
from unseen.reports.words import number

NAME = "answers are drawn to the mean"
PULLED = "nearer to the mean than the edge is, and less spread than draws"
DRAWS = "nearer to the mean than the edge is, but not to be told from random draws"
EDGE = "not to be told from answers at the edge"
BETWEEN, OPEN = "between that edge and the truth", "no pull towards the mean is certain"
Repeats = Float[np.ndarray, " repeats"]


def drawn(
    share: Repeats, distance: Repeats, spread: Repeats, opposite: float, over: str, *, units: str = ""
) -> Finding:
    """Answers are pulled to the mean: they lie nearer to it than the edge of what was trained (which rules out unbiased
    answers, too), and are less spread than draws from the trained levels. One number of each for every repeat.

    What is judged is the smaller of the two margins, 1 − ``distance`` and 1 − ``spread`` (``measures.pull``); the claim
    holds if both are surely above zero. The paper's ``share`` of answers nearer to the mean than the truth is told
    beside them, with that of answers on the mean's other side (NaN: not known): it is near 1 for answers at the edge,
    and for draws.
    """
    verdict, _ = lowest({"none": np.zeros(len(share)), "edge": 1 - distance, "draws": 1 - spread}, "none")
    i = verdict.interval
    beyond = f" ({number(opposite, percent=True)} on its other side)" if np.isfinite(opposite) else ""
    statement = (
        f"{number(float(share.mean()), percent=True)} of the answers about the factor out of range are nearer to the "
        f"mean of the levels trained on than the truth is{beyond}; for unbiased answers it would be one half, "
        f"but for answers at the edge of what was trained, or drawn at random from the trained levels, about all. "
        f"Their distance from the mean is {distance.mean():.2f} times the edge's, their variance {spread.mean():.2f} "
        f"times that of such draws: "
        f"{what_they_do(share, distance, spread)}, {over}"
    )
    pull = replace(i, value=-i.value, low=-i.high, high=-i.low)
    return judged(NAME, statement, replace(verdict, interval=pull), over=units)


def share_alone(share: Repeats, over: str, *, units: str = "") -> Finding:
    """What a table says that was written before distances from the mean were: too little to judge."""
    statement = (
        f"{number(float(share.mean()), percent=True)} of the answers about the factor out of range are nearer to the "
        f"mean of the levels trained on than the truth is; answers at the edge of what was trained would give the "
        f"same, {over}"
    )
    return left_open(judged(NAME, statement, judge(share, 1, null=0.5), over=units), "the table has no distances")


def what_they_do(share: Repeats, distance: Repeats, spread: Repeats) -> str:
    """What answers do, as far as repeats agree, before any correction for other claims.

    >>> few = np.array([-0.02, 0.0, 0.03])
    >>> for distance, spread in ((0.5, 0.3), (0.5, 1.0), (1.0, 0.1), (1.2, 0.3)):
    ...     print(what_they_do(0.97 + few, distance + few, spread + few))
    nearer to the mean than the edge is, and less spread than draws
    nearer to the mean than the edge is, but not to be told from random draws
    not to be told from answers at the edge
    between that edge and the truth
    >>> what_they_do(0.5 + few, 1.4 + few, 0.6 + few)
    'no pull towards the mean is certain'
    """
    nearer = judge(distance, -1, null=1).holds
    if nearer:
        return PULLED if judge(spread, -1, null=1).holds else DRAWS
    towards = judge(share, 1, null=0.5)
    if towards.holds or (towards.interval.n > 2 and bool((share == 1).all())):  # all of them: no interval is needed
        return BETWEEN if nearer is False else EDGE
    return OPEN
