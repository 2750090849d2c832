"""Subjects: who knows what? Of models that are given as they are, and of people: accuracy by set, level and cell."""

from __future__ import annotations

from unseen.kinds.table import kind_in
from unseen.kinds.trial_numbers import classifier_numbers

KIND = kind_in(
    __name__,
    "How well does each subject know what is asked, and where does it fail?",
    designs=("ask",),
    numbers=classifier_numbers,
)
