"""Combinations: is a category known at a viewpoint where it was never seen? (Madan et al. 2022)"""

from __future__ import annotations

from unseen.kinds.table import EVERY, kind_in
from unseen.kinds.trial_numbers import classifier_numbers

KIND = kind_in(
    __name__,
    "Is a category known where it was never seen?",
    designs=(EVERY,),
    numbers=classifier_numbers,
    extra_rows="extra_rows:extra_rows",
)
