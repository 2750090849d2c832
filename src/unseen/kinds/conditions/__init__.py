"""Conditions: trained on some conditions (distortions, transformations), asked on all (Geirhos et al. 2018)."""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers

KIND = kind_in(
    __name__,
    "Trained on some conditions: which others are known?",
    designs=("matrix",),
    numbers=classifier_numbers,
    check="checks:check",
)
