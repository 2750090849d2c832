"""Words of answers that say whether something rises or falls."""

from __future__ import annotations

from unseen.measures import Verdict


def undecided(value: float, low: float, high: float, why: str) -> str:
    """Why nothing is said to rise or to fall.

    >>> from math import nan
    >>> undecided(0.1, -0.15, 0.35, "the interval includes zero"), undecided(-0.1, nan, nan, "one repeat")
    ('whether it rises is left open (change 0.10 [−0.15, 0.35])', 'whether it falls is left open (one repeat)')
    """
    verb = "rises" if value >= 0 else "falls"
    if low <= 0 <= high:
        return f"whether it {verb} is left open (change {signed(value, low, high)})"
    return f"whether it {verb} is left open" + (f" ({why})" if why else "")


def signed(value: float, low: float, high: float) -> str:
    """A difference, with its interval as it is."""
    return f"{value:.2f} [{low:.2f}, {high:.2f}]".replace("-", "−")


def moves(change: Verdict) -> str:
    """What a change does that the answer alone is about: "rises", "falls", or nothing where it is open.

    >>> import numpy as np
    >>> from unseen.measures import judge
    >>> [moves(judge(np.array(d), 1)) for d in ([0.4, 0.5, 0.6], [-0.2, -0.19, -0.18], [0.1, 0.9], [0.9])]
    ['rises', 'falls', '', '']
    """
    return "" if change.holds is None else "rises" if change.interval.value > 0 else "falls"
