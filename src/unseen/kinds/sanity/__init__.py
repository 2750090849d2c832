"""Sanity: do maps depend on what a network learned? Layers drawn anew, and random labels (Adebayo et al. 2018)."""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers_and

KIND = kind_in(
    __name__,
    "Do maps depend on what a network learned?",
    numbers=classifier_numbers_and(f"{__name__}.numbers:similarity_numbers"),
    check="checks:check",
)
