"""A claim about what carries over needs that something was learned.

On shuffled pictures (world ``shuffled``) networks answer with what is frequent, and some claims are then true of the
answers and say nothing of networks: levels beyond the trained range are missed by more, and no noise helps with
another. So they are left open unless what was trained on is surely known. The controls of ``bench/controls.py`` found
this; the rule is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from unseen.kinds.judged import doubted
from unseen.measures import judge
from unseen.reports.finding import Finding

LEARNED = 0.1  # of the way from nothing to everything: who is above it in every repeat has learned (ours)


def learned(values: Float[np.ndarray, " n"], nothing: float = 0.0) -> bool:
    """Whether more than ``nothing`` was learned: surely on average, or in every network by a tenth of what can be. The
    second is for networks that all know it and differ, or that all know it perfectly: neither has a t interval that
    speaks of them.

    >>> [learned(np.array(one), 0.1) for one in ([1.0, 1.0, 1.0], [0.3, 0.95, 0.97], [0.09, 0.12, 0.1], [])]
    [True, True, False, False]
    """
    own = np.asarray(values, np.float64)
    own = own[np.isfinite(own)]
    each = len(own) > 0 and bool((own > nothing + LEARNED * (1 - nothing)).all())
    return each or judge(own, 1, null=nothing).holds is True


def unless_learned(findings: Sequence[Finding], known: bool | None, what: str) -> list[Finding]:
    """Findings with an expectation, left open where ``what`` they rest on is not ``known``. They stay comparisons of
    the page. None: it was not asked, and nothing is left open by it."""
    if known is None or known:
        return list(findings)
    why = f"{what} is not surely known, so nothing can carry over"
    return [doubted(one, why) if one.judged and one.holds is not None else one for one in findings]


def learned_conditions(accuracy: np.ndarray, trained: np.ndarray, chance: float) -> bool:
    """Whether conditions trained on are known better than by chance: mean over them, repeat by repeat."""
    cells = np.where(trained, accuracy, np.nan).reshape(len(accuracy), -1)
    known = np.isfinite(cells).any(axis=1)
    return learned(np.array([np.nanmean(one) for one in cells[known]]), chance)
