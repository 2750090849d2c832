"""Concepts: does a class that is read from concepts alone hold on unseen combinations, and do concepts fail where it
does?"""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers_and

KIND = kind_in(
    __name__,
    "Does a class read from concepts alone hold on unseen combinations better than one read from the image?",
    numbers=classifier_numbers_and(f"{__name__}.numbers:concept_numbers"),
    check="checks:check",
)
