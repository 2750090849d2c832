"""Gaps as numbers by repeat, and in points of accuracy, as the paper has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.measures import mean_interval

Values = np.ndarray  # one number for each repeat


def percent(value: float) -> str:
    """Points of accuracy, as the paper has them.

    >>> percent(-0.4203), percent(0.001), percent(-0.0)
    ('−42.0', '+0.1', '0.0')
    """
    text = f"{100 * value:+.1f}"
    return "0.0" if text[1:] == "0.0" else text.replace("-", "−")


def mean_of(parts: Sequence[Values]) -> Values:
    """The mean by repeat of several numbers; a repeat that lacks one has none."""
    return np.mean(parts, axis=0) if len(parts) else np.zeros(0)


def in_points(values: Values) -> str:
    """The mean over repeats."""
    return percent(mean_interval(values).value)
