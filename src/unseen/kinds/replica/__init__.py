"""Replica: a test set made anew, chosen harder, shifted in one factor; which of these costs accuracy? (Recht et al.
2019)"""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers

KIND = kind_in(
    __name__,
    "A test set is made anew: which change in its making costs accuracy?",
    designs=("replicate",),
    numbers=classifier_numbers,
    check="checks:check",
    extra_rows="extra_rows:extra_rows",
)
