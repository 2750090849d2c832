"""Variability: objects never shown, off their canonical view; what of it must training show? (Ibrahim et al. 2022)"""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers_and

KIND = kind_in(
    __name__,
    "Which natural changes break a network, and how much of them must training show?",
    designs=("vary_some",),
    numbers=classifier_numbers_and(f"{__name__}.numbers:gap_numbers"),
    check="checks:check",
)
